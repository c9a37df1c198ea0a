package cloudflare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/interval"
)

// Edge obtains certificates for domains through custom hostnames of a zone. Cloudflare renews the certificates automatically.
type Edge struct {
	h      hostnames
	settle time.Duration // wait before a new hostname is read for its validation records
}

// NewEdge makes an Edge of a zone.
func NewEdge(c *Client, zone string) *Edge {
	return &Edge{h: hostnames{c, zone}, settle: 500 * time.Millisecond}
}

// Background returns the edge for work that no caller waits for.
func (e *Edge) Background() *Edge {
	return &Edge{h: hostnames{e.h.Background(), e.h.zone}, settle: e.settle}
}

// Name returns the name of the edge.
func (*Edge) Name() string { return models.EdgeCloudflare }

// Request creates the custom hostname of a host or adopts an existing one. If we have already created it, Request has it
// validated again where that can help.
func (e *Edge) Request(ctx context.Context, of models.Certificate) (models.CertificateState, error) {
	h, err := e.request(ctx, of)
	if err != nil {
		return of.CertificateState, failure(err)
	}
	return e.state(h), nil
}

func (e *Edge) request(ctx context.Context, of models.Certificate) (Hostname, error) {
	if of.ExternalID == "" {
		return e.obtain(ctx, of)
	}
	h, err := e.h.read(ctx, of.ExternalID)
	switch {
	case has(err, codeNotFound): // it was deleted at Cloudflare
		return e.obtain(ctx, of)
	case err != nil || !h.restarts():
		return h, err
	}
	return e.h.retry(ctx, h.ID)
}

// restarts reports whether validating a hostname again can help.
func (h Hostname) restarts() bool {
	return !h.serving() && (h.SSL.Status == models.SSLActive || h.SSL.Status == models.SSLPendingValidation || models.SSLStuck(h.SSL.Status))
}

func (h Hostname) serving() bool { return h.Status == "active" && h.SSL.Status == models.SSLActive }

// obtain creates a hostname, or adopts it if it exists.
func (e *Edge) obtain(ctx context.Context, of models.Certificate) (Hostname, error) {
	h, err := e.h.create(ctx, of.Hostname)
	if has(err, codeDuplicate) {
		return e.adopt(ctx, of, err)
	}
	// The answer may lack the records of the validation.
	for range 2 {
		if err != nil || h.serving() || h.Ownership != nil || len(h.SSL.Records) > 0 {
			return h, err
		}
		if interval.Sleep(ctx, e.settle) != nil {
			return h, nil
		}
		read, err := e.h.read(ctx, h.ID)
		if err != nil {
			return h, nil // the hostname exists, and the next look reads it
		}
		h = read
	}
	return h, err
}

// clockSkew is how far our clock and Cloudflare's may differ.
const clockSkew = 2 * time.Minute

// ours reports whether we created a hostname: it was created after we first asked for it, by an attempt that was cut off.
func (h Hostname) ours(askedAt *time.Time) bool {
	return askedAt != nil && !h.CreatedAt.IsZero() && h.CreatedAt.After(askedAt.Add(-clockSkew))
}

// adopt returns the hostname that exists for a host. A hostname that someone else created is adopted for a verified domain
// only, because anyone could have added an unverified domain.
func (e *Edge) adopt(ctx context.Context, of models.Certificate, refusal error) (Hostname, error) {
	h, ok, err := e.h.find(ctx, of.Hostname)
	switch {
	case err != nil:
		return h, err
	case !ok || !of.Verified && !h.ours(of.AskedAt):
		return h, refusal
	case h.restarts() && models.SSLStuck(h.SSL.Status):
		return e.h.retry(ctx, h.ID)
	}
	return h, nil
}

