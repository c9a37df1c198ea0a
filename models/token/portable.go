package token

import "cmp"

// PortablePart is a part of a compiled URL, for another program: a text that is used unchanged, or a token. See
// ops/deploy/edge.
type PortablePart struct {
	Text  string `json:"text,omitempty"`
	Token string `json:"token,omitempty"` // the canonical name
	N     int    `json:"n,omitempty"`     // of a sub-parameter
	Arg   string `json:"arg,omitempty"`   // of param the name, of date the format, of sample and random what is behind the colon
	Zone  string `json:"zone,omitempty"`  // of date; empty: the account's
	Raw   bool   `json:"raw,omitempty"`   // encoded as an address, not as a value of its query
}

// Portable gives the parts of the URL.
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
