package networkstest

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// cjArgument finds an argument of a query.
var cjArgument = regexp.MustCompile(`(\w+):\[?"([^"]*)"`)

// cjFields finds the fields of records that a query asks for. cjSchema has all fields of CJ's records.
var (
	cjFields = regexp.MustCompile(`records \{ ([\w ]+) \}`)
	cjSchema = strings.Fields(`aid clickDate eventDate lockingDate postingDate commissionId original originalActionId actionStatus actionType
		actionTrackerId actionTrackerName validationStatus reviewedStatus advertiserId advertiserName websiteId websiteName orderId shopperId
		saleAmountUsd saleAmountPubCurrency pubCommissionAmountUsd pubCommissionAmountPubCurrency correctionReason`)
)

const cjRows = 700

// cj answers an invalid query with status 200, and a wrong token with status 401.
var cj = Fake{
	SeparateReversals: true,
	credentials:       withSecrets(map[string]string{"publisher_id": "4711"}, "token"),
	refuse: func(c *call, text string) {
		c.json(http.StatusOK, object{"errors": []object{{"message": text, "locations": []object{{"line": 1, "column": 2}}}}})
	},
	serve: func(p *Platforms, c *call) {
		var ask struct {
			Query string `json:"query"`
		}
		if c.r.Header.Get("Authorization") != "Bearer "+c.credentials["token"] {
			c.json(http.StatusUnauthorized, object{"message": "unauthorized"})
			return
		}
		readable := c.body(&ask)
		args, fields := map[string]string{}, cjFields.FindStringSubmatch(ask.Query)
		known := fields != nil
		if known {
			for _, name := range strings.Fields(fields[1]) {
				known = known && slices.Contains(cjSchema, name)
			}
		}
		for _, m := range cjArgument.FindAllStringSubmatch(ask.Query, -1) {
			args[m[1]] = m[2]
		}
		date := "Posting"
		if args["sinceLockingDate"] != "" {
			date, c.date = "Locking", decided
		}
		from, to := at(time.RFC3339, args["since"+date+"Date"]), at(time.RFC3339, args["before"+date+"Date"])
		if !readable || !known || c.path != "/query" || c.r.Method != http.MethodPost || args["forPublishers"] != c.credentials["publisher_id"] ||
			!strings.Contains(ask.Query, "publisherCommissions(") || from.IsZero() || to.Sub(from) > 31*24*time.Hour {
			c.fake.refuse(c, "the query is not valid")
			return
		}
		all := cjRecords(p.among(c.date, from, to))
		rest := all
		if i := slices.IndexFunc(all, func(r object) bool { return r["commissionId"] == args["sinceCommissionId"] }); i >= 0 {
			rest = all[i+1:]
		}
		page := rest[:min(cjRows, len(rest))]
		var last any
		if len(page) > 0 {
			last = page[len(page)-1]["commissionId"]
		}
		c.json(http.StatusOK, object{"data": object{"publisherCommissions": object{
			"count": len(page), "payloadComplete": len(page) == len(rest), "maxCommissionId": last, "records": page,
		}}})
	},
}

func cjRecords(orders []Order) []object {
	out := []object{}
	for _, o := range orders {
		row := o.row(object{
			"commissionId": "c" + o.ID, "originalActionId": o.ID, "original": true, "shopperId": o.Click,
			"eventDate": o.At.UTC().Format(time.RFC3339), "pubCommissionAmountPubCurrency": o.payout(), "pubCommissionAmountUsd": "0.99",
			"saleAmountPubCurrency": o.Sale, "saleAmountUsd": "9.99",
			"actionStatus": o.word(map[string]string{
				"approved": "locked", "pending": "new", "rejected": "corrected", "chargeback": "corrected",
			}),
		}, "pubCommissionAmountPubCurrency", "pubCommissionAmountUsd", "eventDate")
		if o.TakenBack != "" {
			correction := object{}
			for name, v := range row {
				correction[name] = v
			}
			correction["commissionId"], correction["original"], correction["pubCommissionAmountPubCurrency"] = "d"+o.ID, false, "-"+o.TakenBack
			out = append(out, correction)
		}
		out = append(out, row)
	}
	return out
}
