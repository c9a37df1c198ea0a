package api_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"switchyard/api/apitest"
	"switchyard/api/route"
	"switchyard/db/dbtest"
	"switchyard/db/idempotency"
	"switchyard/models"
)

func TestIdempotentCreateUnderARace(t *testing.T) {
	t.Parallel()
	one := apitest.New(t)
	two := apitest.New(t, apitest.Options{DB: one.DB}).As(one.Key)
	for round := range 4 {
		key := fmt.Sprint("race-", round)
		var mu sync.Mutex
		var wg sync.WaitGroup
		bodies := map[string]int{}
		fresh, progress := 0, 0
		for i := range 64 {
			wg.Go(func() {
				s := []*apitest.Server{one, two}[i%2]
				a := s.Do("POST", "/offers", offer(key), "Idempotency-Key", key)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case a.Status == 201:
					bodies[string(a.Raw)]++
					if a.Header.Get("Idempotent-Replayed") == "" {
						fresh++
					}
				case a.Status == 409 && a.Code == "idempotency_in_progress":
					progress++
				default:
					t.Errorf("status %d, want 201, or 409 idempotency_in_progress: %s", a.Status, a.Raw)
				}
			})
		}
		wg.Wait()
		if len(bodies) != 1 || fresh != 1 {
			t.Errorf("round %d: %d different answers, %d of them fresh, want one; %d calls were still in progress", round, len(bodies), fresh, progress)
		}
		var n int
		err := one.DB.GetContext(t.Context(), &n, `SELECT count(*) FROM offers WHERE name = $1`, key)
		if err != nil || n != 1 {
			t.Errorf("%d offers were created, want one (error %v)", n, err)
		}
	}
}

func TestIdempotencyRules(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	first := s.Do("POST", "/offers", offer("A"), "Idempotency-Key", "k").Want(201, "")
	if first.Header.Get("Idempotent-Replayed") != "" {
		t.Error("the first answer says that it is a stored answer")
	}
	replay := func(a apitest.Answer) {
		t.Helper()
		if string(a.Raw) != string(first.Raw) || a.Header.Get("Idempotent-Replayed") != "true" ||
			a.Header.Get("RateLimit-Limit") == "" || a.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
			t.Errorf("the answer is not the stored one with Idempotent-Replayed: %s %v", a.Raw, a.Header)
		}
	}
	replay(s.Do("POST", "/offers", offer("A"), "Idempotency-Key", "k").Want(201, ""))
	s.Do("POST", "/offers", offer("B"), "Idempotency-Key", "k").Want(422, "idempotency_key_reused")
	s.Do("POST", "/offers?x=1", offer("A"), "Idempotency-Key", "k").Want(422, "idempotency_key_reused")
	path := fmt.Sprintf("/offers/%s/clone", first.Map()["id"])
	s.Do("POST", path, offer("A"), "Idempotency-Key", "k").Want(422, "idempotency_key_reused")
	clone := s.Do("POST", path, nil, "Idempotency-Key", "clone").Want(201, "").Map()["id"]
	if again := s.Do("POST", path, nil, "Idempotency-Key", "clone").Want(201, "").Map()["id"]; again != clone {
		t.Error("the repeated call made a second clone")
	}

	// The answers 409 and 400 are stored and repeated too.
	s.Do("POST", "/offers", offer("A"), "Idempotency-Key", "dup").Want(409, "duplicate_name")
	s.Do("DELETE", fmt.Sprintf("/offers?id=%s", first.Map()["id"]), nil).Want(200, "")
	dup := s.Do("POST", "/offers", offer("A"), "Idempotency-Key", "dup").Want(409, "duplicate_name")
	if dup.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the answer 409 was not stored: the repeated call has no Idempotent-Replayed")
	}
	s.Do("POST", "/offers", `{`, "Idempotency-Key", "bad").Want(400, "bad_body")
	s.Do("POST", "/offers", `{`, "Idempotency-Key", "bad").Want(400, "bad_body")

	// A call with a new API key of the same account gets the stored answer. A call of another account or with a read-only key
	// does not.
	_, clear, err := s.Store.CreateKey(t.Context(), s.Account.ID, "new", models.ScopeFull, 0)
	if err != nil {
		t.Fatal(err)
	}
	replay(s.As(clear).Do("POST", "/offers", offer("A"), "Idempotency-Key", "k").Want(201, ""))
	_, foreign, _ := s.NewAccount("scale")
	s.As(foreign).Do("POST", "/offers", offer("B"), "Idempotency-Key", "k").Want(201, "")
	s.As(s.ReadKey).Do("POST", "/offers", offer("A"), "Idempotency-Key", "k").Want(403, "read_only_key")

	for _, key := range []string{"", strings.Repeat("x", 256)} {
		s.Do("POST", "/offers", offer("C"), "Idempotency-Key", key).Want(400, "invalid_input")
	}
	s.Do("POST", "/offers", offer("C"), "Idempotency-Key", strings.Repeat("x", 255)).Want(201, "")

	// After 24 hours the key is free.
	if _, err := s.DB.ExecContext(t.Context(),
		`UPDATE idempotency_keys SET created_at = now() - interval '24 hours 1 second'`); err != nil {
		t.Fatal(err)
	}
	s.Do("POST", "/offers", offer("D"), "Idempotency-Key", "k").Want(201, "")
	if n, err := idempotency.New(s.Store).DeleteExpired(t.Context()); err != nil || n == 0 {
		t.Errorf("%d old keys were deleted, want at least one (error %v)", n, err)
	}
}

