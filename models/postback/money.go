package postback

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/models/money"
)

// readMoney reads the amounts of a postback. A currency in the text of the payout takes precedence over the currency parameter. If
// neither states a currency, m.Currency stays empty, and the amounts are read in the currency that fallback names.
func (r reader) readMoney(m *Message, fallback string) {
	named := r.get("currency", money.MaxText)
	code, err := money.Currency(named, fallback)
	m.Currency = code
	if err != nil {
		m.PayoutReason = fmt.Sprintf("the currency %q %s", named, err)
	}
	if code == "" || code == money.Unknown {
		code = fallback
	}
	text := r.get("payout", money.MaxText+1)
	// A sign or a word may stand for several currencies, and fallback decides between them.
	m.DependsOnCurrency = money.DependsOnCurrency(text) || !strings.EqualFold(named, m.Currency)
	if text != "" {
		r.readPayout(m, text, code, named)
	} else if m.InvalidPayout = r.received("payout", money.MaxText); m.InvalidPayout != "" {
		m.PayoutReason = fmt.Sprintf("the payout %q is a macro that was not filled in", m.InvalidPayout)
	}
	if text := r.get("cost", money.MaxText+1); text != "" {
		m.DependsOnCurrency = m.DependsOnCurrency || money.DependsOnCurrency(text)
		m.Cost, m.CostReason = readCost(text, cmp.Or(m.Currency, code), code)
	}
}

func (r reader) readPayout(m *Message, text, code, named string) {
	amount, err := money.Read(text, code)
	switch {
	case err != nil:
		m.InvalidPayout = r.received("payout", money.MaxText)
		m.PayoutReason = fmt.Sprintf("the payout %q %s", text, err)
		return
	case amount.Doubt != nil:
		m.PayoutReason = fmt.Sprintf("the payout %q %s", text, amount.Doubt)
	case amount.Currency != "" && named != "" && amount.Currency != m.Currency:
		m.PayoutReason = fmt.Sprintf("the payout %q counts as %s, as its own text says, although the currency parameter says %q", text, amount.Currency, named)
	}
	m.Payout, m.Currency = &amount.Value, cmp.Or(amount.Currency, m.Currency)
}

// readCost refuses a cost whose text states another currency than payoutCurrency, the currency of the payout. code is the
// currency of a cost that states no currency.
func readCost(text, payoutCurrency, code string) (cost *decimal.Decimal, reason string) {
	amount, err := money.Read(text, code)
	switch {
	case err == nil && amount.Doubt != nil:
		err = amount.Doubt
	case err == nil && amount.Value.IsNegative():
		return nil, fmt.Sprintf("the cost %q is below zero", text)
	case err == nil && amount.Currency != "" && payoutCurrency != "" && amount.Currency != payoutCurrency:
		return nil, fmt.Sprintf("the cost %q is in another currency than the payout", text)
	}
	if err != nil {
		return nil, fmt.Sprintf("the cost %q %s", text, err)
	}
	return &amount.Value, ""
}

// AmountReason says why an amount or a currency of the message does not count as it was received.
func (m Message) AmountReason() string {
	return strings.Trim(m.PayoutReason+"; "+m.CostReason, "; ")
}
