package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
	"switchyard/ops/visitors"
)

// dayVisitors is the number of people that the source sends on the buyer's day.
const dayVisitors = 24

// day is a buyer's first day. The buyer pastes the addresses that the service returns.
type day struct {
	*traffic
	api     *client.API
	outside *outside
	source  daySource
	network dayNetwork
	link    string // tracking_url
	id      string // of the campaign
	paid    decimal.Decimal
	sales   map[string]decimal.Decimal // payouts of the approved sales, by the source's click id
}

type daySource struct {
	ID              string
	CostMacro       string            `json:"cost_macro"`
	ExternalIDMacro string            `json:"external_id_macro"`
	TokenMacros     map[string]string `json:"token_macros"`
	PostbackExample string            `json:"postback_example"`
}

type dayNetwork struct {
	ID             string
	PostbackURL    string `json:"postback_url"`
	OfferURLSuffix string `json:"offer_url_suffix"`
	Macros         map[string]string
}

// outside is a web server that stands for other people's servers: the landing page, the shop and the traffic source.
type outside struct {
	url      string
	server   *http.Server
	mu       sync.Mutex
	received map[string][]url.Values // by path
}

func newOutside(ctx context.Context) (*outside, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o := &outside{url: "http://" + l.Addr().String(), received: map[string][]url.Values{}}
	o.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: o}
	go func() { _ = o.server.Serve(l) }()
	return o, nil
}

// ServeHTTP records a request.
func (o *outside) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.received[r.URL.Path] = append(o.received[r.URL.Path], r.URL.Query())
}

func (o *outside) at(path string) []url.Values {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]url.Values(nil), o.received[path]...)
}

func (t *traffic) buyersDay(ctx context.Context, f *fleet.Fleet) (err error) {
	_, api, err := f.Account(ctx, "Buyer", "scale")
	if err != nil {
		return err
	}
	o, err := newOutside(ctx)
	if err != nil {
		return fmt.Errorf("smoke: %w", err)
	}
	defer func() { err = errors.Join(err, o.server.Close()) }()
	d := &day{traffic: t, api: api, outside: o, sales: map[string]decimal.Decimal{}}
	for _, step := range []func(context.Context) error{d.setUp, d.wait, d.sendVisitors, d.count} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("a buyer's day: %w", err)
		}
	}
	return nil
}

// dayPath is the URL path of the postbacks in the template of the day's source.
const dayPath = "/conversion.php"

// setUp creates the source and the network from two templates, and a lander, an offer and a campaign that use them.
func (d *day) setUp(ctx context.Context) error {
	var templates struct {
		Rows []struct {
			Platform    string
			PostbackURL string `json:"postback_url"`
		}
	}
	if err := d.api.Get(ctx, "/traffic-source-templates", &templates); err != nil {
		return err
	}
	const platform = "propellerads"
	told := ""
	for _, row := range templates.Rows {
		if row.Platform == platform {
			told = row.PostbackURL
		}
	}
	_, path, ok := strings.Cut(told, dayPath)
	if !ok {
		return fmt.Errorf("the template of %s has the postback address %q", platform, told)
	}
	body := object{"platform": platform, "postback_url": d.outside.url + dayPath + strings.ReplaceAll(path, "YOUR_", "7")}
	if err := d.api.Create(ctx, "/traffic-sources", body, &d.source); err != nil {
		return err
	}
	if d.source.PostbackExample != told {
		d.problem("postback_example is %q, the template has %q", d.source.PostbackExample, told)
	}
	body = object{"template": "Affise", "postback_secret": "day&secret"}
	if err := d.api.Create(ctx, "/networks", body, &d.network); err != nil {
		return err
	}
	var lander, offer, campaign struct {
		ID          string
		TrackingURL string `json:"tracking_url"`
	}
	if err := d.api.Create(ctx, "/landers", object{"name": "Page", "url": d.outside.url + "/page"}, &lander); err != nil {
		return err
	}
	shop := object{"name": "Shop", "url": d.outside.url + "/shop?" + d.network.OfferURLSuffix, "network_id": d.network.ID}
	if err := d.api.Create(ctx, "/offers", shop, &offer); err != nil {
		return err
	}
	body = object{
		"name": "Day", "alias": "buyers-day", "source_id": d.source.ID, "lander_id": lander.ID, "offer_id": offer.ID,
	}
	if err := d.api.Create(ctx, "/campaigns", body, &campaign); err != nil {
		return err
	}
	d.id, d.link = campaign.ID, campaign.TrackingURL
	return nil
}

func (d *day) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, quietTimeout)
	defer cancel()
	return d.waitLink(ctx, d.fill(0))
}

var dayBid = decimal.New(13, -3)

func dayClick(i int) string { return "prop-" + strconv.Itoa(i) }

// fill returns the tracking link for visitor i. It replaces the macros as the source replaces them.
func (d *day) fill(i int) string {
	pairs := []string{d.source.ExternalIDMacro, dayClick(i), d.source.CostMacro, dayBid.String()}
	for param, macro := range d.source.TokenMacros {
		pairs = append(pairs, macro, param+"-"+strconv.Itoa(i))
	}
	return d.filled("tracking_url", d.link, pairs)
}

