package api

import (
	"context"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/ops/lab/fleet"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/webhook"
)

// TestWebhooksSentByHand: a webhook sent again has the same ids. While it is being sent, a second call to send it is refused.
func TestWebhooksSentByHand(t *testing.T) {
	t.Parallel()
	statuses := make(chan int, 1)
	arrived := make(chan string, 9)
	receiver, err := fleet.NewReceiver(func(ctx context.Context, a fleet.Attempt) int {
		arrived <- a.Delivery
		select {
		case status := <-statuses:
			return status
		case <-ctx.Done():
			return 0
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	redis := jobstest.Redis(t)
	client := jobs.Connect(redis)
	s := apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: client, EgressAllow: loopback}})
	runWebhookWorker(t, s, workers.Options{DB: s.DB, Redis: redis, Client: client}, receiver.CA, loopback)

	var hook struct{ ID, Secret string }
	body := map[string]any{"url": receiver.URL("/in"), "events": []string{"link.broken"}}
	s.Do("POST", "/webhooks", body).Want(http.StatusCreated, "").Into(&hook)
	receiver.SetSecret("/in", hook.Secret)

	type outcome struct {
		ID, DeliveryID string
		Delivered      bool
		Status         int
		Error          *string
	}
	var ping outcome
	statuses <- http.StatusTeapot
	s.Do("POST", "/webhooks/test", map[string]any{"id": hook.ID}).Want(http.StatusOK, "").Into(&ping)
	if ping.Delivered || ping.Status != http.StatusTeapot || ping.Error == nil || ping.DeliveryID != <-arrived {
		t.Fatalf("the ping is answered with %+v, want it not delivered, with the status 418", ping)
	}
	redeliver := map[string]any{"id": ping.DeliveryID}
	done := make(chan apitest.Answer)
	go func() { done <- s.Do("POST", "/webhooks/deliveries/redeliver", redeliver) }()
	<-arrived
	s.Do("POST", "/webhooks/deliveries/redeliver", redeliver).Want(http.StatusConflict, "in_progress")
	statuses <- http.StatusNoContent
	var again outcome
	(<-done).Want(http.StatusOK, "").Into(&again)
	if !again.Delivered || again.Status != http.StatusNoContent || again.Error != nil ||
		again.ID != ping.DeliveryID {
		t.Errorf("the second sending is answered with %+v, want the same delivery accepted with 204", again)
	}

	attempts := receiver.Attempts()
	if len(attempts) != 2 || string(attempts[0].Body) != string(attempts[1].Body) || attempts[0].Type != "ping" {
		t.Fatalf("the receiver got the attempts %+v, want the same ping twice", attempts)
	}
	for _, a := range attempts {
		if a.Problem != "" || a.Delivery != ping.DeliveryID {
			t.Errorf("the attempt %+v has a problem or another delivery id", a)
		}
	}
	log := s.Do("GET", "/webhooks/deliveries?status=delivered&webhook="+hook.ID, nil).Want(http.StatusOK, "").Map()
	row := log["rows"].([]any)[0].(map[string]any)
	if row["id"] != ping.DeliveryID || row["attempts"] != 2.0 || row["httpStatus"] != 204.0 || row["nextAttemptAt"] != nil ||
		row["eventId"] != attempts[0].EventID {
		t.Errorf("the row of the log is %v, want the delivery with 2 attempts and the status 204", row)
	}
}

func runWebhookWorker(t *testing.T, s *apitest.Server, o workers.Options, ca []byte,
	allow []netip.Prefix,
) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := egress.New(egress.Options{Allow: allow, CAFile: file})
	if err != nil {
		t.Fatal(err)
	}
	o.Grace = 4 * time.Second
	runtime := workers.New(o)
	webhook.Register(runtime, s.Store, webhook.Options{Egress: out})
	jobstest.Run(t, runtime.Run)
}
