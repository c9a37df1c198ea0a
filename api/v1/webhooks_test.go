package v1_test

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/db/delivery"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

func hook() map[string]any {
	return map[string]any{"url": "https://hooks.acme.com/in", "events": []string{"conversion.created"}}
}

func TestWebhookRoundTrip(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	body := map[string]any{
		"url": " https://hooks.acme.com:8443/in?x=1 ", "name": " Mine ",
		"events": []string{"link.broken", "conversion.updated", "link.broken"},
	}
	made := s.Do("POST", "/webhooks", body, "Idempotency-Key", "k").Want(201, "").Map()
	for field, want := range map[string]any{"url": "https://hooks.acme.com:8443/in?x=1", "name": "Mine", "active": true} {
		if made[field] != want {
			t.Errorf("the new endpoint has the %s %v, want %v", field, made[field], want)
		}
	}
	if e := fmt.Sprint(made["events"]); e != "[conversion.updated link.broken]" {
		t.Errorf("the new endpoint has the events %s, want [conversion.updated link.broken]", e)
	}
	if _, err := time.Parse(models.EventTimeFormat, made["createdAt"].(string)); err != nil {
		t.Error(err)
	}

	// Only the answer to the creation has the secret. It is stored encrypted, so that the worker can sign with it.
	id, secret := made["id"].(string), made["secret"].(string)
	var sealed []byte
	err := s.DB.GetContext(t.Context(), &sealed, `SELECT secret FROM webhook_endpoints WHERE id = $1`, id)
	if err != nil {
		t.Fatal(err)
	}
	open, err := s.Store.Box().Open(t.Context(), delivery.SecretPlace(s.Account.ID, uuid.MustParse(id)), sealed)
	if err != nil || string(open) != secret || len(secret) < 40 || strings.Contains(string(sealed), secret) {
		t.Errorf("the stored secret decrypts to %q, the answer shows %q: want the same, long and not stored as plain text: %v", open, secret, err)
	}
	if again := s.Do("POST", "/webhooks", body, "Idempotency-Key", "k").Want(201, "").Map(); again["secret"] != secret {
		t.Error("a repetition of the call gets another secret")
	}
	if other := s.Do("POST", "/webhooks", hook()).Want(201, "").Map(); other["secret"] == secret {
		t.Error("two endpoints have the same secret")
	}
	list := s.As(s.ReadKey).Do("GET", "/webhooks", nil).Want(200, "")
	rows := list.Map()["rows"].([]any)
	if len(rows) != 2 || strings.Contains(string(list.Raw), "whsec_") || list.Map()["planIncludes"] != true ||
		len(list.Map()["events"].([]any)) != 6 || rows[1].(map[string]any)["id"] != id {
		t.Errorf("the list is %s, want two endpoints, the older last, six events and no secret", list.Raw)
	}

	patch := func(field string, value any) map[string]any {
		t.Helper()
		return s.Do("PATCH", "/webhooks", map[string]any{"id": id, field: value}).Want(200, "").Map()
	}
	want := map[string]any{
		"id": id, "name": "Mine", "url": body["url"], "events": "[conversion.updated link.broken]",
		"active": true,
	}
	for _, change := range []struct {
		field string
		value any
	}{
		{"name", "Yours"},
		{"url", "https://other.acme.com"},
		{"active", false},
		{"active", true},
		{"name", ""},
		{"events", []string{"campaign.paused"}},
	} {
		got := patch(change.field, change.value)
		want[change.field] = change.value
		for field, value := range want {
			if strings.TrimSpace(fmt.Sprint(got[field])) != strings.TrimSpace(fmt.Sprint(value)) {
				t.Errorf("after a change of %s, %s is %v, want %v", change.field, field, got[field], value)
			}
		}
	}

	if gone := s.Do("DELETE", "/webhooks?id="+id, nil).Want(200, "").Map(); gone["deleted"] != true || gone["id"] != id {
		t.Errorf("the answer to the deletion is %v, want deleted true and the id %s", gone, id)
	}
	s.Do("DELETE", "/webhooks?id="+id, nil).Want(404, "not_found")
}

func TestWebhookErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := s.Do("POST", "/webhooks", hook()).Want(201, "").Map()["id"]
	long := "https://acme.com/" + strings.Repeat("x", 500-len("https://acme.com/"))
	for name, c := range map[string]struct {
		field string
		value any
		code  string
	}{
		"http":            {"url", "http://acme.com", "invalid_url"},
		"no scheme":       {"url", "acme.com", "invalid_url"},
		"empty":           {"url", "", "invalid_url"},
		"null":            {"url", nil, "invalid_url"},
		"number":          {"url", 5, "invalid_url"},
		"loopback":        {"url", "https://127.0.0.1/x", "invalid_url"},
		"localhost":       {"url", "https://localhost/x", "invalid_url"},
		"private":         {"url", "https://192.168.0.1", "invalid_url"},
		"metadata":        {"url", "https://169.254.169.254/latest", "invalid_url"},
		"mapped IPv4":     {"url", "https://[::ffff:10.0.0.1]/", "invalid_url"},
		"decimal IPv4":    {"url", "https://2130706433/", "invalid_url"},
		"internal name":   {"url", "https://db.internal/", "invalid_url"},
		"one word":        {"url", "https://intranet/", "invalid_url"},
		"credentials":     {"url", "https://u:p@acme.com/", "invalid_url"},
		"too long":        {"url", long + "x", "invalid_url"},
		"longest allowed": {"url", long, ""},
		"public address":  {"url", "https://8.8.8.8/x", ""},
		"no events":       {"events", []string{}, "invalid_events"},
		"null events":     {"events", nil, "invalid_events"},
		"text events":     {"events", "conversion.created", "invalid_events"},
		"unknown event":   {"events", []string{"conversion.created", "ping"}, "invalid_events"},
		"number in event": {"events", []any{1}, "invalid_events"},
		"number as name":  {"name", 5, "invalid_input"},
		"long name":       {"name", strings.Repeat("ä", 256), "invalid_input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			status := 400
			if c.code == "" {
				status = 200
			}
			s.Do("PATCH", "/webhooks", map[string]any{"id": id, c.field: c.value}).Want(status, c.code)
			if status == 200 {
				status = 201
			}
			s.Do("POST", "/webhooks", with(hook(), c.field, c.value)).Want(status, c.code)
		})
	}
	s.Do("POST", "/webhooks", map[string]any{"url": hook()["url"]}).Want(400, "invalid_events")
	s.Do("POST", "/webhooks", map[string]any{"events": hook()["events"]}).Want(400, "invalid_url")
	s.Do("POST", "/webhooks", `[]`).Want(400, "bad_body")
	s.Do("PATCH", "/webhooks", map[string]any{"id": id}).Want(400, "no_fields")
	for _, bad := range []any{"false", 0, nil} {
		s.Do("PATCH", "/webhooks", map[string]any{"id": id, "active": bad}).Want(400, "invalid_status")
	}
	for _, bad := range []any{"x", 5, nil, ""} {
		s.Do("PATCH", "/webhooks", map[string]any{"id": bad, "name": "x"}).Want(400, "invalid_id")
		s.Do("POST", "/webhooks/test", map[string]any{"id": bad}).Want(400, "invalid_id")
		s.Do("POST", "/webhooks/deliveries/redeliver", map[string]any{"id": bad}).Want(400, "invalid_id")
	}
	s.Do("DELETE", "/webhooks", nil).Want(400, "invalid_id")
	s.Do("DELETE", "/webhooks?id=x", nil).Want(400, "invalid_id")
	s.Do("GET", "/webhooks/deliveries?webhook=x", nil).Want(400, "invalid_id")
	s.Do("GET", "/webhooks/deliveries?status=lost", nil).Want(400, "invalid_status")
	s.Do("GET", "/webhooks/deliveries?limit=x", nil).Want(400, "invalid_input")
	s.Do("GET", "/webhooks/deliveries?cursor=x", nil).Want(400, "invalid_input")

	_, foreign, _ := s.NewAccount("growth")
	for _, key := range []string{s.Key, foreign} {
		missing := id
		if key == s.Key {
			missing = uuid.NewString()
		}
		s := s.As(key)
		s.Do("PATCH", "/webhooks", map[string]any{"id": missing, "name": "x"}).Want(404, "not_found")
		s.Do("DELETE", fmt.Sprintf("/webhooks?id=%v", missing), nil).Want(404, "not_found")
		s.Do("POST", "/webhooks/test", map[string]any{"id": missing}).Want(404, "not_found")
		s.Do("POST", "/webhooks/deliveries/redeliver", map[string]any{"id": missing}).Want(404, "not_found")
	}
	reader := s.As(s.ReadKey)
	reader.Do("POST", "/webhooks", hook()).Want(403, "read_only_key")
	reader.Do("PATCH", "/webhooks", map[string]any{"id": id, "name": "x"}).Want(403, "read_only_key")
	reader.Do("DELETE", fmt.Sprintf("/webhooks?id=%v", id), nil).Want(403, "read_only_key")
	reader.Do("POST", "/webhooks/test", map[string]any{"id": id}).Want(403, "read_only_key")
	reader.Do("POST", "/webhooks/deliveries/redeliver", map[string]any{"id": id}).Want(403, "read_only_key")
	if n := len(s.Jobs.Tasks("")); n != 0 {
		t.Errorf("refused calls have submitted %d jobs", n)
	}

	_, small, _ := s.NewAccount("starter")
	s.As(small).Do("POST", "/webhooks", hook()).Want(402, "plan_limit")
	s.As(small).Do("GET", "/webhooks", nil).Want(402, "plan_limit")
	bare := apitest.New(t, apitest.Options{NoKey: true})
	bare.Do("POST", "/webhooks", hook()).Want(400, "no_encryption_key")
}

