package click

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/models/flow"
)

// hopWord is the last part of the address /out/go, the second page of the transition double_meta. Both pages are on the tracking
// domain. The destination therefore never sees the page that the visitor came from as the referrer. The address of the second page
// carries the destination, the campaign and an expiry time, signed for the domain.
const hopWord = "go"

// hopLife is how long the address of a second page is valid.
const hopLife = 10 * time.Minute

// hopLink is the part of a second page's address that is signed together with the destination.
type hopLink struct {
	campaign uuid.UUID
	expires  time.Time // whole seconds
}

const hopBody = 8 + 16 // bytes of expiry and campaign

func (s signer) hopSum(body []byte, host, destination string) []byte {
	m := hmac.New(sha256.New, s)
	_, _ = m.Write([]byte("double_meta 2\x00" + host + "\x00" + destination + "\x00"))
	_, _ = m.Write(body)
	return m.Sum(nil)[:keyMAC]
}

// hop returns the address of the second page.
func (s signer) hop(l hopLink, host, destination string) string {
	var b [hopBody]byte
	binary.BigEndian.PutUint64(b[:], uint64(l.expires.Unix())) //nolint:gosec // after 1970
	copy(b[8:], l.campaign[:])
	key := base64.RawURLEncoding.EncodeToString(append(b[:], s.hopSum(b[:], host, destination)...))
	return "/out/" + hopWord + "?k=" + key + "&u=" + url.QueryEscape(destination)
}

// readHop reads the key in the address of a second page. ok is false if this install did not make the key for this domain and
// destination.
func (s signer) readHop(key, host, destination string) (l hopLink, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(key)
	if err != nil || s == nil || len(b) != hopBody+keyMAC ||
		!hmac.Equal(b[hopBody:], s.hopSum(b[:hopBody], host, destination)) {
		return l, false
	}
	l.expires = time.Unix(int64(binary.BigEndian.Uint64(b)), 0) //nolint:gosec // we wrote it
	l.campaign = uuid.UUID(b[8:hopBody])
	return l, true
}

// secondPage answers the second page of double_meta.
func (h *Handler) secondPage(w http.ResponseWriter, req *http.Request, d *routing.Domain) {
	r := h.acquire(req)
	defer h.release(r)
	q := req.URL.Query()
	destination := q.Get("u")
	link, ok := r.signer.readHop(q.Get("k"), d.Host, destination)
	c := r.snap.Campaign(link.campaign)
	if !ok || !isAddress([]byte(destination)) || r.now.After(link.expires) || c == nil || !c.Linked() ||
		!d.Serves(c.Row.AccountID) {
		notFound(w)
		return
	}
	r.click.Destination = destination
	r.send(w, flow.TransitionBlankReferrer)
}
