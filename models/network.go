package models

import (
	"log/slog"
	"time"

	"github.com/google/uuid"
)

// NetworkFields are the fields that a network's postback_params and macros may name: the documented five, and the
// others that a postback may carry.
var NetworkFields = []string{
	"click_id", "payout", "status", "conversion_id", "goal", "currency", "cost", "time", "secret",
}

// Network is an affiliate network: where conversions come from.
type Network struct {
	ID             uuid.UUID
	AccountID      uuid.UUID
	Name           string
	Currency       string
	PostbackParams map[string]string   // field -> the parameter that the network sends it in
	StatusMap      map[string][]string // status -> the network's words for it
	// PostbackSecret is what the network's postbacks must know. It is written and never read back: empty leaves the
	// saved one as it is, and HasPostbackSecret tells whether there is one.
	PostbackSecret    string
	HasPostbackSecret bool
	URL               string
	OfferType         string // CPA, CPS, CPL, CPC, CPM, or empty
	GroupName         string
	Notes             string
	ManagerName       string
	ManagerEmail      string
	ManagerPhone      string
	ManagerIM         string
	PaymentTerms      string
	PaymentFrequency  string
	Tags              []string
	MinimumPayout     *Money            // nil: none
	Macros            map[string]string // field -> the network's own macro for it
	ClickParam        string            // parameter that carries the click id to the network
	IsActive          bool
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// LogValue keeps the secret out of logs.
func (n Network) LogValue() slog.Value {
	return slog.GroupValue(slog.String("id", n.ID.String()), slog.String("name", n.Name))
}
