package click

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/models/money"
	"switchyard/models/netguard"
	"switchyard/models/postback"
	"switchyard/models/timetext"
	"switchyard/models/token"
)

// Limits of one message of a server, in bytes and in goals.
const (
	maxGoalBody = 1 << 20
	maxGoals    = 1000
)

var (
	errGoalSecret = models.Errorf(models.KindUnauthenticated, "wrong_secret",
		"the goal secret is missing or wrong: send it as Authorization: Bearer, or sign the body with it and name the site key in X-Site-Key")
	errGoalBody  = models.Invalid("bad_body", "the body is not a JSON object, or a list of objects")
	errGoalLarge = models.Errorf(models.KindTooLarge, "too_large", "a message has at most %d bytes and %d goals", maxGoalBody, maxGoals)
	errGoalNone  = models.Invalid("no_goals", "the list is empty")
)

// goalItem is a server's report that a visitor has reached a goal.
type goalItem struct {
	EventID  anyText    `json:"event_id"`
	ClickID  anyText    `json:"click_id"`
	Goal     anyText    `json:"goal"`
	Site     anyText    `json:"site"`
	Value    anyAmount  `json:"value"`
	Currency anyText    `json:"currency"`
	OrderID  anyText    `json:"order_id"`
	Time     anyText    `json:"time"`
	Items    []goalLine `json:"items"`

	User    json.RawMessage `json:"user"`
	Consent loose           `json:"consent"`
}

// goalLine is a product of an order.
type goalLine struct {
	SKU      anyText   `json:"sku"`
	Name     anyText   `json:"name"`
	Price    anyAmount `json:"price"`
	Quantity anyText   `json:"quantity"`
}

// anyText is a text or a number, kept as it was written.
type anyText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *anyText) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(t))
	}
	var n json.Number
	err := json.Unmarshal(raw, &n)
	*t = anyText(n)
	return err
}

// anyAmount is an amount as a text or a number. The point in a number is always a decimal point: see money.Exact.
type anyAmount anyText

// UnmarshalJSON implements json.Unmarshaler.
func (t *anyAmount) UnmarshalJSON(raw []byte) error {
	err := (*anyText)(t).UnmarshalJSON(raw)
	if raw[0] != '"' {
		*t = anyAmount(money.Exact(string(*t)))
	}
	return err
}

// goalResult is the result for one goal.
type goalResult struct {
	Result  string  `json:"result"` // accepted or refused
	Code    *string `json:"code"`
	Message *string `json:"message"`

	NotKept []matchkey.Dropped `json:"not_kept,omitempty"` // personal data that are not kept, and the reasons
}

// goalReply is the answer to a message of a server.
type goalReply struct {
	Accepted int          `json:"accepted"`
	Refused  int          `json:"refused"`
	Results  []goalResult `json:"results"`
}

// serverGoals answers POST /t/goal, where the account's own servers report one goal or a list of goals. Accepted goals are on
// stable storage, whether or not their click is known yet. The same goal sent again counts once.
func (h *Handler) serverGoals(w http.ResponseWriter, r *http.Request) {
	out, single, err := h.receiveGoals(w, r)
	if err == nil && single && out.Refused == 1 {
		err = models.Invalid(*out.Results[0].Code, "%s", *out.Results[0].Message)
	}
	if err != nil {
		replyError(w, err)
		return
	}
	writeReply(w, http.StatusOK, reply{Data: out})
}

func (h *Handler) receiveGoals(w http.ResponseWriter, r *http.Request) (out goalReply, single bool, err error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return out, false, errPostOnly
	}
	now, from := time.Now(), netguard.ClientPrefix(h.visitors.ClientIP(r))
	if !h.limits.senders.Allow(from, now) {
		return out, false, h.tooMany()
	}
	if !h.Ready() {
		return out, false, errUnavailable
	}
	account, body, err := h.goalSender(w, r, from, now)
	if err != nil {
		return out, false, err
	}
	raw, single, err := goalsIn(body)
	if err != nil {
		return out, single, err
	}
	if !h.limits.goals.AllowN(account.Row.ID, len(raw), now) {
		return out, single, h.tooMany()
	}
	out, err = h.acceptGoals(r, account, raw)
	return out, single, err
}