// Read returns the state of a certificate. A hostname that was deleted at Cloudflare has the status models.SSLNone.
func (e *Edge) Read(ctx context.Context, of models.Certificate) (models.CertificateState, error) {
	h, err := e.h.read(ctx, of.ExternalID)
	switch {
	case has(err, codeNotFound):
		return models.CertificateState{
			SSLStatus: models.SSLNone, Errors: []string{}, Detail: "Cloudflare has the hostname no more. It is made again by itself.",
		}, nil
	case err != nil:
		return of.CertificateState, failure(err)
	}
	return e.state(h), nil
}

// Release deletes a hostname. A hostname that no longer exists is not an error. Without an id, Release deletes the hostname
// that was created since we first asked for it.
func (e *Edge) Release(ctx context.Context, of models.Certificate) error {
	id := of.ExternalID
	if id == "" {
		h, ok, err := e.h.find(ctx, of.Hostname)
		if err != nil {
			return failure(err)
		}
		if !ok || !h.ours(of.AskedAt) {
			return nil
		}
		id = h.ID
	}
	return failure(e.h.remove(ctx, id))
}

// failure converts an error for the caller of an edge.
func failure(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	return &models.EdgeRefusalError{Public: e.Public(), Wait: e.Wait, Refused: e.Refused()}
}

// Limits on the stored parts of an answer.
const (
	maxErrors = 20
	maxValue  = 2000
	maxStatus = 40
)

// state converts a hostname to the state of a certificate.
func (e *Edge) state(h Hostname) models.CertificateState {
	c := models.CertificateState{
		ExternalID: h.ID, SSLStatus: cut(h.SSL.Status, maxStatus), Serving: h.serving(), Errors: []string{}, IssuedAt: h.SSL.Uploaded,
		ExpiresAt: h.SSL.ExpiresOn,
	}
	if c.SSLStatus == "" {
		c.SSLStatus = models.SSLNone
	}
	if c.Detail = e.detail(h); c.Serving {
		return c
	}
	for _, v := range h.SSL.Errors {
		h.Errors = append(h.Errors, v.Message)
	}
	for _, text := range h.Errors[:min(len(h.Errors), maxErrors)] {
		c.Errors = append(c.Errors, e.h.secrets.Text(text))
	}
	if o := h.Ownership; o != nil {
		c.Ownership = &models.CertificateRecord{Type: cut(o.Type, maxStatus), Name: cut(o.Name, maxValue), Value: cut(o.Value, maxValue)}
	}
	if o := h.OwnershipHTTP; o != nil {
		c.OwnershipHTTP = &models.CertificatePage{URL: cut(o.URL, maxValue), Body: cut(o.Body, maxValue)}
	}
	if len(h.SSL.Records) > 0 {
		r := h.SSL.Records[0]
		if c.Ownership == nil && r.TXTName != "" {
			c.Ownership = &models.CertificateRecord{Type: "txt", Name: cut(r.TXTName, maxValue), Value: cut(r.TXTValue, maxValue)}
		}
		if c.OwnershipHTTP == nil && r.HTTPURL != "" {
			c.OwnershipHTTP = &models.CertificatePage{URL: cut(r.HTTPURL, maxValue), Body: cut(r.HTTPBody, maxValue)}
		}
	}
	return c
}

// cut shortens a text of an answer, and removes characters that the database cannot store.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit])
	}
	return text
}

// detail explains the state of a hostname to a person.
func (e *Edge) detail(h Hostname) string {
	switch {
	case h.serving():
		return "HTTPS works."
	case slices.Contains([]string{"moved", "blocked", "pending_blocked", "test_blocked", "test_failed"}, h.Status):
		return fmt.Sprintf("Cloudflare does not serve the host, its state there is %s: check where its CNAME leads.", cut(h.Status, maxStatus))
	case h.SSL.Status == models.SSLActive:
		return "The certificate is there. Cloudflare waits until DNS of the host leads to it."
	case models.SSLStuck(h.SSL.Status):
		return "The certificate could not be had this time. It is asked for again by itself; a POST asks at once."
	case h.SSL.Status == models.SSLPendingValidation:
		return "Cloudflare validates the host by itself once its DNS leads here."
	}
	return "The certificate is on its way."
}
