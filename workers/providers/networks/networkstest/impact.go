package networkstest

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

// impact writes numbers as texts, and times in the zone of the account. It refuses a range of more than ten pages.
var impact = Fake{
	credentials: withSecrets(map[string]string{"account_sid": "IR1"}, "auth_token"),
	refuse: func(c *call, text string) {
		c.json(http.StatusBadRequest, object{
			"Status": "ERROR", "Message": "Validation Failed", "Errors": []object{{"Field": "ActionDateStart", "Message": text}},
		})
	},
	serve: func(p *Platforms, c *call) {
		user, password, _ := c.r.BasicAuth()
		if user != c.credentials["account_sid"] || password != c.credentials["auth_token"] {
			c.json(http.StatusUnauthorized, object{"Status": "ERROR", "Message": "Access Denied"})
			return
		}
		switch c.path {
		case "/Mediapartners/IR1/Actions":
			impactActions(p, c)
		case "/Mediapartners/IR1/ActionUpdates":
			impactUpdates(p, c)
		default:
			c.fake.refuse(c, "bad request")
		}
	},
}

func impactActions(p *Platforms, c *call) {
	c.rename("LockingDateStart", "ActionDateStart", decided)
	c.rename("LockingDateEnd", "ActionDateEnd", decided)
	all, ok := c.span(p, time.RFC3339, "ActionDateStart", "ActionDateEnd", 45)
	impactAnswer(c, all, ok && c.params("ActionDateStart ActionDateEnd", "CampaignId State Page PageSize"), "Actions", func(o Order) object {
		return o.row(object{
			"Id": o.ID, "CampaignId": "1000", "Payout": o.Payout, "Amount": o.Sale, "Currency": o.Currency, "EventDate": o.At.In(c.zone).Format(time.RFC3339),
			"SharedId": "", "SubId1": "", "SubId2": o.Click, "State": o.word(map[string]string{
				"approved": "APPROVED", "pending": "PENDING", "rejected": "REVERSED", "chargeback": "REVERSED",
			}),
		}, "Payout", "Currency", "EventDate")
	})
}

// impactUpdates answers with the updates that reversed orders. Order.Amended is the time of an update.
func impactUpdates(p *Platforms, c *call) {
	c.date = amended
	all, ok := c.span(p, time.RFC3339, "StartDate", "EndDate", 45)
	reversed := slices.DeleteFunc(all, func(o Order) bool { return o.Status != "rejected" })
	ok = ok && c.params("StartDate EndDate State", "CampaignId Page PageSize") && c.r.URL.Query().Get("State") == "REVERSED"
	impactAnswer(c, reversed, ok, "ActionUpdates", func(o Order) object {
		return object{
			"Id": o.ID + ".1", "ActionId": o.ID, "State": "REVERSED", "StateDetail": "", "DeltaPayout": "-" + o.payout(), "Currency": o.Currency,
			"UpdateDate": o.Amended.In(c.zone).Format(time.RFC3339), "ActionDate": o.At.In(c.zone).Format(time.RFC3339),
			"SubId1": "", "SubId2": o.Click, "SubId3": "", "SharedId": "",
		}
	})
}

// impactAnswer answers with a page of the given orders. name is the JSON member that holds its rows. It refuses an invalid
// request, another version of the API, a wrong page size and orders of more than ten pages.
func impactAnswer(c *call, all []Order, valid bool, name string, row func(Order) object) {
	page, size := c.number("Page", 1), c.number("PageSize", 20_000)
	switch {
	case !valid || c.r.Header.Get("IR-Version") != "16":
		c.fake.refuse(c, "bad request")
		return
	case size < 2000 || size > 20_000:
		c.fake.refuse(c, "PageSize must be between 2000 and 20000")
		return
	case len(all) > 10*size:
		c.fake.refuse(c, "reduce the date range or increase PageSize")
		return
	}
	rows := []object{}
	for _, o := range resttest.Page(all, page, size) {
		rows = append(rows, row(o))
	}
	c.json(http.StatusOK, object{
		"@page": strconv.Itoa(page), "@numpages": strconv.Itoa((len(all) + size - 1) / size), "@pagesize": strconv.Itoa(size),
		"@total": strconv.Itoa(len(all)), "@nextpageuri": "", name: rows,
	})
}
