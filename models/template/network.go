package template

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/notification"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// Network is the template of an affiliate network: the settings that are the same for every account. It never holds a secret.
type Network struct {
	Name             string              `json:"name"`
	Currency         string              `json:"currency" doc:"currency of payouts that name no currency; empty: not known"`
	URL              string              `json:"url"`
	OfferType        string              `json:"offer_type"`
	ClickParam       string              `json:"click_param" doc:"parameter of offer links that carries the click id to the network"`
	PostbackParams   map[string]string   `json:"postback_params"`
	Macros           map[string]string   `json:"macros" doc:"the network's own macros, by field, such as click_id, payout and status"`
	PostbackScheme   string              `json:"postback_scheme" doc:"name of the scheme by which the network's notifications are verified and read; empty: the network sends postbacks with parameters"`
	StatusMap        map[string][]string `json:"status_map" doc:"the network's status words that do not have their usual meaning"`
	AnswerText       string              `json:"answer_text" doc:"text that the network wants as the answer to a postback"`
	Notes            string              `json:"notes"`
	PaymentTerms     string              `json:"payment_terms"`
	PaymentFrequency string              `json:"payment_frequency"`
	MinimumPayout    *models.Money       `json:"minimum_payout"`
	Origin
}

// words lists the status words of a network by our status. A word that has its usual meaning need not be listed.
type words = map[string][]string

// FromNetwork returns a template with a network's settings.
func FromNetwork(n models.Network) Network {
	return Network{
		Name: n.Name, Currency: n.Currency, URL: n.URL, OfferType: n.OfferType, ClickParam: n.ClickParam,
		PostbackParams: n.PostbackParams, Macros: n.Macros, StatusMap: n.StatusMap, AnswerText: n.AnswerText, Notes: n.Notes,
		PostbackScheme: n.PostbackScheme, PaymentTerms: n.PaymentTerms, PaymentFrequency: n.PaymentFrequency, MinimumPayout: n.MinimumPayout,
	}
}

// SavedNetwork is a network template with an id: an account's own, or a built-in one.
type SavedNetwork struct {
	ID        uuid.UUID `db:"id"`
	AccountID uuid.UUID `db:"account_id"` // zero for a built-in template
	Network   Network   `db:"settings,json"`
	CreatedAt time.Time `db:"created_at"` // zero for a built-in template
	UpdatedAt time.Time `db:"updated_at"`
}

// Query returns the query of the postback address that the customer enters at the network: each parameter with the network's
// macro for it.
func (n Network) Query() string {
	var query []byte
	for _, field := range models.PostbackFields {
		if macro := n.Macros[field]; macro != "" {
			query = token.AppendParam(query, models.TokenMacro{Param: n.param(field), Macro: macro})
		}
	}
	return string(query)
}

func (n Network) param(field string) string {
	return cmp.Or(n.PostbackParams[field], postback.Param(field))
}

// The empty values of these fields show a person what to fill in.
var blankFields = []string{"click_id", "payout", "status", "conversion_id"}

// PostbackQuery returns Query with the network's secret, which must be an escaped text. If there is no macro for the
// click id, the query also has empty parameters that a person must fill in. The address of a network with a scheme
// has at most one parameter: the secret, if the scheme expects it in the address.
func (n Network) PostbackQuery(secret string) string {
	if s, ok := notification.Find(n.PostbackScheme); ok {
		if secret == "" || !s.SecretInAddress {
			return ""
		}
		return notification.SecretParam + "=" + secret
	}
	macros := maps.Clone(n.Macros)
	if secret != "" {
		delete(macros, secretField)
	}
	filled := Network{PostbackParams: n.PostbackParams, Macros: macros}
	var blankParams []byte
	if macros["click_id"] == "" {
		for _, field := range blankFields {
			if macros[field] == "" {
				blankParams = token.AppendParam(blankParams, models.TokenMacro{Param: n.param(field)})
			}
		}
	}
	parts := []string{string(blankParams), filled.Query()}
	if secret != "" {
		parts = append(parts, string(token.AppendEscaped(nil, n.param(secretField)))+"="+secret)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "&")
}

const secretField = "secret"

// OfferSuffix returns the text to append to offer URLs, through which the network learns the click id.
func (n Network) OfferSuffix() string {
	if n.ClickParam == "" {
		return ""
	}
	return string(token.AppendEscaped(nil, n.ClickParam)) + "={" + token.ClickID.String() + "}"
}

// macros returns the macros of a network by field, without empty ones. The last arguments are pairs of another field and its macro.
func macros(click, payout, conversion, status string, more ...string) map[string]string {
	out := map[string]string{}
	pairs := append([]string{
		"click_id", click, "payout", payout, "conversion_id", conversion, "status", status,
	}, more...)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out[pairs[i]] = pairs[i+1]
		}
	}
	return out
}

func inKeitaro(name, clickParam string, macros map[string]string) Network {
	return Network{Name: name, ClickParam: clickParam, Macros: macros, Origin: keitaroNetworks}
}

func inOrbitra(name, clickParam string, macros map[string]string) Network {
	return Network{Name: name, ClickParam: clickParam, Macros: macros, Origin: orbitraBuiltIn}
}

func (n Network) withCurrency(code string) Network {
	n.Currency = code
	return n
}

func (n Network) withNotes(notes string) Network {
	n.Notes = notes
	return n
}

func (n Network) withStatuses(statuses words) Network {
	n.StatusMap = statuses
	return n
}

const (
	noPostback = "Sends affiliates no postbacks that name the click: import its conversions by an integration."
	literals   = "Has no macro for the status: give it one postback address for each status, with the word written out."
	noMacros   = "The macros of its postback are not known here: the network lists them where you enter the address."
)

// networkIDs is the namespace of the ids of built-in templates.
var networkIDs = uuid.MustParse("9d3f5c1e-6a51-4b0e-8f0a-2b6f3f0c7a11")

// Networks returns the built-in templates, sorted by name. Their ids never change. The caller must not change the list.
func Networks() []SavedNetwork { return networks }

var networks = func() []SavedNetwork {
	data := slices.Concat(networkSoftware, retailNetworks, cpaNetworks, mobileNetworks, gamblingNetworks, notified())
	slices.SortFunc(data, func(a, b Network) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	list := make([]SavedNetwork, len(data))
	for i, n := range data {
		n.PostbackParams = map[string]string{}
		for field := range n.Macros {
			n.PostbackParams[field] = postback.Param(field)
		}
		if n.Macros == nil {
			n.Macros = map[string]string{}
		}
		if n.StatusMap == nil {
			n.StatusMap = map[string][]string{}
		}
		list[i] = SavedNetwork{ID: uuid.NewSHA1(networkIDs, []byte(n.Name)), Network: n}
	}
	return list
}()

func notified() (list []Network) {
	for _, s := range notification.All() {
		list = append(list, Network{
			Name: s.Template, ClickParam: s.ClickParam, PostbackScheme: s.Name, Origin: read(s.Docs[0]),
			Notes: "Address: " + s.Setup + ".\nSecret: " + s.Secret + ".\nClick id: " + s.Click + ".",
		})
	}
	return list
}
