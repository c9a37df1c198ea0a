package domain_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers/egress"
)

// zone is a fake of DNS. The test sets the alias (CNAME) and the TXT records of names. Every name has the tracker's address.
type zone struct {
	mu      sync.Mutex
	aliases map[string]string
	texts   map[string][]string
	away    bool
}

var errAway = errors.New("no DNS server answers")

func (z *zone) Records(_ context.Context, name string) ([]egress.Records, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.away {
		return nil, errAway
	}
	r := egress.Records{Addresses: []netip.Addr{netip.MustParseAddr("192.0.2.200")}}
	if to := z.aliases[name]; to != "" {
		r.Names = []string{to}
	}
	return []egress.Records{r}, nil
}

func (z *zone) Addresses(ctx context.Context, name string) ([]netip.Addr, error) {
	found, err := z.Records(ctx, name)
	if err != nil {
		return nil, err
	}
	return found[0].Addresses, nil
}

func (z *zone) Texts(_ context.Context, name string) ([]string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.away {
		return nil, errAway
	}
	return z.texts[name], nil
}

// set sets the alias of a host and the TXT records in which its proof is looked up.
func (z *zone) set(host, alias string, texts ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.aliases[host], z.texts[models.DomainTXT(host)] = alias, texts
}

func newZone(t *testing.T) (*verifyEnv, *zone) {
	t.Helper()
	z := &zone{aliases: map[string]string{}, texts: map[string][]string{}}
	return newVerifyEnvBy(t, z), z
}

const target, theirTarget = mine + "." + tracker, theirs + "." + tracker

// addTo adds one host to an account and returns the domain's id.
func (v *verifyEnv) addTo(account uuid.UUID, host string) uuid.UUID {
	v.Helper()
	return v.add(account, host)[host]
}

// TestTwoAccounts: two accounts add the same host. The account without a proof is never verified, even if it asks first, and even
// after the other account has deleted its domain.
func TestTwoAccounts(t *testing.T) {
	t.Parallel()
	v, z := newZone(t)
	const host = "go.victim.com"
	attackers, victims := v.addTo(v.other, host), v.addTo(v.account, host)
	for _, alias := range []string{"", tracker, target} {
		z.set(host, alias)
		if got := v.verifyAt(v.other, attackers, 0); got.Verified {
			t.Errorf("the host with the alias %q was verified without a proof of the account: %+v", alias, got)
		}
	}
	if got := v.verifyAt(v.account, victims, 0); got.Verified || !strings.Contains(got.Detail, "another account has added its host too, or had it verified in the last year. "+
		"Set a TXT record of _switchyard."+host+" to "+mine+".") {
		t.Errorf("a CNAME alone, while another account has the host: %+v, want unverified with the record to set", got)
	}
	z.set(host, "", mine)
	if got := v.verifyAt(v.other, attackers, 0); got.Verified || !strings.Contains(got.Detail, "_switchyard."+host+" to "+theirs+".") {
		t.Errorf("the account without a proof: %+v, want unverified with the record to set", got)
	}
	if got := v.verifyAt(v.account, victims, 0); !got.Verified || *got.Proof != models.ProofTXT {
		t.Errorf("the account with the TXT record is not verified: %+v", got)
	}
	if got := v.verifyAt(v.other, attackers, 0); got.Verified {
		t.Errorf("the account without a proof was verified while the other account is verified: %+v", got)
	}
	if _, err := v.store.Domains().Delete(t.Context(), v.account, victims); err != nil {
		t.Fatal(err)
	}
	if got := v.verifyAt(v.other, attackers, 0); got.Verified {
		t.Errorf("the account without a proof was verified after the other account had deleted its domain: %+v", got)
	}
	z.set(host, theirTarget)
	if got := v.verifyAt(v.other, attackers, 0); got.Verified {
		t.Errorf("a CNAME verified the domain although another account had the host: %+v", got)
	}
	z.set(host, theirTarget, mine, theirs)
	if got := v.verifyAt(v.other, attackers, 0); !got.Verified {
		t.Errorf("the account with the TXT record is not verified: %+v", got)
	}
	if got := v.verifyAt(v.account, v.addTo(v.account, host), 0); got.Verified || !strings.Contains(got.Detail, "its host serves another account") {
		t.Errorf("both accounts have a proof, and the other account was first: %+v, want unverified", got)
	}
}

