package bot

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/cond"
)

// The types of a list entry.
const (
	Allow = "allow"
	Deny  = "deny"
)

// Attributes are what an entry may look at; ip_range is the address, given as networks.
func Attributes() []string {
	list := []string{"ip", "ip_range", "asn", "country", "isp", "user_agent", "referrer"}
	for n := range models.Subs {
		list = append(list, fmt.Sprint("sub", n+1))
	}
	return list
}

// Operators are how an entry may compare.
func Operators() []string { return []string{"equals", "contains", "regex", "in_cidr"} }

// Entry is one allow or deny entry, of the account or, with a campaign, of that campaign only.
type Entry struct {
	Type       string
	Attribute  string
	Operator   string
	Value      any
	CampaignID uuid.UUID
}

// condition turns an entry into a condition.
func (e Entry) condition() (cond.Condition, error) {
	c := cond.Condition{Attribute: e.Attribute, Operator: e.Operator, Value: e.Value}
	switch {
	case !slices.Contains(Attributes(), e.Attribute):
		return c, &cond.Error{Reason: cond.UnknownAttribute, Attribute: e.Attribute, Operator: e.Operator}
	case !slices.Contains(Operators(), e.Operator):
		return c, &cond.Error{Reason: cond.UnknownOperator, Attribute: e.Attribute, Operator: e.Operator}
	}
	if e.Attribute == "ip_range" {
		c.Attribute = "ip"
		if e.Operator == "equals" {
			c.Operator = "in_cidr"
		}
	}
	return c, nil
}

// Validate says whether an entry can be used: the type apart, its error is a *cond.Error.
func (e Entry) Validate() error {
	c, err := e.condition()
	if err != nil {
		return err
	}
	return cond.Validate(c)
}

// List is the compiled lists of an account. A nil list matches nobody.
type List struct {
	account   lists
	campaigns map[uuid.UUID]*lists
}

type lists struct{ allow, deny *cond.Matcher }

// Compile prepares the entries of an account. It takes any number: addresses and equal texts are looked up, not
// searched one by one.
func Compile(entries []Entry) (*List, error) {
	type side struct{ allow, deny []cond.Condition }
	sides := map[uuid.UUID]*side{uuid.Nil: {}}
	for _, e := range entries {
		c, err := e.condition()
		if err != nil {
			return nil, fmt.Errorf("bot: compile list: %w", err)
		}
		s := sides[e.CampaignID]
		if s == nil {
			s = &side{}
			sides[e.CampaignID] = s
		}
		if e.Type == Allow {
			s.allow = append(s.allow, c)
		} else {
			s.deny = append(s.deny, c)
		}
	}
	l := &List{campaigns: map[uuid.UUID]*lists{}}
	for id, s := range sides {
		allow, err := cond.Union(s.allow)
		if err != nil {
			return nil, fmt.Errorf("bot: compile allow list: %w", err)
		}
		deny, err := cond.Union(s.deny)
		if err != nil {
			return nil, fmt.Errorf("bot: compile deny list: %w", err)
		}
		if id == uuid.Nil {
			l.account = lists{allow, deny}
		} else {
			l.campaigns[id] = &lists{allow, deny}
		}
	}
	return l, nil
}

// Match gives Allowed and DenyList as the entries of the account and of the campaign say.
func (l *List) Match(f *cond.Facts, campaign uuid.UUID) Signals {
	if l == nil {
		return 0
	}
	s := l.account.match(f)
	if c := l.campaigns[campaign]; c != nil {
		s |= c.match(f)
	}
	return s
}

func (l *lists) match(f *cond.Facts) (s Signals) {
	if l.allow.Match(f) {
		s |= Allowed
	}
	if l.deny.Match(f) {
		s |= DenyList
	}
	return s
}
