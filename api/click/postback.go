package click

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click/visitor"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/netguard"
	"switchyard/models/param"
	"switchyard/models/postback"
)

// maxMessage is the maximum size of the query and the body of a postback together, in bytes.
const maxMessage = 32 << 10

var (
	errNothing = models.Invalid("click_id_required",
		"the postback has no parameters: add clickid={the click id that the offer got} to its address")
	errTooLarge = models.Errorf(models.KindTooLarge, "too_large",
		"a postback has at most %d bytes in its query and body together", maxMessage)
	errBrokenOff = models.Invalid("bad_body", "the body could not be read")
)

// postback answers /postback and /postback/{network id}. It stores the message, and a job interprets it later. A message that
// names no click is accepted too, because networks switch off addresses that refuse. HEAD records nothing and needs no
// parameters: monitors and networks use it to check that the address exists.
func (h *Handler) postback(w http.ResponseWriter, r *http.Request, network string) {
	p, err := h.readPostback(w, r, network)
	if err != nil {
		replyError(w, err)
		return
	}
	if r.Method != http.MethodHead {
		if err := h.storePostback(r.Context(), p); err != nil {
			replyError(w, errUnavailable)
			return
		}
	}
	n, _ := h.fieldsOf(p.NetworkID)
	if text := postback.Answer(p.Params, n); text != "" {
		w.Header()["Cache-Control"] = noStore
		writePage(w, http.StatusOK, asText, []byte(text))
		return
	}
	writeReply(w, http.StatusOK, reply{Data: map[string]string{"result": "accepted"}})
}

// storePostback finds the click that a message names and puts the message on stable storage. A message that names none of our clicks
// is stored only as a sample, or if it may name a click of the account's old tracker (see isOfMove).
func (h *Handler) storePostback(ctx context.Context, p *models.Postback) error {
	now := time.Now()
	if n, known := h.fieldsOf(p.NetworkID); known && p.Raw == nil { // a job reads a raw message
		p.ClickID, p.Unmatched = postback.NamedClick(p.Params, n, now)
	}
	sentOn := false
	if p.Unmatched != "" {
		h.metrics.unmatched.Inc()
		n, _ := h.fieldsOf(p.NetworkID)
		var isOfMove bool
		if isOfMove, sentOn = h.isOfMove(p, n); !isOfMove && !h.limits.samples.Allow(h.addresseeOf(p), now) {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), messageBudget)
	defer cancel()
	err := h.sealProof(ctx, p)
	if err == nil && sentOn {
		err = h.sealReceived(ctx, p)
	}
	if err == nil {
		err = h.postbacks.Append(ctx, spool.Record{Postback: p})
	}
	if err != nil {
		h.metrics.unrecorded.Inc()
		h.logThrottled(ctx, err)
		return err
	}
	h.metrics.postbacks.Inc()
	return nil
}

// sealProof seals the proof of the sender, so that neither the disk nor the database has it in clear text. If the message names
// no click, sealProof lists the names of its hidden parameters, because a wrong mapping may have hidden the click id. Before the
// routing snapshot is loaded, sealProof treats every parameter as a possible secret.
func (h *Handler) sealProof(ctx context.Context, p *models.Postback) (err error) {
	n, _ := h.fieldsOf(p.NetworkID)
	routes, loaded := h.routes.Current(), h.Ready()
	proof, ok := postback.Hide(p, n, func(name string) bool { return !loaded || routes.MayBeSecret(p.AccountID, name) })
	if !ok {
		return nil
	}
	if p.Proof, err = h.proofs.SealProof(ctx, p.ID, proof); p.Unmatched == "" {
		return err
	}
	if len(proof.Names()) > 0 {
		p.Unmatched += "; not shown: " + postback.Clean(strings.Join(proof.Names(), ", "), maxNames)
	}
	return nil // a message that names no click is stored even if its proof could not be sealed
}

// maxNames is how many bytes of the names of hidden parameters are kept.
const maxNames = 300

// fieldsOf returns the settings by which the messages of a network are read. known is false if only PostgreSQL has the settings.
func (h *Handler) fieldsOf(network uuid.UUID) (n postback.Network, known bool) {
	if network == uuid.Nil {
		return n, true
	}
	if found := h.routes.Current().Network(network); found != nil && found.Postbacks != nil {
		return *found.Postbacks, true
	}
	return n, false
}

// readPostback reads the message and finds its network and account. network is the id in the address, or empty.
func (h *Handler) readPostback(w http.ResponseWriter, r *http.Request, network string) (*models.Postback, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodPost && r.Method != http.MethodHead {
		return nil, models.Errorf(models.KindMethod, "method_not_allowed", "use GET or POST")
	}
	p := h.newPostback(r, models.FromPostback)
	if !h.limits.senders.Allow(netguard.ClientPrefix(p.IP), time.Now()) {
		return nil, h.tooMany()
	}
	if err := h.findNetwork(p, network); err != nil {
		return nil, err
	}
	h.recordReceived(p, r)
	if !h.limits.admits(h.addresseeOf(p), netguard.ClientPrefix(p.IP), 1, time.Now()) {
		return nil, h.tooMany()
	}
	if scheme, known := h.schemeOf(p.NetworkID); !known || scheme != "" {
		return p, h.readNotification(w, r, p, scheme, known)
	}
	body, err := readMessage(w, r)
	if err != nil {
		return nil, err
	}
	if err := h.readParams(p, r, body); err != nil {
		return nil, err
	}
	if len(p.Params) == 0 && r.Method != http.MethodHead {
		return nil, errNothing
	}
	return p, nil
}

