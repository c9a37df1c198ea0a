package click

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/netguard"
)

// goalAnswer is the answer to a message that a customer's server sends to /t/goal.
type goalAnswer struct {
	status int
	Data   *struct {
		Accepted, Refused int
		Results           []struct{ Result, Code string }
	}
	Error *struct{ Code string }
}

func (w *env) goals(body string, edits ...edit) (a goalAnswer) {
	w.Helper()
	res := w.send("POST", "/t/goal", body, edits...)
	if a.status = res.StatusCode; json.NewDecoder(res.Body).Decode(&a) != nil {
		w.Fatalf("%d: no JSON", a.status)
	}
	return a
}

// code returns the code of the error. Without an error it returns the result of the first goal, followed by its code if the goal is
// refused.
func (a goalAnswer) code() string {
	switch {
	case a.Error != nil:
		return a.Error.Code
	case a.Data != nil && len(a.Data.Results) > 0:
		return a.Data.Results[0].Result + a.Data.Results[0].Code
	}
	return ""
}

// goalServers returns an env with goals, and the secret of the account's servers.
func goalServers(t *testing.T) (w *env, secret string) {
	t.Helper()
	w = newEnv(t)
	site := w.site("shop.example.test", "")
	w.goal(site, "purchase", "dedupe = 'per_order', value_mode = 'from_event'")
	w.goal(site, "lead", "")
	w.goal(site, "off", "is_active = false")
	secret, err := storeOn(w.db).Sites().RotateGoalSecret(t.Context(), w.account)
	if err != nil {
		t.Fatal(err)
	}
	w.reload()
	return w, secret
}

func auth(secret string) edit { return header("Authorization", "Bearer "+secret) }

func TestServersReportGoals(t *testing.T) {
	t.Parallel()
	w, secret := goalServers(t)
	click := models.FormatClickID(models.NewClickID())
	body := fmt.Sprintf(`[{"click_id": %q, "goal": "purchase", "order_id": 17, "value": "12,50", "currency": "usd", "time": 1700000000,
		"items": [{"sku": "S", "price": 2.5, "quantity": 2}]}, {"click_id": %q, "goal": "nope"}, 3]`, click, click)
	a := w.goals(body, auth(secret))
	if a.status != 200 || a.Data.Accepted != 1 || a.Data.Refused != 2 || a.Data.Results[1].Code != "unknown_goal" || a.Data.Results[2].Code != "bad_goal" {
		t.Fatalf("one right and two wrong goals are answered %+v", a)
	}
	repeated := w.goals(body, auth(secret))
	list := w.spool.events()
	if repeated.Data.Accepted != 1 || len(list) != 2 || list[0].ID != list[1].ID {
		t.Errorf("a goal sent twice is accepted as %+v, want two events with one id", list)
	}
	e := list[0]
	if models.FormatClickID(e.ClickID) != click || e.Source != models.FromGoalAPI || len(e.Goals) != 1 || e.Goals[0].OrderID != "17" ||
		e.Goals[0].Value.String() != "12.5" || e.Goals[0].Currency != "USD" || len(e.Items) != 1 || e.Items[0].Quantity != 2 {
		t.Errorf("the stored event differs from the reported goal: %+v", e)
	}
	if refused := w.spool.refused(); len(refused) != 2 || refused[0].AccountID != w.account || refused[0].Params["goal"] != "nope" {
		t.Errorf("an unknown goal is not stored as a sample: %+v", refused)
	}
}

func (s *memorySpool) refused() (list []models.Postback) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Postback != nil && r.Postback.Refused != "" {
			list = append(list, *r.Postback)
		}
	}
	return list
}

