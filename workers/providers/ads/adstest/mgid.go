package adstest

import (
	"net/http"
	"slices"
	"time"
)

var mgid = Fake{
	Zone:  Zone,
	Paged: true, Amounts: true,
	settings: map[string]string{"client_id": "555"},
	secrets:  []string{"api_token"},
	refuse:   func(c *call, words string) { c.json(http.StatusUnprocessableEntity, object{"errors": []string{words}}) },
	serve: func(p *Platforms, c *call) {
		if c.r.Header.Get("Authorization") != "Bearer "+c.credentials["api_token"] {
			c.json(http.StatusUnauthorized, object{"errors": "Authentication token is missing"})
			return
		}
		switch {
		case c.r.Method != http.MethodGet:
			c.fake.refuse(c, "[ERROR_NOT_VALID_METHOD]")
		case c.path == "/v1/clients/555":
			c.json(http.StatusOK, object{"id": "555", "timezone": Zone, "wallet": object{"balance": 10000, "credit": 0, "income": 50000, "currency": Currency}})
		case c.path == "/v1/goodhits/clients/555/statistics-reports":
			mgidReport(p, c)
		default:
			c.json(http.StatusNotFound, object{"errors": []string{"[ERROR_RESOURCE_NOT_FOUND]"}})
		}
	},
}

func mgidReport(p *Platforms, c *call) {
	q := c.r.URL.Query()
	zone, err := time.LoadLocation(Zone)
	if err != nil {
		c.fake.refuse(c, err.Error())
		return
	}
	from, err1 := time.Parse("2006-01-02T15:04:05.000Z07:00", q.Get("filters[dateRange][dateFrom]"))
	to, err2 := time.Parse("2006-01-02T15:04:05.000Z07:00", q.Get("filters[dateRange][dateTo]"))
	from, to = from.In(zone), to.In(zone)
	size := c.number("limit", 20)
	offset := c.number("offset", 0)
	unknown := c.unknownParam("filters[dateRange][dateFrom]", "filters[dateRange][dateTo]", "dimensions[]", "metrics[]", "limit", "offset")
	switch {
	case unknown != "":
		c.fake.refuse(c, "[ERROR_NOT_VALID_"+unknown+"]")
		return
	case size > 1000:
		c.fake.refuse(c, "[ERROR_MAX_LIMIT_PER_PAGE_1000]")
		return
	case err1 != nil, err2 != nil, to.Before(from), to.Sub(from) > 90*24*time.Hour+time.Hour: // the clocks may go back in the range
		c.fake.refuse(c, "[ERROR_WRONG_DATE_FORMAT]")
		return
	case from.Format("15:04:05.000") != "00:00:00.000", to.Format("15:04:05.000") != "23:59:59.999":
		c.fake.refuse(c, "[ERROR_INVALID_CUSTOM_DATES]")
		return
	case !slices.Equal(q["dimensions[]"], []string{"day", "campaignId"}), !slices.Equal(q["metrics[]"], []string{"spent", "clicks", "impressions"}):
		c.fake.refuse(c, "[ERROR_INVALID_PARAMETER]")
		return
	}
	rows := []object{}
	for _, r := range p.within(from.Format(time.DateOnly), to.Format(time.DateOnly)) {
		var spent any = object{"amount": r.spent(), "currency": Currency}
		day := r.Day
		if c.quoted { // the other form that the API writes
			spent, day = r.spent(), r.Day+"T00:00:00+00:00"
		}
		rows = append(rows, r.without(object{
			"day": day, "campaignId": r.Campaign, "clicks": r.Clicks, "impressions": r.Impressions, "spent": spent,
		}, "spent", "clicks", "impressions"))
	}
	begin := min(offset, len(rows))
	c.json(http.StatusOK, object{
		"data": rows[begin:min(begin+size, len(rows))], "meta": object{"total": len(rows), "limit": size, "offset": offset},
	})
}
