package models

import (
	"log/slog"
	"time"

	"github.com/google/uuid"
)

// NetworkFields are the fields that postback_params and macros of a network may name: the five documented ones first.
var NetworkFields = []string{
	"click_id", "payout", "status", "conversion_id", "goal", "currency", "cost", "time", "secret",
}

// Network is an affiliate network: where conversions come from.
type Network struct {
	ID             uuid.UUID           `db:"id"`
	AccountID      uuid.UUID           `db:"account_id"`
	Name           string              `db:"name"`
	Currency       string              `db:"currency"`
	PostbackParams map[string]string   `db:"postback_params,json"` // field -> the parameter that the network sends it in
	StatusMap      map[string][]string `db:"status_map,json"`      // status -> the network's words for it
	// PostbackSecret authenticates the network's postbacks. It is never read back: HasPostbackSecret says whether
	// there is one. In an update empty leaves the saved one.
	PostbackSecret    string
	HasPostbackSecret bool              `db:"has_secret,joined"`
	URL               string            `db:"url"`
	OfferType         string            `db:"offer_type"` // CPA, CPS, CPL, CPC, CPM, or empty
	GroupName         string            `db:"group_name"`
	Notes             string            `db:"notes"`
	ManagerName       string            `db:"manager_name"`
	ManagerEmail      string            `db:"manager_email"`
	ManagerPhone      string            `db:"manager_phone"`
	ManagerIM         string            `db:"manager_im"`
	PaymentTerms      string            `db:"payment_terms"`
	PaymentFrequency  string            `db:"payment_frequency"`
	Tags              []string          `db:"tags"`
	MinimumPayout     *Money            `db:"minimum_payout"` // nil: none
	Macros            map[string]string `db:"macros,json"`    // field -> the network's own macro for it
	ClickParam        string            `db:"click_param"`    // parameter of offer links that carries the click id
	IsActive          bool              `db:"is_active,auto"`
	CreatedAt         time.Time         `db:"created_at,auto"`
	UpdatedAt         time.Time         `db:"updated_at,auto"`
}

// LogValue keeps the secret out of logs.
func (n Network) LogValue() slog.Value {
	return slog.GroupValue(slog.String("id", n.ID.String()), slog.String("name", n.Name))
}
