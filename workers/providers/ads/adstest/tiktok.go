package adstest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"switchyard/workers/providers/rest/resttest"
)

var (
	tiktokParameters = []string{
		"advertiser_id", "data_level", "dimensions", "end_date", "metrics", "page", "page_size", "report_type", "service_type", "start_date",
	}
	tiktokMetrics = []string{"campaign_name", "clicks", "currency", "impressions", "spend"}
)

func tiktokKnows(list string) bool {
	var names []string
	return json.Unmarshal([]byte(list), &names) == nil && !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(tiktokMetrics, name) })
}

// tiktok answers with status 200 even if it refuses a request or there were too many requests.
var tiktok = Fake{
	Paged:    true,
	settings: map[string]string{"advertiser_id": "7001", "pixel_code": "CPIXEL"},
	secrets:  []string{"access_token"},
	refuse:   func(c *call, words string) { tiktokRespond(c, 40002, words, nil) },
	busy:     func(c *call) { tiktokRespond(c, 40100, "Too many requests", nil) },
	serve: func(p *Platforms, c *call) {
		q := c.r.URL.Query()
		from, err1 := time.Parse(time.DateOnly, q.Get("start_date"))
		to, err2 := time.Parse(time.DateOnly, q.Get("end_date"))
		switch {
		case c.r.Header.Get("Access-Token") != c.credentials["access_token"]:
			tiktokRespond(c, 40105, "Access token is incorrect or has been revoked", nil)
			return
		case c.unknownParam(tiktokParameters...) != "", q.Get("report_type") != "BASIC", q.Get("data_level") != "AUCTION_CAMPAIGN", !tiktokKnows(q.Get("metrics")):
			tiktokRespond(c, 40002, "invalid parameter", nil)
			return
		case c.path != "/open_api/v1.3/report/integrated/get/", q.Get("advertiser_id") != "7001", err1 != nil, err2 != nil,
			q.Get("dimensions") != `["campaign_id","stat_time_day"]`, to.Sub(from) > 29*24*time.Hour:
			tiktokRespond(c, 40002, "invalid parameter", nil)
			return
		}
		rows := []object{}
		for _, r := range p.within(q.Get("start_date"), q.Get("end_date")) {
			metrics := object{
				"spend": r.Spend, "clicks": strconv.Itoa(r.Clicks), "impressions": strconv.Itoa(r.Impressions), "campaign_name": r.Name, "currency": Currency,
			}
			if r.Bare {
				metrics["spend"], metrics["clicks"], metrics["impressions"] = "-", "-", "-"
			}
			rows = append(rows, object{"dimensions": object{"campaign_id": r.Campaign, "stat_time_day": r.Day + " 00:00:00"}, "metrics": metrics})
		}
		size, page := c.number("page_size", 10), c.number("page", 1)
		tiktokRespond(c, 0, "OK", object{"list": resttest.Page(rows, page, size), "page_info": object{
			"page": page, "page_size": size, "total_number": len(rows), "total_page": pages(len(rows), size),
		}})
	},
}

func tiktokRespond(c *call, code int, words string, data any) {
	c.json(http.StatusOK, object{"code": code, "message": words, "request_id": "r-1", "data": data})
}
