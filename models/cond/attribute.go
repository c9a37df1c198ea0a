package cond

import (
	"fmt"
	"net/textproto"
	"strings"

	"switchyard/models"
	"switchyard/models/clickattr"
)

// Attr is an attribute of a visitor. Below numAttrs, it is an index into the arrays of Facts.
type Attr uint8

// The attributes that are computed from the IP address and the time. The attributes of the click come after them, in the order of
// clickattr.All.
const (
	IPVersion Attr = iota
	DayOfWeek
	HourOfDay
	Date
	Schedule
	firstOfClick

	numAttrs = 72 // maximum number of attributes; the program panics when it starts if there are more

	attrParam  Attr = 200 // param.<name>, which is looked up in the request
	attrHeader Attr = 201 // header.<name>
)

// The attributes of the click to which the code refers by name.
var (
	IP           = Named("ip")
	ASN          = Named("asn")
	Continent    = Named("continent")
	Timezone     = Named("timezone")
	Organization = Named("organization")
	URL          = Named("url")
	SourceID     = Named("source_id")
	CampaignID   = Named("campaign_id")
	IsUnique     = Named("is_unique")
	IsBot        = Named("is_bot")
	BotScore     = Named("bot_score")
	BotReason    = Named("bot_reason")
	ClicksToday  = Named("clicks_today")

	ReferrerDomain = Named("referrer_domain")

	firstSub = Named(models.SubKeys[0]) // the other sub-parameters have the next numbers
)

type kind uint8

const (
	kindText     = kind(clickattr.AsText)
	kindNumber   = kind(clickattr.AsNumber)
	kindVersion  = kind(clickattr.AsVersion)
	kindBool     = kind(clickattr.AsBool)
	kindIP       = kind(clickattr.AsAddr)
	kindDate     = kindIP + 1 // no attribute of the click has this kind or the next kind
	kindSchedule = kindIP + 2
)

type attribute struct {
	name string
	kind kind
	row  *clickattr.Attr // nil: the attribute is not part of the click
}

var attributes, attrByName = func() (list [numAttrs]attribute, byName map[string]Attr) {
	list = [numAttrs]attribute{
		IPVersion: {name: "ip_version", kind: kindNumber}, DayOfWeek: {name: "day_of_week", kind: kindNumber},
		HourOfDay: {name: "hour_of_day", kind: kindNumber}, Date: {name: "date", kind: kindDate},
		Schedule: {name: "schedule", kind: kindSchedule},
	}
	n := firstOfClick
	for i := range clickattr.All {
		if row := &clickattr.All[i]; row.Compare != clickattr.NotCompared {
			list[n] = attribute{row.Name, kind(row.Compare), row}
			n++
		}
	}
	byName = make(map[string]Attr, n)
	for a, known := range list[:n] {
		byName[known.name] = Attr(a)
	}
	return list, byName
}()

// Named returns the attribute with a name. It panics if there is no such attribute. For a name from a caller, use Facts.Assign.
func Named(name string) Attr {
	a, ok := attrByName[name]
	if !ok {
		panic("cond: no attribute " + name)
	}
	return a
}

// String returns the attribute's name in the spelling of conditions. attrParam and attrHeader stand for many names, so String
// returns their numbers.
func (a Attr) String() string {
	if int(a) < len(attrByName) {
		return attributes[a].name
	}
	return fmt.Sprintf("attr(%d)", uint8(a))
}

// maxName is the maximum length of the <name> in param.<name> and header.<name>.
const maxName = 100

// findAttr returns the attribute that a condition names. arg is the <name> in param.<name> or header.<name>.
func findAttr(name string) (a Attr, k kind, arg string, ok bool) {
	if a, ok := attrByName[name]; ok {
		return a, attributes[a].kind, "", true
	}
	prefix, arg, _ := strings.Cut(name, ".")
	if arg == "" || len(arg) > maxName {
		return 0, 0, "", false
	}
	switch prefix {
	case "param":
		return attrParam, kindText, arg, true
	case "header":
		return attrHeader, kindText, textproto.CanonicalMIMEHeaderKey(arg), true
	}
	return 0, 0, "", false
}
