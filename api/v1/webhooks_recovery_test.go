package v1_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/delivery"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

// TestRotate: only the answer to the rotation shows the new secret. Both secrets are stored encrypted, and the old secret stays valid
// for a day.
func TestRotate(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	made := s.Do("POST", "/webhooks", hook()).Want(201, "").Map()
	body := map[string]any{"id": made["id"]}
	got := s.Do("POST", "/webhooks/rotate", body, "Idempotency-Key", "r").Want(200, "").Map()
	if got["secret"] == made["secret"] || !strings.HasPrefix(got["secret"].(string), "whsec_") || got["id"] != made["id"] {
		t.Errorf("the answer to the rotation is %v, want the same id and a new secret", got)
	}
	if again := s.Do("POST", "/webhooks/rotate", body, "Idempotency-Key", "r").Want(200, "").Map(); again["secret"] != got["secret"] {
		t.Error("a repetition with the same Idempotency-Key gets another secret")
	}
	until, err := time.Parse(models.EventTimeFormat, got["oldSecretUntil"].(string))
	if left := time.Until(until); err != nil || left > 24*time.Hour || left < 23*time.Hour {
		t.Errorf("the old secret expires in %s, want 23 to 24 hours: %v", left, err)
	}
	var row struct{ Secret, Old []byte }
	err = s.DB.GetContext(t.Context(), &row, `SELECT secret, old_secret AS old FROM webhook_endpoints WHERE id = $1`, made["id"])
	if err != nil {
		t.Fatal(err)
	}
	place := delivery.SecretPlace(s.Account.ID, uuid.MustParse(made["id"].(string)))
	for want, sealed := range map[any][]byte{got["secret"]: row.Secret, made["secret"]: row.Old} {
		if open, err := s.Store.Box().Open(t.Context(), place, sealed); err != nil || string(open) != want {
			t.Errorf("a stored secret decrypts to %q, want %q: %v", open, want, err)
		}
	}
	list := func() map[string]any {
		return s.Do("GET", "/webhooks", nil).Want(200, "").Map()["rows"].([]any)[0].(map[string]any)
	}
	if list()["oldSecretUntil"] != got["oldSecretUntil"] || list()["consecutiveFailures"] != 0.0 {
		t.Errorf("after the rotation the list shows %v, want the end of the old secret and no failures", list())
	}
	dbtest.Exec(t, s.DB, `UPDATE webhook_endpoints SET old_secret_until = now(), consecutive_failures = 2, failing_since = now()`)
	if row := list(); row["oldSecretUntil"] != nil || row["consecutiveFailures"] != 2.0 || row["failingSince"] == nil {
		t.Errorf("after the old secret expired the list shows %v, want no end of an old secret, 2 failures and their start", row)
	}

	_, otherKey, _ := s.NewAccount("scale")
	s.As(otherKey).Do("POST", "/webhooks/rotate", body).Want(404, "not_found")
	s.Do("POST", "/webhooks/rotate", map[string]any{"id": "x"}).Want(400, "invalid_id")
	s.As(s.ReadKey).Do("POST", "/webhooks/rotate", body).Want(403, "read_only_key")
	bare := apitest.New(t, apitest.Options{NoKey: true})
	bare.Do("POST", "/webhooks/rotate", body).Want(400, "no_encryption_key")
}

// TestRedeliverFailedErrors checks the arguments of the job, the answer to a valid call, and the error codes of other calls.
func TestRedeliverFailedErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	const path = "/webhooks/deliveries/redeliver-failed"
	id := s.Do("POST", "/webhooks", hook()).Want(201, "").Map()["id"]
	jobstest.Answer(s.Jobs, jobs.RedeliverFailed, func(account uuid.UUID, a jobs.RedeliverFailedArgs) (
		jobs.RedeliverFailedAnswer, error,
	) {
		if account != s.Account.ID || a.Webhook.String() != id || !a.To.Equal(time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("the job has the account %s and the arguments %+v, want the test's account, its webhook, and the end of the last day", account, a)
		}
		return jobs.RedeliverFailedAnswer{From: a.From, To: a.To, Requeued: 7}, nil
	})
	got := s.Do("POST", path+"?from=2026-03-01&to=2026-03-02", map[string]any{"webhook": id}).Want(200, "").Map()
	same(t, got["range"].(map[string]any), map[string]any{"from": "2026-03-01 00:00:00", "to": "2026-03-02 23:59:59"})
	if got["requeued"] != 7.0 {
		t.Errorf("the answer is %v, want 7 requeued deliveries", got)
	}
	s.Do("POST", path+"?from=x", map[string]any{}).Want(400, "invalid_input")
	s.Do("POST", path, map[string]any{"webhook": 5}).Want(400, "invalid_id")
	s.Do("POST", path, map[string]any{"webhook": "x"}).Want(400, "invalid_id")
	s.Do("POST", path, map[string]any{"webhook": uuid.NewString()}).Want(404, "not_found")
	_, otherKey, _ := s.NewAccount("scale")
	s.As(otherKey).Do("POST", path, map[string]any{"webhook": id}).Want(404, "not_found")
	s.As(s.ReadKey).Do("POST", path, nil).Want(403, "read_only_key")
}
