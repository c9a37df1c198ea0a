package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models/csvfile"
	"switchyard/models/money"
)

// Euro is the currency that all rates are stored against.
const Euro = "EUR"

// RateDays is the number of days by which a rate may be older than the day for which it is used. Weekends, and holidays around
// them, have no rates.
const RateDays = 7

const ratePlaces = 16

// Sources of rates.
const (
	RatesOfECB  = "ecb"
	RatesOfFile = "file" // given by the operator
)

// Rate is the value of one euro in a currency on a day.
type Rate struct {
	Day      time.Time       `db:"day"` // midnight UTC
	Currency string          `db:"currency"`
	Rate     decimal.Decimal `db:"rate"`
	Source   string          `db:"source"`
}

// CrossRate returns the value of one unit of the first currency in the second currency. Its arguments are the values of one
// euro in both currencies.
func CrossRate(fromPerEuro, toPerEuro decimal.Decimal) decimal.Decimal {
	return toPerEuro.DivRound(fromPerEuro, ratePlaces)
}

// SameRate is the rate for amounts in the account's own currency.
var SameRate = decimal.NewNullDecimal(decimal.NewFromInt(1))

// ConvertAmount returns an amount converted by a rate, or zero if there is no rate. The result is exact, so the converted parts
// of an amount add up to the converted amount.
func ConvertAmount(amount decimal.Decimal, rate decimal.NullDecimal) decimal.Decimal {
	switch {
	case !rate.Valid:
		return decimal.Zero
	case rate.Decimal.Equal(SameRate.Decimal):
		return amount
	}
	return amount.Mul(rate.Decimal)
}

// FormatRate returns a rate in the form that answers show, or nil if there is no rate.
func FormatRate(rate decimal.NullDecimal) *json.Number {
	if !rate.Valid {
		return nil
	}
	n := json.Number(rate.Decimal.String())
	return &n
}

// Limits of a table of rates.
const (
	MaxRates     = 500_000 // 30 years of 45 currencies
	maxRateText  = 40
	maxRatePower = 12
)

var (
	maxRate = decimal.New(1, maxRatePower)
	minRate = decimal.New(1, -maxRatePower)
)

// NewRate reads a rate from texts. The day has the form YYYY-MM-DD.
func NewRate(day, currency, rate, source string) (r Rate, err error) {
	if r.Day, err = time.Parse(time.DateOnly, strings.TrimSpace(day)); err != nil {
		return r, fmt.Errorf("%q is no day: write YYYY-MM-DD", short(day))
	}
	r.Currency, r.Source = strings.ToUpper(strings.TrimSpace(currency)), source
	if !isCurrency(r.Currency) || r.Currency == money.Unknown {
		return r, fmt.Errorf("%q is no currency: write its three letters", short(currency))
	}
	if r.Currency == Euro {
		return r, errors.New("a rate is how much of a currency one euro is worth: the euro has none")
	}
	text := strings.TrimSpace(rate)
	if r.Rate, err = decimal.NewFromString(short(text)); err != nil || len(text) > maxRateText ||
		r.Rate.LessThan(minRate) || r.Rate.GreaterThan(maxRate) {
		return r, fmt.Errorf("%q is no rate: write how much of the currency one euro is worth, such as 1.0842", short(text))
	}
	return r, nil
}

func isCurrency(s string) bool {
	return len(s) == 3 && strings.IndexFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}

func short(s string) string { return s[:min(len(s), maxRateText)] }

// maxRatesFile is the maximum length of a table of rates in bytes.
const maxRatesFile = 64 << 20

// ReadRates reads a CSV table of day, currency and rate. A line that begins with # is a comment. The first line may be a header
// with these names.
func ReadRates(file io.Reader) ([]Rate, error) {
	raw, err := io.ReadAll(io.LimitReader(file, maxRatesFile+1))
	if err == nil && len(raw) > maxRatesFile {
		err = fmt.Errorf("more than %d bytes: use several files", maxRatesFile)
	}
	if err != nil {
		return nil, fmt.Errorf("rates: %w", err)
	}
	text, _, err := csvfile.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("rates: %w", err)
	}
	s := csvfile.Guess(text)
	type key struct {
		day      time.Time
		currency string
	}
	var list []Rate
	seen := map[key]int{}
	for r, ok := s.Next(); ok; r, ok = s.Next() {
		line, cells := r.Line, r.Cells
		switch {
		case r.Blank() || len(cells) > 0 && strings.HasPrefix(cells[0], "#"):
			continue
		case len(cells) != 3:
			return nil, fmt.Errorf("rates: line %d: wrong number of fields: each line is day,currency,rate", line)
		case len(list) == 0 && strings.EqualFold(cells[0], "day"):
			continue
		}
		rate, err := NewRate(cells[0], cells[1], cells[2], RatesOfFile)
		if err != nil {
			return nil, fmt.Errorf("rates: line %d: %w", line, err)
		}
		k := key{rate.Day, rate.Currency}
		if before, twice := seen[k]; twice {
			return nil, fmt.Errorf("rates: line %d: line %d has the rate of the same day and currency", line, before)
		}
		if seen[k], list = line, append(list, rate); len(list) > MaxRates {
			return nil, fmt.Errorf("rates: more than %d rates: use several files", MaxRates)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("rates: the table is empty: each line is day,currency,rate such as 2026-01-02,USD,1.0842")
	}
	return list, nil
}
