package openapi

import (
	"time"

	"switchyard/models/correction"
	"switchyard/models/money"
	"switchyard/models/template"
	"switchyard/models/timetext"
)

// understood returns the data for the part of the page that shows which values the service understands.
func understood() map[string]any {
	return map[string]any{
		"Amounts": money.Examples(), "Currencies": money.Catalog(), "Usual": money.Usual(), "Times": timeExamples(),
		"Conversions": correction.Columns(correction.Conversions), "Costs": correction.Columns(correction.Costs),
		"Networks": template.Networks(), "Sources": template.Sources(),
	}
}

type example struct{ Text, Read string }

func timeExamples() []example {
	list := []example{
		{Text: "2026-03-04T05:06:07Z"},
		{Text: "2026-03-04 05:06:07"},
		{Text: "2026-03-04T05:06:07+0200"},
		{Text: "2026-03-04 05:06:07+02"},
		{Text: "2026-03-04T05:06:07 0200"},
		{Text: "20260304T050607Z"},
		{Text: "2026-03-04T05:06:07,250Z"},
		{Text: "1772600767"},
		{Text: "1772600767.25"},
		{Text: "1772600767250"},
		{Text: "1772600767250000"},
		{Text: "Wed, 04 Mar 2026 05:06:07 GMT"},
		{Text: "4 Mar 2026 05:06"},
		{Text: "04.03.2026 05:06"},
		{Text: "25/03/2026"},
		{Text: "03/25/2026 5:06:07 PM"},
		{Text: "03/04/2026"},
		{Text: "2026-03-04 05:06:07 CST"},
	}
	for i := range list {
		at, err := timetext.ReadUTC(list[i].Text)
		if list[i].Read = at.Format(time.RFC3339Nano); err != nil {
			list[i].Read = "no time: it " + err.Error()
		}
	}
	return list
}
