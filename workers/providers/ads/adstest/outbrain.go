package adstest

import (
	"net/http"
	"slices"
)

var outbrain = Fake{
	Tokens: true, Paged: true,
	settings: map[string]string{"username": "ana", "marketer_id": "m-1"},
	secrets:  []string{"password"},
	refuse:   func(c *call, words string) { c.json(http.StatusBadRequest, object{"message": words}) },
	serve: func(p *Platforms, c *call) {
		if c.path == "/amplify/v0.1/login" {
			user, password, _ := c.r.BasicAuth()
			if user != "ana" || password != c.credentials["password"] {
				c.json(http.StatusUnauthorized, object{"message": "Unauthorized"})
				return
			}
			c.json(http.StatusOK, object{"OB-TOKEN-V1": p.issue()})
			return
		}
		if c.r.Header.Get("OB-TOKEN-V1") != p.validToken() {
			c.json(http.StatusUnauthorized, object{"message": "invalid token"})
			return
		}
		if c.path == "/amplify/v0.1/marketers" {
			c.json(http.StatusOK, object{"marketers": []object{{"id": "m-0", "currency": "USD"}, {"id": "m-1", "currency": Currency}}, "count": 2})
			return
		}
		q := c.r.URL.Query()
		if c.path != "/amplify/v0.1/reports/marketers/m-1/campaigns/periodic" || q.Get("breakdown") != "daily" || q.Get("from") == "" ||
			q.Get("to") == "" || c.unknownParam("from", "to", "breakdown", "limit", "offset", "includeArchivedCampaigns") != "" {
			c.fake.refuse(c, "no such report")
			return
		}
		all := outbrainCampaigns(p.within(q.Get("from"), q.Get("to")))
		from := min(c.number("offset", 0), len(all))
		c.json(http.StatusOK, object{"campaignResults": all[from:min(from+c.number("limit", 10), len(all))], "totalCampaigns": len(all)})
	},
}

func outbrainCampaigns(rows []Row) []object {
	var ids []string
	byCampaign := map[string][]object{}
	for _, r := range rows {
		if !slices.Contains(ids, r.Campaign) {
			ids = append(ids, r.Campaign)
		}
		byCampaign[r.Campaign] = append(byCampaign[r.Campaign], object{
			"metadata": object{"id": r.Day, "fromDate": r.Day, "toDate": r.Day},
			"metrics":  r.without(object{"spend": r.spent(), "clicks": r.Clicks, "impressions": r.Impressions, "conversions": 0}, "spend", "clicks", "impressions"),
		})
	}
	out := []object{}
	for _, id := range ids {
		out = append(out, object{"campaignId": id, "results": byCampaign[id], "totalResults": len(byCampaign[id])})
	}
	return out
}