func TestStoredAnswersAreSealed(t *testing.T) {
	t.Parallel()
	for _, noKey := range []bool{false, true} {
		s := apitest.New(t, apitest.Options{NoKey: noKey})
		s.Do("POST", "/offers", offer("visible-name"), "Idempotency-Key", "k").Want(201, "")
		s.Do("POST", "/offers", offer("visible-name"), "Idempotency-Key", "k").Want(201, "")
		var raw []byte
		if err := s.DB.GetContext(t.Context(), &raw, `SELECT answer FROM idempotency_keys`); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "visible-name") || len(raw) == 0 {
			t.Error("the stored answer is not encrypted, or it is empty")
		}
	}
}

// failing returns a route whose handler writes a record and then fails as the number in fail says. With 0 it succeeds.
func failing(fail *atomic.Int32, runs *atomic.Int32, slow *route.Slow) route.Route {
	return route.Route{
		Method: "POST", Path: "/flaky", Scope: route.Write, Slow: slow, Codes: route.Codes("400 refused"),
		Handle: route.Handle(func(c *route.Call) (int32, error) {
			n := runs.Add(1)
			_, err := c.Store.Offers().Create(c.Context(), models.Offer{
				Owned: models.Owned{AccountID: c.Account.ID}, OfferFields: models.OfferFields{
					Name: fmt.Sprint("o", n), URL: "https://x.example", PayoutType: "fixed", Currency: "USD",
				},
			})
			if err != nil {
				return 0, err
			}
			switch fail.Load() {
			case 1:
				return 0, fmt.Errorf("broken")
			case 2:
				panic("broken")
			case 3:
				return 0, models.Invalid("refused", "refused after writing")
			case 4: // the connection breaks, as if PostgreSQL were restarted
				_, err := c.Store.Conn().ExecContext(c.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
				return 0, err
			}
			return n, nil
		}),
	}
}

func TestFailedAttemptsRunAgain(t *testing.T) {
	t.Parallel()
	for _, slow := range []*route.Slow{nil, {}} {
		var fail, runs atomic.Int32
		s := apitest.New(t, apitest.Options{Extra: []route.Route{failing(&fail, &runs, slow)}})
		for _, how := range []int32{1, 2} {
			fail.Store(how)
			s.Do("POST", "/flaky", nil, "Idempotency-Key", "k").Want(500, "internal_error")
		}
		fail.Store(4)
		s.Do("POST", "/flaky", nil, "Idempotency-Key", "k").Want(503, "unavailable")
		fail.Store(0)
		s.Do("POST", "/flaky", nil, "Idempotency-Key", "k").Want(200, "")
		a := s.Do("POST", "/flaky", nil, "Idempotency-Key", "k").Want(200, "")
		if string(a.Data) != "4" || a.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("slow %v: the repeated call did not get the stored answer of the fourth run: %s %v", slow, a.Raw, a.Header)
		}
		fail.Store(3)
		for range 2 {
			s.Do("POST", "/flaky", nil, "Idempotency-Key", "refused").Want(400, "refused")
		}
		if runs.Load() != 5 {
			t.Errorf("slow %v: the handler ran %d times, want 5", slow, runs.Load())
		}
		var n int
		if err := s.DB.GetContext(t.Context(), &n, `SELECT count(*) FROM offers`); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 1, true: 5}[slow != nil]; n != want { // a slow call commits its own writes
			t.Errorf("slow %v: %d offers are stored, want %d", slow, n, want)
		}
	}
}

func TestSlowCallHoldsItsKey(t *testing.T) {
	t.Parallel()
	started, release := make(chan string, 4), make(chan struct{})
	s := apitest.New(t, apitest.Options{Extra: []route.Route{{
		Method: "POST", Path: "/slow", Scope: route.Write, Slow: &route.Slow{},
		Handle: route.Handle(func(c *route.Call) (string, error) {
			started <- c.AttemptID.String()
			<-release
			return "done", nil
		}),
	}}})
	answers := make(chan apitest.Answer, 1)
	go func() { answers <- s.Do("POST", "/slow", nil, "Idempotency-Key", "k") }()
	first := <-started
	s.Do("POST", "/slow", nil, "Idempotency-Key", "k").Want(409, "idempotency_in_progress")
	// The lease expires, as if the call's process had died. The next attempt takes over and submits its job under the same id.
	dbtest.Exec(t, s.DB, `UPDATE idempotency_keys SET lease_until = now()`)
	go func() { answers <- s.Do("POST", "/slow", nil, "Idempotency-Key", "k") }()
	if second := <-started; second != first {
		t.Errorf("the attempts have the ids %s and %s, want the same", first, second)
	}
	close(release)
	(<-answers).Want(200, "")
	(<-answers).Want(200, "")
	last := s.Do("POST", "/slow", nil, "Idempotency-Key", "k").Want(200, "")
	if last.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("the last call did not get the stored answer: it lacks Idempotent-Replayed")
	}
}

