package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"switchyard/db/delivery"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/workers/egress"
)

// HeaderSignature is the header for the value of Sign.
const HeaderSignature = "Switchyard-Signature"

// Sign returns the value of the signature header: the time and, for each secret, the hex HMAC-SHA256 of "<unix seconds>.<body>".
// For a day after a rotation there are two secrets, the new one first.
func Sign(body []byte, at time.Time, secrets ...[]byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	value := []byte("t=" + t)
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(t + "."))
		mac.Write(body)
		value = hex.AppendEncode(append(value, ",v1="...), mac.Sum(nil))
	}
	return string(value)
}

func (s *sender) secrets(ctx context.Context, t delivery.Target) ([][]byte, error) {
	var out [][]byte
	for _, sealed := range [][]byte{t.Secret, t.OldSecret} {
		if sealed == nil {
			continue
		}
		secret, err := s.store.Box().Open(ctx, delivery.SecretPlace(t.AccountID, t.EndpointID), sealed)
		if err != nil {
			return nil, fmt.Errorf("webhook: secret: %w", err)
		}
		out = append(out, secret)
	}
	return out, nil
}

// send posts the event once. A 2xx status is a success, however long the body. The error is stored in the job's row.
func (s *sender) send(ctx context.Context, t delivery.Target) (delivery.Attempt, error) {
	secrets, err := s.secrets(ctx, t)
	if err != nil {
		return delivery.Attempt{Error: "the signing secret cannot be read"}, err
	}
	req, cancel, err := egress.Request(ctx, s.o.Timeout, http.MethodPost, t.URL, bytes.NewReader(t.Body))
	if err != nil {
		return delivery.Attempt{Error: "the url cannot be read"}, err
	}
	defer cancel()
	for name, value := range map[string]string{
		HeaderSignature:       Sign(t.Body, s.o.Now(), secrets...),
		"Switchyard-Event":    t.EventType,
		"Switchyard-Delivery": t.ID.String(),
		"User-Agent":          "Switchyard-Webhooks/1.0",
		"Content-Type":        "application/json",
	} {
		req.Header.Set(name, value)
	}
	answer, err := s.o.Egress.Deliver(req, "endpoint")
	a := delivery.Attempt{
		Delivered: err == nil, Status: answer.StatusOrNil(), Answer: spool.CleanText(answer.Body[:min(len(answer.Body), models.MaxAnswer)]),
	}
	if err != nil {
		a.Error = err.Error()
		return a, fmt.Errorf("webhook: %w", err)
	}
	return a, nil
}
