package click

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click/visitor"
	"switchyard/api/routing"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/param"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// Limits of the parts of a tracking link's request that are kept. maxQueryParams is a number of parameters; the others are bytes.
const (
	maxQueryParams = 500
	maxSub         = 512
	maxParams      = 2000
)

// request is the state of one request to a tracking domain. It is pooled, so its fields must not be used after the answer.
type request struct {
	h       *Handler
	http    *http.Request
	header  http.Header // header of the answer, for cookies
	now     time.Time
	snap    *routing.Snapshot
	signer  signer // nil until its secret is known
	domain  *routing.Domain
	account *routing.Account
	source  *routing.Source
	camp    *routing.Campaign   // the campaign that routes now; after a hand-over, the next campaign
	seen    visitor.Description // description of the visitor, with the whole address
	facts   cond.Facts
	params  []param.Param
	unusual bool // a strict reader would read the query in another way, so storedQuery writes it again
	click   models.Click
	history visitHistory
	out     []byte // the destination
	scratch []byte // memory for texts that are built for one use
	slot    int
	// clickParams are the parameters in which the address of a click-out may name its click.
	clickParams []string
	counted     bool // a real click: neither HEAD nor a prefetch
	isHTTPS     bool
	unique      bool
	route       *flow.Route
	lander      *routing.Lander
	offer       *routing.Offer
	refused     *routing.Guard // the protection of the landing page that refused the visitor; nil if no page did
	pcg         rand.PCG
	env         flow.Env
	visitor     flow.Visitor
}

func (h *Handler) newRequest() any {
	r := &request{h: h, params: make([]param.Param, 0, 16), out: make([]byte, 0, 512), scratch: make([]byte, 0, 1024)}
	r.env.Admit = r.admit // bound once, so that routing allocates nothing
	r.visitor.Facts = &r.facts
	return r
}

func (h *Handler) acquire(req *http.Request) *request {
	r, _ := h.pool.Get().(*request)
	r.begin(req)
	return r
}

// begin prepares the request for an HTTP request, with the current time and the current snapshot.
func (r *request) begin(req *http.Request) {
	r.http, r.now, r.snap = req, time.Now(), r.h.routes.Current()
	r.signer = signer(r.snap.SigningSecret())
	r.pcg.Seed(rand.Uint64(), rand.Uint64()) //nolint:gosec // chooses among paths, protects nothing
}

func (h *Handler) release(r *request) {
	facts := r.facts
	facts.Reset()
	clear(r.params)
	*r = request{h: h, params: r.params[:0], out: r.out[:0], scratch: r.scratch[:0], env: r.env, facts: facts}
	r.visitor.Facts = &r.facts
	h.pool.Put(r)
}

// readQuery splits the query into parameters. It skips parameters with an empty or very long name. It keeps the first maxQueryParams
// other parameters. After them it keeps only parameters for which fills is true, up to twice maxQueryParams in all.
func (r *request) readQuery(raw string) {
	for raw != "" && len(r.params) < 2*maxQueryParams {
		p, unread, usual := param.Next(raw)
		raw = unread
		if p.Name == "" || len(p.Name) > postback.MaxName || len(r.params) >= maxQueryParams && !r.fills(p.Name) {
			continue
		}
		r.params = append(r.params, p)
		r.unusual = r.unusual || !usual || p.StatesCharset()
	}
	if r.unusual {
		param.Clues{Language: r.http.Header.Get("Accept-Language")}.Decode(r.params)
	}
}

// fills reports whether a parameter fills a field of the click, or is an ad platform's click id.
func (r *request) fills(name string) bool {
	if _, ok := genericSub(name); ok || r.source != nil && r.source.Reads(name) {
		return true
	}
	return slices.ContainsFunc(commonParams, func(p string) bool { return strings.EqualFold(p, name) })
}

// commonParams are the parameters for which fills is true at every source, besides the sub-parameters.
var commonParams = slices.Concat([]string{"clickid", "keyword", models.DefaultCostParam, currencyParam, "fbc", "fbp", "ttp", "_ttp"}, models.AdArrivals)

// storedQuery returns the query for storage with the click. It rewrites a query that is too long, or that a strict reader would
// read in another way.
func (r *request) storedQuery() string {
	raw := r.http.URL.RawQuery
	if !r.unusual && len(raw) <= maxParams {
		return postback.Clean(raw, maxParams)
	}
	return param.Encode(r.params, maxParams, r.fills)
}

// received returns the value of the first filled parameter with a name. A parameter whose value is a macro that the traffic
// source did not replace does not count as filled.
func (r *request) received(name string) (value, raw string) {
	for i := range r.params {
		if strings.EqualFold(r.params[i].Name, name) {
			if value = cleanReceived(r.params[i].Value); value != "" {
				return value, r.params[i].Value
			}
		}
	}
	return "", ""
}

// Param returns the value of the first filled parameter with a name, cleaned and cut.
func (r *request) Param(name string) string {
	value, _ := r.received(name)
	return value
}

// wholeParam returns Param, or an empty text for a value that would be cut.
func (r *request) wholeParam(name string) string {
	value, raw := r.received(name)
	if len(raw) > maxSub && len(postback.Clean(raw, len(raw))) > maxSub {
		return ""
	}
	return value
}

// Header returns a request header by its canonical name. Host comes from the request's Host field, because net/http removes it
// from the headers.
func (r *request) Header(name string) string {
	if name == "Host" {
		return postback.Clean(r.http.Host, maxSub)
	}
	if v := r.http.Header[name]; len(v) > 0 {
		return postback.Clean(v[0], maxSub)
	}
	return ""
}

