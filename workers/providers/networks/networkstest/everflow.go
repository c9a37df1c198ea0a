package networkstest

import (
	"encoding/json"
	"net/http"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// everflow reports approved conversions without a status. Another report has the conversions on hold, and the conversions that were
// rejected while they were on hold. A conversion that is rejected after its approval is in neither report.
var everflow = Fake{
	Vanish:      true,
	credentials: withSecrets(map[string]string{"region": "us"}, "api_key"),
	refuse:      func(c *call, words string) { c.json(http.StatusBadRequest, object{"error": words}) },
	serve: func(p *Platforms, c *call) {
		if c.r.Header.Get("X-Eflow-API-Key") != c.credentials["api_key"] {
			c.json(http.StatusUnauthorized, object{"error": "Invalid API key"})
			return
		}
		const utc = 67 // the platform's number of the time zone
		var ask everflowQuery
		held := c.path == "/affiliates/reporting/onhold"
		if !held && c.path != "/affiliates/reporting/conversions" || c.r.Method != http.MethodPost || !c.params("", "page page_size") ||
			!c.body(&ask) || ask.Zone != utc || ask.Status != nil && !held || c.number("page_size", 50) > 2000 {
			c.fake.refuse(c, "bad request")
			return
		}
		from, to := at(time.DateTime, ask.From), at(time.DateTime, ask.To)
		if from.IsZero() || to.Sub(from) > 366*24*time.Hour {
			c.fake.refuse(c, "the date range is limited to the prior 365 days")
			return
		}
		all := []object{}
		for _, o := range p.within(from, to.Add(time.Second)) {
			row := everflowRow(o, held)
			wasHeld := o.Status != "approved" || o.Word != "" // an approved order with a Word is only in the report of conversions on hold
			switch {
			case o.Goal == "" && !ask.Conversions || o.Goal != "" && !ask.Events || o.Status == "chargeback":
			case !wasHeld && !held:
				all = append(all, row)
			case wasHeld && held:
				all = append(all, object{
					"on_hold_conversion_id": "hold" + o.ID, "network_id": 1, "holding_period_end": o.At.Add(30 * 24 * time.Hour).Unix(),
					"status": o.word(map[string]string{"pending": "on_hold", "rejected": "rejected"}), "conversion": row,
				})
			}
		}
		page, size := c.number("page", 1), c.number("page_size", 50)
		c.json(http.StatusOK, object{
			"conversions": append([]object{}, resttest.Page(all, page, size)...),
			"paging":      object{"page": page, "page_size": size, "total_count": len(all)},
		})
	},
}

type everflowQuery struct {
	Zone        int     `json:"timezone_id"`
	From        string  `json:"from"`
	To          string  `json:"to"`
	Conversions bool    `json:"show_conversions"`
	Events      bool    `json:"show_events"`
	Status      *string `json:"on_hold_status_filter"`
	Query       struct {
		Filters []struct {
			Kind  string `json:"resource_type"`
			Value string `json:"filter_id_value"`
		} `json:"filters"`
	} `json:"query"`
}

// everflowRow returns the row of an order. A row on hold has other members than the row of an approved conversion.
func everflowRow(o Order, held bool) object {
	event := o.Goal
	if event == "" {
		event = "Purchase"
	}
	row := object{
		"conversion_id": o.ID, "transaction_id": "t" + o.Click, "conversion_unix_timestamp": o.At.Unix(),
		"sub1": "banner", "sub2": o.Click, "sub3": "", "sub4": "", "sub5": "", "revenue": json.Number(o.payout()), "sale_amount": o.sale(),
		"currency_id": o.Currency, "relationship": object{"offer": object{"network_offer_id": 1, "name": "X"}, "events_count": 0},
	}
	if held {
		row["event_name"] = o.Goal
		delete(row, "currency_id")
	} else {
		row["source_id"], row["revenue_type"], row["event"], row["is_event"], row["order_id"] = "", "CPS", event, o.Goal != "", "5448956936469"
	}
	return o.row(row, "revenue", "currency_id", "conversion_unix_timestamp")
}
