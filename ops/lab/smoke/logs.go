package smoke

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"switchyard/ops/client"
)

// pages1000 reads a whole log that is paged by offset, in pages of 1,000 rows.
func pages1000[T any](ctx context.Context, api *client.API, path string, query url.Values) ([]T, error) {
	const limit = 1000
	var all []T
	for {
		q := url.Values{"limit": {strconv.Itoa(limit)}, "offset": {strconv.Itoa(len(all))}}
		for name, v := range query {
			q[name] = v
		}
		var page struct{ Rows []T }
		if err := api.Get(ctx, path+"?"+q.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Rows...)
		if len(page.Rows) < limit {
			return all, nil
		}
	}
}

type clickRow struct {
	ClickID    string      `json:"click_id"`
	CampaignID string      `json:"campaign_id"`
	StreamID   string      `json:"stream_id"`
	LanderID   string      `json:"lander_id"`
	OfferID    string      `json:"offer_id"`
	SourceID   string      `json:"source_id"`
	Country    string      `json:"country"`
	Device     string      `json:"device_type"`
	OS         string      `json:"os"`
	Browser    string      `json:"browser"`
	IP         string      `json:"ip"`
	UserAgent  string      `json:"user_agent"`
	ExternalID string      `json:"external_id"`
	Sub1       string      `json:"sub1"`
	Cost       json.Number `json:"cost"`
	IsBot      bool        `json:"is_bot"`
	IsUnique   bool        `json:"is_unique"`
}

// clickLog compares the click log. Every counted click must appear once, no other click may appear, and the newest must be first.
func (t *traffic) clickLog(ctx context.Context) error {
	rows, err := pages1000[clickRow](ctx, t.api, "/logs/clicks", nil)
	if err != nil {
		return err
	}
	want, anonymous := map[string]*click{}, 0
	for _, c := range t.clicks {
		switch {
		case c.campaign.uncounted:
		case c.id == "":
			anonymous++ // the visitor was sent nowhere, so the id of the click is unknown
		default:
			want[c.id] = c
		}
	}
	seen, newest := map[string]bool{}, time.Now().Add(time.Hour)
	for _, r := range rows {
		at := idTime(r.ClickID)
		switch c := want[r.ClickID]; {
		case seen[r.ClickID]:
			t.differ("click log: %s appears twice", r.ClickID)
		case at.IsZero() || at.After(newest):
			t.differ("click log: %s of %s is out of order", r.ClickID, at)
		case c != nil:
			t.clickRow(c, r)
		case r.CampaignID == t.campaigns["blocked"].id && r.StreamID == t.campaigns["blocked"].paths["dark"]:
			anonymous--
		default:
			t.differ("click log: has the click %s, which no visitor of this run made: %+v", r.ClickID, r)
		}
		seen[r.ClickID], newest = true, at
	}
	for id, c := range want {
		if !seen[id] {
			t.differ("click log: %s, click %d on %s, is missing", id, c.number, c.entry.name)
		}
	}
	if anonymous != 0 {
		t.differ("click log: of the clicks whose visitors were sent nowhere, %d are missing", anonymous)
	}
	return t.convertedLog(ctx)
}

func (t *traffic) clickRow(c *click, r clickRow) {
	want := clickRow{
		ClickID: c.id, CampaignID: c.campaign.id, StreamID: c.campaign.paths[c.path], LanderID: t.landers[c.lander],
		OfferID: t.offers[c.offer], SourceID: t.sources[c.source], Country: c.Country, Device: c.Device, OS: c.OS,
		Browser: c.Browser, IP: c.IP, UserAgent: c.UserAgent, ExternalID: c.external, Sub1: c.subs[0],
		Cost: r.Cost, IsBot: c.bot(), IsUnique: c.unique,
	}
	t.compared += 16
	if r != want {
		t.differ("click log: %s\n      is       %+v\n      expected %+v", c.id, r, want)
	}
}

