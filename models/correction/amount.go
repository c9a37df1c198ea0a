package correction

import (
	"cmp"
	"fmt"

	"github.com/shopspring/decimal"

	"switchyard/models/money"
)

// amount reads the amount of a column. The amount itself states the currency, or else the cell of currencyColumn, or else the
// heading. If none of them does, the amount is read as if it were in the currency that fallback returns. fallback may be nil.
// given is false if there is no amount, or if the row is refused.
func (l *line) amount(column, currencyColumn int, fallback func() string) (value decimal.Decimal, currency string, given bool) {
	text, headingText := l.find(column)
	name := l.table.columns[column].Name
	_, heading := money.Heading(headingText, "")
	named, err := money.Currency(l.cell(currencyColumn), heading)
	if named != "" { // a sign of several currencies in the heading then means the named currency
		_, heading = money.Heading(headingText, named)
	}
	switch {
	case err != nil && named == money.Unknown:
		l.refuse(fmt.Sprintf("its currency %.64q %s", l.cell(currencyColumn), err))
		return value, "", false
	case heading == money.Unknown && text != "":
		l.refuse("the heading of its " + name + " names a currency or a unit that is not understood")
		return value, "", false
	}
	if currency = cmp.Or(named, heading); text == "" {
		return value, currency, false
	}
	if currency == "" && money.DependsOnCurrency(text) {
		l.depends = true
	}
	deciding := currency
	if deciding == "" && fallback != nil {
		deciding = fallback()
	}
	amount, err := money.Read(text, deciding)
	if err == nil {
		err = amount.Doubt
	}
	if err != nil {
		l.refuse(fmt.Sprintf("its %s %.64q %s", name, text, err))
		return value, currency, false
	}
	switch {
	case amount.Currency == "" && named != "" && heading != "" && named != heading:
		l.note = fmt.Sprintf("its %s %.64q counts as %s, as its currency column says, although its heading says %s",
			name, text, named, heading)
	case amount.Currency != "" && currency != "" && amount.Currency != currency:
		l.note = fmt.Sprintf("its %s %.64q counts as %s, as its own text says, although its currency column or heading says %s",
			name, text, amount.Currency, currency)
	}
	return amount.Value, cmp.Or(amount.Currency, currency), true
}
