package token

import (
	"slices"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/clickattr"
)

// Entry is the documentation of a token.
type Entry struct {
	Name    string // the name as a URL has it, without braces
	Aliases []string
	Doc     string
	Example string // an example of a value; may be empty
	// OfConversion says that the token is filled only in postbacks.
	OfConversion bool
}

var docs = [firstOfClick]string{
	ClickID: "the click's id: pass it to the network, which returns it in the postback", CampaignName: "name of the campaign",
	CampaignAlias: "alias of the campaign", PathName: "name of the path that the visitor took", LanderName: "name of the landing page",
	LPSlot: "the click slot that the visitor left the landing page by, 1 to 20", OfferName: "name of the offer",
	NetworkName: "name of the affiliate network", SourceName: "name of the traffic source", CountryName: "the country's name in English",
	Sub: "sub1 to " + models.SubKeys[models.Subs-1] + ": the parameters that the traffic source names", IsUnique: "1 for a visitor's first click, else 0",
	LPKey: "the signed key of a protected landing page", Timestamp: "seconds since 1970",
	Date:   "date:FORMAT or date:FORMAT,ZONE: the time of the click. FORMAT consists of the letters below; without it, the format is Y-m-d",
	Random: "random:MIN,MAX: a random whole number, chosen again each time", Sample: "sample:a|b|c: one of the texts, chosen at random each time",
	Param: "param.NAME: a parameter of the tracking link", Payout: "payout that is reported to the source", Revenue: "revenue of the conversion",
	Profit: "revenue less cost, in the currency of the payout", Status: "approved, pending, rejected or chargeback; status:approved=1,pending=2 writes other words",
	ConversionID: "the network's id of the conversion", Goal: "goal key of the conversion", EventTime: "time of the conversion, seconds since 1970",
}

// Catalog returns the tokens for the documentation.
func Catalog() []Entry {
	at := time.Date(2026, 3, 5, 13, 7, 9, 0, time.UTC)
	written := map[Name]string{Sub: "sub1", Param: "param.NAME", Date: "date:d.m.Y H:i,Europe/Berlin", Random: "random:1,9", Sample: "sample:a|b|c"}
	lists := slices.Clone(ownNames[:])
	for _, row := range ofClick {
		lists = append(lists, row.Token)
	}
	var out []Entry
	for n, list := range lists {
		name := Name(n)
		if name == None {
			continue
		}
		all := strings.Split(list, ",")
		e := Entry{Name: all[0], Aliases: all[1:], OfConversion: name.isConversionToken()}
		if text := written[name]; text != "" {
			e.Name = text
		}
		if name < firstOfClick {
			e.Doc = docs[name]
		} else {
			e.Doc = describe(ofClick[name-firstOfClick])
		}
		if !e.OfConversion && name != Param && name != LPKey {
			e.Example = Example("{"+e.Name+"}", at)
		}
		out = append(out, e)
	}
	return out
}

const fewValues = 12

// describe returns the documentation of an attribute, with the attribute's values if they are few.
func describe(row *clickattr.Attr) string {
	if row.Values == nil || row.Values.Open || len(row.Values.List()) == 0 || len(row.Values.List()) > fewValues {
		return row.Doc
	}
	return row.Doc + ": " + strings.Join(row.Values.List(), ", ")
}
