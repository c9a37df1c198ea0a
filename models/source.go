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
	ID              uuid.UUID
	AccountID       uuid.UUID
	Name            string
	TokenMacros     TokenMacros
	CostParam       string // parameter of the tracking link that carries the cost of a click
	CostModel       string
	PostbackURL     string // the source is told of conversions here; may hold {token} placeholders
	ExternalIDParam string // parameter that carries the source's own click id
	Notes           string
	TrafficLossPct  decimal.Decimal // of paid clicks that never arrive, 0-99.99
	GroupName       string
	Tags            []string
	CostMacro       string // the source's macro for the cost
	Platform        string // key of a template (models/template), or empty
	IsActive        bool
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// TokenMacro is a parameter of the tracking link and the source's macro that fills it.
type TokenMacro struct{ Param, Macro string }

// TokenMacros are the parameters of a source in the order in which they fill sub-parameters. In JSON they are an
// object with the parameters as members in that order.
type TokenMacros []TokenMacro

var errTokenMacros = errors.New("token macros must be an object of texts")

// UnmarshalJSON reads an object of texts and keeps its order. Spaces around names are dropped. Of a repeated name the
// first place and the last value count.
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
		param, _ := name.(string) // a member's name is nothing else
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
