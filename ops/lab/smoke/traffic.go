package smoke

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"html"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/ops/visitors"
)

// senders is the maximum number of visitors that click at the same time.
const senders = 16

// traffic sends visitors and records how they must count.
type traffic struct {
	*env
	client   *http.Client
	base     string // address of the web process
	host     string // a tracking domain
	visitors visitors.Set
	known    []visitor

	mu       sync.Mutex
	clicks   []*click // in the order of the answers
	noise    int      // visits that must not be counted
	problems []string

	// The ids of the account and of the paused campaign, and the results of the comparison with what the service
	// reports.
	account, paused    string
	differences        []string
	compared           int
	delivered, retried int
}

func (t *traffic) problem(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

// send sends n visits. The visits of one visitor follow one another, so that the run knows which of them is the first.
func (t *traffic) send(ctx context.Context, n int) error {
	random := rand.New(rand.NewPCG(2, 2000))
	lanes := make([][]*click, senders)
	for i := range n {
		c := t.plan(i, random)
		h := fnv.New32a()
		_, _ = h.Write([]byte(c.key()))
		lane := h.Sum32() % senders
		lanes[lane] = append(lanes[lane], c)
	}
	errs := make([]error, senders)
	var wg sync.WaitGroup
	for i, lane := range lanes {
		wg.Go(func() {
			seen := map[string]bool{}
			for _, c := range lane {
				if err := t.click(ctx, c, seen); err != nil {
					errs[i] = fmt.Errorf("click %d on %s: %w", c.number, c.entry.name, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// unused records a problem for every path that no visitor took, because the run did not test it.
func (t *traffic) unused() {
	taken := map[string]bool{}
	for _, c := range t.clicks {
		taken[c.campaign.name+"/"+c.path] = true
		if c.entry != c.campaign {
			taken[c.entry.name+"/"+c.entry.campaignSpec.paths[0].name] = true
		}
	}
	for _, c := range campaigns {
		for _, p := range c.paths {
			if !taken[c.name+"/"+p.name] {
				t.problem("no visitor took the path %s of campaign %s", p.name, c.name)
			}
		}
	}
}

// plan decides the visitor, the campaign and the parameters of visit i. In every third visit an earlier visitor comes again.
func (t *traffic) plan(i int, r *rand.Rand) *click {
	v := newVisitor(t.visitors, i, r)
	if i%3 == 1 {
		again := t.known[r.IntN(len(t.known))]
		v.Agent, v.Address = again.Agent, again.Address
	}
	t.known = append(t.known, v)
	c := &click{visitor: v, number: i, entry: t.pick(i), source: "bare"}
	c.campaign = c.entry
	if c.entry.target != "" {
		c.campaign = t.campaigns[c.entry.target]
	}
	query := url.Values{"utm_campaign": {"smoke"}}
	if c.entry.source == "macros" {
		c.source = "macros"
		c.subs = [2]string{"zone-" + strconv.Itoa(i%7), []string{"red", "{creative}", "blå & grün"}[i%3]}
		c.external = "x" + strconv.Itoa(i)
		c.bid = decimal.New(int64(1+i%9), -3)
		query.Set("sub1", c.subs[0])
		query.Set("sub2", c.subs[1])
		query.Set("xid", c.external)
		query.Set("bid", c.bid.String())
		if c.subs[1] == "{creative}" {
			c.subs[1] = "" // the source did not fill in its macro
		}
	} else {
		c.subs[0] = "s" + strconv.Itoa(i%5)
		query.Set("sub1", c.subs[0])
	}
	c.query = query.Encode()
	return c
}

// pick spreads the clicks over the campaigns by their shares.
func (t *traffic) pick(i int) *campaign {
	at := i * 37 % 100
	for _, spec := range campaigns {
		if at -= spec.share; at < 0 {
			return t.campaigns[spec.name]
		}
	}
	panic("smoke: the shares of the campaigns do not make 100")
}

// click sends one visitor, who opens the tracking link and, from a lander, follows the links to the offers.
func (t *traffic) click(ctx context.Context, c *click, seen map[string]bool) error {
	if err := t.disturb(ctx, c); err != nil {
		return err
	}
	before := time.Now().UTC()
	resp, err := t.request(ctx, http.MethodGet, c.entry.link+"?"+c.query, c.visitor, "")
	if err != nil {
		return err
	}
	after := time.Now().UTC()
	c.at = after
	if got := resp.header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
		t.problem("click %d: Cache-Control is %q", c.number, got)
	}
	c.cookies = resp.cookies
	if err := t.land(ctx, c, resp); err != nil {
		return err
	}
	if at := idTime(c.id); c.id != "" {
		if at.Before(before.Add(-2*time.Second)) || at.After(after.Add(2*time.Second)) {
			t.problem("click %s: its time is %s, it was sent at %s", c.id, at, before)
		}
		c.at = at
	}
	visit := c.campaign.name + " " + c.key()
	if !c.campaign.uncounted {
		c.unique = !c.bot() && !seen[visit]
		seen[visit] = true
	}
	t.mu.Lock()
	t.clicks = append(t.clicks, c)
	t.mu.Unlock()
	if err := t.clickOut(ctx, c); err != nil || !c.early() {
		return err
	}
	return t.report(ctx, c, 1)
}

// land checks the page to which the visitor was sent, and opens it.
func (t *traffic) land(ctx context.Context, c *click, resp *response) error {
	allowed := c.campaign.routes(c.visitor)
	if len(allowed) == 1 && allowed[0].action == "nothing" {
		c.path = allowed[0].name
		if resp.status != http.StatusNoContent || resp.to != "" {
			t.problem("click %d on %s/%s: status %d to %q, wanted nothing", c.number, c.entry.name, c.path, resp.status, resp.to)
		}
		return nil
	}
	if err := t.secondPage(ctx, c, resp); err != nil {
		return err
	}
	page, err := t.pages.parsePage(resp.to)
	if err != nil {
		return fmt.Errorf("status %d to %q: %w: %.300s", resp.status, resp.to, err, resp.body)
	}
	c.id = page.query.Get("cid")
	for _, p := range allowed {
		if c.campaign.paths[p.name] == page.query.Get("path") {
			t.arrive(c, p, page, resp)
			return t.visit(ctx, resp.to)
		}
	}
	if len(allowed) > 0 || page.kind != "fallback" {
		t.problem("click %d on %s from %s by %s: went to path %q, not one of %v",
			c.number, c.entry.name, c.Country, c.OS, t.name(page.query.Get("path")), names(allowed))
	}
	t.checkTokens(c, page)
	return t.visit(ctx, resp.to)
}

// arrive records the path that was taken, and checks the page, the transition and the tokens.
func (t *traffic) arrive(c *click, p pathSpec, page arrival, resp *response) {
	c.path, c.lander = p.name, p.lander
	place := "lander/" + p.lander
	switch {
	case p.direct != "":
		place = "direct/" + p.direct
	case p.lander == "":
		c.offer = p.offers[0]
		place = "offer/" + c.offer
	}
	if page.kind+"/"+page.name != place {
		t.problem("click %d on %s/%s went to %s/%s", c.number, c.campaign.name, p.name, page.kind, page.name)
	}
	want := transitions[p.transition]
	if resp.status != want.status || !strings.Contains(resp.body, want.mark) {
		t.problem("click %d on %s/%s: transition %q answered %d: %.200s",
			c.number, c.campaign.name, p.name, p.transition, resp.status, resp.body)
	}
	t.checkTokens(c, page)
}

// transitions lists the status of each transition, and a text that its page contains.
var transitions = map[string]struct {
	status int
	mark   string
}{
	"": {status: 302}, "301": {status: 301}, "302": {status: 302}, "303": {status: 303}, "307": {status: 307},
	"meta": {200, "http-equiv"}, "js": {200, "<script"}, "blank_referrer": {200, "no-referrer"},
	"double_meta": {200, "/out/go?"}, "iframe": {200, "<iframe"}, "form_post": {200, `method="post"`},
}

var secondPattern = regexp.MustCompile(`/out/go\?[^"]*`)

// secondPage follows an answer that leads to a second page of the tracking domain, and sets resp.to to the target of that page.
func (t *traffic) secondPage(ctx context.Context, c *click, resp *response) error {
	address := secondPattern.FindString(resp.body)
	if address == "" {
		return nil
	}
	second, err := t.request(ctx, http.MethodGet, html.UnescapeString(address), c.visitor, resp.cookies)
	if err != nil {
		return err
	}
	if second.status != http.StatusOK || second.header.Get("Referrer-Policy") != "no-referrer" {
		t.problem("click %d: the second page answered %d: %.200s", c.number, second.status, second.body)
	}
	resp.to = second.to
	return nil
}

// routes returns the paths that may take the visitor: several only if the weight decides.
func (c *campaign) routes(v visitor) []pathSpec {
	var drawn []pathSpec
	for _, kind := range []string{"forced", "", "default"} {
		for _, p := range c.campaignSpec.paths {
			if p.kind != kind || !p.takes(v) {
				continue
			}
			if kind != "" || c.fields["flow_rotation"] != "weight" {
				return []pathSpec{p}
			}
			drawn = append(drawn, p)
		}
		if len(drawn) > 0 {
			return drawn
		}
	}
	return nil
}

func names(paths []pathSpec) (list []string) {
	for _, p := range paths {
		list = append(list, p.name)
	}
	return list
}

// disturb sends, before some of the clicks, a request that must not be counted: a HEAD or a prefetch.
func (t *traffic) disturb(ctx context.Context, c *click) error {
	way := map[int]struct {
		method  string
		headers []string
	}{
		3:  {method: http.MethodHead},
		8:  {http.MethodGet, []string{"Sec-Purpose", "prefetch;prerender"}},
		13: {http.MethodGet, []string{"Purpose", "prefetch"}},
		18: {http.MethodGet, []string{"X-Moz", "prefetch"}},
	}[c.number%25]
	if way.method == "" {
		return nil
	}
	_, err := t.request(ctx, way.method, c.entry.link+"?"+c.query, c.visitor, "", way.headers...)
	t.mu.Lock()
	t.noise++
	t.mu.Unlock()
	return err
}
