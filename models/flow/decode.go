package flow

import (
	"encoding/json"
	"math"

	"switchyard/models"
	"switchyard/models/cond"
)

// members are the members of a JSON object; null ones count as absent.
type members map[string]json.RawMessage

func object(raw json.RawMessage, code, what string) (members, *models.Error) {
	var m members
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		return nil, models.Invalid(code, "%s is not an object", what)
	}
	for k, v := range m {
		if string(v) == "null" {
			delete(m, k)
		}
	}
	return m, nil
}

// field reads one member when it is there, and refuses a wrong type with its code.
type field struct {
	name string
	code string
	read func(raw json.RawMessage) *models.Error
}

func (m members) read(fields ...field) *models.Error {
	for _, f := range fields {
		raw, ok := m[f.name]
		if !ok {
			continue
		}
		if err := f.read(raw); err != nil {
			return models.Invalid(either(err.Code, f.code), "%s %s", f.name, err.Message)
		}
	}
	return nil
}

// scalarField reads a member straight into a Go value.
func scalarField[T any](name, code, want string, into *T) field {
	return field{name, code, func(raw json.RawMessage) *models.Error {
		if json.Unmarshal(raw, into) != nil {
			return &models.Error{Message: "is not " + want}
		}
		return nil
	}}
}

func textField(name, code string, into *string) field {
	return scalarField(name, code, "text", into)
}

func boolField(name string, into *bool) field {
	return scalarField(name, "invalid_input", "true or false", into)
}

func numberField(name, code string, into *float64) field {
	return scalarField(name, code, "a number", into)
}

// wholeField reads an integer; 3.0 is one, 3.5 is not.
func wholeField(name, code string, set func(int)) field {
	return field{name, code, func(raw json.RawMessage) *models.Error {
		var n float64
		if json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || math.Abs(n) > 1e9 {
			return &models.Error{Message: "is not a whole number"}
		}
		set(int(n))
		return nil
	}}
}

// listField reads an array whose items are objects.
func listField[T any](name, code string, limit int, into *[]T, item func(*T, json.RawMessage) *models.Error) field {
	return field{name, code, func(raw json.RawMessage) *models.Error {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return &models.Error{Message: "is not an array of objects"}
		}
		if len(list) > limit {
			return models.Invalid(code, "has more than %d items", limit)
		}
		*into = make([]T, len(list))
		for i, raw := range list {
			if err := item(&(*into)[i], raw); err != nil {
				return models.Invalid(either(err.Code, code), "%d: %s", i+1, err.Message)
			}
		}
		return nil
	}}
}

func conditionsField(name string, into *[]cond.Condition) field {
	return listField(name, "invalid_filter", cond.MaxConditions, into,
		func(c *cond.Condition, raw json.RawMessage) *models.Error {
			if _, err := object(raw, "invalid_filter", "the condition"); err != nil {
				return err
			}
			if json.Unmarshal(raw, c) != nil {
				return &models.Error{Message: "is not a condition"}
			}
			return nil
		})
}

func (p *Path) read(raw json.RawMessage) *models.Error {
	m, err := object(raw, "invalid_input", "it")
	if err != nil {
		return err
	}
	*p = NewPath()
	return m.read(
		textField("id", "invalid_input", &p.ID),
		textField("name", "invalid_input", &p.Name),
		textField("stream_type", "invalid_stream_type", &p.StreamType),
		textField("action", "invalid_action", &p.Action),
		field{"transition", "invalid_transition", func(raw json.RawMessage) *models.Error {
			return readTransition(raw, &p.Transition)
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
		field{"response", "invalid_input", func(raw json.RawMessage) *models.Error {
			p.Response = &Response{Status: 404}
			return p.Response.read(raw)
		}},
		textField("campaign_id", "invalid_destination", &p.CampaignID),
	)
}

// readTransition takes a status as text or as a number.
func readTransition(raw json.RawMessage, into *string) *models.Error {
	var n json.Number
	if json.Unmarshal(raw, into) == nil {
		return nil
	}
	if json.Unmarshal(raw, &n) != nil {
		return &models.Error{Message: "is not text"}
	}
	*into = n.String()
	return nil
}

func (r *RuleRef) read(raw json.RawMessage) *models.Error {
	m, err := object(raw, "invalid_filter", "the rule")
	if err != nil {
		return err
	}
	return m.read(
		textField("name", "invalid_filter", &r.Name),
		textField("rule_id", "invalid_filter", &r.RuleID),
		textField("logic", "invalid_filter", &r.Logic),
		conditionsField("conditions", &r.Conditions),
	)
}

func (d *Destination) read(raw json.RawMessage) *models.Error {
	m, err := object(raw, "invalid_destination", "the destination")
	if err != nil {
		return err
	}
	d.Weight = 100
	return m.read(
		textField("id", "invalid_destination", &d.ID),
		textField("url", "invalid_destination_url", &d.URL),
		numberField("weight", "invalid_input", &d.Weight),
		wholeField("slot", "invalid_destination", func(n int) { d.Slot = n }),
	)
}

func (r *Response) read(raw json.RawMessage) *models.Error {
	m, err := object(raw, "invalid_input", "it")
	if err != nil {
		return err
	}
	return m.read(
		wholeField("status", "invalid_input", func(n int) { r.Status = n }),
		textField("body", "invalid_input", &r.Body),
	)
}
