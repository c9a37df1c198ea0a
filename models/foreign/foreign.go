// Package foreign knows the addresses of other trackers: links, the step from a landing page to an offer, and postbacks. A domain that
// moved here from another tracker keeps answering them.
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
	FormQuery = "query" // /click?key={id}: Binom
	FormPHP   = "php"   // /click.php?key={id} and /index.php?key={id}: Binom
	FormGo    = "go"    // /go/{id}: BeMob
	FormCF    = "cf"    // /cf/r/{id}: ClickFlare
)

// Forms lists the forms of links.
var Forms = []string{FormPath, FormQuery, FormPHP, FormGo, FormCF}

// Kind says what an address is for.
type Kind int

// The kinds of addresses.
const (
	None     Kind = iota
	Link          // an ad's link to a campaign
	Out           // the step from a landing page to an offer
	Postback      // a report of a network
	Pixel         // a report of a browser, which wants a picture
)

// Address is an address of another tracker.
type Address struct {
	Kind Kind
	Form string // of a link
	ID   string // of a link: an alias, a key or an id
	Slot int    // of the step to an offer, 1 and up
}

// Read reads an address: the first word of its path, the path after it without slashes around it, and its query. The addresses
// of all trackers differ, so the tracker need not be known.
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

// wordAlone reads an address without a path after its word.
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

// MayReport reports whether a path may be one to which conversions are reported. For some of them the query decides.
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

// given returns the first filled value of a parameter.
func given(query, name string) string {
	for query != "" {
		var p param.Param
		if p, query, _ = param.Next(query); p.Name == name && p.Value != "" {
			return p.Value
		}
	}
	return ""
}

// MaxID is the maximum number of bytes of an id in a link.
const MaxID = 255

// CheckID returns an error if an id cannot be in a link.
func CheckID(id string) error {
	switch {
	case id == "":
		return models.Invalid("invalid_input", "a link of another tracker needs an id")
	case len(id) > MaxID:
		return models.Invalid("invalid_input", "the id of a link of another tracker has at most %d bytes", MaxID)
	case strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' }):
		return models.Invalid("invalid_input", "the id of a link of another tracker has no slash and no control character")
	}
	return nil
}

// ClickParams are the parameters in which a landing page names the click on the way to an offer. Pages keep the names that they had.
var ClickParams = []string{"clickid", "_token", "_subid", "subid", "uclick", "lp_key", "cid", "click_id", "cf_click_id"}
