package models

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// SpentOn is the spend that a traffic source's platform reports for one of its campaigns on a day.
type SpentOn struct {
	Platform    string // the platform's id of the campaign; empty: not reported
	Amount      decimal.Decimal
	Clicks      *int64
	Impressions *int64
}

// ClicksBy holds numbers of clicks, by the platform's campaign id in lower case and then by our campaign.
type ClicksBy map[string]map[uuid.UUID]int64

// Add adds clicks of a platform's campaign and our campaign.
func (b ClicksBy) Add(platform string, campaign uuid.UUID, clicks int64) {
	platform = strings.ToLower(platform)
	if b[platform] == nil {
		b[platform] = map[uuid.UUID]int64{}
	}
	b[platform][campaign] += clicks
}

func (b ClicksBy) all() map[uuid.UUID]int64 {
	out := map[uuid.UUID]int64{}
	for _, byCampaign := range b {
		for campaign, n := range byCampaign {
			out[campaign] += n
		}
	}
	return out
}

// CampaignSpend is the spend of one of our campaigns at a source on a day. The zero id stands for the source as a whole.
type CampaignSpend struct {
	CampaignID  uuid.UUID       `json:"campaign_id"`
	Amount      decimal.Decimal `json:"amount"`
	Clicks      *int64          `json:"clicks"`
	Impressions *int64          `json:"impressions"`
}

// ShareSpend divides a day's spend at a source among our campaigns. Campaigns with clicks but without a share are returned too.
// All shares add up to the total spend. matched counts the reported rows whose platform campaign had clicks of our campaigns.
//
// Spend of a platform's campaign goes to our campaigns that had its clicks, in proportion to these clicks. ShareSpend uses clicks
// of the day, or else clicks around the day, because the platform's days may begin at another time than ours. All other spend
// goes to our campaigns that had clicks on the day but got no spend in this way. If there are no such campaigns, it goes to all
// campaigns with clicks on the day. Without any clicks on the day, it goes to the source as a whole.
func ShareSpend(spent []SpentOn, day, around ClicksBy) (shares []CampaignSpend, matched int) {
	byCampaign, clicked, found := map[uuid.UUID]*CampaignSpend{}, day.all(), map[uuid.UUID]bool{}
	divide := func(s SpentOn, clicks map[uuid.UUID]int64) {
		for _, part := range s.parts(clicks) {
			addSpend(byCampaign, part)
		}
	}
	var unmatched []SpentOn
	for _, s := range spent {
		clicks := day[strings.ToLower(s.Platform)]
		if len(clicks) == 0 {
			clicks = around[strings.ToLower(s.Platform)]
		}
		if s.Platform == "" || len(clicks) == 0 {
			unmatched = append(unmatched, s)
			continue
		}
		matched++
		for campaign := range clicks {
			found[campaign] = true
		}
		divide(s, clicks)
	}
	others := map[uuid.UUID]int64{}
	for campaign, n := range clicked {
		addSpend(byCampaign, CampaignSpend{CampaignID: campaign})
		if !found[campaign] {
			others[campaign] = n
		}
	}
	if len(others) == 0 {
		others = clicked
	}
	if len(others) == 0 {
		others = map[uuid.UUID]int64{uuid.Nil: 1}
	}
	for _, s := range unmatched {
		divide(s, others)
	}
	for _, id := range slices.SortedFunc(maps.Keys(byCampaign), compareIDs) {
		shares = append(shares, *byCampaign[id])
	}
	return shares, matched
}

func compareIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

func addSpend(byCampaign map[uuid.UUID]*CampaignSpend, part CampaignSpend) {
	total := byCampaign[part.CampaignID]
	if total == nil {
		total = &CampaignSpend{CampaignID: part.CampaignID}
		byCampaign[part.CampaignID] = total
	}
	total.Amount = total.Amount.Add(part.Amount)
	total.Clicks, total.Impressions = addKnown(total.Clicks, part.Clicks), addKnown(total.Impressions, part.Impressions)
}

// If one of the numbers is not known, addKnown returns the other.
func addKnown(a, b *int64) *int64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	n := *a + *b
	return &n
}

// parts returns the shares of campaigns in proportion to their clicks. The shares add up exactly to the whole. A
// campaign's share is the rounded sum up to and including the campaign, minus the rounded sum before it.
func (s SpentOn) parts(clicks map[uuid.UUID]int64) []CampaignSpend {
	total := int64(0)
	for _, n := range clicks {
		total += n
	}
	var list []CampaignSpend
	before := int64(0)
	for _, id := range slices.SortedFunc(maps.Keys(clicks), compareIDs) {
		upTo := before + clicks[id]
		amount := func(n int64) decimal.Decimal {
			return s.Amount.Mul(decimal.NewFromInt(n)).DivRound(decimal.NewFromInt(total), MoneyScale)
		}
		number := func(whole *int64) *int64 {
			if whole == nil {
				return nil
			}
			part := func(n int64) int64 {
				return decimal.NewFromInt(*whole).Mul(decimal.NewFromInt(n)).Div(decimal.NewFromInt(total)).IntPart()
			}
			share := part(upTo) - part(before)
			return &share
		}
		list = append(list, CampaignSpend{id, amount(upTo).Sub(amount(before)), number(s.Clicks), number(s.Impressions)})
		before = upTo
	}
	return list
}
