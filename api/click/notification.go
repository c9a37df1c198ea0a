package click

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/netguard"
	"switchyard/models/notification"
	"switchyard/models/postback"
)

// maxHeader is the maximum length of a header in bytes. A longer header of a notification is not kept.
const maxHeader = 2000

var errLargeNotification = models.Errorf(models.KindTooLarge, "too_large",
	"a notification has at most %d bytes", notification.MaxBody)

// schemeOf returns the scheme of a network's notifications. It is empty for a network without a scheme. known is false if the
// scheme can only be read from PostgreSQL.
func (h *Handler) schemeOf(network uuid.UUID) (scheme string, known bool) {
	if network == uuid.Nil {
		return "", true
	}
	if n := h.routes.Current().Network(network); n != nil {
		return n.Row.PostbackScheme, n.Postbacks != nil // an old snapshot from the disk has no settings of networks
	}
	return "", false
}

// readNotification keeps a notification as it arrived, for a job to verify and read. Only the job knows the secret of the
// network, and an encrypted message cannot be read without it.
func (h *Handler) readNotification(w http.ResponseWriter, r *http.Request, p *models.Postback, scheme string, known bool) error {
	if len(r.URL.RawQuery) > maxMessage {
		return errTooLarge
	}
	if r.Method == http.MethodHead {
		return nil
	}
	var body []byte
	if r.Method == http.MethodPost {
		leave, ok := h.limits.unproven.acquire(netguard.ClientPrefix(p.IP), r.ContentLength)
		if !ok {
			return h.tooMany()
		}
		defer leave()
		var err error
		if body, err = readBody(w, r, notification.MaxBody, errLargeNotification, errBrokenOff); err != nil {
			return err
		}
	}
	if len(body) == 0 && r.URL.RawQuery == "" {
		return errNothing
	}
	if !h.limits.kilobytes.AllowN(p.NetworkID, 1+len(body)/1024, time.Now()) {
		return h.tooMany()
	}
	p.Raw = &models.RawMessage{Header: keptHeaders(r.Header, scheme), Query: r.URL.RawQuery, Body: postback.PackBody(body)}
	if !known && len(body)+len(r.URL.RawQuery) <= maxMessage {
		return h.readParams(p, r, body)
	}
	return nil
}

// keptHeaders returns the content type and the headers that a scheme needs. If the scheme is not known, it returns the headers of
// all schemes.
func keptHeaders(all http.Header, scheme string) map[string]string {
	kept := map[string]string{}
	names := notification.Headers
	if s, ok := notification.Find(scheme); ok {
		names = s.Headers
	}
	for _, name := range append([]string{"content-type"}, names...) {
		if v := all.Get(name); v != "" && len(v) <= maxHeader {
			kept[name] = v
		}
	}
	return kept
}
