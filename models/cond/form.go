package cond

import (
	"slices"
	"sync"

	"switchyard/models/clickattr"
)

// Kind is the kind of a condition's values.
type Kind string

// The kinds of values.
const (
	Text     Kind = "text"
	Number   Kind = "number"
	Truth    Kind = "truth"    // true or false
	Version  Kind = "version"  // such as 17 or 17.2
	Day      Kind = "date"     // such as 2026-01-31
	Network  Kind = "network"  // an address, a network such as 192.0.2.0/24, or from-to
	Timespan Kind = "schedule" // {days, from, to}
)

// Form is a set of conditions with the same shape. Each attribute can be combined with each operator. Values are of the form's
// kind. Each condition belongs to exactly one form.
type Form struct {
	Name       string
	Doc        string
	Attributes []string
	Families   bool // the form also applies to param.<name> and header.<name>
	Operators  []string
	Kind       Kind
	Values     *clickattr.Values // the allowed values; nil: any value of the kind
	Example    Condition
}

// Families lists the prefixes of attributes with a free name, such as param.utm_source.
var Families = []string{"param.", "header."}

// Forms returns the forms of all conditions that can be saved.
var Forms = sync.OnceValue(func() []Form {
	forms := closedForms()
	add := func(f Form, kinds ...kind) {
		for a, known := range attributes[:len(attrByName)] {
			taken := func(other Form) bool {
				return slices.Contains(other.Attributes, known.name) && slices.Contains(other.Operators, f.Operators[0])
			}
			if slices.Contains(kinds, known.kind) && !slices.ContainsFunc(forms, taken) &&
				(f.Kind != Number || known.kind != kindText || valuesOf(Attr(a)) == nil) {
				f.Attributes = append(f.Attributes, known.name)
			}
		}
		forms = append(forms, f)
	}
	for _, f := range openForms {
		add(f.Form, f.kinds...)
	}
	return forms
})

func closedForms() (forms []Form) {
	for a, known := range attributes[:len(attrByName)] {
		values := valuesOf(Attr(a))
		if values == nil {
			continue
		}
		at := slices.IndexFunc(forms, func(f Form) bool { return f.Values == values })
		if at < 0 {
			f := Form{
				Name: values.Name + "Condition", Doc: "compares with values from a fixed list", Operators: equality, Kind: Text,
				Values: values, Example: example(known.name, "in", valueExamples(values)),
			}
			if known.kind == kindNumber {
				f.Kind = Number
			}
			at, forms = len(forms), append(forms, f)
		}
		forms[at].Attributes = append(forms[at].Attributes, known.name)
	}
	return forms
}

func example(attribute, operator string, value any) Condition {
	return Condition{Attribute: attribute, Operator: operator, Value: value}
}

func valueExamples(v *clickattr.Values) any {
	switch v {
	case clickattr.Countries:
		return []any{"DE", "AT", "CH"}
	case clickattr.Languages:
		return []any{"en", "pt"}
	case clickattr.Weekdays:
		return []any{6, 7}
	}
	return []any{v.List()[0], v.List()[1]}
}

// Operators, by purpose.
var (
	equality = []string{"equals", "not_equals", "in", "not_in"}
	parts    = []string{"contains", "not_contains", "starts_with", "ends_with"}
	patterns = []string{"regex", "not_regex"}
	order    = []string{"gt", "gte", "lt", "lte", "between"}
)

// openForms lists the forms that accept any value of their kind.
var openForms = []struct {
	Form
	kinds []kind
}{
	{Form{
		Name: "TextCondition", Doc: "is, or is not, one of the texts; case does not matter", Operators: equality, Kind: Text,
		Families: true, Example: example("param.utm_campaign", "equals", "spring"),
	}, []kind{kindText}},
	{Form{
		Name: "PartOfTextCondition", Doc: "contains, or does not contain, one of the texts; case does not matter", Operators: parts,
		Kind: Text, Families: true, Example: example("referrer", "contains", []any{"facebook.com", "instagram.com"}),
	}, []kind{kindText, kindNumber, kindVersion, kindIP}},
	{Form{
		Name: "PatternCondition", Doc: "matches, or does not match, one of the regular expressions (RE2)", Operators: patterns,
		Kind: Text, Families: true, Example: example("user_agent", "regex", "(?i)miuibrowser/1[0-9]"),
	}, []kind{kindText, kindNumber, kindVersion, kindIP}},
	{Form{
		Name: "TextAsNumberCondition", Doc: "compares a text that is a number; \"between\" takes two numbers", Operators: order,
		Kind: Number, Families: true, Example: example("sub3", "between", []any{10, 20}),
	}, []kind{kindText}},
	{Form{
		Name: "NumberCondition", Doc: "is, or is not, one of the numbers", Operators: equality, Kind: Number,
		Example: example("asn", "in", []any{3320, 6805}),
	}, []kind{kindNumber}},
	{Form{
		Name: "NumberOrderCondition",
		Doc:  "compares numbers; \"between\" takes two numbers; a range of hours or days may go past midnight or Sunday", Operators: order,
		Kind: Number, Example: example("hour_of_day", "between", []any{22, 6}),
	}, []kind{kindNumber}},
	{Form{
		Name: "VersionCondition", Doc: "compares versions part by part; \"between\" takes two versions",
		Operators: slices.Concat(equality, order), Kind: Version, Example: example("os_version", "gte", "17.2"),
	}, []kind{kindVersion}},
	{Form{
		Name: "DateCondition", Doc: "compares the day; \"between\" takes two days", Operators: slices.Concat(equality, order), Kind: Day,
		Example: example("date", "between", []any{"2026-11-20", "2026-11-30"}),
	}, []kind{kindDate}},
	{Form{
		Name: "AddressCondition", Doc: "is, or is not, in one of the networks", Kind: Network,
		Operators: slices.Concat(equality, []string{"in_cidr", "not_in_cidr"}),
		Example:   example("ip", "not_in_cidr", []any{"192.0.2.0/24", "2001:db8::/32"}),
	}, []kind{kindIP}},
	{Form{
		Name: "TruthCondition", Doc: "is true, or is false", Operators: equality, Kind: Truth,
		Example: example("is_bot", "equals", false),
	}, []kind{kindBool}},
	{Form{
		Name: "ScheduleCondition",
		Doc: "is, or is not, one of these times of the week; days are 1 (Monday) to 7; if \"to\" is not after \"from\", the time " +
			"ends on the next day",
		Operators: equality, Kind: Timespan,
		Example: example("schedule", "equals", []any{map[string]any{"days": []any{1, 2, 3, 4, 5}, "from": "09:00", "to": "18:00"}}),
	}, []kind{kindSchedule}},
	{Form{
		Name: "IsSetCondition", Doc: "true: the value is known; false: it is not known", Operators: []string{"is_set"}, Kind: Truth,
		Families: true, Example: example("mobile_operator", "is_set", true),
	}, []kind{kindText, kindNumber, kindVersion, kindBool, kindIP, kindDate}},
}
