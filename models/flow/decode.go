package flow

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"switchyard/models"
	"switchyard/models/cond"
)

// decodeJSON decodes a JSON text. Numbers become json.Number values.
func decodeJSON(raw []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("flow: read: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("flow: read: there is more text after the JSON value")
	}
	return v, nil
}

func object(v any, code, what string) (map[string]any, *models.Error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, models.Invalid(code, "%s is not an object", what)
	}
	return m, nil
}

// field describes how one member of an object is read. code is the error code for a value of the wrong type.
type field struct {
	name string
	code string
	read func(v any) *models.Error
}

// readObject reads the members of an object. Null counts as absent.
func readObject(v any, code, what string, fields ...field) *models.Error {
	m, err := object(v, code, what)
	if err != nil {
		return err
	}
	for _, f := range fields {
		v := m[f.name]
		if v == nil {
			continue
		}
		if err := f.read(v); err != nil {
			return models.Invalid(cmp.Or(err.Code, f.code), "%s %s", f.name, err.Message)
		}
	}
	return nil
}

func scalarField[T any](name, code, want string, target *T) field {
	return field{name, code, func(v any) *models.Error {
		var ok bool
		if *target, ok = v.(T); !ok {
			return &models.Error{Message: "is not " + want}
		}
		return nil
	}}
}

func textField(name, code string, target *string) field {
	return scalarField(name, code, "text", target)
}

func boolField(name string, target *bool) field {
	return scalarField(name, "invalid_input", "true or false", target)
}

func numberField(name, code string, target *float64) field {
	return field{name, code, func(v any) *models.Error {
		n, ok := number(v)
		if !ok {
			return &models.Error{Message: "is not a number"}
		}
		*target = n
		return nil
	}}
}

func number(v any) (float64, bool) {
	text, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := text.Float64()
	return n, err == nil
}

// wholeField returns a field for an integer. 3.0 is accepted, 3.5 is not.
func wholeField(name, code string, set func(int)) field {
	return field{name, code, func(v any) *models.Error {
		n, ok := number(v)
		if !ok || n != math.Trunc(n) || math.Abs(n) > 1e9 {
			return &models.Error{Message: "is not a whole number"}
		}
		set(int(n))
		return nil
	}}
}

func listField[T any](name, code string, limit int, target *[]T, item func(*T, any) *models.Error) field {
	return field{name, code, func(v any) *models.Error {
		list, ok := v.([]any)
		if !ok {
			return &models.Error{Message: "is not an array of objects"}
		}
		if len(list) > limit {
			return models.Invalid(code, "has more than %d items", limit)
		}
		*target = make([]T, len(list))
		for i, v := range list {
			if err := item(&(*target)[i], v); err != nil {
				return models.Invalid(cmp.Or(err.Code, code), "%d: %s", i+1, err.Message)
			}
		}
		return nil
	}}
}

func conditionsField(name string, target *[]cond.Condition) field {
	return listField(name, "invalid_filter", cond.MaxConditions, target, func(c *cond.Condition, v any) *models.Error {
		m, err := object(v, "invalid_filter", "the condition")
		*c = models.ConditionOf(m)
		return err
	})
}

func (p *Path) read(v any) *models.Error {
	*p = NewPath()
	return readObject(
		v, "invalid_input", "it",
		textField("id", "invalid_input", &p.ID),
		textField("name", "invalid_input", &p.Name),
		textField("stream_type", "invalid_stream_type", &p.StreamType),
		textField("action", "invalid_action", &p.Action),
		field{"transition", "invalid_transition", func(v any) *models.Error {
			return readTransition(v, &p.Transition)
		}},
		wholeField("rule_group", "invalid_rule_group", func(n int) { p.RuleGroup = n }),
		numberField("weight", "invalid_input", &p.Weight),
		wholeField("daily_cap", "invalid_cap", func(n int) { p.DailyCap = &n }),
		boolField("is_active", &p.IsActive),
		boolField("collect_clicks", &p.CollectClicks),
		textField("logic", "invalid_input", &p.Logic),
		conditionsField("filters", &p.Filters),
		listField("rules", "invalid_filter", MaxRules, &p.Rules, (*RuleRef).read),
		listField("destinations", "invalid_destination", MaxDestinations, &p.Destinations, (*Destination).read),
		field{"response", "invalid_input", func(v any) *models.Error {
			p.Response = &Response{Status: 404}
			return p.Response.read(v)
		}},
		textField("campaign_id", "invalid_destination", &p.CampaignID),
	)
}

// readTransition reads a transition as text or as a number, such as "meta" or 302.
func readTransition(v any, target *string) *models.Error {
	switch v := v.(type) {
	case string:
		*target = v
	case json.Number:
		*target = v.String()
	default:
		return &models.Error{Message: "is not text"}
	}
	return nil
}

func (r *RuleRef) read(v any) *models.Error {
	return readObject(
		v, "invalid_filter", "the rule",
		textField("name", "invalid_filter", &r.Name),
		textField("rule_id", "invalid_filter", &r.RuleID),
		textField("logic", "invalid_filter", &r.Logic),
		conditionsField("conditions", &r.Conditions),
	)
}

func (d *Destination) read(v any) *models.Error {
	d.Weight = 100
	return readObject(
		v, "invalid_destination", "the destination",
		textField("id", "invalid_destination", &d.ID),
		textField("url", "invalid_destination_url", &d.URL),
		numberField("weight", "invalid_input", &d.Weight),
		wholeField("slot", "invalid_destination", func(n int) { d.Slot = n }),
	)
}

func (r *Response) read(v any) *models.Error {
	return readObject(
		v, "invalid_input", "it",
		wholeField("status", "invalid_input", func(n int) { r.Status = n }),
		textField("body", "invalid_input", &r.Body),
	)
}