// goalSender returns the account whose server sends a message, and the body of the message. It does not read the body of a
// request that has neither the goal secret nor a signature. A signature can be checked only after the body is read, so only a
// limited number of large bodies are read at the same time.
func (h *Handler) goalSender(w http.ResponseWriter, r *http.Request, from netip.Prefix, now time.Time) (*routing.Account, []byte, error) {
	routes := h.routes.Current()
	key := cmp.Or(r.Header.Get("X-Site-Key"), token.QueryParam(r.URL.RawQuery, "site_key"))
	if secret, ok := bearer(r); ok {
		if a := routes.AccountOfGoalSecret(secret, now); a != nil {
			body, err := readBody(w, r, maxGoalBody, errGoalLarge, errGoalBody)
			return a, body, err
		}
		return nil, nil, h.refuseSecret(r, routes.AccountOfSiteKey(key))
	}
	a := routes.AccountOfSiteKey(key)
	signature := r.Header.Get("X-Signature")
	if a == nil || signature == "" || len(a.GoalSecrets(now)) == 0 {
		return nil, nil, h.refuseSecret(r, a)
	}
	leave, ok := h.limits.unproven.acquire(from, r.ContentLength)
	if !ok {
		return nil, nil, h.tooMany()
	}
	defer leave()
	body, err := readBody(w, r, maxGoalBody, errGoalLarge, errGoalBody)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), messageBudget)
	defer cancel()
	for _, sealed := range a.GoalSecrets(now) {
		secret, err := h.proofs.OpenGoalSecret(ctx, a.Row.ID, sealed)
		if err != nil {
			h.logThrottled(ctx, err)
			return nil, nil, errUnavailable
		}
		if postback.Authentic(secret, "", signature, string(body)) {
			return a, body, nil
		}
	}
	return nil, nil, h.refuseSecret(r, a)
}

func bearer(r *http.Request) (secret string, ok bool) {
	kind, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(secret), ok && strings.EqualFold(kind, "Bearer")
}

func goalsIn(body []byte) (list []json.RawMessage, single bool, err error) {
	body = bytes.TrimSpace(body)
	if single = len(body) > 0 && body[0] == '{'; single {
		if !json.Valid(body) {
			return nil, single, errGoalBody
		}
		return []json.RawMessage{body}, single, nil
	}
	if err := json.Unmarshal(body, &list); err != nil || len(body) == 0 || body[0] != '[' {
		return nil, false, errGoalBody
	}
	switch {
	case len(list) > maxGoals:
		return nil, false, errGoalLarge
	case len(list) == 0:
		return nil, false, errGoalNone
	}
	return list, false, nil
}

// acceptGoals puts the valid goals on stable storage. If that fails, it accepts none, and the sender must send all of them again.
func (h *Handler) acceptGoals(r *http.Request, a *routing.Account, list []json.RawMessage) (goalReply, error) {
	out := goalReply{Results: make([]goalResult, len(list))}
	events, findCountry := make([]models.SiteEvent, 0, len(list)), h.countryFinder(r, fromServer)
	for i, raw := range list {
		e, item, refusal := h.readGoal(a, raw)
		if refusal != nil {
			out.Results[i] = goalResult{Result: "refused", Code: &refusal.Code, Message: &refusal.Message}
			out.Refused++
			h.metrics.refusedGoals.WithLabelValues(refusal.Code).Inc()
			if refusal.Code == unknownGoal {
				h.storeRefused(r, a, map[string]string{"clickid": models.FormatClickID(e.ClickID), "goal": matchkey.HideAddresses(e.Name)}, refusal.Message)
			}
			continue
		}
		notKept, err := h.setMatchKeys(r.Context(), a.Row.ID, &e, item.User, string(item.Consent), findCountry)
		if err != nil {
			h.logThrottled(r.Context(), err)
			return goalReply{}, errUnavailable
		}
		out.Results[i] = goalResult{Result: "accepted", NotKept: notKept}
		e.Domain, e.IP = models.BareHost(r.Host), h.visitors.ClientIP(r)
		events = append(events, e)
	}
	out.Accepted = len(events)
	if len(events) == 0 {
		return out, nil
	}
	if err := h.storeEvents(r.Context(), a, events); err != nil {
		return goalReply{}, errUnavailable
	}
	return out, nil
}

// Codes of the refusals that are stored as samples.
const (
	unknownGoal = "unknown_goal"
	wrongSecret = "wrong_secret"
)

