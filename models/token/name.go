package token

import (
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/clickattr"
)

// Name identifies a token, independent of its spelling.
type Name uint8

// The tokens that are not attributes of the click.
const (
	None Name = iota
	ClickID
	CampaignName
	CampaignAlias
	PathName
	LanderName
	LPSlot
	OfferName
	NetworkName
	SourceName
	CountryName
	Sub // sub1 and so on: the number is Token.N
	IsUnique
	LPKey
	Timestamp
	Date   // {date:FORMAT,TZ}: see DateLetters
	Random // {random:MIN,MAX}
	Sample // {sample:a|b|c}
	Param  // {param.NAME}: the name is Token.Arg
	Payout // this and the following tokens describe the conversion: only postbacks know them
	Revenue
	Profit
	Status // also {status:approved=1,...}
	ConversionID
	Goal
	EventTime
	firstOfClick
)

func (n Name) isConversionToken() bool { return n >= Payout && n < firstOfClick }

// ownNames holds the names of the tokens that are not attributes of the click. A name may be followed by other
// trackers' names for the token, so that URLs from another tracker keep working. sub, random, sample and param are
// tokens only with an argument.
var ownNames = [firstOfClick]string{
	ClickID:      "clickid,click_id,cf_click_id,subid,uclick,cid",
	CampaignName: "campaign_name,campaign.name", CampaignAlias: "campaign_alias", PathName: "path_name,path.name",
	LanderName: "lander_name,lander.name", LPSlot: "lp_slot", OfferName: "offer_name,offer.name",
	NetworkName: "network_name,affiliatenetwork.name",
	SourceName:  "source_name,trafficsource,trafficsource.name", CountryName: "country_name,country.name",
	Sub: "sub", IsUnique: "is_unique", LPKey: "lp_key", Timestamp: "timestamp,unixtime", Date: "date", Random: "random",
	Sample: "sample", Param: "param",
	Payout: "payout,conversion.payout", Revenue: "revenue,conversion_revenue,conversion.revenue",
	Profit: "profit,conversion_profit,conversion.profit", Status: "status,conversion_status,conversion.status",
	ConversionID: "conversion_id,tid,transaction_id,transaction.id,txid",
	Goal:         "goal,event,event_name,conversion_type,conversion.type",
	EventTime:    "event_time,conversion_time,conversion.time",
}

var subAliases = [...]string{"sub_id_", "subid", "sub", "var", "t"}

var names, byName, ofClick = func() (names []string, byName map[string]Name, ofClick []*clickattr.Attr) {
	byName = map[string]Name{}
	add := func(list string) {
		all := strings.Split(list, ",")
		for _, text := range all {
			byName[text] = Name(len(names))
		}
		names = append(names, all[0])
	}
	for _, list := range ownNames {
		add(list)
	}
	for i := range clickattr.All {
		if row := &clickattr.All[i]; row.Token != "" {
			add(row.Token)
			ofClick = append(ofClick, row)
		}
	}
	for _, structured := range [...]string{"", "sub", "random", "sample", "param"} {
		delete(byName, structured)
	}
	return names, byName, ofClick
}()

// String returns the canonical spelling.
func (n Name) String() string {
	if int(n) < len(names) {
		return names[n]
	}
	return ""
}

// Append appends the value of a token that is an attribute of the click. For any other token it appends nothing.
func (n Name) Append(dst []byte, c *models.Click) []byte {
	if i := int(n) - int(firstOfClick); i >= 0 && i < len(ofClick) {
		return ofClick[i].Append(dst, c)
	}
	return dst
}

// Lookup finds a token by its canonical name or an alias, without regard to case. The token's N is the number of a sub-parameter.
func Lookup(name string) (t Token, ok bool) {
	for _, prefix := range [...]string{"param.", "var:"} {
		if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			return Token{Name: Param, Arg: name[len(prefix):]}, true
		}
	}
	lower := strings.ToLower(name)
	if n, ok := byName[lower]; ok {
		return Token{Name: n}, true
	}
	for _, prefix := range subAliases {
		digits, ok := strings.CutPrefix(lower, prefix)
		if !ok {
			continue
		}
		if n, err := strconv.ParseUint(digits, 10, 8); err == nil && n >= 1 && n <= models.Subs && digits[0] != '0' {
			return Token{Name: Sub, N: int(n)}, true
		}
	}
	return Token{}, false
}
