package v1

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// networks are the rows of /networks.
func networks() []route.Route {
	const group = "Affiliate networks"
	res := resource[models.Network, NetworkAnswer]{
		table:  func(s *store.Store) table[models.Network] { return s.Networks() },
		own:    func(n *models.Network, account, id uuid.UUID) { n.AccountID, n.ID = account, id },
		answer: networkAnswer,
	}
	bodyCodes := route.Codes("400 required too_long invalid_url invalid_number out_of_range", "402 plan_limit",
		"409 duplicate_name")
	return []route.Route{
		{
			Method: "GET", Path: "/networks", Group: group, Page: true,
			Summary: "affiliate networks; from or to adds each network's figures for the window",
			Query: []route.Param{
				{Name: "from", Doc: "start of the window, UTC: YYYY-MM-DD or YYYY-MM-DD HH:MM:SS"},
				{Name: "to", Doc: "end of the window, UTC; a bare date means the end of that day"},
			},
			Handle: route.Do(listNetworks),
		},
		{
			Method: "POST", Path: "/networks", Group: group, Summary: "create an affiliate network", Scope: route.Write,
			Status: 201, Codes: bodyCodes, Handle: create[NetworkBody](res),
		},
		{
			Method: "PUT", Path: "/networks", Group: group, Summary: "replace an affiliate network", Scope: route.Write,
			Codes: append(answer.IDCodes, bodyCodes...), Handle: put[NetworkPut](res, networkAnswer),
		},
		{
			Method: "PATCH", Path: "/networks", Group: group, Summary: "pause or resume an affiliate network",
			Scope: route.Write, Codes: append(route.Codes("402 plan_limit"), toggleCodes...),
			Handle: toggle((*store.Store).Networks, toggledStatus),
		},
		{
			Method: "DELETE", Path: "/networks", Group: group, Summary: "deactivate an affiliate network",
			Scope: route.Write, Query: answer.QueryID, Codes: answer.IDCodes, Handle: deactivate((*store.Store).Networks),
		},
	}
}

// listNetworks answers names and settings, and figures only when the caller gave an end of a window.
func listNetworks(c *route.Call) (NetworkRows, error) {
	records, next, err := c.Store.Networks().List(c.Context(), c.Account.ID, c.Page)
	if err != nil {
		return NetworkRows{}, err
	}
	out := NetworkRows{Rows: make([]NetworkRow, len(records)), NextCursor: answer.Cursor(next)}
	for i, n := range records {
		out.Rows[i].NetworkAnswer = networkAnswer(n)
	}
	if !bind.HasWindow(c.Query) {
		return out, nil
	}
	figures, err := figuresOf(c, "network_id", records, func(n models.Network) uuid.UUID { return n.ID })
	for i := range figures {
		out.Rows[i].Figures = &figures[i]
	}
	return out, err
}

// NetworkBody is the body of POST /networks.
type NetworkBody struct {
	Name             string              `json:"name" required:"true" trim:"true" maxLength:"255"`
	Currency         bind.LooseCurrency  `json:"currency" default:"USD" doc:"three letters; anything else is read as USD"`
	PostbackParams   map[string]string   `json:"postback_params" doc:"click_id, payout, ... to the parameter"`
	StatusMap        map[string][]string `json:"status_map" doc:"the network's words for each of the four statuses"`
	PostbackSecret   string              `json:"postback_secret" trim:"true" maxLength:"255" doc:"on PUT blank leaves it unchanged"`
	URL              string              `json:"url" trim:"true" maxLength:"2000" format:"url" doc:"http(s)"`
	OfferType        string              `json:"offer_type" enum:"CPA,CPS,CPL,CPC,CPM"`
	GroupName        string              `json:"group_name" trim:"true" maxLength:"255"`
	Notes            string              `json:"notes" maxLength:"2000"`
	ManagerName      string              `json:"manager_name" trim:"true" maxLength:"255"`
	ManagerEmail     string              `json:"manager_email" trim:"true" maxLength:"255"`
	ManagerPhone     string              `json:"manager_phone" trim:"true" maxLength:"255"`
	ManagerIM        string              `json:"manager_im" trim:"true" maxLength:"255"`
	PaymentTerms     string              `json:"payment_terms" trim:"true" maxLength:"255"`
	PaymentFrequency string              `json:"payment_frequency" trim:"true" maxLength:"255"`
	Tags             bind.Tags           `json:"tags"`
	MinimumPayout    *models.Money       `json:"minimum_payout" bad:"invalid_number,out_of_range" min:"0" max:"1000000"`
	Macros           map[string]string   `json:"macros" doc:"the network's own macros, keyed as postback_params"`
	ClickParam       string              `json:"click_param" trim:"true" maxLength:"100" doc:"parameter that carries the click id"`
}