func (h *Handler) readGoal(a *routing.Account, raw json.RawMessage) (e models.SiteEvent, item goalItem, refusal *models.Error) {
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &item) != nil {
		return e, item, models.Invalid("bad_goal", "a goal is an object of texts and numbers, and its items are a list of such objects")
	}
	now := time.Now()
	click, reason := postback.NamedClick(map[string]string{"clickid": string(item.ClickID)}, postback.Network{}, now)
	if reason != "" {
		return e, item, models.Invalid("invalid_click_id", "click_id is missing, or it is not a click id of this service")
	}
	identity := withoutUser(raw, item.User)
	if item.EventID != "" {
		identity = []byte("event " + item.EventID)
	}
	e = models.SiteEvent{
		ID: models.SiteEventID(a.Row.ID, models.FromGoalAPI, string(identity)), ClickID: click, Name: postback.Clean(string(item.Goal), maxEventName),
		OrderID: string(item.OrderID), Source: models.FromGoalAPI, At: now,
	}
	var terms *models.GoalTerms
	if e.SiteID, terms = h.goalOf(a, e.Name, string(item.Site)); terms == nil {
		return e, item, models.Invalid(unknownGoal, "goal is not the key of an active goal of an active site, or site is not the id of that site")
	}
	if len(e.OrderID) > maxOrderText {
		return e, item, models.Invalid("invalid_order_id", "an order_id has at most %d bytes", maxOrderText)
	}
	if terms.Dedupe == models.PerOrder && postback.Clean(e.OrderID, maxOrderText) == "" {
		return e, item, models.Invalid("no_order_id", "the goal counts per order: send the order_id")
	}
	refusal = item.fill(&e, cmp.Or(terms.Currency, siteCurrency(h.routes.Current().Site(e.SiteID))))
	return e, item, refusal
}

// withoutUser returns a goal's message without its personal data, so that the id of the event is not a hash of personal data.
func withoutUser(raw, user json.RawMessage) []byte {
	members := map[string]json.RawMessage{}
	if user == nil || json.Unmarshal(raw, &members) != nil {
		return raw
	}
	for name := range members {
		if strings.EqualFold(name, "user") {
			delete(members, name)
		}
	}
	plain, err := json.Marshal(members)
	if err != nil {
		return raw
	}
	return plain
}

// goalOf returns the site and the terms of the active goal with a key. site is the id of the goal's site, or empty for the
// account's first site with such a goal.
func (h *Handler) goalOf(a *routing.Account, key, site string) (uuid.UUID, *models.GoalTerms) {
	routes := h.routes.Current()
	found := routes.SiteOfGoal(a.Row.ID, key)
	if site != "" {
		id, _ := models.ParseID(site)
		if found = routes.Site(id); found == nil || found.Row.AccountID != a.Row.ID || !found.Row.IsActive {
			return uuid.Nil, nil
		}
	}
	if found == nil {
		return uuid.Nil, nil
	}
	for _, g := range routes.GoalsOf(found.Row.ID) {
		if g.Key == key && g.IsActive {
			return found.Row.ID, &g
		}
	}
	return uuid.Nil, nil
}

// fill sets the value, currency, time and products of an event.
func (item goalItem) fill(e *models.SiteEvent, fallback string) *models.Error {
	if refusal := readValue(e, string(item.Value), string(item.Currency), fallback); refusal != nil {
		return refusal
	}
	if e.Currency == money.Unknown {
		return models.Invalid("invalid_currency", "currency %.64q %s", string(item.Currency), money.ErrNoCurrency)
	}
	if text := string(item.Time); text != "" {
		var err error
		if e.At, err = timetext.ReadUTC(text); err != nil {
			return models.Invalid("invalid_time", "time %v", err)
		}
	}
	for _, line := range item.Items[:min(len(item.Items), maxItems)] {
		quantity, _ := strconv.Atoi(string(line.Quantity))
		e.Items = append(e.Items, models.SiteItem{
			SKU: string(line.SKU), Name: string(line.Name), Price: readPrice(string(line.Price), e, fallback), Quantity: quantity,
		})
	}
	return nil
}

// refuseSecret counts a message whose secret is missing or wrong, and may store it as a sample.
func (h *Handler) refuseSecret(r *http.Request, a *routing.Account) error {
	h.metrics.refusedGoals.WithLabelValues(wrongSecret).Inc()
	h.storeRefused(r, a, map[string]string{postback.Param("secret"): postback.Mask}, errGoalSecret.Message)
	return errGoalSecret
}

// storeRefused stores a sample of a refused message or goal in the log of postbacks, without anything that may be a secret. The number
// of samples is limited.
func (h *Handler) storeRefused(r *http.Request, a *routing.Account, params map[string]string, reason string) {
	p := h.newPostback(r, models.FromGoalAPI)
	p.Params, p.Refused = params, reason
	to := h.addresseeOf(p)
	if a != nil {
		p.AccountID, to = a.Row.ID, addressee{network: a.Row.ID} // the limit of samples is per network; here the account takes its place
	}
	if !h.limits.samples.Allow(to, time.Now()) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), messageBudget)
	defer cancel()
	if err := h.postbacks.Append(ctx, spool.Record{Postback: p}); err != nil {
		h.logThrottled(ctx, err) // a sample can be lost
	}
}