func (t *traffic) convertedLog(ctx context.Context) error {
	rows, err := pages1000[clickRow](ctx, t.api, "/logs/clicks", url.Values{"converted": {"1"}})
	if err != nil {
		return err
	}
	want := map[string]bool{}
	for _, v := range t.expected() {
		want[v.click.id] = true
	}
	for _, r := range rows {
		if !want[r.ClickID] {
			t.differ("log of converted clicks: %s did not convert, or appears twice", r.ClickID)
		}
		delete(want, r.ClickID)
	}
	if len(want) > 0 {
		t.differ("log of converted clicks: %d are missing", len(want))
	}
	return nil
}

// singleClicks reads some clicks one by one, an unknown one and a malformed id.
func (t *traffic) singleClicks(ctx context.Context) error {
	for i, c := range t.clicks {
		if i%50 != 0 && (len(c.conversions) < 2 || i%5 != 0) || c.id == "" || c.campaign.uncounted {
			continue
		}
		var got struct {
			ClickID     string           `json:"click_id"`
			Hops        []map[string]any `json:"hops"`
			Conversions []conversionRow  `json:"conversions"`
			Visitor     map[string]any   `json:"visitor"`
		}
		if err := t.api.Get(ctx, "/logs/clicks/"+c.id, &got); err != nil {
			return err
		}
		if got.ClickID != c.id || len(got.Conversions) != len(c.conversions) || got.Visitor["country"] != c.Country {
			t.differ("click %s: %+v, expected %d conversions from %s", c.id, got, len(c.conversions), c.Country)
		}
		if wide := len(got.Hops) - len(c.outs); wide < 0 || wide > 2 { // up to two more hops may be listed, such as the redirect itself
			t.differ("click %s: %d hops, expected %d click-outs: %v", c.id, len(got.Hops), len(c.outs), got.Hops)
		}
		t.compared += 4
	}
	for _, r := range []refusal{
		{"GET", "/logs/clicks/" + makeID(1), nil, 404, "not_found"},
		{"GET", "/logs/clicks/nonsense", nil, 400, "invalid_id"},
	} {
		if err := r.check(ctx, t.api); err != nil {
			t.differ("%s", err)
		}
	}
	return nil
}

func (t *traffic) conversionLog(ctx context.Context) error {
	rows, err := pages1000[conversionRow](ctx, t.api, "/logs/conversions", nil)
	if err != nil {
		return err
	}
	want := t.expected()
	for _, r := range rows {
		v := want[r.key()]
		if v == nil {
			t.differ("conversion log: nobody reported %+v, or it appears twice", r)
			continue
		}
		delete(want, r.key())
		if !number(r.Payout).Equal(v.payout.Round(answerDecimals)) {
			t.differ("conversion log: %s paid %s, expected %s", r.key(), r.Payout, v.payout)
		}
		if text := t.wrong(v, r, v.status); text != "" {
			t.differ("conversion log: %s", text)
		}
		t.compared += 9
	}
	for key := range want {
		t.differ("conversion log: %s is missing", key)
	}
	return nil
}

// wrong compares a conversion with its row in the log or in a webhook, except the payout. It returns the difference, or an empty
// text.
func (t *traffic) wrong(v *conversion, r conversionRow, status string) string {
	want := conversionRow{
		ClickID: v.click.id, ConversionID: v.id, Goal: v.goal, Status: status, Payout: r.Payout, Currency: "USD",
		CampaignID: v.click.campaign.id, OfferID: t.offers[v.offer], SourceID: t.sources[v.click.source],
		Source: v.source, RecordedAt: r.RecordedAt,
	}
	at, err := time.Parse("2006-01-02 15:04:05.000", r.RecordedAt)
	if r != want || err != nil || at.Before(v.click.at.Add(-2*time.Second)) || at.After(time.Now().Add(time.Minute)) {
		return fmt.Sprintf("\n      is       %+v\n      expected %+v", r, want)
	}
	return ""
}

// arrivals checks that each click led to one visit by its link, and to one visit by each click-out.
func (t *traffic) arrivals(context.Context) error {
	for _, c := range t.clicks {
		if c.id == "" {
			continue
		}
		if got, want := len(t.pages.arrivals(c.id)), 1+len(c.outs); got != want {
			t.differ("pages: click %s has %d visits, expected %d", c.id, got, want)
		}
		t.compared++
	}
	return nil
}