// NetworkPut is the body of PUT /networks: every field but the secret is written, one left out goes back to its
// default.
type NetworkPut struct {
	bind.ID
	NetworkBody
}

// The limits of a network that its tags cannot say.
const (
	maxSecret      = 255 // bytes
	maxStatusWords = 100 // of one status
	maxStatusWord  = 255 // characters
)

// Record gives the network that the body describes.
func (b NetworkBody) Record() (models.Network, error) {
	n := models.Network{
		Name: b.Name, Currency: string(b.Currency), PostbackSecret: b.PostbackSecret, URL: b.URL, OfferType: b.OfferType,
		GroupName: b.GroupName, Notes: b.Notes, ManagerName: b.ManagerName, ManagerEmail: b.ManagerEmail,
		ManagerPhone: b.ManagerPhone, ManagerIM: b.ManagerIM, PaymentTerms: b.PaymentTerms,
		PaymentFrequency: b.PaymentFrequency, Tags: b.Tags, MinimumPayout: b.MinimumPayout, ClickParam: b.ClickParam,
	}
	err := checkSecret(n.PostbackSecret)
	if err == nil {
		n.PostbackParams, err = fieldTexts("postback_params", b.PostbackParams, postback.MaxName)
	}
	if err == nil {
		n.Macros, err = fieldTexts("macros", b.Macros, maxMacroText)
	}
	if err == nil {
		n.StatusMap, err = statusMap(b.StatusMap)
	}
	return n, err
}

// tooLong refuses a text that no tag can limit, being a key or a value of a map.
func tooLong(what string, limit int) error {
	return models.Invalid("too_long", "%s may have at most %d characters", what, limit)
}

// checkSecret refuses a secret that no postback could ever show: what a postback says is cut to 255 bytes and freed
// of control characters, and what looks like a macro counts as empty.
func checkSecret(secret string) error {
	switch {
	case len(secret) > maxSecret:
		return tooLong("postback_secret", maxSecret)
	case strings.ContainsFunc(secret, unicode.IsControl):
		return models.Invalid("invalid_input", "postback_secret must not hold control characters")
	case token.LooksLikeMacro(secret):
		return models.Invalid("invalid_input", "postback_secret must not look like a macro")
	}
	return nil
}

// fieldTexts checks texts by the fields of a postback and drops the empty ones. The answer is never nil.
func fieldTexts(name string, texts map[string]string, limit int) (map[string]string, error) {
	out := map[string]string{}
	for _, field := range slices.Sorted(maps.Keys(texts)) {
		if !slices.Contains(models.NetworkFields, field) {
			return nil, models.Invalid("invalid_input", "%s may have only the members %s", name,
				strings.Join(models.NetworkFields, ", "))
		}
		text := strings.TrimSpace(texts[field])
		if utf8.RuneCountInString(text) > limit {
			return nil, tooLong(name+"."+field, limit)
		}
		if text != "" {
			out[field] = text
		}
	}
	return out, nil
}

var networkStatuses = []string{
	models.StatusApproved, models.StatusPending, models.StatusRejected, models.StatusChargeback,
}

// statusMap checks a network's words for the four statuses; a word can mean one status only. The answer is never nil.
func statusMap(words map[string][]string) (map[string][]string, error) {
	out, meaning := map[string][]string{}, map[string]string{}
	for _, status := range slices.Sorted(maps.Keys(words)) {
		if !slices.Contains(networkStatuses, status) {
			return nil, models.Invalid("invalid_input", "status_map may have only the members %s",
				strings.Join(networkStatuses, ", "))
		}
		list := []string{}
		for _, word := range words[status] {
			word = strings.TrimSpace(word)
			if utf8.RuneCountInString(word) > maxStatusWord {
				return nil, tooLong("a word of status_map", maxStatusWord)
			}
			folded := strings.ToLower(word)
			if other, known := meaning[folded]; known && other != status {
				return nil, models.Invalid("invalid_input", "a word of status_map stands for %s and for %s", other, status)
			} else if known || word == "" {
				continue
			}
			meaning[folded] = status
			list = append(list, word)
		}
		if len(list) > maxStatusWords {
			return nil, models.Invalid("invalid_input", "status_map may have at most %d words for a status", maxStatusWords)
		}
		out[status] = list
	}
	return out, nil
}