func TestWebhookAllowance(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{EgressAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}})
	// Fourteen calls at once compete for ten endpoints.
	statuses := make(chan int, 14)
	for range 14 {
		go func() { statuses <- s.Do("POST", "/webhooks", with(hook(), "url", "https://localhost:9/x")).Status }()
	}
	count := map[int]int{}
	for range 14 {
		count[<-statuses]++
	}
	if count[201] != 10 || count[400] != 4 {
		t.Fatalf("the calls were answered with the statuses %v, want ten times 201 and four times 400", count)
	}
	s.Do("POST", "/webhooks", hook()).Want(400, "too_many")
	rows := s.Do("GET", "/webhooks", nil).Map()["rows"].([]any)
	s.Do("DELETE", fmt.Sprintf("/webhooks?id=%v", rows[0].(map[string]any)["id"]), nil).Want(200, "")
	s.Do("POST", "/webhooks", with(hook(), "url", "https://10.0.0.1/")).Want(400, "invalid_url")
	s.Do("POST", "/webhooks", hook()).Want(201, "")
}

// announce stores an event and returns the ids of its deliveries, one for each endpoint.
func announce(t *testing.T, s *apitest.Server) []uuid.UUID {
	t.Helper()
	e := models.NewEvent(s.Account.ID, models.EventConversionCreated, time.Now(), models.ConversionEvent{ConversionData: models.ConversionData{Status: models.StatusApproved, Payout: "1"}})
	ids, err := delivery.AddEvent(t.Context(), s.DB, e)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestDeliveryLog(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	one, two := s.Do("POST", "/webhooks", hook()).Map()["id"], s.Do("POST", "/webhooks", hook()).Map()["id"]
	for range 6 {
		announce(t, s)
	}
	dbtest.Exec(t, s.DB, `UPDATE webhook_deliveries SET created_at = created_at - interval '31 days' WHERE id = (
		SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 LIMIT 1)`, two)
	dbtest.Exec(t, s.DB, `UPDATE webhook_deliveries SET created_at = created_at - interval '8 days' WHERE id = (
		SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY created_at DESC LIMIT 1)`, two)
	dbtest.Exec(t, s.DB, `UPDATE webhook_deliveries SET status = 'failed', attempts = 7, http_status = 500, error = 'it answered 500', answer = 'no',
		last_attempt = now() WHERE id IN (SELECT id FROM webhook_deliveries WHERE endpoint_id = $1 LIMIT 2)`, one)

	walk := func(query string) (rows []map[string]any) {
		t.Helper()
		for cursor := ""; ; {
			var page struct {
				Rows       []map[string]any
				NextCursor *string `json:"next_cursor"`
			}
			s.Do("GET", "/webhooks/deliveries?limit=2&"+query+"&cursor="+url.QueryEscape(cursor), nil).
				Want(200, "").Into(&page)
			rows = append(rows, page.Rows...)
			if page.NextCursor == nil {
				return rows
			}
			cursor = *page.NextCursor
		}
	}
	seen := map[any]bool{}
	all := walk("")
	for i, row := range all {
		if seen[row["id"]] || i > 0 && row["createdAt"].(string) > all[i-1]["createdAt"].(string) {
			t.Errorf("row %d appears twice or is out of order: %v", i, row)
		}
		seen[row["id"]] = true
		if row["status"] == "pending" && (row["nextAttemptAt"] == nil || row["error"] != nil || row["attempts"] != 0.0 ||
			row["event"] != "conversion.created") {
			t.Errorf("a pending delivery is %v, want a next attempt, no error, no attempts and the event conversion.created", row)
		}
	}
	for query, n := range map[string]int{
		"": 11, fmt.Sprint("webhook=", one): 6, fmt.Sprint("webhook=", two): 5, "status=failed": 2, "status=delivered": 0,
		fmt.Sprint("status=pending&webhook=", one): 4, "webhook=" + uuid.NewString(): 0,
	} {
		if rows := walk(query); len(rows) != n {
			t.Errorf("the log filtered by %q has %d rows, want %d", query, len(rows), n)
		}
	}
	failed := walk("status=failed")[0]
	if sent, _ := failed["body"].(map[string]any); sent["type"] != failed["event"] || sent["id"] != failed["eventId"] {
		t.Errorf("the log has the body %v, want the type and the id of its event", failed["body"])
	}
	if failed["httpStatus"] != 500.0 || failed["error"] != "it answered 500" || failed["answer"] != "no" || failed["webhookId"] != one ||
		failed["lastAttemptAt"] == nil || failed["deliveredAt"] != nil {
		t.Errorf("a failed delivery is %v, want the status, error, answer and time of its attempt", failed)
	}
	var first struct {
		NextCursor string `json:"next_cursor"`
	}
	s.Do("GET", "/webhooks/deliveries?limit=2", nil).Into(&first)
	s.Do("GET", "/webhooks/deliveries?status=pending&cursor="+first.NextCursor, nil).Want(400, "invalid_input")
	_, foreign, _ := s.NewAccount("growth")
	if rows := s.As(foreign).Do("GET", "/webhooks/deliveries", nil).Map()["rows"].([]any); len(rows) != 0 {
		t.Errorf("another account sees the deliveries %v, want none", rows)
	}

	hooks := s.Do("GET", "/webhooks", nil).Map()["rows"].([]any)
	for i, want := range []string{"delivered:0 failed:0", "delivered:0 failed:2"} { // the newer endpoint first
		n := fmt.Sprint(hooks[i].(map[string]any)["deliveries"])
		if total := fmt.Sprintf("total:%d", 4+2*i); !strings.Contains(n, want) || !strings.Contains(n, total) {
			t.Errorf("an endpoint has the counts %s, want %s and %s", n, want, total)
		}
	}
	s.Do("DELETE", fmt.Sprintf("/webhooks?id=%v", one), nil).Want(200, "")
	if rows := walk(""); len(rows) != 5 {
		t.Errorf("the log has %d rows after the endpoint was deleted, want 5", len(rows))
	}
}

func TestSendingNow(t *testing.T) {
	t.Parallel()
	rec, client := jobstest.New()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: client}})
	id := s.Do("POST", "/webhooks", hook()).Map()["id"].(string)
	sent := announce(t, s)[0]

	status, ping := 204, uuid.New()
	jobstest.Answer(rec, jobs.TestWebhook, func(account uuid.UUID, a jobs.WebhookArgs) (jobs.WebhookAnswer, error) {
		if account != s.Account.ID || a.ID.String() != id {
			t.Errorf("the job has the arguments %v and the account %v, want the endpoint %s of the test's account", a, account, id)
		}
		return jobs.WebhookAnswer{DeliveryID: ping, Delivered: true, Status: &status}, nil
	})
	got := s.Do("POST", "/webhooks/test", map[string]any{"id": id}).Want(200, "").Map()
	if fmt.Sprint(got) != fmt.Sprintf("map[delivered:true deliveryId:%s error:<nil> status:204]", ping) {
		t.Errorf("the answer to the ping is %v, want it delivered with the status 204", got)
	}

	again := func(want int, code string) map[string]any {
		t.Helper()
		a := s.Do("POST", "/webhooks/deliveries/redeliver", map[string]any{"id": sent}).Want(want, code)
		if want != 200 {
			return nil
		}
		return a.Map()
	}
	jobstest.Answer(rec, jobs.RedeliverWebhook, func(_ uuid.UUID, a jobs.WebhookArgs) (jobs.WebhookAnswer, error) {
		return jobs.WebhookAnswer{DeliveryID: a.ID, Error: "no answer came"}, nil
	})
	want := fmt.Sprintf("map[delivered:false error:no answer came id:%s status:<nil>]", sent)
	if got := again(200, ""); fmt.Sprint(got) != want {
		t.Errorf("the answer to sending again is %v, want %s", got, want)
	}
	jobstest.Answer(rec, jobs.RedeliverWebhook, func(uuid.UUID, jobs.WebhookArgs) (jobs.WebhookAnswer, error) {
		return jobs.WebhookAnswer{}, models.Conflict("in_progress", "the delivery is being sent right now")
	})
	again(409, "in_progress")

	var later struct{ Job struct{ URL string } }
	s.Do("POST", "/webhooks/test", map[string]any{"id": id}, "Prefer", "respond-async").Want(202, "").Into(&later)
	job := s.Do("GET", strings.TrimPrefix(later.Job.URL, "/api/v1"), nil).Want(200, "").Map()
	if result, _ := job["result"].(map[string]any); result["deliveryId"] != ping.String() {
		t.Errorf("the job is %v, want a result with the delivery %s", job, ping)
	}
}

