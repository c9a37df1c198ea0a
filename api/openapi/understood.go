package openapi

import (
	"cmp"
	"time"

	"switchyard/models/correction"
	"switchyard/models/money"
	"switchyard/models/template"
	"switchyard/models/timetext"
)

// understood holds the data of the page's part about the values that are understood. The service's own readers read the examples
// when the page is made, so the page shows what they read.
func understood() map[string]any {
	return map[string]any{
		"Amounts": amountExamples(), "Currencies": money.Catalog(), "Usual": money.Usual(), "Times": timeExamples(),
		"Conversions": correction.Names(correction.Conversions), "Costs": correction.Names(correction.Costs),
		"Networks": template.Networks(), "Sources": template.Sources(),
	}
}

// example is an example of a text and how it is read.
type example struct {
	Text, Currency string
	Read           string
}

// amountExamples shows amounts under the currency that holds if the text states none.
func amountExamples() []example {
	list := []example{
		{Text: "12.50"}, {Text: "12,5", Currency: "EUR"}, {Text: "1,234.56", Currency: "USD"}, {Text: "1.234,56 €"},
		{Text: "1 490,00 руб.", Currency: "RUB"}, {Text: "Rs. 1,25,000.00", Currency: "INR"}, {Text: "4.200,00 kr.", Currency: "DKK"},
		{Text: "CHF 1’234.50"}, {Text: "R$ 1.234,56"}, {Text: "$49.95", Currency: "AUD"}, {Text: "12.50 EUR", Currency: "USD"},
		{Text: "3.0E-4"}, {Text: "(12.50)"}, {Text: "−12.50"}, {Text: "12.50-"}, {Text: "١٬٢٣٤٫٥٠", Currency: "EGP"},
		{Text: "12.500", Currency: "USD"}, {Text: "12.500", Currency: "KWD"}, {Text: "12.500", Currency: "VND"},
		{Text: "12.500", Currency: "EUR"}, {Text: "1.5K"}, {Text: "2 leads"}, {Text: "10-20"},
	}
	for i := range list {
		e := &list[i]
		amount, err := money.Read(e.Text, e.Currency)
		if err != nil {
			e.Read = "no amount: it " + err.Error()
			continue
		}
		e.Read = amount.Value.String()
		if currency := cmp.Or(amount.Currency, e.Currency); currency != "" {
			e.Read += " " + currency
		}
	}
	return list
}

func timeExamples() []example {
	list := []example{
		{Text: "2026-03-04T05:06:07Z"}, {Text: "2026-03-04 05:06:07"}, {Text: "2026-03-04T05:06:07+0200"}, {Text: "2026-03-04 05:06:07+02"},
		{Text: "2026-03-04T05:06:07 0200"}, {Text: "20260304T050607Z"}, {Text: "2026-03-04T05:06:07,250Z"}, {Text: "1772600767"},
		{Text: "1772600767.25"}, {Text: "1772600767250"}, {Text: "1772600767250000"}, {Text: "Wed, 04 Mar 2026 05:06:07 GMT"},
		{Text: "4 Mar 2026 05:06"}, {Text: "04.03.2026 05:06"}, {Text: "25/03/2026"}, {Text: "03/25/2026 5:06:07 PM"},
		{Text: "03/04/2026"}, {Text: "2026-03-04 05:06:07 CST"},
	}
	for i := range list {
		at, err := timetext.ReadUTC(list[i].Text)
		if list[i].Read = at.Format(time.RFC3339Nano); err != nil {
			list[i].Read = "no time: it " + err.Error()
		}
	}
	return list
}
