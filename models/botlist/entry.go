// Package botlist matches visitors against the allow and deny lists of an account.
//
// Addresses and networks are looked up in a routing table, and texts of the operator equals in a map. Matching a click against a
// hundred thousand of these costs as much as against ten. Only patterns, and texts of the operator contains, are tried one after
// another, and their cost is limited.
package botlist

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/cond"
)

// The operators of entries.
const (
	equals   = "equals"
	contains = "contains"
	regex    = "regex"
	inCIDR   = "in_cidr"
)

func attrOf(name string) cond.Attr {
	if name == "ip_range" {
		return cond.IP
	}
	return cond.Named(name)
}

// byAddress reports whether the values of an entry are addresses or networks.
func byAddress(e *models.BotEntry) bool {
	return attrOf(e.Attribute) == cond.IP && (e.Operator == equals || e.Operator == inCIDR)
}

// Budget is the maximum cost of the texts and patterns of an account's lists that are tried one after another, in steps of package
// cond.
const Budget = cond.MaxSteps / 2

// Estimates of memory: rangeBytes for each network that a value becomes, and textBytes for a text, in addition to its own bytes.
const (
	rangeBytes = 64
	textBytes  = 48
)

// Place returns the name that errors use for the i-th value that was sent, such as value[3] or line 17.
type Place func(i int) string

// Check brings the values of an entry into canonical form and sets their cost. The attribute and the operator must already be
// valid. Errors: invalid_operator, invalid_regex, value_required, invalid_input. An error about one value names its place.
func Check(e *models.BotEntry, place Place) error {
	c := &checker{e, place, make([]int, len(e.Value))}
	for i := range c.sent {
		c.sent[i] = i
	}
	if err := c.clean(); err != nil {
		return err
	}
	e.MatchSteps, e.MatchBytes = 0, 0
	var err error
	switch {
	case byAddress(e):
		err = c.ranges()
	case e.Operator == inCIDR:
		err = models.Invalid("invalid_operator", "in_cidr compares addresses: use it with ip or ip_range")
	case e.Operator == equals:
		err = c.texts()
	default:
		err = c.search()
	}
	e.ValueCount = len(e.Value)
	return err
}

type checker struct {
	*models.BotEntry
	place Place
	sent  []int // for each value, its index among the values that were sent
}

func (c *checker) wrong(code string, i int, format string, args ...any) error {
	return models.Invalid(code, "%s: "+format, append([]any{c.place(c.sent[i])}, args...)...)
}

func (c *checker) search() error {
	m, err := compile(c.BotEntry)
	if bad, ok := errors.AsType[*cond.Error](err); ok && bad.Reason == cond.BadRegex {
		for first, condition := range conditions(c.BotEntry) { // find the condition with the bad pattern
			if bad, ok := errors.AsType[*cond.Error](cond.Validate(condition)); ok {
				return c.wrong("invalid_regex", first+bad.Item, "the pattern %.60q cannot be used: %s", c.Value[first+bad.Item],
					bad.Detail)
			}
		}
		return models.Invalid("invalid_regex", "the patterns cannot be used: %s", bad.Detail)
	}
	if err != nil {
		return models.Invalid("invalid_input", "value: %s", err)
	}
	cost := m.Cost()
	c.MatchSteps, c.MatchBytes = cost.Steps, cost.Bytes
	return nil
}

func (c *checker) clean() error {
	known := make(map[string]bool, len(c.Value))
	var list models.BotValues
	var sent []int
	for i, v := range c.Value {
		if v = strings.TrimSpace(v); v == "" || known[v] {
			continue
		}
		if len(v) > models.MaxBotValue {
			return c.wrong("invalid_input", i, "a value has at most %d bytes: %.40s… has %d", models.MaxBotValue, v, len(v))
		}
		known[v] = true
		list, sent = append(list, v), append(sent, c.sent[i])
	}
	if len(list) == 0 {
		return models.Invalid("value_required", "there is no value: send a text, a number, or a list of them")
	}
	if len(list) > models.MaxBotValues {
		return models.Invalid("invalid_input", "an entry has at most %d values: send the rest, from %s on, as a second entry",
			models.MaxBotValues, c.place(sent[models.MaxBotValues]))
	}
	c.Value, c.sent = list, sent
	return nil
}

func (c *checker) ranges() error {
	needsOneAddress := c.Attribute == "ip" && c.Operator == equals
	for i, v := range c.Value {
		r := cond.ParseRange(v)
		switch {
		case !r.IsValid():
			return c.wrong("invalid_input", i, "%q is not an address, a network such as 192.0.2.0/24 or a range a-b", v)
		case needsOneAddress && r.From() != r.To():
			return c.wrong("invalid_input", i, "%q is more than one address: use the operator in_cidr", v)
		}
		c.MatchBytes += rangeBytes * len(r.Prefixes())
	}
	return nil
}

func (c *checker) texts() error {
	for i, v := range c.Value {
		var err error
		switch c.Attribute {
		case "asn":
			c.Value[i], err = asn(v)
		case "country":
			known := cond.Canonical(cond.Condition{Attribute: "country", Operator: equals, Value: v})
			if err = cond.CheckValues([]cond.Condition{known}, nil); err == nil {
				c.Value[i], _ = known.Value.(string)
			}
		}
		if err != nil {
			return c.wrong("invalid_input", i, "%s", err)
		}
	}
	err := c.clean() // two different texts may have the same canonical form
	for _, v := range c.Value {
		c.MatchBytes += textBytes + len(v)
	}
	return err
}

func asn(text string) (string, error) {
	digits := strings.TrimPrefix(strings.ToUpper(text), "AS")
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 {
		return "", errors.New(strconv.Quote(text) + " is not the number of a network, such as AS3320")
	}
	return strconv.FormatUint(n, 10), nil
}

// conditions returns the conditions that search for the values, each with the index of its first value.
func conditions(e *models.BotEntry) iter.Seq2[int, cond.Condition] {
	return func(yield func(int, cond.Condition) bool) {
		first := 0
		for part := range slices.Chunk(e.Value, cond.MaxItems) {
			values := make([]any, len(part))
			for i, v := range part {
				values[i] = v
			}
			if !yield(first, cond.Condition{Attribute: attrOf(e.Attribute).String(), Operator: e.Operator, Value: values}) {
				return
			}
			first += len(part)
		}
	}
}

func compile(e *models.BotEntry) (*cond.Matcher, error) {
	var list []cond.Condition
	for _, c := range conditions(e) {
		list = append(list, c)
	}
	m, err := cond.Compile(list, "or")
	if err == nil {
		m.DiscardConditions()
	}
	return m, err
}
