package v1

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/reporting"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/notification"
	"switchyard/models/postback"
	"switchyard/models/template"
	"switchyard/models/token"
)

// networks returns the routes of /networks.
func networks(d Deps, reportingDeps reporting.Deps) []route.Route {
	res := resource.Kind[store.Networks, models.Network, NetworkAnswer]{
		Group: "Affiliate networks", Path: "/networks", Table: (*store.Store).Networks,
		Filters: resource.UseFilters,
		Codes: route.Codes("400 required too_long invalid_url invalid_number out_of_range", "402 plan_limit",
			"409 duplicate_name"),
	}
	list := res.Row("GET", "", "affiliate networks; from or to adds each network's figures for the window",
		route.Handle(d.listNetworks)).
		WithPage().WithShare(route.Lists).WithQuery(res.Params()...).
		WithQuery(route.Param{Name: "from", Doc: "start of the window, UTC: YYYY-MM-DD or YYYY-MM-DD HH:MM:SS"}).
		WithQuery(route.Param{Name: "to", Doc: "end of the window, UTC; a bare date means the end of that day"})
	post := res.Row("POST", "", "create an affiliate network, from a template if one is named", route.HandleBody(addNetwork[NetworkCreate](d)),
		res.Codes, route.Codes("400 invalid_template")).Creates()
	post.Echoes = []any{template.Network{}} // the template that is named fills the body
	return append([]route.Route{
		list, post, reporting.TestPostback(reportingDeps),
		res.Row("PUT", "", "replace an affiliate network", route.HandleBody(d.putNetwork), answer.IDCodes, res.Codes),
		res.Row("PATCH", "", "pause or resume an affiliate network, true restores a deactivated one; or map status words of it",
			route.HandleBody(patchNetwork), resource.RestoreCodes, route.Codes("400 invalid_id invalid_status too_long", "404 not_found")),
		resource.RemoveUsed(res, "deactivate an affiliate network", resource.DeactivatedWith),
	}, d.networkTemplateFiles(res)...)
}

// listNetworks lists networks with their settings. It adds figures only if the call has from or to.
func (d Deps) listNetworks(c *route.Call) (NetworkRows, error) {
	page, err := resource.PageOf(c)
	if err != nil {
		return NetworkRows{}, err
	}
	records, next, err := c.Store.Networks().List(c.Context(), c.Account.ID, page)
	if err != nil {
		return NetworkRows{}, err
	}
	var figures map[uuid.UUID]answer.Figures
	if bind.HasWindow(c.Query) {
		figures, err = resource.FiguresOf(c, d.Reports, "network_id", records)
	}
	if err != nil {
		return NetworkRows{}, err
	}
	words, err := c.Store.Networks().UnknownWords(c.Context(), c.Account.ID, records)
	if err != nil {
		return NetworkRows{}, err
	}
	shown, err := d.networkAnswers(c, records)
	return NetworkRows{answer.Each(shown, func(n NetworkAnswer) NetworkRow {
		row := NetworkRow{NetworkAnswer: n, UnknownWords: append([]models.StatusWord{}, words[n.ID]...)}
		if f, ok := figures[n.ID]; ok {
			row.Figures = &f
		}
		return row
	}), answer.Cursor(next)}, err
}

// NetworkBody has the fields of a network as the client sends them.
type NetworkBody struct {
	models.NetworkFields
	PostbackSecret string `json:"postback_secret" trim:"true" maxLength:"255" doc:"on PUT blank leaves it unchanged"`
}

// NetworkPut is the body of PUT /networks. It replaces every field except the secret. A field that is left out gets its default.
type NetworkPut struct {
	bind.ID
	NetworkBody
	Name string `json:"name" required:"true" trim:"true" maxLength:"255"`
}

// NetworkAnswer is a saved network with its addresses.
type NetworkAnswer struct {
	models.Network
	OfferType      string `json:"offer_type" doc:"CPA, CPS, CPL, CPC, CPM, or empty"`
	PostbackScheme string `json:"postback_scheme" doc:"how its notifications are signed and read, or empty: it sends postbacks with parameters"`
	NetworkURLs
}

// NetworkRow is a network of the list. It has figures only if the call asked for a window.
type NetworkRow struct {
	NetworkAnswer
	UnknownWords []models.StatusWord `json:"unknown_words" doc:"status words that came in postbacks and stand for no status, the most frequent first, at most 50: conversions with them are pending. PATCH with status_map maps them"`
	*answer.Figures
}

// NetworkRows is the answer of the list of networks.
type NetworkRows resource.Listed[NetworkRow]

// These limits of a network cannot be expressed by struct tags.
const (
	maxSecret      = 255 // bytes
	maxStatusWords = 100 // for each status
	maxStatusWord  = 255 // characters
)

// Record returns the network that the body describes.
func (b NetworkBody) Record() (models.Network, error) {
	n := models.Network{NetworkFields: b.NetworkFields, PostbackSecret: b.PostbackSecret}
	if n.Name == "" {
		return n, models.Invalid("required", "name is required")
	}
	err := checkSecret(n)
	if err == nil && !postback.ValidAnswer(n.AnswerText) {
		err = models.Invalid("invalid_input", "answer_text may have only printable ASCII characters, without < and >")
	}
	if err == nil {
		n.PostbackParams, err = fieldTexts("postback_params", n.PostbackParams, postback.MaxName)
	}
	if err == nil {
		n.Macros, err = fieldTexts("macros", n.Macros, maxMacroText)
	}
	if err == nil {
		n.StatusMap, err = statusMap(n.StatusMap)
	}
	return n, err
}

// tooLong returns the error for a text that no struct tag can limit, because it is a key or a value of a map.
func tooLong(what string, limit int) error {
	return models.Invalid("too_long", "%s may have at most %d characters", what, limit)
}

// checkSecret refuses a secret that no postback could ever contain. A value of a postback is cut to 255 bytes and loses its control
// characters. A value that looks like a macro counts as empty. The secret of a platform that signs its notifications is in no
// postback, and may look like a macro.
func checkSecret(n models.Network) error {
	secret := n.PostbackSecret
	s, signs := notification.Find(n.PostbackScheme)
	signs = signs && !s.SecretInAddress
	switch {
	case len(secret) > maxSecret:
		return tooLong("postback_secret", maxSecret)
	case strings.ContainsFunc(secret, unicode.IsControl):
		return models.Invalid("invalid_input", "postback_secret must not hold control characters")
	case !signs && token.LooksLikeMacro(secret):
		return models.Invalid("invalid_input", "postback_secret must not look like a macro")
	}
	return nil
}

// fieldTexts checks the texts for the fields of a postback and removes empty ones. The result is never nil.
func fieldTexts(name string, texts map[string]string, limit int) (map[string]string, error) {
	out := map[string]string{}
	for _, field := range slices.Sorted(maps.Keys(texts)) {
		if !slices.Contains(models.PostbackFields, field) {
			return nil, models.Invalid("invalid_input", "%s may have only the members %s", name,
				strings.Join(models.PostbackFields, ", "))
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

// statusMap checks a network's words for the four statuses. A word can stand for only one status. The result is never nil.
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
