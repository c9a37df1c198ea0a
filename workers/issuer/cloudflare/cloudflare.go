// Package cloudflare is the issuer of an install behind Cloudflare. Domains get their certificates through custom hostnames of
// the install's zone.
package cloudflare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/workers/providers/cloudflare"
)

// Issuer obtains certificates through custom hostnames of a zone. Cloudflare renews them automatically.
type Issuer struct {
	h           hostnames
	recordsWait time.Duration // before a new hostname is read for its validation records
}

// New returns an Issuer for a zone.
func New(c *cloudflare.Client, zone string) *Issuer {
	return &Issuer{h: hostnames{c, zone}, recordsWait: 500 * time.Millisecond}
}

// Background returns the issuer for work without a waiting caller.
func (i *Issuer) Background() *Issuer {
	return &Issuer{h: hostnames{i.h.Background(), i.h.zone}, recordsWait: i.recordsWait}
}

// Name implements issuer.Issuer.
func (*Issuer) Name() string { return models.EdgeCloudflare }

// Request creates the custom hostname of a host, or adopts an existing one. If the id of the hostname is already recorded, Request
// restarts the validation where that can help.
func (i *Issuer) Request(ctx context.Context, cert models.Certificate) (models.CertificateState, error) {
	h, err := i.request(ctx, cert)
	if err != nil {
		return cert.CertificateState, failure(err)
	}
	return i.state(h), nil
}

func (i *Issuer) request(ctx context.Context, cert models.Certificate) (Hostname, error) {
	if cert.ExternalID == "" {
		return i.obtain(ctx, cert)
	}
	h, err := i.h.read(ctx, cert.ExternalID)
	switch {
	case cloudflare.HasCode(err, codeNotFound): // it was deleted at Cloudflare
		return i.obtain(ctx, cert)
	case err != nil || !h.canRestart():
		return h, err
	}
	return i.h.retry(ctx, h.ID)
}

func (h Hostname) canRestart() bool {
	return !h.serving() && (h.SSL.Status == models.SSLActive || h.SSL.Status == models.SSLPendingValidation || models.SSLStuck(h.SSL.Status))
}

func (h Hostname) serving() bool { return h.Status == "active" && h.SSL.Status == models.SSLActive }

// obtain creates a hostname, or adopts it if it exists.
func (i *Issuer) obtain(ctx context.Context, cert models.Certificate) (Hostname, error) {
	h, err := i.h.create(ctx, cert.Hostname)
	if cloudflare.HasCode(err, codeDuplicate) {
		return i.adopt(ctx, cert, err)
	}
	// The answer may lack the validation records.
	for range 2 {
		if err != nil || h.serving() || h.Ownership != nil || len(h.SSL.Records) > 0 {
			return h, err
		}
		if interval.Sleep(ctx, i.recordsWait) != nil {
			return h, nil
		}
		read, err := i.h.read(ctx, h.ID)
		if err != nil {
			return h, nil // it exists, and the next check reads it
		}
		h = read
	}
	return h, err
}

// clockSkew is the largest expected difference between our clock and Cloudflare's.
const clockSkew = 2 * time.Minute

// isOurs reports whether a hostname whose id is not recorded was created after our first request. Then it is probably ours: the
// request may have been cut off before we could record the id.
func (h Hostname) isOurs(askedAt *time.Time) bool {
	return askedAt != nil && !h.CreatedAt.IsZero() && h.CreatedAt.After(askedAt.Add(-clockSkew))
}

// adopt returns the existing hostname of a host. A hostname that someone else created is adopted only for a verified domain,
// because anyone could have added an unverified domain.
func (i *Issuer) adopt(ctx context.Context, cert models.Certificate, refusal error) (Hostname, error) {
	h, ok, err := i.h.find(ctx, cert.Hostname)
	switch {
	case err != nil:
		return h, err
	case !ok || !cert.Verified && !h.isOurs(cert.AskedAt):
		return h, refusal
	case h.canRestart() && models.SSLStuck(h.SSL.Status):
		return i.h.retry(ctx, h.ID)
	}
	return h, nil
}

// Read returns the state of a certificate: models.SSLNone if the hostname was deleted at Cloudflare.
func (i *Issuer) Read(ctx context.Context, cert models.Certificate) (models.CertificateState, error) {
	h, err := i.h.read(ctx, cert.ExternalID)
	switch {
	case cloudflare.HasCode(err, codeNotFound):
		return models.CertificateState{
			SSLStatus: models.SSLNone, Errors: []string{}, Detail: "Cloudflare no longer has the hostname. It will be created again automatically.",
		}, nil
	case err != nil:
		return cert.CertificateState, failure(err)
	}
	return i.state(h), nil
}

// Release deletes a hostname. It is no error if the hostname no longer exists. If no id is recorded, Release deletes only a
// hostname that was created after our first request.
func (i *Issuer) Release(ctx context.Context, cert models.Certificate) error {
	id := cert.ExternalID
	if id == "" {
		h, ok, err := i.h.find(ctx, cert.Hostname)
		if err != nil {
			return failure(err)
		}
		if !ok || !h.isOurs(cert.AskedAt) {
			return nil
		}
		id = h.ID
	}
	return failure(i.h.remove(ctx, id))
}

// failure converts an error of Cloudflare to one of an issuer.
func failure(err error) error {
	e, ok := errors.AsType[*cloudflare.Error](err)
	if !ok {
		return err
	}
	return &models.EdgeRefusalError{Public: e.Public(), Wait: e.Wait, Refused: e.Refused()}
}

// Limits on what is stored of an answer: the number of errors, and the characters of a value and of a state.
const (
	maxErrors = 20
	maxValue  = 2000
	maxStatus = 40
)

func (i *Issuer) state(h Hostname) models.CertificateState {
	c := models.CertificateState{
		ExternalID: h.ID, SSLStatus: cmp.Or(cut(h.SSL.Status, maxStatus), models.SSLNone), Serving: h.serving(), Errors: []string{}, IssuedAt: h.SSL.Uploaded,
		ExpiresAt: h.SSL.ExpiresOn,
	}
	if c.Detail = i.detail(h); c.Serving {
		return c
	}
	for _, v := range h.SSL.Errors {
		h.Errors = append(h.Errors, v.Message)
	}
	for _, text := range h.Errors[:min(len(h.Errors), maxErrors)] {
		c.Errors = append(c.Errors, i.h.WithoutSecrets(text))
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

// cut shortens a text and removes characters that the database cannot store.
func cut(text string, limit int) string { return models.Cut(models.Storable(text), limit) }

func (i *Issuer) detail(h Hostname) string {
	switch {
	case h.serving():
		return "HTTPS works."
	case slices.Contains([]string{"moved", "blocked", "pending_blocked", "test_blocked", "test_failed"}, h.Status):
		return fmt.Sprintf("Cloudflare does not serve the host. Its state at Cloudflare is %s. Check where its CNAME leads.", cut(h.Status, maxStatus))
	case h.SSL.Status == models.SSLActive:
		return "The certificate is issued. Cloudflare waits until the host's DNS leads to Cloudflare."
	case models.SSLStuck(h.SSL.Status):
		return "The certificate could not be issued. It will be requested again automatically."
	case h.SSL.Status == models.SSLPendingValidation:
		return "Cloudflare validates the host automatically once its DNS leads here."
	}
	return "The certificate is on its way."
}