// cleanReceived returns a value that the traffic source filled in, cleaned. It is empty for a macro that the source did not
// replace.
func cleanReceived(value string) string {
	if value == "" {
		return ""
	}
	value = postback.Clean(value, maxSub)
	if value == "" || token.LooksLikeMacro(value) {
		return ""
	}
	return value
}

// readSubs fills the click's sub-parameters from the parameters that the source names. Sub-parameters that are then still empty
// are filled from the names that every source may use, unless the source uses the name for the cost or for its own click id.
func (r *request) readSubs() {
	for _, s := range r.source.Subs {
		r.click.Subs[s.Sub] = r.Param(s.Param)
	}
	for i := range r.params {
		p := &r.params[i]
		if n, ok := genericSub(p.Name); ok && r.click.Subs[n] == "" && !r.source.Takes(p.Name) {
			r.click.Subs[n] = cleanReceived(p.Value)
		}
	}
}

// genericSub returns the sub-parameter that a name fills for every source.
func genericSub(name string) (n int, ok bool) {
	// Most names are rejected here, without a look-up.
	if len(name) < 2 || len(name) > 9 || name[len(name)-1] < '0' || name[len(name)-1] > '9' {
		return 0, false
	}
	if n, ok = genericSubs[name]; !ok {
		n, ok = genericSubs[strings.ToLower(name)]
	}
	return n, ok
}

// genericSubs maps the parameter names that every source may use to the sub-parameter that each fills.
var genericSubs = func() map[string]int {
	m := map[string]int{}
	for _, prefix := range []string{"sub", "sub_id_", "t", "var", "subid"} {
		for i := range models.Subs {
			m[prefix+strconv.Itoa(i+1)] = i
		}
	}
	return m
}()

// externalID returns the traffic source's own click id.
func (r *request) externalID() string {
	for _, name := range r.source.ExternalIDParams() {
		if v := r.wholeParam(name); v != "" && name != "" {
			return v
		}
	}
	return ""
}

// givenCost returns the cost that the link states. The parameter for the currency does not count if the source uses it for a
// sub-parameter.
func (r *request) givenCost() (given routing.Given) {
	if given.Amount = r.givenAmount(); given.Amount == "" {
		return given
	}
	for i := range r.source.Subs {
		if strings.EqualFold(r.source.Subs[i].Param, currencyParam) {
			return given
		}
	}
	given.Currency = r.Param(currencyParam)
	return given
}

const currencyParam = "currency"

// givenAmount returns the amount of the cost as received. Each character that cannot be read becomes U+FFFD, because without
// these characters it could look like another amount.
func (r *request) givenAmount() (lost string) {
	name := costParam(r.source)
	for i := range r.params {
		p := &r.params[i]
		if !strings.EqualFold(p.Name, name) {
			continue
		}
		if p.IsLost && lost == "" {
			lost = postback.Received(*p, maxSub)
		}
		if cleanReceived(p.Value) != "" {
			return postback.Received(*p, maxSub)
		}
	}
	return lost
}

func costParam(s *routing.Source) string { return cmp.Or(s.Row.CostParam, models.DefaultCostParam) }

// describe fills the click with the description of the visitor.
func (r *request) describe() {
	r.h.visitors.Describe(r.http, r.snap.BotData(), &r.seen)
	if kw := r.Param("keyword"); kw != "" {
		r.seen.Keyword = kw
	}
	r.click.Visitor = r.seen.Visitor
	r.truncateAddress()
}

// setFacts fills the facts that conditions use, except the bot score. The click must be described already.
func (r *request) setFacts() {
	f, d := &r.facts, &r.seen
	f.SetClick(&r.click)
	f.SetIP(d.IP)
	f.SetText(cond.SourceID, models.IDText(r.click.SourceID))
	f.SetText(cond.Continent, d.Continent)
	f.SetText(cond.Timezone, d.Timezone)
	f.SetText(cond.Organization, d.Organization)
	f.SetText(cond.URL, r.url())
	f.SetTime(r.now, r.account.Zone)
	f.SetSource(r)
}

func (r *request) url() string {
	scheme := "http://"
	if r.isHTTPS {
		scheme = "https://"
	}
	return scheme + r.domain.Host + r.http.URL.RequestURI()
}

// scoreBot computes the visitor's bot score for the campaign and adds it to the facts. The account's lists read the other facts,
// so setFacts must run first.
func (r *request) scoreBot() {
	c, signals := &r.click, r.seen.Signals
	if lists := r.snap.BotLists(c.AccountID); lists != nil {
		entry, allowed := lists.Judge(&r.facts, r.seen.IP, c.CampaignID)
		c.BotEntryID = entry
		switch {
		case allowed:
			signals |= bot.Allowed
		case entry != uuid.Nil:
			signals |= bot.DenyList
		}
	}
	c.BotScore, c.IsBot, c.BotReason = bot.Score(signals, r.account.Bots)
	c.BotSignals = uint64(signals)
	r.facts.SetBool(cond.IsBot, c.IsBot)
	r.facts.SetInt(cond.BotScore, int64(c.BotScore))
	r.facts.SetText(cond.BotReason, c.BotReason)
}

// admit reports whether a path's daily cap has room for this request, and takes one click of the cap. A bot, or a request that
// does not count as a click, takes no click of the cap.
func (r *request) admit(route *flow.Route) bool {
	return r.h.caps.admit(route.ID, route.DailyCap, localDay(r.now, r.account.Zone), r.counted && !r.click.IsBot)
}
