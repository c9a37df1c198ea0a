package models

import (
	"cmp"
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

// ClicksBy holds numbers of clicks, by the platform's campaign and then by our campaign.
type ClicksBy map[string]map[uuid.UUID]int64

// Add adds clicks of a platform's campaign and our campaign.
func (b ClicksBy) Add(platform string, campaign uuid.UUID, clicks int64) {
	platform = strings.ToLower(platform)
	if b[platform] == nil {
		b[platform] = map[uuid.UUID]int64{}
	}
	b[platform][campaign] += clicks
}

// all returns the clicks of each of our campaigns.
func (b ClicksBy) all() map[uuid.UUID]int64 {
	out := map[uuid.UUID]int64{}
	for _, of := range b {
		for campaign, n := range of {
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

// ShareSpend divides a day's spend at a source among our campaigns. It returns the shares in the order of the campaigns' ids.
// Campaigns with clicks but without a share are returned too. All shares add up to the total spend. matched is the number of
// rows in spent that found a campaign.
//
// Spend of a platform's campaign goes to our campaigns that had its clicks, in proportion to their number. ShareSpend uses
// clicks of the day, or else clicks around the day, because days of the platform differ from ours. Other spend goes to the
// campaigns that had clicks on the day but were not found in this way, or else to all campaigns with clicks on the day. Without
// any clicks it goes to the source.
func ShareSpend(spent []SpentOn, day, around ClicksBy) (shares []CampaignSpend, matched int) {
	at, clicked, found := map[uuid.UUID]*CampaignSpend{}, day.all(), map[uuid.UUID]bool{}
	give := func(s SpentOn, to map[uuid.UUID]int64) {
		for _, part := range s.parts(to) {
			sum(at, part)
		}
	}
	var left []SpentOn
	for _, s := range spent {
		to := day[strings.ToLower(s.Platform)]
		if len(to) == 0 {
			to = around[strings.ToLower(s.Platform)]
		}
		if s.Platform == "" || len(to) == 0 {
			left = append(left, s)
			continue
		}
		matched++
		for campaign := range to {
			found[campaign] = true
		}
		give(s, to)
	}
	others := map[uuid.UUID]int64{}
	for campaign, n := range clicked {
		sum(at, CampaignSpend{CampaignID: campaign})
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
	for _, s := range left {
		give(s, others)
	}
	for _, share := range at {
		shares = append(shares, *share)
	}
	slices.SortFunc(shares, func(a, b CampaignSpend) int { return strings.Compare(a.CampaignID.String(), b.CampaignID.String()) })
	return shares, matched
}

func sum(at map[uuid.UUID]*CampaignSpend, part CampaignSpend) {
	have := at[part.CampaignID]
	if have == nil {
		have = &CampaignSpend{CampaignID: part.CampaignID}
		at[part.CampaignID] = have
	}
	have.Amount = have.Amount.Add(part.Amount)
	have.Clicks, have.Impressions = addKnown(have.Clicks, part.Clicks), addKnown(have.Impressions, part.Impressions)
}

func addKnown(a, b *int64) *int64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	n := *a + *b
	return &n
}

// parts returns the shares of campaigns in proportion to their weights. The shares add up to the whole.
func (s SpentOn) parts(to map[uuid.UUID]int64) []CampaignSpend {
	ids := make([]uuid.UUID, 0, len(to))
	total := int64(0)
	for id, n := range to {
		ids = append(ids, id)
		total += n
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	out, before := make([]CampaignSpend, len(ids)), int64(0)
	for i, id := range ids {
		upTo := func(n int64) decimal.Decimal {
			return s.Amount.Mul(decimal.NewFromInt(n)).DivRound(decimal.NewFromInt(total), MoneyScale)
		}
		whole := func(of *int64) *int64 {
			if of == nil {
				return nil
			}
			share := decimal.NewFromInt(*of)
			d := share.Mul(decimal.NewFromInt(before+to[id])).Div(decimal.NewFromInt(total)).IntPart() -
				share.Mul(decimal.NewFromInt(before)).Div(decimal.NewFromInt(total)).IntPart()
			return &d
		}
		out[i] = CampaignSpend{id, upTo(before + to[id]).Sub(upTo(before)), whole(s.Clicks), whole(s.Impressions)}
		before += to[id]
	}
	return out
}
