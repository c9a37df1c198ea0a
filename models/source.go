package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// The cost models of a traffic source: what it is paid for. A campaign has more.
const (
	SourceCPC    = "cpc"
	SourceCPM    = "cpm"
	SourceCPA    = "cpa"
	SourceManual = "manual"
)

// TrafficSource is where clicks come from.
type TrafficSource struct {
	ID              uuid.UUID       `db:"id"`
	AccountID       uuid.UUID       `db:"account_id"`
	Name            string          `db:"name"`
	TokenMacros     TokenMacros     `db:"token_macros,json"`
	CostParam       string          `db:"cost_param"` // parameter of the tracking link that carries the cost of a click
	CostModel       string          `db:"cost_model"`
	PostbackURL     string          `db:"postback_url"`      // called for each conversion; may hold {token} placeholders
	ExternalIDParam string          `db:"external_id_param"` // parameter that carries the source's own click id
	Notes           string          `db:"notes"`
	TrafficLossPct  decimal.Decimal `db:"traffic_loss_pct"` // percent of paid clicks that never arrive, 0-99.99
	GroupName       string          `db:"group_name"`
	Tags            []string        `db:"tags"`
	CostMacro       string          `db:"cost_macro"` // the source's macro for the cost
	Platform        string          `db:"platform"`   // key of a template (models/template), or empty
	IsActive        bool            `db:"is_active,auto"`
	CreatedAt       time.Time       `db:"created_at,auto"`
	UpdatedAt       time.Time       `db:"updated_at,auto"`
}

// TokenMacro is a parameter of the tracking link and the source's macro that fills it.
type TokenMacro struct{ Param, Macro string }

// TokenMacros are the parameters of a source, in the order in which they fill sub-parameters. Their JSON form is an
// object in that order.
type TokenMacros []TokenMacro

var errTokenMacros = errors.New("token macros must be an object of texts")

// UnmarshalJSON reads an object of texts in its order. It trims names. A repeated name has its first position and its
// last value.
func (m *TokenMacros) UnmarshalJSON(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errTokenMacros
	}
	list := TokenMacros{}
	at := map[string]int{}
	for dec.More() {
		name, _ := dec.Token()
		value, err := dec.Token()
		macro, ok := value.(string)
		if err != nil || !ok {
			return errTokenMacros
		}
		param, _ := name.(string) // always a string
		param = strings.TrimSpace(param)
		if i, twice := at[param]; twice {
			list[i].Macro = macro
			continue
		}
		at[param] = len(list)
		list = append(list, TokenMacro{param, macro})
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return errTokenMacros
	}
	*m = list
	return nil
}

// MarshalJSON writes the object in order.
func (m TokenMacros) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, t := range m {
		if i > 0 {
			out = append(out, ',')
		}
		param, err := json.Marshal(t.Param)
		if err != nil {
			return nil, err
		}
		macro, err := json.Marshal(t.Macro)
		if err != nil {
			return nil, err
		}
		out = slices.Concat(out, param, []byte{':'}, macro)
	}
	return append(out, '}'), nil
}