// readParams sets the parameters of a message, and its signature if it has one.
func (h *Handler) readParams(p *models.Postback, r *http.Request, body []byte) error {
	list := param.FromQuery(r.URL.RawQuery, cluesOf(r))
	signed := r.URL.RawQuery
	if r.Method == http.MethodPost {
		more, err := param.FromBody(r.Header.Get("Content-Type"), body, cluesOf(r))
		if err != nil {
			return models.Invalid("bad_body", "%s", err)
		}
		if list = append(list, more...); len(body) > 0 {
			signed = string(body)
		}
		if p.Received != "" && strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
			p.Received = withForm(p.Received, body)
		}
	}
	p.Params = postback.Collect(postback.UnfoldPersons(list, h.isMapped(p.AccountID)), h.mayBeRead(p.AccountID))
	hadPersonalData := h.hashPersonalData(r, p)
	if p.Signature = postback.Clean(r.Header.Get("X-Signature"), postback.MaxName*2); p.Signature != "" {
		p.SignedText = strings.ToValidUTF8(signed, "")
		p.HasPersonalData = hadPersonalData
	}
	return nil
}

// cluesOf returns what a request says about the charset of its parameters.
func cluesOf(r *http.Request) param.Clues {
	return param.Clues{Language: r.Header.Get("Accept-Language")}
}

// mayBeRead returns a function that reports whether a network of an account possibly sends a field or a secret in a parameter.
// Before the routing snapshot is loaded, the function returns true for every parameter.
func (h *Handler) mayBeRead(account uuid.UUID) func(name string) bool {
	routes, loaded := h.routes.Current(), h.Ready()
	return func(name string) bool { return !loaded || routes.MayBeRead(account, name) }
}

// isMapped returns a function that reports whether a parameter occurs in the settings of any network of the account. Before the
// routing snapshot is loaded, the function returns false for every parameter.
func (h *Handler) isMapped(account uuid.UUID) func(name string) bool {
	routes, loaded := h.routes.Current(), h.Ready()
	return func(name string) bool { return loaded && routes.IsMapped(account, name) }
}

func readMessage(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	limit := int64(maxMessage - len(r.URL.RawQuery))
	if limit < 0 {
		return nil, errTooLarge
	}
	if r.Method != http.MethodPost {
		return nil, nil
	}
	return readBody(w, r, limit, errTooLarge, errBrokenOff)
}

func (h *Handler) newPostback(r *http.Request, source string) *models.Postback {
	p := &models.Postback{
		ID: models.NewClickID(), Source: source, Domain: postback.Clean(models.BareHost(r.Host), visitor.MaxDomain),
		IP: h.visitors.ClientIP(r), Params: map[string]string{},
	}
	if d := h.routes.Current().Domain(p.Domain); d != nil && d.AccountID.Valid {
		p.AccountID = d.AccountID.UUID
	}
	return p
}

// addresseeOf returns the addressee whose limits a postback counts against: its network, or else its domain. It is empty if the
// domain is unknown.
func (h *Handler) addresseeOf(p *models.Postback) addressee {
	if p.NetworkID != uuid.Nil {
		return addressee{network: p.NetworkID}
	}
	if h.routes.Current().Domain(p.Domain) == nil {
		return addressee{}
	}
	return addressee{domain: p.Domain}
}

// findNetwork finds the network with the id in `text`, which is a part of the address. If the domain belongs to another account than the
// network, the network is unknown. Before the routing snapshot is loaded, the id is stored for the job to check.
func (h *Handler) findNetwork(p *models.Postback, text string) error {
	if text == "" {
		return nil
	}
	unknown := models.NotFound("network")
	id, ok := models.ParseID(text)
	if !ok {
		return unknown
	}
	n := h.routes.Current().Network(id)
	switch {
	case n != nil && (p.AccountID == uuid.Nil || p.AccountID == n.Row.AccountID):
		p.AccountID, p.NetworkID = n.Row.AccountID, id
		return nil
	case n == nil && !h.Ready():
		p.NetworkID = id
		return nil
	}
	return unknown
}

var onePixel = []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00" +
	"\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")

// pixel answers /pixel.gif: a postback from the visitor's own browser. The query names the click, or else the cookie does.
func (h *Handler) pixel(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		p := h.newPostback(r, models.FromPixel)
		h.recordReceived(p, r)
		p.Params = postback.Collect(param.FromQuery(r.URL.RawQuery, cluesOf(r)), h.mayBeRead(p.AccountID))
		if _, err := models.ParseClickID(postback.ClickID(p.Params, postback.Network{})); err != nil {
			if t, ok := soleClick(r.Header, h.routes.Current().Domain(p.Domain)); ok {
				maps.DeleteFunc(p.Params, func(name, _ string) bool { return strings.EqualFold(name, "clickid") })
				p.Params["clickid"] = models.FormatClickID(t.Click)
			}
		}
		h.hashPersonalData(r, p)
		if postback.ClickID(p.Params, postback.Network{}) != "" && h.admitsPixel(p, r) {
			_ = h.storePostback(r.Context(), p) // counted and logged there; a browser would not try again
		}
	}
	header := w.Header()
	header["Cache-Control"], header["Content-Type"] = noStore, []string{"image/gif"}
	header["X-Content-Type-Options"], header["Cross-Origin-Resource-Policy"] = noSniff, crossOrigin
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(onePixel)
}

// admitsPixel reports whether a pixel is within the limits of postbacks.
func (h *Handler) admitsPixel(p *models.Postback, r *http.Request) bool {
	now := time.Now()
	from := netguard.ClientPrefix(p.IP)
	if !h.limits.senders.Allow(from, now) || !h.limits.admits(h.addresseeOf(p), from, 1, now) {
		h.metrics.limited.Inc()
		return false
	}
	return len(r.URL.RawQuery) <= maxMessage
}