func TestServersProveThemselves(t *testing.T) {
	t.Parallel()
	w, secret := goalServers(t)
	body := fmt.Sprintf(`{"click_id": %q, "goal": "lead"}`, models.FormatClickID(models.NewClickID()))
	sign := func(key, text string) edit {
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(text))
		return header("X-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	key := header("X-Site-Key", w.account.String())
	other := w.newAccount()
	for what, c := range map[string]struct {
		edits []edit
		code  string
	}{
		"secret":              {[]edit{auth(secret)}, "accepted"},
		"lower case":          {[]edit{header("Authorization", "bearer  "+secret)}, "accepted"},
		"signed":              {[]edit{key, sign(secret, body)}, "accepted"},
		"nothing":             {nil, "wrong_secret"},
		"site key alone":      {[]edit{key}, "wrong_secret"},
		"wrong secret":        {[]edit{auth("sg_x"), key}, "wrong_secret"},
		"empty secret":        {[]edit{header("Authorization", "Bearer ")}, "wrong_secret"},
		"basic":               {[]edit{header("Authorization", "Basic "+secret)}, "wrong_secret"},
		"another body":        {[]edit{key, sign(secret, body+" ")}, "wrong_secret"},
		"another's key":       {[]edit{header("X-Site-Key", other.String()), sign(secret, body)}, "wrong_secret"},
		"an empty signature":  {[]edit{key, header("X-Signature", "sha256=")}, "wrong_secret"},
		"signed with nothing": {[]edit{header("X-Site-Key", other.String()), sign("", body)}, "wrong_secret"},
		"signed by site key":  {[]edit{key, sign(w.account.String(), body)}, "wrong_secret"},
	} {
		if a := w.goals(body, c.edits...); a.code() != c.code || c.code != "accepted" && a.status != 401 {
			t.Errorf("goals %s are answered %d %s, want %s", what, a.status, a.code(), c.code)
		}
	}
	for _, p := range w.spool.refused() {
		if text, _ := json.Marshal(p); strings.Contains(string(text), "sg_") {
			t.Errorf("a secret is stored: %s", text)
		}
	}
	if n := len(w.spool.refused()); n < 5 {
		t.Errorf("%d refused messages are stored, want at least 5", n)
	}
	fresh, err := storeOn(w.db).Sites().RotateGoalSecret(t.Context(), w.account)
	if err != nil {
		t.Fatal(err)
	}
	w.reload()
	const ends = `UPDATE accounts SET old_goal_secret_until = now() - interval '1 second' WHERE id = $1`
	for _, want := range []string{"accepted", "wrong_secret"} {
		ended := want == "wrong_secret"
		if ended {
			dbtest.Exec(w, w.db, ends, w.account)
			w.reload()
		}
		for how, edits := range map[string][]edit{"as bearer": {auth(secret)}, "as signature": {key, sign(secret, body)}} {
			if a := w.goals(body, edits...); a.code() != want {
				t.Errorf("the old secret, sent %s, ended %t: the answer is %s, want %s", how, ended, a.code(), want)
			}
		}
		if a := w.goals(body, auth(fresh)); a.code() != "accepted" {
			t.Errorf("the answer to the new secret is %s, want accepted", a.code())
		}
	}
}

// TestUnprovenBodies sends messages that do not end, with the public site key and forged signatures. Only a few such messages from one
// address are held in memory, and further ones are refused unread.
func TestUnprovenBodies(t *testing.T) {
	t.Parallel()
	w, secret := goalServers(t)
	stranger, place := peer("203.0.113.9:1"), func(from string) uint64 {
		return maphash.Comparable(w.h.limits.unproven.seed, netguard.ClientPrefix(netip.MustParseAddr(from))) % unprovenGroups
	}
	key, forged := header("X-Site-Key", w.account.String()), header("X-Signature", "sha256=00")
	endless := func(body io.ReadCloser) edit {
		return func(r *http.Request) { r.Body, r.ContentLength = body, -1 }
	}
	var writers []*io.PipeWriter
	var ended sync.WaitGroup
	for range unprovenEach {
		read, write := io.Pipe()
		ended.Go(func() { w.send("POST", "/t/goal", "", stranger, key, forged, endless(read)) })
		if _, err := write.Write([]byte("[")); err != nil { // Write returns when the byte is read
			t.Fatal(err)
		}
		writers = append(writers, write)
	}
	unreadBody := io.NopCloser(strings.NewReader("never read"))
	if a := w.goals("", stranger, key, forged, endless(unreadBody)); a.status != 429 {
		t.Errorf("one message more than the limit gets %d %s, want 429", a.status, a.code())
	}
	if content, err := io.ReadAll(unreadBody); err != nil || string(content) != "never read" {
		t.Errorf("a refused body was read: %q of it is left, error %v", content, err)
	}
	if a := w.goals("{}", stranger, key, forged); a.status != 401 {
		t.Errorf("a small message with a forged signature gets %d %s, want 401", a.status, a.code())
	}
	large := fmt.Sprintf(`{"click_id": %q, "goal": "lead"}`, models.FormatClickID(models.NewClickID())) + strings.Repeat(" ", smallBody)
	if a := w.goals(large, stranger, auth(secret)); a.code() != "accepted" {
		t.Errorf("a large message with the secret, from the same address, gets %d %s, want accepted", a.status, a.code())
	}
	other := "198.51.100.1"
	for i := 2; place(other) == place("203.0.113.9"); i++ {
		other = fmt.Sprintf("198.51.100.%d", i)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(large))
	signed := header("X-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	if a := w.goals(large, peer(other+":1"), key, signed); a.code() != "accepted" {
		t.Errorf("a large signed message from another address gets %d %s, want accepted", a.status, a.code())
	}
	for _, write := range writers {
		_ = write.Close()
	}
	ended.Wait()
	if a := w.goals(large, stranger, key, signed); a.code() != "accepted" {
		t.Errorf("a large signed message gets %d %s after the stranger's messages ended, want accepted", a.status, a.code())
	}
}

func TestGoalsThatAreRefused(t *testing.T) {
	t.Parallel()
	w, secret := goalServers(t)
	foreign := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO sites (id, account_id, name) VALUES ($1, $2, 'x')`, foreign, w.newAccount())
	w.reload()
	click := models.FormatClickID(models.NewClickID())
	item := func(more string) string { return fmt.Sprintf(`{"click_id": %q, "goal": "lead"%s}`, click, more) }
	for body, want := range map[string]string{
		item(""): "accepted", item(`, "site": "` + foreign.String() + `"`): "unknown_goal", item(`, "goal": "off"`): "unknown_goal",
		item(`, "goal": "purchase"`): "no_order_id", item(`, "order_id": "` + strings.Repeat("a", maxOrderText+1) + `"`): "invalid_order_id", item(`, "value": "many"`): "invalid_value", item(`, "value": -3`): "invalid_value",
		item(`, "currency": "gold"`): "invalid_currency", item(`, "time": "soon"`): "invalid_time", item(`, "goal": {}`): "bad_goal",
		item(`, "click_id": "x"`): "invalid_click_id", `{"goal": "lead"}`: "invalid_click_id", item(`, "value": 1e999999999`): "invalid_value",
		"": "bad_body", "[]": "no_goals", "{": "bad_body", `"x"`: "bad_body", "[1,": "bad_body", "null": "bad_body",
		"[" + strings.Repeat("1,", maxGoals) + "1]":                                          "too_large",
		strings.Repeat("[", 1<<19) + strings.Repeat("]", 1<<19):                              "bad_body",
		`{"goal":` + strings.Repeat(`{"a":`, 1<<17) + "1" + strings.Repeat("}", 1<<17) + "}": "bad_body",
		`"` + strings.Repeat("x", 10<<20) + `"`:                                              "too_large",
	} {
		if a := w.goals(body, auth(secret)); a.code() != want {
			t.Errorf("%.80s: %d %s, want %s", body, a.status, a.code(), want)
		}
	}
	if a := w.get("/t/goal"); a.StatusCode != 405 || a.Header.Get("Allow") != "POST" {
		t.Errorf("GET gets the status %d, want 405 that allows POST", a.StatusCode)
	}
	w.spool.full = true
	if a := w.goals(item(""), auth(secret)); a.status != 503 {
		t.Errorf("while the spool is full, a goal gets the status %d, want 503", a.status)
	}
}

// TestGoalsAreLimited checks that the servers of one account cannot report more than the account's share, from any number of
// addresses, and that the servers of another account are not affected.
func TestGoalsAreLimited(t *testing.T) {
	t.Parallel()
	w, secret := goalServers(t)
	other := w.newAccount()
	otherSecret, err := storeOn(w.db).Sites().RotateGoalSecret(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	w.reload()
	list := "[" + strings.TrimSuffix(strings.Repeat("1,", maxGoals), ",") + "]"
	began, accepted := time.Now(), 0
	for i := range 3 * goalBurst / maxGoals {
		if a := w.goals(list, auth(secret), peer(fmt.Sprintf("8.8.%d.8:1", i))); a.status != 429 {
			accepted += maxGoals
		}
	}
	// On a slow machine the allowance grows during the calls, so slightly more than the burst may be accepted.
	if most := goalBurst + goalRate*time.Since(began).Seconds(); float64(accepted) > most {
		t.Errorf("%d goals were accepted, want at most %.0f", accepted, most)
	}
	if a := w.goals(list, auth(otherSecret)); a.status != 200 {
		t.Errorf("a goal of another account gets the status %d, want 200", a.status)
	}
}

// TestStrangersCannotTakeServerIDs checks that an event sent with the public site key cannot displace a server's goal.
func TestStrangersCannotTakeServerIDs(t *testing.T) {
	t.Parallel()
	w, secret := goalServers(t)
	click := models.FormatClickID(models.NewClickID())
	bare := fmt.Sprintf(`{"click_id":%q,"goal":"lead"}`, click)
	for _, eventID := range []string{"A-17", "event A-17", "goal_api\x00event A-17", bare} {
		id, err := json.Marshal(eventID)
		if status, code := w.postEvents(`{"name": "view", "id": ` + string(id) + `}`); err != nil || status != 204 {
			t.Fatalf("an event of a page with the id %q is answered %d %s, want 204, error %v", eventID, status, code, err)
		}
	}
	strangers := len(w.spool.events())
	w.goals(fmt.Sprintf(`{"click_id": %q, "goal": "lead", "event_id": "A-17"}`, click), auth(secret))
	w.goals(bare, auth(secret))
	seen := map[uuid.UUID]string{}
	for i, e := range w.spool.events() {
		if i >= strangers && seen[e.ID] != "" {
			t.Errorf("the event of a server has the same id as an event of %s", seen[e.ID])
		}
		seen[e.ID] = e.Source
	}
	if strangers != 4 || len(w.spool.events()) != 6 {
		t.Errorf("%d events are stored, %d of them from strangers, want 6 and 4", len(w.spool.events()), strangers)
	}
}
