package token

import "strings"

// Leftover is a placeholder that a redirect leaves unfilled in its address, so that a visitor would see it.
type Leftover struct {
	Text string
	// Foreign reports whether the text has the form of another program's placeholders, such as ##SUB## or ${clickid}.
	// Otherwise the text is in single braces, like our tokens, but names no token that a redirect fills in.
	Foreign bool
}

const maxLeftovers = 10

// Leftovers returns up to maxLeftovers placeholders of a redirect's address that are not filled in, each once. Marks other than
// braces count only where they enclose the whole value of a parameter, because [name] and #name have other meanings elsewhere in
// an address.
func Leftovers(url string) (list []Leftover) {
	add := func(found Leftover) {
		for _, l := range list {
			if l.Text == found.Text {
				return
			}
		}
		if len(list) < maxLeftovers {
			list = append(list, found)
		}
	}
	_, end := authority(url)
	rest := url[end:]
	for i := 0; i < len(rest); {
		if rest[i] != '{' {
			i++
			continue
		}
		size, inner := brace(rest[i:])
		text := rest[i : i+size]
		dollar := i > 0 && rest[i-1] == '$' && inner != ""
		p, ok := parse(inner)
		switch {
		case dollar:
			add(Leftover{"$" + text, true})
		case inner != "" && (!ok || p.name.isConversionToken()):
			add(Leftover{text, strings.HasPrefix(text, "{{")})
		}
		i += size
	}
	_, query, _ := strings.Cut(rest, "?")
	for item := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(item, "=")
		if !strings.Contains(value, "{") && LooksLikeMacro(value) {
			add(Leftover{value, true})
		}
	}
	return list
}
