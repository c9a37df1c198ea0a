package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// TestTwoSignatures: for a day after a rotation, both secrets verify a delivery.
func TestTwoSignatures(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	hooks := store.New(w.db, w.box).Webhooks()
	if _, _, err := hooks.Rotate(t.Context(), uuid.New(), w.endpoint); err == nil {
		t.Error("another account could rotate the secret")
	}
	rotated, _, err := hooks.Rotate(t.Context(), w.account, w.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{rotated, secret}, {rotated}} {
		id, _ := w.emit()
		w.until(id, func(s state) bool { return s.Status == models.DeliveryDelivered })
		c := w.received()[i]
		parts := strings.Split(c.header.Get("Switchyard-Signature"), ",")
		if len(parts) != 1+len(want) {
			t.Fatalf("signature %q", parts)
		}
		for j, s := range want {
			mac := hmac.New(sha256.New, []byte(s))
			fmt.Fprintf(mac, "%s.%s", strings.TrimPrefix(parts[0], "t="), c.body)
			if parts[1+j] != "v1="+hex.EncodeToString(mac.Sum(nil)) {
				t.Errorf("signature %d is not made with the secret %q", j, s)
			}
		}
		dbtest.Exec(w.t, w.db, `UPDATE webhook_endpoints SET old_secret_until = now()`)
	}
}

// TestRedeliverFailed: each call sends each failed delivery of its time window once more. Others stay unchanged.
func TestRedeliverFailed(t *testing.T) {
	t.Parallel()
	w := newEnv(t, []time.Duration{10 * time.Millisecond})
	fine, _ := w.emit()
	w.until(fine, func(s state) bool { return s.Status == models.DeliveryDelivered })
	w.reply(status(500))
	var failed []uuid.UUID
	for range 3 {
		id, _ := w.emit()
		failed = append(failed, id)
		w.until(id, func(s state) bool { return s.Job == models.JobFailed })
	}
	dbtest.Exec(w.t, w.db, `UPDATE webhook_deliveries SET created_at = now() - interval '9 days' WHERE id = $1`, failed[0])
	before := len(w.received())
	again := func(account uuid.UUID, args jobs.RedeliverFailedArgs) int64 {
		t.Helper()
		ticket, err := jobs.Submit(t.Context(), w.client, jobs.RedeliverFailed, account, args)
		if err != nil {
			t.Fatal(err)
		}
		out, err := jobs.Await(t.Context(), ticket)
		if err != nil {
			t.Fatal(err)
		}
		return out.Requeued
	}
	window := jobs.RedeliverFailedArgs{From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)}
	other := window
	other.Webhook = uuid.New()
	if n := again(uuid.New(), window) + again(w.account, other); n != 0 {
		t.Errorf("%d deliveries of other accounts or endpoints were requeued", n)
	}
	if n := again(w.account, window); n != 2 {
		t.Errorf("%d requeued, want 2", n)
	}
	for _, id := range failed[1:] {
		w.until(id, func(s state) bool { return s.Job == models.JobFailed && s.Attempts == 3 })
	}
	w.reply(status(200))
	if n := again(w.account, window); n != 2 {
		t.Errorf("%d requeued, want 2", n)
	}
	for _, id := range failed[1:] {
		w.until(id, func(s state) bool {
			return s.Status == models.DeliveryDelivered && s.Job == models.JobDone && s.Attempts == 4
		})
	}
	if n := again(w.account, window); n != 0 {
		t.Errorf("%d deliveries were requeued although all were delivered", n)
	}
	if s := w.read(failed[0]); s.Status != models.DeliveryFailed || len(w.received()) != before+4 {
		t.Errorf("%d requests, want 4; the delivery outside of the window is %+v, want it failed as before", len(w.received())-before, s)
	}
}
