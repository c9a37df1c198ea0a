package fleet

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	eventBody = `{"id":"0197a3a0-0000-7000-8000-000000000001","type":"conversion.created",` +
		`"created_at":"2026-11-21T10:00:00.123Z","account_id":"0197a3a0-0000-7000-8000-000000000002","data":{}}`
	deliveryID = "0197a3a0-0000-7000-8000-000000000003"
)

// TestReceiverVerifies: the receiver reports a problem for each request whose signature, body or headers are wrong.
func TestReceiverVerifies(t *testing.T) {
	t.Parallel()
	sign := func(secret, body string, at time.Time) string {
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
		return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
	}
	now := time.Now()
	tests := map[string]struct {
		header, event, body, problem string
	}{
		"right":                  {sign("s3cret", eventBody, now), "conversion.created", eventBody, ""},
		"wrong secret":           {sign("other", eventBody, now), "conversion.created", eventBody, "does not verify"},
		"changed body":           {sign("s3cret", eventBody, now), "conversion.created", eventBody + " ", "does not verify"},
		"old":                    {sign("s3cret", eventBody, now.Add(-6*time.Minute)), "conversion.created", eventBody, "old"},
		"unsigned":               {"", "conversion.created", eventBody, "no time"},
		"header of another type": {sign("s3cret", eventBody, now), "conversion.updated", eventBody, "headers or members"},
		"empty event":            {sign("s3cret", "{}", now), "", "{}", "headers or members"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := NewReceiver(nil)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			r.SetSecret("/hook", "s3cret")
			pool := x509.NewCertPool()
			pool.AppendCertsFromPEM(r.CA)
			client := &http.Client{Transport: &http.Transport{
				TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
			}}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL("/hook"), bytes.NewBufferString(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Switchyard-Signature", tt.header)
			req.Header.Set("Switchyard-Event", tt.event)
			req.Header.Set("Switchyard-Delivery", deliveryID)
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			got := r.Attempts()
			if len(got) != 1 || resp.StatusCode != http.StatusOK || !got[0].Accepted() {
				t.Fatalf("%d attempts and status %d, want 1 accepted attempt", len(got), resp.StatusCode)
			}
			if problem := got[0].Problem; (problem == "") != (tt.problem == "") || !strings.Contains(problem, tt.problem) {
				t.Errorf("problem %q, want %q", problem, tt.problem)
			}
		})
	}
}