func TestAfterCommitWork(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	s := apitest.New(t, apitest.Options{Extra: []route.Route{{
		Method: "POST", Path: "/after", Scope: route.Write, Codes: route.Codes("400 refused"),
		Query: []route.Param{{Name: "fail"}},
		Handle: route.Handle(func(c *route.Call) (string, error) {
			c.After(func(context.Context) { ran.Add(1) })
			if c.Query.Has("fail") {
				return "", models.Invalid("refused", "refused")
			}
			return "ok", nil
		}),
	}}})
	s.Do("POST", "/after", nil).Want(200, "")
	s.Do("POST", "/after", nil, "Idempotency-Key", "k").Want(200, "")
	s.Do("POST", "/after", nil, "Idempotency-Key", "k").Want(200, "")
	s.Do("POST", "/after?fail", nil).Want(400, "refused")
	s.Do("POST", "/after?fail", nil, "Idempotency-Key", "f").Want(400, "refused")
	if ran.Load() != 2 {
		t.Errorf("the work after the commit ran %d times, want 2: a replayed or refused call does not run it", ran.Load())
	}
}

// sized returns a route whose answer has the length that the query gives.
func sized(runs *atomic.Int32, slow *route.Slow) route.Route {
	return route.Route{
		Method: "POST", Path: "/sized", Scope: route.Write, Slow: slow, Query: []route.Param{{Name: "size", Type: "integer"}},
		Handle: route.Handle(func(c *route.Call) (string, error) {
			runs.Add(1)
			size, err := strconv.Atoi(c.Query.Get("size"))
			return strings.Repeat("x", size), err
		}),
	}
}

// An answer that is too large to be stored, or beyond the plan's storage, is sent only once. A repetition does nothing and gets
// an error.
func TestAnswersThatAreNotKept(t *testing.T) {
	t.Parallel()
	for _, slow := range []*route.Slow{nil, {}} {
		var runs atomic.Int32
		s := apitest.New(t, apitest.Options{Extra: []route.Route{sized(&runs, slow)}})
		post := func(key string, size int) apitest.Answer {
			t.Helper()
			return s.Do("POST", fmt.Sprint("/sized?size=", size), nil, "Idempotency-Key", key)
		}
		storedBytes := func() int {
			t.Helper()
			return dbtest.Get[int](t, s.DB, `SELECT coalesce(sum(length(answer)), 0) FROM idempotency_keys`)
		}
		for i := range 3 {
			post(fmt.Sprint("large-", i), 1<<20).Want(200, "")
		}
		if n := storedBytes(); n != 0 {
			t.Errorf("%d bytes of large answers are stored, want none", n)
		}
		again := post("large-0", 1<<20).Want(409, "idempotency_answer_dropped")
		if again.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("the repeated answer lacks Idempotent-Replayed")
		}
		post("large-0", 1).Want(422, "idempotency_key_reused")

		post("small", 1000).Want(200, "")
		if n := storedBytes(); n < 1000 || n > 3000 {
			t.Errorf("%d bytes are stored for an answer of 1000 bytes, want 1000 to 3000", n)
		}
		plan, _ := models.PlanNamed("scale")
		dbtest.Exec(t, s.DB, `UPDATE kept_answers SET bytes = $1`, plan.AnswerBytes-1000)
		post("full", 1000).Want(200, "")
		post("full", 1000).Want(409, "idempotency_answer_dropped")
		post("small", 1000).Want(200, "")
		if n := runs.Load(); n != 5 {
			t.Errorf("the handler ran %d times, want 5", n)
		}
		// A day later, the stored answers no longer count against the plan's storage.
		dbtest.Exec(t, s.DB, `UPDATE kept_answers SET hour = hour - interval '26 hours'`)
		post("later", 1000).Want(200, "")
		post("later", 1000).Want(200, "")
		if n := runs.Load(); n != 6 {
			t.Errorf("the handler ran %d times, want 6", n)
		}
		if _, err := idempotency.New(s.Store).DeleteExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
		var hours int
		if err := s.DB.GetContext(t.Context(), &hours, `SELECT count(*) FROM kept_answers`); err != nil || hours != 1 {
			t.Errorf("kept_answers has %d rows, want only the one of the present hour (error %v)", hours, err)
		}
	}
}
