package cond

import (
	"iter"
	"net/netip"
	"strconv"
	"strings"

	"switchyard/models/clickattr"
)

// Assign sets an attribute from a text, for a caller that describes a visitor. An empty text means unknown. Assign returns false
// if the attribute does not exist, or if the text is not a valid value for it. It also returns false for attributes that follow from
// the IP address or the time. SetIP and SetTime set these.
func (f *Facts) Assign(name, value string) bool {
	a, ok := attrByName[name]
	if !ok || a < firstOfClick {
		return false
	}
	if value == "" {
		f.setKnown(a, false)
		return true
	}
	switch attributes[a].kind {
	case kindText, kindVersion:
		values := valuesOf(a)
		if canonical, known := values.Find(value); known {
			value = canonical
		} else if !values.Open {
			return false
		}
		f.SetText(a, value)
	case kindIP:
		addr, err := netip.ParseAddr(strings.TrimSpace(value))
		if err != nil {
			return false
		}
		f.SetIP(addr)
	case kindBool:
		on, err := strconv.ParseBool(value)
		if err != nil {
			return false
		}
		f.SetBool(a, on)
	default:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return false
		}
		f.SetInt(a, n)
	}
	return true
}

// Assignable yields the attributes that Assign can set, with their names.
func Assignable() iter.Seq2[string, *clickattr.Attr] {
	return func(yield func(string, *clickattr.Attr) bool) {
		for a := firstOfClick; int(a) < len(attrByName); a++ {
			if !yield(attributes[a].name, attributes[a].row) {
				return
			}
		}
	}
}
