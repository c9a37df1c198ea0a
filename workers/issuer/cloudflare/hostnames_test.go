package cloudflare

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/cloudflare"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
)

// budget is a Budget that returns the wait that a test has set, and records its calls.
type budget struct {
	mu     sync.Mutex
	wait   time.Duration
	left   []int
	pauses []time.Duration
}

func (b *budget) Allow(_ context.Context, leave int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = append(b.left, leave)
	return b.wait
}

func (b *budget) Pause(_ context.Context, d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pauses = append(b.pauses, d)
}

// env is a client with a fake of Cloudflare.
type env struct {
	*cloudflaretest.Fake
	budget *budget
	o      cloudflare.Options
}

func newEnv(t *testing.T) *env {
	t.Helper()
	w := &env{Fake: cloudflaretest.Serve(t), budget: &budget{}}
	w.o = cloudflare.Options{
		Egress: egresstest.Client(t, w.Server, egress.Options{MaxBody: 1 << 20}), Budget: w.budget, Token: cloudflaretest.Token,
		URL: w.Server.URL,
	}
	return w
}

func (w *env) hostnames() hostnames { return hostnames{cloudflare.New(w.o), cloudflaretest.Zone} }

// TestRefusals checks that each failure has a code for customers, and that no error contains the token.
func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fail    func(w *env)
		code    string
		refused bool
	}{
		"a wrong token":                    {func(w *env) { w.o.Token = "canary-cloudflare-token-wrong" }, "edge_10000", true},
		"another zone":                     {func(w *env) { w.Refuse(403, 9109, "Unauthorized to access requested resource") }, "edge_9109", true},
		"a refusal":                        {func(w *env) { w.Refuse(400, 1414, "No custom origin") }, "edge_1414", false},
		"a page of a proxy":                {func(w *env) { w.Fail(cloudflaretest.Broken) }, "edge_502", false},
		"an answer that repeats the token": {func(w *env) { w.Fail(cloudflaretest.Echo) }, "edge_1400", false},
		"no answer":                        {func(w *env) { w.Fail(cloudflaretest.Drop) }, "edge_unavailable", false},
		"no server":                        {func(w *env) { w.Server.Close() }, "edge_unavailable", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			tt.fail(w)
			_, err := w.hostnames().create(t.Context(), "go.shop.example")
			e, ok := errors.AsType[*cloudflare.Error](err)
			if !ok {
				t.Fatalf("%v", err)
			}
			if p := e.Public(); p.Code != tt.code || p.Message == "" || e.Refused() != tt.refused {
				t.Errorf("%v, refused %t; want %s, %t", p, e.Refused(), tt.code, tt.refused)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("the error contains the token: %v", err)
			}
		})
	}
}

