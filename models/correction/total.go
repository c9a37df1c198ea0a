package correction

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/timetext"
)

// Total is a row with the sums that a network reports for a day. A nil sum is not given.
type Total struct {
	Row

	Day         time.Time // the day in the file, as midnight UTC
	Clicks      *int64
	Conversions *int64
	Payout      *decimal.Decimal
	Currency    string // empty: not given
}

const (
	totalDayColumn = iota
	totalClicksColumn
	totalConversionsColumn
	totalPayoutColumn
	totalCurrencyColumn
)

var totalColumns = []Column{
	totalDayColumn: {"day", true, dayNames},
	totalClicksColumn: {"clicks", false, []string{
		"clicks", "hosts", "hits", "visits", "grossclicks", "uniqueclicks", "totalclicks",
	}},
	totalConversionsColumn: {"conversions", false, []string{
		"conversions", "conversion", "totalconversions", "leads", "sales", "actions", "orders", "approvedconversions", "cv",
	}},
	totalPayoutColumn:   {"payout", false, conversionColumns[payoutColumn].Names},
	totalCurrencyColumn: {"currency", false, conversionColumns[currencyColumn].Names},
}

// IsTotals reports whether a network's report has daily sums: a day and no click id. A header with neither is refused. The error
// lists the cells of the header, so that a person sees which line was read as the header. Errors: empty, invalid_input.
func IsTotals(text string) (bool, error) {
	conversions, err := find(text, conversionColumns)
	if err != nil {
		return false, err
	}
	totals, err := find(text, totalColumns)
	if err != nil {
		return false, err
	}
	if len(conversions.missing()) == 0 {
		return false, nil
	}
	if len(totals.missing()) > 0 {
		return false, models.Invalid("invalid_input", "the header names neither a click id, such as clickid or sub1, nor a day, such as date: %.200q",
			strings.Join(totals.header.Cells, ", "))
	}
	return true, nil
}

// ReadTotals reads the rows of a file of daily sums in order. A header alone is a file without rows. currency is the currency of
// rows that state none. Errors: empty, invalid_input.
func ReadTotals(text, currency string) ([]Total, Skips, error) {
	return read(text, totalColumns, func(l *line) (v Total) {
		if l.Fault == "" {
			v.Day = l.day(l.cell(totalDayColumn), timetext.NoOrder)
			v.Clicks, v.Conversions = l.count(totalClicksColumn), l.count(totalConversionsColumn)
			amount, stated, given := l.amount(totalPayoutColumn, totalCurrencyColumn, func() string { return currency })
			if v.Currency = stated; given {
				v.Payout = &amount
			}
			if v.Currency == "" {
				v.Currency = currency
			}
			if v.Clicks == nil && v.Conversions == nil && v.Payout == nil {
				l.refuse("it has neither clicks nor conversions nor a payout")
			}
		}
		v.Row = l.end()
		return v
	})
}
