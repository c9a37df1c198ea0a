package click

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/envelope"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/postback"
)

// Limits of a postback. It has more time than a redirect: nobody is looking at a blank page.
const (
	maxBody        = 64 << 10
	postbackBudget = 5 * time.Second
)

// reply is the envelope of every answer to a postback.
type reply struct {
	Data  any           `json:"data"`
	Error *models.Error `json:"error"`
}

var errNothing = models.Invalid("click_id_required",
	"the postback says nothing: add clickid={the click id that the offer got} to its address")

// postback answers /postback and /postback/{network id}: it keeps what was sent as it is and says yes. What it
// means is found out by a job, as often as it takes for the click to be known. A message that names no click, or one
// that is none of ours, is kept as well: networks switch off addresses that refuse, and the message shows its owner
// what is set up wrong.
func (h *Handler) postback(w http.ResponseWriter, r *http.Request, rest string) {
	p, err := h.readPostback(w, r, rest)
	if err != nil {
		replyError(w, err)
		return
	}
	if r.Method != http.MethodHead { // a monitor asking whether anybody is there
		if err := h.storePostback(r.Context(), p); err != nil {
			replyError(w, models.Errorf(models.KindUnavailable, "unavailable", "try again"))
			return
		}
	}
	writeReply(w, http.StatusOK, reply{Data: map[string]string{"result": "accepted"}})
}

func (h *Handler) storePostback(ctx context.Context, p *models.Postback) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postbackBudget)
	defer cancel()
	if err := h.spool.Append(ctx, spool.Record{Postback: p}); err != nil {
		h.metrics.unrecorded.Inc()
		h.logThrottled(ctx, err)
		return err
	}
	h.metrics.postbacks.Inc()
	return nil
}

// readPostback reads the message and finds whose it is. Its errors are for the sender to see.
func (h *Handler) readPostback(w http.ResponseWriter, r *http.Request, rest string) (*models.Postback, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodPost && r.Method != http.MethodHead {
		return nil, models.Errorf(models.KindMethod, "method_not_allowed", "use GET or POST")
	}
	p := h.newPostback(r, models.FromPostback)
	if err := h.addressee(p, rest); err != nil {
		return nil, err
	}
	addQuery(p.Params, r.URL.RawQuery)
	signed := r.URL.RawQuery
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, models.Errorf(models.KindTooLarge, "too_large", "a postback has at most %d bytes", maxBody)
		}
		if err != nil {
			return nil, models.Invalid("bad_body", "the body could not be read")
		}
		if err := addBody(p.Params, r.Header.Get("Content-Type"), body); err != nil {
			return nil, err
		}
		if len(body) > 0 {
			signed = string(body)
		}
	}
	if p.Signature = postback.Clean(r.Header.Get("X-Signature"), postback.MaxName*2); p.Signature != "" {
		p.SignedText = strings.ToValidUTF8(signed, "")
	}
	if len(p.Params) == 0 {
		return nil, errNothing
	}
	return p, nil
}

func (h *Handler) newPostback(r *http.Request, source string) *models.Postback {
	p := &models.Postback{
		ID: models.NewClickID(), Source: source, Domain: postback.Clean(bareHost(r.Host), 253),
		IP: h.visitors.ClientIP(r), Params: map[string]string{},
	}
	if d := h.routes.Current().Domain(p.Domain); d != nil && d.AccountID.Valid {
		p.AccountID = d.AccountID.UUID
	}
	return p
}

// addressee finds the network that the address names. A network of another account than the domain's is as unknown
// as one that does not exist. Before there is anything to route by, the id is kept for the job to check.
func (h *Handler) addressee(p *models.Postback, rest string) error {
	if rest == "" {
		return nil
	}
	unknown := models.NotFound("network")
	id, ok := models.ParseID(rest)
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

// addParam keeps the first value of each name, within the limits.
func addParam(params map[string]string, name, value string) {
	name = postback.Clean(name, postback.MaxName)
	if _, twice := params[name]; twice || name == "" || len(params) >= postback.MaxParams {
		return
	}
	params[name] = postback.Clean(value, postback.MaxValue)
}

func addQuery(params map[string]string, raw string) {
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		name, value, _ := strings.Cut(pair, "=")
		addParam(params, lenient(name), lenient(value))
	}
}

// lenient unescapes what it can: a network's broken escape must not cost a conversion.
func lenient(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

func addBody(params map[string]string, contentType string, body []byte) error {
	kind, attributes, _ := mime.ParseMediaType(contentType)
	trimmed := bytes.TrimSpace(body)
	switch {
	case kind == "multipart/form-data":
		return addParts(params, body, attributes["boundary"])
	case len(trimmed) > 0 && (trimmed[0] == '{' || strings.HasSuffix(kind, "json")):
		return addJSON(params, trimmed)
	}
	addQuery(params, string(trimmed))
	return nil
}

// addJSON takes the members of an object; lists and objects among them are kept as their text.
func addJSON(params map[string]string, body []byte) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return models.Invalid("bad_body", "the body is not a JSON object")
	}
	for name, raw := range members {
		var text string
		if string(raw) == "null" {
			continue
		}
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		addParam(params, name, text)
	}
	return nil
}

// onePixel is a transparent GIF of one pixel.
var onePixel = []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00" +
	"\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")

// pixel answers /pixel.gif: a postback from the visitor's own browser, its click named by the cookie, else by the
// query. It always shows the picture, whatever came of it.
func (h *Handler) pixel(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		p := h.newPostback(r, models.FromPixel)
		addQuery(p.Params, r.URL.RawQuery)
		if t, ok := parseIDs[clickCookie](cookie(r.Header, clickCookieName)); ok {
			p.Params["clickid"] = models.FormatClickID(t[0])
		}
		if postback.ClickID(p.Params, postback.Network{}) != "" {
			_ = h.storePostback(r.Context(), p) // counted and logged there; a browser would not try again
		}
	}
	header := w.Header()
	header["Cache-Control"], header["Content-Type"] = noStore, []string{"image/gif"}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(onePixel)
}

func replyError(w http.ResponseWriter, err error) {
	e, ok := models.AsError(err)
	if !ok {
		e = &models.Error{Code: "internal_error", Message: "something went wrong"}
	}
	if e.Kind == models.KindMethod {
		w.Header().Set("Allow", "GET, POST")
	}
	writeReply(w, envelope.Status[e.Kind], reply{Error: e})
}

func writeReply(w http.ResponseWriter, status int, body reply) {
	text, err := json.Marshal(body)
	if err != nil {
		text, status = []byte(`{"data":null,"error":null}`), http.StatusInternalServerError
	}
	w.Header()["Cache-Control"] = noStore
	writePage(w, status, asJSON, append(text, '\n'))
}