// TestTooMany checks that a 429 pauses the budget, and that a request waits for a short pause and fails during a long one.
func TestTooMany(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.Block(4 * time.Minute)
	_, err := w.hostnames().read(t.Context(), "x")
	e, ok := errors.AsType[*cloudflare.Error](err)
	if !ok || e.Public().Code != "edge_429" || e.Wait < 3*time.Minute || e.Wait > 4*time.Minute {
		t.Fatalf("%+v", err)
	}
	if len(w.budget.pauses) != 1 || w.budget.pauses[0] != e.Wait || w.Count("") != 1 {
		t.Errorf("paused %v, %d requests", w.budget.pauses, w.Count(""))
	}
	// During a long wait no request is sent.
	w.budget.wait = time.Minute
	_, err = w.hostnames().read(t.Context(), "x")
	if e, ok := errors.AsType[*cloudflare.Error](err); !ok || e.Wait != time.Minute || w.Count("") != 1 {
		t.Errorf("%v after %d requests", err, w.Count(""))
	}
	// After a short wait the client asks the budget again, until the context ends.
	w.budget.wait = time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = w.hostnames().read(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.budget.wait = 0
	w.SetNow(func() time.Time { return time.Now().Add(time.Hour) })
	if _, err = w.hostnames().create(t.Context(), "go.shop.example"); err != nil {
		t.Error(err)
	}
	if w.budget.left[0] != 0 {
		t.Errorf("a request with a waiting caller leaves %d requests of the budget to others, want 0", w.budget.left[0])
	}
	if _, _, err = (hostnames{cloudflare.New(w.o).Background(), cloudflaretest.Zone}).find(t.Context(), "go.shop.example"); err != nil {
		t.Error(err)
	}
	if last := w.budget.left[len(w.budget.left)-1]; last != cloudflare.Burst/3 {
		t.Errorf("a background request leaves %d requests of the budget to others, want a third of the burst", last)
	}
}

// TestShortPause checks that a request is sent again after a short pause.
func TestShortPause(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	start, asked := time.Now(), 0
	w.SetNow(func() time.Time { return start })
	w.Block(time.Millisecond)
	w.SetNow(func() time.Time { // only the first request is blocked
		if asked++; asked > 1 {
			return start.Add(time.Minute)
		}
		return start
	})
	if _, err := w.hostnames().create(t.Context(), "go.shop.example"); err != nil || w.Refused() != 1 || len(w.budget.pauses) != 1 {
		t.Errorf("%v after %d refusals, paused %v", err, w.Refused(), w.budget.pauses)
	}
}

// TestBudget checks that Burst and Interval stay within Cloudflare's limit in any window.
func TestBudget(t *testing.T) {
	t.Parallel()
	if n := cloudflare.Burst + int(cloudflaretest.Window/cloudflare.Interval); n > cloudflaretest.Limit {
		t.Errorf("%d requests in a window, the limit is %d", n, cloudflaretest.Limit)
	}
}

// TestFakeLimit checks that the fake counts requests as Cloudflare does.
func TestFakeLimit(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.SetLimit(3)
	for i := range 5 {
		_, err := w.hostnames().read(t.Context(), "x")
		if e, ok := errors.AsType[*cloudflare.Error](err); !ok || (e.Wait > 4*time.Minute) != (i >= 3) {
			t.Errorf("request %d: %v", i, err)
		}
	}
	// The client did not send the two refused requests again, because the pause was too long.
	if w.Refused() != 2 {
		t.Errorf("%d requests were refused", w.Refused())
	}
}

// TestHostnames checks that a created hostname is found, validated again and deleted.
func TestHostnames(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	h, ctx := w.hostnames(), t.Context()
	made, err := h.create(ctx, "go.shop.example")
	if err != nil || made.ID == "" || made.Hostname != "go.shop.example" || made.SSL.Status != "initializing" || made.SSL.Records != nil {
		t.Fatalf("%+v, %v", made, err)
	}
	for i := range 60 { // Cloudflare's filter by host also finds these
		w.Add("a" + strconv.Itoa(i) + ".go.shop.example")
	}
	found, ok, err := h.find(ctx, "go.shop.example")
	if err != nil || !ok || found.ID != made.ID {
		t.Errorf("%+v %t, %v", found, ok, err)
	}
	if _, ok, err = h.find(ctx, "shop.example"); err != nil || ok {
		t.Errorf("%t, %v", ok, err)
	}
	read, err := h.read(ctx, made.ID)
	if err != nil || read.SSL.Status != "pending_validation" || len(read.SSL.Records) != 1 || read.Ownership == nil || read.OwnershipHTTP == nil {
		t.Errorf("%+v, %v", read, err)
	}
	w.SetStates("go.shop.example", "moved", "validation_timed_out", "Custom hostname does not CNAME to this zone.")
	read, err = h.read(ctx, made.ID)
	if err != nil || read.Status != "moved" || len(read.Errors) != 1 || len(read.SSL.Errors) != 1 {
		t.Errorf("%+v, %v", read, err)
	}
	if again, err := h.retry(ctx, made.ID); err != nil || again.SSL.Status != "pending_validation" || again.Status != "pending" {
		t.Errorf("%+v, %v", again, err)
	}
	for read.SSL.Status != "active" {
		if read, err = h.read(ctx, made.ID); err != nil {
			t.Fatal(err)
		}
	}
	if read.Status != "active" || read.SSL.ExpiresOn == nil || read.SSL.Uploaded == nil {
		t.Errorf("%+v", read)
	}
	for range 2 { // the second call finds nothing to delete
		if err := h.remove(ctx, made.ID); err != nil {
			t.Error(err)
		}
	}
	w.SetQuota(61)
	if _, err = h.create(ctx, "b.shop.example"); err != nil {
		t.Error(err)
	}
	for host, code := range map[string]int{
		"": 1407, "exämple.shop.example": 1408, "a.localhost": 1409, "co.uk": 1410, "www.example.com": 1411, "b.shop.example": 1406,
		"c.shop.example": 1405,
	} {
		if _, err := h.create(ctx, host); !cloudflare.HasCode(err, code) {
			t.Errorf("%q: %v, want %d", host, err, code)
		}
	}
	if _, err := h.read(ctx, made.ID); !cloudflare.HasCode(err, codeNotFound) {
		t.Errorf("reading a deleted hostname: %v", err)
	}
}
