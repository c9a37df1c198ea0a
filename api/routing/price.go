package routing

import (
	"cmp"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/money"
)

// Price is the cost of a campaign's clicks.
type Price struct {
	model  string
	click  decimal.Decimal // fixed cost of every click
	unique decimal.Decimal // additional cost of a unique click
	sale   decimal.Decimal // cost of every approved conversion
	share  decimal.Decimal // percentage of approved revenue
}

var (
	thousand = decimal.NewFromInt(1000)
	hundred  = decimal.NewFromInt(100)
)

// costPlaces is the number of decimals with which answers show a cost. The results of divisions in this file are rounded to two more
// decimals.
const costPlaces = 6

func newPrice(model string, value decimal.Decimal) Price {
	p := Price{model: model}
	switch model {
	case "cpc":
		p.click = value
	case "cpm":
		p.click = value.DivRound(thousand, costPlaces+2)
	case "cpuc":
		p.unique = value
	case "cpa", "cps":
		p.sale = value
	case "revshare":
		p.share = value
	}
	return p
}

// IsStated reports whether the link of a click states its cost.
func (p *Price) IsStated() bool { return p.model == "auto" }

// Given is the cost that a link states.
type Given struct {
	Amount   string // value of the source's cost parameter
	Currency string // value of the parameter for the currency; empty: the amount's currency or the campaign's applies
}

// Apply sets the cost of a click.
//
// With the model auto, the link states the cost. For a source that charges per thousand clicks, the link states the price of a
// thousand. A currency in the amount itself takes precedence over the stated currency. If the amount or its currency is unclear,
// the click's currency is money.Unknown.
//
// Clicks that are paid but get lost on the way make the arriving clicks more expensive. The percentage of lost clicks is campaignLoss, or
// the source's traffic loss if campaignLoss is zero.
func (p *Price) Apply(c *models.Click, campaignLoss decimal.Decimal, src *Source, given Given) {
	cost := p.click
	if p.model == "auto" && given.Amount != "" {
		implied := c.Currency
		if given.Currency != "" {
			c.Currency, _ = money.Currency(given.Currency, implied)
		}
		if c.Currency != money.Unknown {
			implied = c.Currency
		}
		amount, err := money.Read(given.Amount, implied)
		if err != nil || amount.Value.IsNegative() {
			amount = money.Amount{Currency: money.Unknown}
		}
		cost, c.Currency = amount.Value, cmp.Or(amount.Currency, c.Currency)
		if src.Row.CostModel == "cpm" {
			cost = cost.DivRound(thousand, costPlaces+2)
		}
	}
	loss := campaignLoss
	if loss.IsZero() {
		loss = src.Row.TrafficLossPct
	}
	c.Cost, c.UniqueCost = withLoss(cost, loss), withLoss(p.unique, loss)
	c.ConversionCost, c.RevenueShare = p.sale, p.share
}

// withLoss returns paid / (1 - loss/100).
func withLoss(paid, loss decimal.Decimal) decimal.Decimal {
	if paid.IsZero() || !loss.IsPositive() || loss.GreaterThanOrEqual(hundred) {
		return paid
	}
	return paid.Mul(hundred).DivRound(hundred.Sub(loss), costPlaces+2)
}
