package networkstest

import (
	"net/http"
	"strconv"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// impact writes numbers as texts, and times in the zone of the account. It refuses a range of more than ten pages.
var impact = Fake{
	credentials: and(map[string]string{"account_sid": "IR1"}, "auth_token"),
	refuse: func(c *call, words string) {
		c.json(http.StatusBadRequest, object{
			"Status": "ERROR", "Message": "Validation Failed", "Errors": []object{{"Field": "ActionDateStart", "Message": words}},
		})
	},
	serve: func(w *World, c *call) {
		user, password, _ := c.r.BasicAuth()
		if user != c.good["account_sid"] || password != c.good["auth_token"] {
			c.json(http.StatusUnauthorized, object{"Status": "ERROR", "Message": "Access Denied"})
			return
		}
		if c.path == "/Mediapartners/IR1/ActionUpdates" {
			impactUpdates(w, c)
			return
		}
		c.rename("LockingDateStart", "ActionDateStart", decided)
		c.rename("LockingDateEnd", "ActionDateEnd", decided)
		all, ok := c.span(w, time.RFC3339, "ActionDateStart", "ActionDateEnd", 45)
		page, size := c.number("Page", 1), c.number("PageSize", 20000)
		switch {
		case c.path != "/Mediapartners/IR1/Actions" || !ok || c.r.Header.Get("IR-Version") != "16" ||
			!c.params("", "CampaignId State ActionDateStart ActionDateEnd StartDate EndDate LockingDateStart LockingDateEnd Page PageSize"):
			c.fake.refuse(c, "bad request")
			return
		case size < 2000 || size > 20000:
			c.fake.refuse(c, "PageSize must be between 2000 and 20000")
			return
		case len(all) > 10*size:
			c.fake.refuse(c, "reduce the date range or increase PageSize")
			return
		}
		rows := []object{}
		for _, o := range resttest.Page(all, page, size) {
			rows = append(rows, o.row(object{
				"Id": o.ID, "CampaignId": "1000", "Payout": o.Payout, "Amount": o.Sale, "Currency": o.Currency, "EventDate": o.At.In(c.zone).Format(time.RFC3339),
				"SharedId": "", "SubId1": "", "SubId2": o.Click, "State": o.word(map[string]string{
					"approved": "APPROVED", "pending": "PENDING", "rejected": "REVERSED", "chargeback": "REVERSED",
				}),
			}, "Payout", "Currency", "EventDate"))
		}
		c.json(http.StatusOK, object{
			"@page": strconv.Itoa(page), "@numpages": strconv.Itoa((len(all) + size - 1) / size), "@pagesize": strconv.Itoa(size),
			"@total": strconv.Itoa(len(all)), "@nextpageuri": "", "Actions": rows,
		})
	},
}

// impactUpdates answers the log of updates. An update has no amount. The order's Amended is the date of the update.
func impactUpdates(w *World, c *call) {
	c.date = amended
	all, ok := c.span(w, time.RFC3339, "StartDate", "EndDate", 45)
	page, size := c.number("Page", 1), c.number("PageSize", 20_000)
	if !ok || size < 2000 || size > 20_000 || c.r.URL.Query().Get("State") != "REVERSED" {
		c.fake.refuse(c, "bad request")
		return
	}
	rows := []object{}
	for _, o := range resttest.Page(all, page, size) {
		if o.Status != "rejected" {
			continue
		}
		rows = append(rows, object{
			"Id": o.ID + ".1", "ActionId": o.ID, "State": "REVERSED", "StateDetail": "", "DeltaPayout": "-" + o.payout(), "Currency": o.Currency,
			"UpdateDate": o.Amended.In(c.zone).Format(time.RFC3339), "ActionDate": o.At.In(c.zone).Format(time.RFC3339),
			"SubId1": "", "SubId2": o.Click, "SubId3": "", "SharedId": "",
		})
	}
	c.json(http.StatusOK, object{
		"@page": strconv.Itoa(page), "@numpages": strconv.Itoa((len(all) + size - 1) / size), "@pagesize": strconv.Itoa(size),
		"@total": strconv.Itoa(len(all)), "ActionUpdates": rows,
	})
}
