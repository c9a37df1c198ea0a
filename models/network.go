package models

import "log/slog"

// PostbackFields lists the fields that may be named in postback_params and in the macros of a network.
var PostbackFields = []string{
	"click_id", "payout", "status", "conversion_id", "goal", "currency", "cost", "time", "secret",
}

// Network is an affiliate network.
type Network struct {
	Owned
	NetworkFields
	// PostbackSecret authenticates the network's postbacks. In an update, an empty PostbackSecret does not change the stored
	// secret.
	PostbackSecret    string `json:"-"`
	HasPostbackSecret bool   `db:"has_secret,joined" json:"has_postback_secret" doc:"whether a secret is saved; only postback_url contains the secret, and only for a key that may write"`
	Pausable
}

// NetworkFields are the fields of a network that an account chooses. The keys of Macros and PostbackParams are names in
// PostbackFields.
type NetworkFields struct {
	Name             string              `db:"name" json:"name" trim:"true" maxLength:"255" send:"required, unless a template is named: the template's name is then the default"`
	Currency         string              `db:"currency" json:"currency" loose:"true" format:"currency" default:"USD" send:"three letters; anything else is read as USD"`
	PostbackParams   map[string]string   `db:"postback_params,json" json:"postback_params" send:"the network's parameter for each field: click_id, payout, ..."`
	StatusMap        map[string][]string `db:"status_map,json" json:"status_map" send:"the network's words for each of the four statuses"`
	URL              string              `db:"url" json:"url" trim:"true" maxLength:"2000" format:"url" send:"http(s)"`
	OfferType        string              `db:"offer_type" json:"offer_type" enum:"CPA,CPS,CPL,CPC,CPM"` // or empty
	GroupName        string              `db:"group_name" json:"group_name" trim:"true" maxLength:"255"`
	Notes            string              `db:"notes" json:"notes" maxLength:"2000"`
	ManagerName      string              `db:"manager_name" json:"manager_name" trim:"true" maxLength:"255"`
	ManagerEmail     string              `db:"manager_email" json:"manager_email" trim:"true" maxLength:"255"`
	ManagerPhone     string              `db:"manager_phone" json:"manager_phone" trim:"true" maxLength:"255"`
	ManagerIM        string              `db:"manager_im" json:"manager_im" trim:"true" maxLength:"255"`
	PaymentTerms     string              `db:"payment_terms" json:"payment_terms" trim:"true" maxLength:"255"`
	PaymentFrequency string              `db:"payment_frequency" json:"payment_frequency" trim:"true" maxLength:"255"`
	Tags             Tags                `db:"tags" json:"tags"`
	MinimumPayout    *Money              `db:"minimum_payout" json:"minimum_payout" bad:"invalid_number,out_of_range" min:"0" max:"1000000"` // nil: no minimum
	Macros           map[string]string   `db:"macros,json" json:"macros" send:"the network's own macros, with the same keys as postback_params"`
	PostbackScheme   string              `db:"postback_scheme" json:"postback_scheme" enum:"buygoods,clickbank,digistore24,jvzoo,shopify,stripe,thrivecart,warriorplus,woocommerce" send:"scheme by which notifications of a shop or billing platform are verified and read; empty: postbacks with parameters"`
	AnswerText       string              `db:"answer_text" json:"answer_text" trim:"true" maxLength:"200" send:"the plain text that answers an accepted postback, if the network requires one such as OK; empty: JSON"`
	ClickParam       string              `db:"click_param" json:"click_param" trim:"true" maxLength:"100" send:"parameter of offer links that carries the click id to the network"`
}

// StatusWord is a status word of a network that is not mapped to a status.
type StatusWord struct {
	Word   string `db:"word" json:"word" doc:"in lower case"`
	Count  int64  `db:"count" json:"count" doc:"number of postbacks with the word"`
	LastAt Stamp  `db:"last_at" json:"last_at" doc:"when the last of these postbacks was read"`
}

// LogValue keeps the secret out of logs.
func (n Network) LogValue() slog.Value {
	return slog.GroupValue(slog.String("id", n.ID.String()), slog.String("name", n.Name))
}
