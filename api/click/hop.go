package click

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"

	"switchyard/api/routing"
	"switchyard/models/flow"
)

// The second page of double_meta is on the tracking domain too, so that the destination, where a browser sends it a
// referrer at all, sees this page and never the one that the visitor came from. Its address carries the destination,
// signed for the domain: the service leads nobody to an address that no customer's flow named.
const hopWord = "go" // below /out

func (s signer) hopKey(host, destination string) []byte {
	m := hmac.New(sha256.New, s)
	_, _ = m.Write([]byte("double_meta\x00" + host + "\x00" + destination))
	return m.Sum(nil)[:keyMAC]
}

// hop is the address of the second page.
func (s signer) hop(host, destination string) string {
	key := base64.RawURLEncoding.EncodeToString(s.hopKey(host, destination))
	return "/out/" + hopWord + "?k=" + key + "&u=" + url.QueryEscape(destination)
}

// secondPage answers the second page of double_meta.
func (h *Handler) secondPage(w http.ResponseWriter, req *http.Request, d *routing.Domain) {
	r := h.acquire(req)
	defer h.release(r)
	q := req.URL.Query()
	key, err := base64.RawURLEncoding.DecodeString(q.Get("k"))
	s, destination := r.signer, q.Get("u")
	if err != nil || s == nil || !isAddress([]byte(destination)) || !hmac.Equal(key, s.hopKey(d.Host, destination)) {
		notFound(w)
		return
	}
	r.click.Destination = destination
	r.send(w, flow.TransitionBlankReferrer)
}