// TestWebhookURLIsMasked: callers who may not change endpoints see only the host of an endpoint's URL, because the path often
// has a token.
func TestWebhookURLIsMasked(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	const masked = "https://hooks.acme.com:8443/********"
	id := s.Do("POST", "/webhooks", with(hook(), "url", "https://hooks.acme.com:8443/s3cret?t=s3cret")).Want(201, "").Map()["id"]
	dbtest.Exec(t, s.DB, `UPDATE webhook_endpoints SET consecutive_failures = 3, failing_since = now() WHERE id = $1`, id)
	for path, list := range map[string]string{"/webhooks": "rows", "/alerts": "alerts"} {
		if got := s.Do("GET", path, nil).Want(200, ""); !strings.Contains(string(got.Raw), "8443/s3cret?t=s3cret") {
			t.Errorf("%s with a full key does not show the whole address: %s", path, got.Raw)
		}
		got := s.As(s.ReadKey).Do("GET", path, nil).Want(200, "")
		rows := got.Map()[list].([]any)
		if strings.Contains(string(got.Raw), "s3cret") || len(rows) != 1 || rows[0].(map[string]any)["url"] != masked {
			t.Errorf("%s with a read-only key shows more than the masked address: %s", path, got.Raw)
		}
	}
	s.Do("PATCH", "/webhooks", map[string]any{"id": id, "url": masked}).Want(400, "invalid_url")
}
