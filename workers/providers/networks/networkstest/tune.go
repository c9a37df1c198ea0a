package networkstest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// tune reports every failure with status 200. On every second page, the rows are an object with their numbers as keys.
var tune = Fake{
	credentials: withSecrets(map[string]string{"network_id": "demo"}, "api_key"),
	refuse: func(c *call, words string) {
		c.json(http.StatusOK, object{"request": object{}, "response": object{
			"status": -1, "httpStatus": 200, "data": "", "errors": []object{{"publicMessage": words}}, "errorMessage": words,
		}})
	},
	serve: func(p *Platforms, c *call) {
		q := c.r.URL.Query()
		days := q["filters[Stat.date][values][]"]
		switch {
		case q.Get("api_key") != c.credentials["api_key"]:
			c.fake.refuse(c, "API key does not exist: "+q.Get("api_key"))
			return
		case !c.params("NetworkId Target Method api_key fields[] filters[Stat.date][conditional] filters[Stat.date][values][]",
			"limit page sort[Stat.datetime]") || c.path != "/Apiv3/json" || q.Get("NetworkId") != c.credentials["network_id"] ||
			q.Get("Target") != "Affiliate_Report" || q.Get("Method") != "getConversions" || len(days) != 2 ||
			q.Get("filters[Stat.date][conditional]") != "BETWEEN":
			c.fake.refuse(c, "the call is not known")
			return
		}
		for _, name := range q["fields[]"] {
			if !slices.Contains(tuneFields, name) || slices.Contains(p.unknown, name) {
				c.fake.refuse(c, "Field "+name+" does not exist.")
				return
			}
		}
		from, _ := time.ParseInLocation(time.DateOnly, days[0], c.zone)
		to, _ := time.ParseInLocation(time.DateOnly, days[1], c.zone)
		all := p.within(from, to.AddDate(0, 0, 1))
		page, size := c.number("page", 1), min(c.number("limit", 100), 500)
		byID, rows := object{}, []object{}
		for _, o := range resttest.Page(all, page, size) {
			row := tuneRow(o, c.zone, q["fields[]"])
			rows = append(rows, row)
			byID[strconv.Itoa(len(rows))] = row
		}
		var data any = rows
		if page%2 == 0 && len(rows) > 0 {
			data = byID
		}
		c.json(http.StatusOK, object{"request": object{}, "response": object{"status": 1, "httpStatus": 200, "data": object{
			"page": strconv.Itoa(page), "current": len(rows), "count": len(all), "pageCount": (len(all) + size - 1) / size, "data": data,
		}, "errors": []object{}, "errorMessage": ""}})
	},
}

// tuneFields are the fields of an affiliate's conversion report that a client may ask for.
var tuneFields = strings.Fields(`Stat.tune_event_id Stat.id Stat.ad_id Stat.goal_id Stat.datetime Stat.date Stat.offer_id
	Stat.affiliate_info1 Stat.affiliate_info2 Stat.affiliate_info3 Stat.affiliate_info4 Stat.affiliate_info5
	Stat.payout Stat.approved_payout Stat.sale_amount Stat.conversion_status Stat.currency Offer.name Goal.name`)

// tuneRow returns the fields of a row that a client has asked for.
func tuneRow(o Order, zone *time.Location, fields []string) object {
	goal, goalID, approved := o.Goal, "7", o.Payout
	if goal == "" {
		goal, goalID = "Default", "0"
	}
	if o.Status != "approved" {
		approved = "0.00"
	}
	all := o.row(object{
		"Stat.tune_event_id": o.ID, "Stat.id": o.ID, "Stat.ad_id": "102" + o.Click, "Stat.goal_id": goalID,
		"Stat.datetime": o.At.In(zone).Format(time.DateTime), "Stat.affiliate_info1": o.Click, "Stat.payout": o.Payout, "Stat.sale_amount": o.Sale,
		"Stat.approved_payout": approved, "Stat.currency": o.Currency, "Stat.conversion_status": o.word(same), "Goal.name": goal,
	}, "Stat.payout", "Stat.approved_payout", "Stat.currency", "Stat.datetime")
	row := object{"Stat": object{}, "Goal": object{}, "Offer": object{}}
	for _, name := range fields {
		if v, ok := all[name]; ok {
			group, member, _ := strings.Cut(name, ".")
			row[group].(object)[member] = v
		}
	}
	return row
}

// same has the words of platforms that use our words for statuses, but report a chargeback as rejected.
var same = map[string]string{"approved": "approved", "pending": "pending", "rejected": "rejected", "chargeback": "rejected"}
