package smoke

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// checkTokens compares the tokens that the page received with the known values of the visitor and the click.
func (t *traffic) checkTokens(c *click, page arrival) {
	path, offer := "", ""
	if c.path != "" {
		path = c.campaign.paths[c.path]
	}
	if page.kind == "offer" {
		offer = t.offers[page.name]
	}
	device := c.Device
	want := map[string]string{
		"camp": c.campaign.id, "cname": c.campaign.name, "path": path, "pname": c.path, "offer": offer,
		"src": t.sources[c.source], "cc": c.Country, "dt": device, "os": c.OS, "br": c.Browser, "lang": c.Language,
		"s1": c.subs[0], "s2": c.subs[1], "xid": c.external, "ip": c.IP, "ua": c.UserAgent,
		"odd": "{no_such_token}",
	}
	if page.kind == "lander" {
		want["lander"], want["dom"] = t.landers[page.name], t.host
	}
	for name, value := range want {
		if got := page.query.Get(name); got != value {
			t.problem("click %d on %s/%s (%s): %s/%s received %s=%q instead of %q",
				c.number, c.campaign.name, c.path, c.UserAgent, page.kind, page.name, name, got, value)
		}
	}
}

// steps returns the slots of the visitor's click-outs from a lander. 0 stands for the address without a slot.
func (c *click) steps(slots int) []int {
	way := [][]int{{1}, {}, {2}, {0}, {1, 2}, {1}, {}, {1, 1}, {2, 1}, {}}[c.number/2%10]
	for i, slot := range way {
		if slot > slots {
			way = append([]int(nil), way...)
			way[i] = 1
		}
	}
	return way
}

// clickOut follows the links of the lander. Half of the visitors are recognized by their cookie, half by the address of the link.
// Such an address also has the parameters of the visit, because a click id alone says nothing about its visitor.
func (t *traffic) clickOut(ctx context.Context, c *click) error {
	p := c.pathSpec()
	if p == nil || p.lander == "" {
		return nil
	}
	for _, slot := range c.steps(len(p.offers)) {
		address := "/out"
		if slot > 0 {
			address += "/" + strconv.Itoa(slot)
		}
		cookies := c.cookies
		if c.number%2 == 0 {
			address, cookies = address+"?"+c.query+"&"+url.Values{"clickid": {c.id}}.Encode(), ""
		}
		resp, err := t.request(ctx, http.MethodGet, address, c.visitor, cookies)
		if err != nil {
			return err
		}
		name := p.offers[max(slot, 1)-1]
		page, err := t.pages.parsePage(resp.to)
		if err != nil || resp.status != http.StatusFound || page.name != name || page.query.Get("cid") != c.id {
			t.problem("click %s from lander %s by %s (cookies %q): status %d to %q, wanted offer %s: %.200s",
				c.id, c.lander, address, cookies, resp.status, resp.to, name, resp.body)
			continue
		}
		c.offer = name
		c.outs = append(c.outs, max(slot, 1))
		t.checkTokens(c, page)
		if err := t.visit(ctx, resp.to); err != nil {
			return err
		}
	}
	return nil
}
