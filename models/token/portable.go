package token

import "cmp"

// PortablePart is a part of a compiled URL, in a form that another program can read: a text that is used unchanged, or a token.
// See ops/deploy/edge.
type PortablePart struct {
	Text  string `json:"text,omitempty"`
	Token string `json:"token,omitempty"` // the canonical name
	N     int    `json:"n,omitempty"`
	Arg   string `json:"arg,omitempty"`  // param: the name; date: the format; sample and random: the text after the colon
	Zone  string `json:"zone,omitempty"` // time zone of date; empty: the account's zone
	Raw   bool   `json:"raw,omitempty"`  // encoded like a part of an address, not like a value in its query
}

// Portable returns the parts of the URL.
func (t *Template) Portable() []PortablePart {
	out := make([]PortablePart, len(t.parts))
	for i := range t.parts {
		p := &t.parts[i]
		if p.name == None {
			out[i].Text = p.text
			continue
		}
		out[i] = PortablePart{Token: p.name.String(), N: int(p.n), Arg: p.text, Raw: p.raw}
		if p.name == Date {
			format, zone, zoned := splitDate(p.text)
			if out[i].Arg = format; zoned {
				out[i].Zone = cmp.Or(zone, "UTC")
			}
		}
	}
	return out
}