// TestCNAMEProves: the alias is enough as a proof if no other account has the host, and stays enough if another account adds the
// host later. Without the alias, the domain stops serving after three days.
func TestCNAMEProves(t *testing.T) {
	t.Parallel()
	const day, host = 24 * time.Hour, "go.alone.com"
	v, z := newZone(t)
	id := v.addTo(v.account, host)
	z.set(host, target)
	if got := v.verifyAt(v.account, id, 0); !got.Verified || *got.Proof != models.ProofCNAME {
		t.Fatalf("%+v", got)
	}
	v.addTo(v.other, host)
	if got := v.verifyAt(v.account, id, 5*day); !got.Verified {
		t.Errorf("the domain was lost after another account had added the host: %+v", got)
	}
	z.set(host, tracker)
	if got := v.verifyAt(v.account, id, 6*day); !got.Verified {
		t.Errorf("the domain was lost on the first day without a proof: %+v", got)
	}
	stray, err := v.store.Domains().Stray(t.Context(), v.account, time.Now().Add(6*day))
	if err != nil || len(stray) != 1 || !strings.Contains(stray[0].Detail, "Set a TXT record of _switchyard."+host+" to "+mine+".") {
		t.Errorf("the alert of the domain does not name the record to set: %+v, %v", stray, err)
	}
	z.set(host, mine+".former.example.org")
	if got := v.verifyAt(v.account, id, 7*day); *got.Proof != models.ProofCNAME {
		t.Errorf("an alias below a former tracking host is not accepted as a proof: %+v", got)
	}
	z.set(host, tracker)
	v.verifyAt(v.account, id, 7*day)
	z.away = true
	if got := v.verifyAt(v.account, id, 8*day); !got.Verified || got.Proof != nil {
		t.Errorf("while DNS is away: %+v, want verified with an unknown proof", got)
	}
	z.away = false
	if got := v.verifyAt(v.account, id, 10*day+time.Minute); got.Verified {
		t.Errorf("the domain is still verified on the fourth day without a proof: %+v", got)
	}
	z.set(host, target, mine)
	if got := v.verifyAt(v.account, id, 11*day); !got.Verified || *got.Proof != models.ProofTXT {
		t.Errorf("with a proof again: %+v, want verified by TXT", got)
	}
}

// TestVerifiedBefore checks when a domain that was verified before proofs existed needs a proof.
func TestVerifiedBefore(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	v, z := newZone(t)
	before := func(account uuid.UUID, host string) uuid.UUID {
		id := v.addTo(account, host)
		dbtest.Exec(v, v.db, `UPDATE domains SET is_verified = true, proof = 'before' WHERE id = $1`, id)
		return id
	}
	taken, rejected := before(v.other, "go.taken.com"), before(v.other, "go.operator.com")
	if _, err := v.store.Domains().SetVerified(t.Context(), v.other, rejected, true); err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(v, v.db, `UPDATE domains SET proof = 'before' WHERE id = $1`, rejected)
	dbtest.Exec(v, v.db, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, streams) VALUES ($1, $2, 'c', 'c', $3, '[]')`, uuid.New(), v.other, taken)
	if got := v.verifyAt(v.other, taken, 5*day); !got.Verified {
		t.Errorf("the domain is not verified although it leads here: %+v", got)
	}
	z.set("go.taken.com", target)
	owner := v.addTo(v.account, "go.taken.com")
	if got := v.verifyAt(v.account, owner, 5*day); got.Verified {
		t.Errorf("another account took the host by a CNAME: %+v", got)
	}
	z.set("go.taken.com", target, mine)
	z.set("go.operator.com", target, mine)
	if got := v.verifyAt(v.account, owner, 5*day); !got.Verified {
		t.Errorf("another account could not take the host by TXT: %+v", got)
	}
	stray, err := v.store.Domains().Stray(t.Context(), v.other, time.Now().Add(5*day))
	if err != nil || len(stray) != 1 || stray[0].IsVerified || !strings.Contains(stray[0].Detail, "Another account has proved") {
		t.Errorf("the alert of the account that lost the host: %+v, %v", stray, err)
	}
	if got := v.verifyAt(v.account, v.addTo(v.account, "go.operator.com"), 5*day); got.Verified {
		t.Errorf("another account took a domain that an operator has verified: %+v", got)
	}
	if _, err := v.store.Domains().Delete(t.Context(), v.account, owner); err != nil {
		t.Fatal(err)
	}
	if got := v.verifyAt(v.other, taken, 6*day); got.Verified {
		t.Errorf("the account has the host again without a proof: %+v", got)
	}

	lost := before(v.account, "go.lost.com")
	dbtest.Exec(v, v.db, `UPDATE domains SET is_verified = false WHERE id = $1`, lost)
	if got := v.verifyAt(v.account, lost, 0); got.Verified {
		t.Errorf("a lost domain is verified again without a proof: %+v", got)
	}
	z.set("shown.com", "", mine)
	shown := before(v.account, "shown.com")
	if got := v.verifyAt(v.account, shown, 0); !got.Verified {
		t.Errorf("%+v", got)
	}
	z.set("shown.com", "")
	for _, later := range []time.Duration{day, 5 * day} {
		if got := v.verifyAt(v.account, shown, later); got.Verified != (later == day) {
			t.Errorf("%s after a proof was removed again: %+v", later, got)
		}
	}
}

// TestExpiredClaims: the claim of an account to a host is deleted a year after the account has deleted the domain. The claim to the
// host of a domain that still exists stays.
func TestExpiredClaims(t *testing.T) {
	t.Parallel()
	v, z := newZone(t)
	z.set("go.left.com", target)
	left := v.addTo(v.account, "go.left.com")
	v.addTo(v.account, "go.kept.com")
	if !v.verifyAt(v.account, left, 0).Verified {
		t.Fatal("the domain is not verified")
	}
	if _, err := v.store.Domains().Delete(t.Context(), v.account, left); err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct {
		later time.Duration
		want  int
	}{{0, 2}, {367 * 24 * time.Hour, 1}} {
		later, want := at.later, at.want
		v.later.Store(int64(later))
		if _, err := run(v.env, jobs.SweepDomains, uuid.Nil, jobs.Tick{}); err != nil {
			t.Fatal(err)
		}
		if n, err := db.Get[int](t.Context(), v.db, "claims", `SELECT count(*) FROM domain_claims`); err != nil || n != want {
			t.Errorf("after %s there are %d claims, want %d, %v", later, n, want, err)
		}
	}
}
