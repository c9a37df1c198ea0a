package models

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// TrafficSource is a place where an account buys clicks, such as an ad network.
type TrafficSource struct {
	Owned
	SourceFields
	Pausable
}

// SourceFields are the fields of a traffic source that an account chooses.
type SourceFields struct {
	Name string `db:"name" json:"name" trim:"true" maxLength:"255" send:"required, unless platform names a template: the template's name is then the default"`
	SourceLink
	CostModel      string `db:"cost_model" json:"cost_model" bad:"invalid_value" enum:"cpc,cpm,cpa,manual" default:"cpc"`
	Notes          string `db:"notes" json:"notes" maxLength:"2000"`
	TrafficLossPct Money  `db:"traffic_loss_pct" json:"traffic_loss_pct" bad:"invalid_number,out_of_range" min:"0" max:"99.99" default:"0"` // share of paid clicks that never arrive
	GroupName      string `db:"group_name" json:"group_name" trim:"true" maxLength:"255"`
	Tags           Tags   `db:"tags" json:"tags"`
	Platform       string `db:"platform" json:"platform" loose:"true" send:"name of a platform template, from which POST fills every field that is left out; any other name is dropped"`
	SourcePostback
}

// SourceLink lists the parameters that a traffic source fills in a tracking link, with the source's own macros for them.
type SourceLink struct {
	TokenMacros     TokenMacros `db:"token_macros,json" json:"token_macros" send:"object of parameters and the macro for each; each parameter takes a sub-parameter: see subs"`
	Subs            SubSlots    `db:"subs,json" json:"subs" maxItems:"{mostSubs}" send:"which parameter fills which sub-parameter. If it is left out, new parameters get free sub-parameters in the order of token_macros, and the parameters of a source in use keep theirs. If it is sent, only parameters that are not in it get free sub-parameters"`
	CostParam       string      `db:"cost_param" json:"cost_param" trim:"true" maxLength:"100" send:"parameter that carries the cost of a click; empty: cost"`
	CostMacro       string      `db:"cost_macro" json:"cost_macro" loose:"true" send:"a macro of up to 64 characters; anything else is dropped"`
	ExternalIDParam string      `db:"external_id_param" json:"external_id_param" trim:"true" maxLength:"100" send:"parameter that carries the source's own click id; empty: external_id"`
	ExternalIDMacro string      `db:"external_id_macro" json:"external_id_macro" trim:"true" send:"the source's macro for its click id, up to 64 characters; empty if the source adds the parameter on its own"`
}

// SubSlot reserves a sub-parameter for a parameter of a traffic source. It stays reserved after the parameter was removed from
// token_macros.
type SubSlot struct {
	Sub   int    `json:"sub" required:"true" min:"1" max:"{mostSubs}" doc:"1 is sub1"`
	Param string `json:"param" required:"true" trim:"true" maxLength:"100" doc:"if it is not in token_macros, links do not carry it and the sub-parameter stays empty"`
	Name  string `json:"name" trim:"true" maxLength:"100" doc:"shown in place of the parameter; empty: the parameter is shown"`
}

// SubSlots are the reserved sub-parameters of a traffic source, by number.
type SubSlots []SubSlot

// The parameters from which the cost and the source's click id are read if the source names no other parameters.
const (
	DefaultCostParam       = "cost"
	DefaultExternalIDParam = "external_id"
)

// Params returns the parameters of a tracking link with the macros that fill them. The order is: the click id, the cost, then
// token_macros. The parameter of the click id or the cost is left out if it has no macro.
func (l SourceLink) Params() TokenMacros {
	var list TokenMacros
	add := func(param, macro string) {
		if macro != "" {
			list = append(list, TokenMacro{param, macro})
		}
	}
	add(cmp.Or(l.ExternalIDParam, DefaultExternalIDParam), l.ExternalIDMacro)
	add(cmp.Or(l.CostParam, DefaultCostParam), l.CostMacro)
	for _, m := range l.TokenMacros {
		if !slices.ContainsFunc(list, func(o TokenMacro) bool { return strings.EqualFold(o.Param, m.Param) }) {
			list = append(list, m)
		}
	}
	return list
}

// TokenMacro is a parameter of the tracking link and the source's macro that fills it.
type TokenMacro struct{ Param, Macro string }

// TokenMacros lists the parameters of a source with their macros. The JSON form is an object in the order of the list.
type TokenMacros []TokenMacro

var errTokenMacros = errors.New("token macros must be an object of texts")

// UnmarshalJSON reads an object of texts and keeps its order. A repeated name keeps its first position and gets its last value.
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
		param, _ := name.(string)
		param = strings.TrimSpace(param)
		if i, twice := at[param]; twice {
			list[i].Macro = macro
			continue
		}
		at[param] = len(list)
		list = append(list, TokenMacro{param, macro})
	}
	if _, err := dec.Token(); err != nil {
		return errTokenMacros
	}
	*m = list
	return nil
}

// MarshalJSON writes the object in the order of the parameters.
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
