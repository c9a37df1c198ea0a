package fleet

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Attempt is one webhook request as it arrived. Problem says how it differs from the documented form.
type Attempt struct {
	Endpoint   string // the requested path
	Delivery   string
	EventID    string
	Type       string
	Body       []byte
	SignedAt   int64
	ReceivedAt time.Time
	Number     int // counts the attempts of this event at this endpoint, from 1
	Status     int // the status of the answer, or 0 if the sender was gone before the answer
	Problem    string
}

// Accepted reports whether the sender got a 2xx answer.
func (a Attempt) Accepted() bool { return a.Status/100 == 2 }

// Receiver acts as a customer's https server that receives webhooks. It checks every signature by the documented steps, without
// code of the service.
type Receiver struct {
	// CA is the PEM certificate that the sender has to trust.
	CA []byte

	authority *authority
	answer    func(context.Context, Attempt) int
	server    *http.Server
	address   string
	mu        sync.Mutex
	secrets   map[string]string
	attempts  []Attempt
	seen      map[string]int
}

// NewReceiver starts a receiver on a free loopback port. answer returns the status for each request; nil means always 200.
func NewReceiver(answer func(context.Context, Attempt) int) (*Receiver, error) {
	if answer == nil {
		answer = func(context.Context, Attempt) int { return http.StatusOK }
	}
	ca, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("fleet: receiver: %w", err)
	}
	cert, err := ca.issue("localhost")
	if err != nil {
		return nil, fmt.Errorf("fleet: receiver: %w", err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("fleet: receiver: %w", err)
	}
	r := &Receiver{
		CA: ca.pem, authority: ca, answer: answer, address: l.Addr().String(),
		secrets: map[string]string{}, seen: map[string]int{},
	}
	r.server = &http.Server{
		Handler: http.HandlerFunc(r.serve), ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12},
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // tests kill senders in the middle of a request
	}
	go func() { _ = r.server.ServeTLS(l, "", "") }()
	return r, nil
}

// URL returns the address of the endpoint with this path.
func (r *Receiver) URL(path string) string { return "https://" + r.address + path }

// SetSecret sets the secret by which the receiver checks the signatures at an endpoint.
func (r *Receiver) SetSecret(path, secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[path] = secret
}

// Attempts returns the attempts whose answer is decided, in the order of these decisions.
func (r *Receiver) Attempts() []Attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Attempt(nil), r.attempts...)
}

// Close ends the receiver.
func (r *Receiver) Close() error { return r.server.Close() }

func (r *Receiver) serve(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 1<<20))
	if err != nil {
		return // the sender went away before the body was complete, so this is no attempt
	}
	a := Attempt{
		Endpoint: req.URL.Path, Delivery: req.Header.Get("Switchyard-Delivery"), Body: body,
		Type: req.Header.Get("Switchyard-Event"), ReceivedAt: time.Now(),
	}
	r.mu.Lock()
	err = a.check(req, r.secrets[req.URL.Path])
	r.seen[a.Endpoint+" "+a.EventID]++
	a.Number = r.seen[a.Endpoint+" "+a.EventID]
	r.mu.Unlock()
	if err != nil {
		a.Problem = err.Error()
	}
	if a.Status = r.answer(req.Context(), a); req.Context().Err() != nil {
		a.Status = 0
	}
	r.mu.Lock()
	r.attempts = append(r.attempts, a)
	r.mu.Unlock()
	if a.Status > 0 { // the sender is still there
		w.WriteHeader(a.Status)
	}
}

// check compares a request with the documented form.
func (a *Attempt) check(req *http.Request, secret string) error {
	var errs []error
	if req.Method != http.MethodPost || !strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") {
		errs = append(errs, fmt.Errorf("%s with content type %q", req.Method, req.Header.Get("Content-Type")))
	}
	var event struct {
		ID        string          `json:"id"`
		Type      string          `json:"type"`
		CreatedAt string          `json:"created_at"`
		AccountID string          `json:"account_id"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(a.Body, &event); err != nil {
		errs = append(errs, fmt.Errorf("body: %w", err))
	}
	a.EventID = event.ID
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", event.CreatedAt); err != nil {
		errs = append(errs, fmt.Errorf("created_at: %w", err))
	}
	if len(event.ID) != 36 || len(event.AccountID) != 36 || len(a.Delivery) != 36 || event.Type != a.Type ||
		!bytes.HasPrefix(event.Data, []byte("{")) {
		errs = append(errs, fmt.Errorf("headers or members are wrong: event %q, delivery %q, body %.300s",
			a.Type, a.Delivery, a.Body))
	}
	return errors.Join(append(errs, a.verify(req.Header.Get("Switchyard-Signature"), secret))...)
}

func (a *Attempt) verify(header, secret string) error {
	var stamp, digest string
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			stamp = value
		case "v1":
			digest = value
		}
	}
	var err error
	if a.SignedAt, err = strconv.ParseInt(stamp, 10, 64); err != nil {
		return fmt.Errorf("signature %q: no time", header)
	}
	if age := time.Since(time.Unix(a.SignedAt, 0)); age > 5*time.Minute || age < -5*time.Minute {
		return fmt.Errorf("signature is %s old", age)
	}
	if secret == "" {
		return errors.New("arrived before the endpoint's secret was known")
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%s.%s", stamp, a.Body)
	want := hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(want), []byte(digest)) {
		return fmt.Errorf("signature %q does not verify", header)
	}
	return nil
}
