package workers

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestSlowAccounts: an account takes all slots until its jobs are measured to be slow, then leaves slots to others, and its
// postponed jobs return one after another.
func TestSlowAccounts(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	a := newAdmission(10, 2*time.Second, func() time.Time { return now })
	slow, other := uuid.New(), uuid.New()
	fill := func(account uuid.UUID) (releases []func(), wait time.Duration) {
		for {
			release, w := a.acquire(t.Context(), account, "k", 0)
			if release == nil {
				return releases, w
			}
			releases = append(releases, release)
		}
	}
	first, _ := fill(slow)
	if len(first) != 10 {
		t.Errorf("an account whose jobs are not measured yet gets %d slots, want all 10", len(first))
	}
	now = now.Add(10 * time.Second)
	for _, release := range first {
		release()
	}
	held, wait := fill(slow)
	if len(held) != 5 {
		t.Errorf("a slow account gets %d slots, want 5", len(held))
	}
	if _, next := a.acquire(t.Context(), slow, "k", 0); next <= wait {
		t.Errorf("one postponed job comes back after %s and the next one after %s, want the next one later", wait, next)
	}
	if got, _ := fill(other); len(got) != 5 {
		t.Errorf("another account gets %d slots, want 5", len(got))
	}
}

// TestSwiftAccounts: postponed jobs of an account whose jobs are swift return at the pace of swift jobs, even if there are many.
func TestSwiftAccounts(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	a := newAdmission(2, 0, func() time.Time { return now })
	account, jobs := uuid.New(), 1000
	release, _ := a.acquire(t.Context(), account, "k", 0)
	now = now.Add(swift - time.Millisecond)
	release()
	a.acquire(t.Context(), account, "k", 0) // the only slot of the account
	a.mu.Lock()
	defer a.mu.Unlock()
	var last time.Duration
	for range jobs {
		last = a.postpone(&waiter{account: account, kind: "k"}, a.load(account))
	}
	if want := time.Duration(jobs) * swiftReturn; last > want {
		t.Errorf("the last of %d jobs comes back after %s, want at most %s", jobs, last, want)
	}
}
