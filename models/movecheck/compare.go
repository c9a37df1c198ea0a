package movecheck

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/token"
)

// MaxLines is the maximum number of answers that one call compares.
const MaxLines = 10_000

// Answer is the old tracker's answer to a visitor.
type Answer struct {
	ID       string
	Campaign uuid.UUID
	Visitor  int
	Told     string // the country that the request named; empty: no country
	Status   int    // 0: no answer
	Location string
}

// maxLocation is the maximum length of an answer's address, in bytes. A line with a longer address counts as unreadable.
const maxLocation = 4000

// ReadAnswers parses the text that the check script (see Head and Line) has printed. asked is the time of the requests, or zero
// if the text does not contain that time.
func ReadAnswers(text string) (asked time.Time, list []Answer, unread int, err error) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if when, ok := strings.CutPrefix(line, "# asked "); ok {
			if n, err := strconv.ParseInt(when, 10, 64); err == nil && n > 0 && n < 1<<33 {
				asked = time.Unix(n, 0)
			}
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		words := strings.SplitN(line, " ", 4)
		if len(words) < 3 {
			unread++
			continue
		}
		a := Answer{ID: words[0], Told: strings.Trim(words[1], "-")}
		var wrong, notStatus error
		a.Campaign, a.Visitor, wrong = ReadID(a.ID)
		a.Status, notStatus = strconv.Atoi(words[2])
		if len(words) == 4 {
			a.Location = strings.TrimSpace(words[3])
		}
		if wrong != nil || notStatus != nil || a.Status < 0 || a.Status > 999 || len(a.Location) > maxLocation || len(a.Told) > 2 {
			unread++
			continue
		}
		if list = append(list, a); len(list) > MaxLines {
			return asked, nil, unread, models.Invalid("invalid_input", "at most %d answers are compared at once: send the rest in another call", MaxLines)
		}
	}
	return asked, list, unread, nil
}

// Place is the place to which this service, not the old tracker, sends a visitor.
type Place struct {
	URL        *token.Template // nil: nowhere
	ClickParam string          // the parameter in which the network takes the click id
	ByPage     bool            // a page, not a redirect, sends the visitor to the address
	Status     int             // status of an answer without an address
}

// Equal reports whether two places are the same.
func (p Place) Equal(o Place) bool {
	if (p.URL == nil) != (o.URL == nil) || p.URL != nil && p.URL.Source() != o.URL.Source() {
		return false
	}
	return p.ClickParam == o.ClickParam && p.ByPage == o.ByPage && p.Status == o.Status
}

// The results of a comparison.
const (
	Same    = "same"
	Dice    = "dice" // chance decides, and the old tracker's answer is one of the possible places
	Unsure  = "unsure"
	Differs = "differs"
	Missing = "missing" // the old tracker did not answer, or answered with the status 429 or 5xx
)

// Results lists the results.
var Results = []string{Same, Dice, Unsure, Differs, Missing}

// The reasons for the results Unsure and Differs.
const (
	ByAttribute  = "attribute"  // Unsure: the place depends on an attribute that no request can state
	ByPage       = "page"       // Unsure: a page contains the address
	ToItself     = "itself"     // Unsure: the old tracker leads to its own link
	Changed      = "changed"    // Unsure: the campaign has changed since the requests were written
	OtherAddress = "address"    // Differs: the addresses are different
	OtherParams  = "parameters" // Differs: the same page with other parameters
	OtherAnswer  = "answer"     // Differs: only one of the two sends the visitor to an address, or the first digits of the statuses differ
)

// Compare compares the places to which this service can send a visitor with the old tracker's answer. asked is the requested
// address, without the scheme. certain is false if the place depends on something that is not known about the visitor. The
// parameter places then contains the places for all possible values.
func Compare(places []Place, certain bool, asked string, a Answer) (result, reason string) {
	if a.Status == 0 || a.Status == 429 || a.Status >= 500 {
		return Missing, ""
	}
	reason = OtherAnswer
	for _, p := range places {
		switch found := p.compare(asked, a); found {
		case "":
			switch {
			case !certain:
				return Unsure, ByAttribute
			case len(places) > 1:
				return Dice, ""
			}
			return Same, ""
		case ByPage, ToItself:
			return Unsure, found
		case OtherParams:
			reason = found
		case OtherAddress:
			if reason == OtherAnswer {
				reason = found
			}
		}
	}
	return Differs, reason
}

func (p *Place) compare(asked string, a Answer) string {
	switch {
	case a.Location != "" && leadsBack(asked, a.Location):
		return ToItself
	case a.Location == "" && p.URL == nil:
		if p.Status/100 == a.Status/100 {
			return ""
		}
		return OtherAnswer
	case a.Location == "" && p.ByPage && a.Status == 200:
		return ByPage
	case a.Location == "" || p.URL == nil:
		return OtherAnswer
	}
	return p.compareAddress(a.Location)
}

// leadsBack reports whether an answer leads back to the requested address, for example from http to https.
func leadsBack(asked, location string) bool {
	u, err := url.Parse(location)
	host, path, _ := strings.Cut(asked, "/")
	path, _, _ = strings.Cut(path, "?")
	return err == nil && host != "" && strings.EqualFold(u.Host, host) && strings.Trim(u.EscapedPath(), "/") == strings.Trim(path, "/")
}

// mark stands for the value of a token. No address contains it.
const mark = "\x00"

func (p *Place) compareAddress(location string) string {
	want, wantQuery := split(p.URL.Marked(mark))
	got, gotQuery := split(location)
	if !fits(want, got) {
		return OtherAddress
	}
	params, given := pairsOf(wantQuery), pairsOf(gotQuery)
	if name := p.URL.AddedParam(p.ClickParam); name != "" {
		params = append(params, Pair{name, mark})
	}
	for _, want := range params {
		i := slices.IndexFunc(given, func(got Pair) bool { return got.Name == want.Name && fits(want.Value, got.Value) })
		if i < 0 {
			return OtherParams
		}
		given = slices.Delete(given, i, i+1)
	}
	if len(given) > 0 {
		return OtherParams
	}
	return ""
}

func split(address string) (page, query string) {
	address, _, _ = strings.Cut(address, "#")
	page, query, _ = strings.Cut(address, "?")
	scheme, rest, _ := strings.Cut(page, "://")
	host, path, _ := strings.Cut(rest, "/")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	host = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(host), ":443"), ":80")
	return strings.ToLower(scheme) + "://" + host + "/" + path, query
}

func pairsOf(query string) (list []Pair) {
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		list = append(list, Pair{unescaped(name), unescaped(value)})
	}
	return list
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// fits reports whether a text matches a pattern, in which each mark stands for any text.
func fits(pattern, text string) bool {
	parts := strings.Split(pattern, mark)
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(text, first) || len(text) < len(first)+len(last) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}