// filled replaces macros in an address. Each given macro must be in it, and no other may be left.
func (d *day) filled(what, address string, pairs []string) string {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == "" || !strings.Contains(address, "="+pairs[i]) {
			d.problem("%s has no macro %q: %s", what, pairs[i], address)
		}
	}
	full := strings.NewReplacer(pairs...).Replace(address)
	if strings.ContainsAny(full, "{}[]$") {
		d.problem("%s has a macro that nobody fills: %s", what, full)
	}
	return full
}

// sendVisitors sends each visitor from the ad to the shop. Every second visitor buys, and the network rejects one of four sales.
func (d *day) sendVisitors(ctx context.Context) error {
	random := rand.New(rand.NewPCG(3, 3))
	for i := range dayVisitors {
		v := newVisitor(d.visitors, 0, random)
		v.Agent = d.visitors.People[i]
		click, err := d.visitShop(ctx, i, v)
		if err != nil {
			return err
		}
		if i%2 == 0 {
			if err := d.sell(ctx, i, click); err != nil {
				return err
			}
		}
	}
	d.paid = dayBid.Mul(decimal.NewFromInt(dayVisitors))
	return nil
}

// visitShop follows a visitor to the shop and returns the click id that the shop receives.
func (d *day) visitShop(ctx context.Context, i int, v visitor) (string, error) {
	page, err := d.request(ctx, http.MethodGet, d.fill(i), v, "")
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(page.to, d.outside.url+"/page") {
		return "", fmt.Errorf("visitor %d got the status %d and was sent to %q instead of the landing page", i, page.status, page.to)
	}
	if err := d.visit(ctx, page.to); err != nil {
		return "", err
	}
	host, err := url.Parse(d.link)
	if err != nil {
		return "", err
	}
	out, err := d.request(ctx, http.MethodGet, host.Scheme+"://"+host.Host+"/out", v, page.cookies)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(out.to, d.outside.url+"/shop") {
		return "", fmt.Errorf("visitor %d got the status %d and was sent to %q instead of the shop", i, out.status, out.to)
	}
	if err := d.visit(ctx, out.to); err != nil {
		return "", err
	}
	visits := d.outside.at("/shop")
	name, _, _ := strings.Cut(d.network.OfferURLSuffix, "=")
	click := visits[len(visits)-1].Get(name)
	if idTime(click).IsZero() {
		return "", fmt.Errorf("the shop received the click id %q", click)
	}
	return click, nil
}

// sell reports the sale of visitor i to the postback address that the service returned.
func (d *day) sell(ctx context.Context, i int, click string) error {
	payout, status := decimal.New(int64(125+i), -2), "1"
	if i%8 == 0 {
		status = "3"
	} else {
		d.sales[dayClick(i)] = payout
	}
	m := d.network.Macros
	address := d.filled("postback_url", d.network.PostbackURL, []string{
		m["click_id"], click, m["payout"], payout.String(), m["status"], status,
		m["conversion_id"], "sale-" + strconv.Itoa(i), m["goal"], "", m["currency"], "USD",
	})
	resp, err := d.request(ctx, http.MethodGet, address, visitor{Agent: visitors.Agent{UserAgent: "network"}}, "")
	if err == nil && resp.status != http.StatusOK {
		err = fmt.Errorf("the postback was answered %d: %.200s", resp.status, resp.body)
	}
	return err
}

// count waits until the source has every approved sale, and compares the sums of the service, the network and the source.
func (d *day) count(ctx context.Context) error {
	want := decimal.Zero
	for _, payout := range d.sales {
		want = want.Add(payout)
	}
	var own struct {
		Clicks, Conversions int
		Cost, Revenue       json.Number
	}
	_, err := poll(ctx, quietTimeout, 100*time.Millisecond, func() (bool, error) {
		err := d.api.Get(ctx, "/campaigns/"+d.id+"/stats", &own)
		return own.Clicks == dayVisitors && number(own.Revenue).Equal(want) && len(d.outside.at(dayPath)) >= len(d.sales), err
	})
	if err != nil {
		return err
	}
	if own.Clicks != dayVisitors || own.Conversions != len(d.sales) || !number(own.Cost).Equal(d.paid) ||
		!number(own.Revenue).Equal(want) {
		d.problem("a buyer's day: the service counts %+v, the others %d clicks for %s and %d sales for %s",
			own, dayVisitors, d.paid, len(d.sales), want)
	}
	heard := d.outside.at(dayPath)
	sum := decimal.Zero
	for _, q := range heard {
		told := number(json.Number(q.Get("payout")))
		if sum = sum.Add(told); !told.Equal(d.sales[q.Get("visitor_id")]) || q.Get("aid") != "7AID" {
			d.problem("a buyer's day: the source received a postback with wrong values: %v", q)
		}
		delete(d.sales, q.Get("visitor_id"))
	}
	if len(d.sales) > 0 || !sum.Equal(want) {
		d.problem("a buyer's day: the source received %s in %d postbacks instead of %s; sales without a postback: %v",
			sum, len(heard), want, d.sales)
	}
	d.compared += 4 + 2*len(heard)
	return nil
}
