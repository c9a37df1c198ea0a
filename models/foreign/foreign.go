// Package foreign recognises the URLs of other trackers: links, the step from a landing page to an offer, and postbacks. A domain
// that moved here keeps answering these URLs.
package foreign

import (
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/param"
)

// The forms of links.
const (
	FormPath  = "path"  // /{id}: Keitaro, Voluum, RedTrack
	FormQuery = "query" // /click?key={id} and /?key={id}: Binom
	FormPHP   = "php"   // /click.php?key={id} and /index.php?key={id}: Binom
	FormGo    = "go"    // /go/{id}: BeMob
	FormCF    = "cf"    // /cf/r/{id}: ClickFlare
)

// Forms lists the forms of links.
var Forms = []string{FormPath, FormQuery, FormPHP, FormGo, FormCF}

// Kind is the purpose of a URL.
type Kind int

// The kinds of URLs.
const (
	None     Kind = iota
	Link          // the link of an ad to a campaign
	Out           // the step from a landing page to an offer
	Postback      // a report from a network
	Pixel         // a report from a browser, which expects an image
)

// Address is the result of reading a URL of another tracker.
type Address struct {
	Kind Kind
	Form string
	ID   string // alias, key or id in a link
	Slot int    // from 1
}

// Read reads a URL: the first word of its path, the rest without slashes around it, and the query. No URL has different meanings
// at two trackers, so the tracker need not be known.
func Read(word, rest, query string) Address {
	switch {
	case MayReport(word, rest):
		if a := report(word, query); a.Kind != None {
			return a
		}
	case word == "cf":
		if id, ok := strings.CutPrefix(rest, "r/"); ok {
			return link(FormCF, id)
		}
		if rest == "click" || strings.HasPrefix(rest, "click/") {
			return out(strings.TrimPrefix(strings.TrimPrefix(rest, "click"), "/"))
		}
	case word == "go" && rest != "":
		return link(FormGo, rest)
	case word == "click" && rest != "":
		return out(rest)
	}
	if rest != "" {
		return Address{}
	}
	return wordAlone(word, query)
}

func wordAlone(word, query string) Address {
	form := FormQuery
	switch word {
	case "click.php", "index.php":
		form = FormPHP
	case "", "click":
	default:
		return link(FormPath, word)
	}
	if given(query, "_lp") == "1" || given(query, "lp") == "1" {
		return out(given(query, "to_offer"))
	}
	if id := given(query, "key"); id != "" {
		return link(form, id)
	}
	if word == "click" {
		return out("")
	}
	return Address{}
}

// MayReport reports whether a URL with this path may report a conversion. For some paths, the query decides.
func MayReport(word, rest string) bool {
	switch word {
	case "conversion.gif", "click", "click.php", "index.php":
		return rest == ""
	case "cf":
		return rest == "cv" || rest == "postback"
	}
	return rest == "postback" && word != "" && !models.ReservedAlias(word)
}

func report(word, query string) Address {
	switch word {
	case "conversion.gif":
		return Address{Kind: Pixel}
	case "click", "click.php", "index.php":
		if given(query, "cnv_id") == "" {
			return Address{}
		}
	}
	return Address{Kind: Postback}
}

func link(form, id string) Address {
	if CheckID(id) != nil {
		return Address{}
	}
	return Address{Kind: Link, Form: form, ID: id}
}

func out(slot string) Address {
	if slot == "" {
		return Address{Kind: Out, Slot: 1}
	}
	n, err := strconv.Atoi(slot)
	if err != nil || n < 1 || n > flow.MaxSlot {
		return Address{}
	}
	return Address{Kind: Out, Slot: n}
}

// given returns the first non-empty value of a parameter.
func given(query, name string) string {
	for query != "" {
		var p param.Param
		if p, query, _ = param.Next(query); p.Name == name && p.Value != "" {
			return p.Value
		}
	}
	return ""
}

// MaxID is the maximum length of an id in a link, in bytes.
const MaxID = 255

// CheckID refuses a text that cannot be the id in a link.
func CheckID(id string) error {
	switch {
	case id == "":
		return models.Invalid("invalid_input", "a link of another tracker needs an id")
	case len(id) > MaxID:
		return models.Invalid("invalid_input", "the id of a link of another tracker must not be longer than %d bytes", MaxID)
	case strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' }):
		return models.Invalid("invalid_input", "the id of a link of another tracker must not contain a slash or a control character")
	}
	return nil
}

// ClickParams are the parameters in which a landing page can name the click. Pages that moved here still use the parameters of
// their old tracker.
var ClickParams = []string{"clickid", "_token", "_subid", "subid", "uclick", "lp_key", "cid", "click_id", "cf_click_id"}
