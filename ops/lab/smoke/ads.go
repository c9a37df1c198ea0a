package smoke

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
)

// adRun is an account that buys clicks at every platform of adPlatforms, imports the spend and uploads conversions to the
// platforms.
type adRun struct {
	*traffic
	api     *client.API
	server  *adServer
	network string
	offer   string
	sources []*adSource
}

// adSource is a platform as a traffic source of the account.
type adSource struct {
	adPlatform
	fake      AdFake
	zone      *time.Location
	id, param string // the platform puts its campaign id into the parameter param of a tracking link
	campaigns [2]moneyCampaign
	clicks    []*adClick
}

func (s *adSource) path() string { return "/traffic-sources/" + s.id + "/integration" }

type adClick struct {
	visitor
	id, click string // our id and the platform's
	campaign  int
	at        time.Time
	sale      adSale
}

type adSale struct {
	id      string
	payout  decimal.Decimal
	consent string // value of the postback's parameter consent; empty means no such parameter
	phones  bool   // the postback has the phone number
}

// adSales has the conversions of the people's clicks, in the order of the clicks.
var adSales = []adSale{
	{payout: amount("10"), consent: "granted", phones: true},
	{payout: amount("11.5"), consent: "denied"},
	{payout: amount("12.25")},
	{payout: amount("13.99"), consent: "granted"},
}

// The platforms expect hashes of different forms of the buyer's e-mail address and phone number.
const (
	buyerEmail = "Jane.Doe+Shop@Gmail.com"
	buyerPhone = "+44 20 7946 0958"
)

// adBots is the number of bots that a platform sends, and counts as clicks. adLost is the number of clicks that it counts but
// that never arrive.
const adBots, adLost = 2, 1

// euro is the number of US dollars for one euro. The platforms report spend in euros, and the account counts in dollars.
var euro = amount("1.25")

// ratesFile writes the exchange rates of the last days, and returns the setting for the file.
func ratesFile(dir string) (string, error) {
	lines, now := []string{"day,currency,rate"}, time.Now().UTC()
	for back := range 4 {
		lines = append(lines, now.AddDate(0, 0, -back).Format(time.DateOnly)+",USD,"+euro.String())
	}
	name := filepath.Join(dir, "rates.csv")
	return "RATES_FILE=" + name, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600)
}

// startAds connects the platforms, sends visitors, imports the spend and reports conversions. The clock then starts the uploads.
func (t *traffic) startAds(ctx context.Context, f *fleet.Fleet, server *adServer, sites *fleet.Sites) (*adRun, error) {
	a := &adRun{traffic: t, server: server}
	var err error
	if _, a.api, err = f.Account(ctx, "Ads", "scale"); err != nil {
		return nil, err
	}
	var network, offer struct{ ID string }
	if err := a.api.Create(ctx, "/networks", object{"name": "Shop network", "currency": "USD"}, &network); err != nil {
		return nil, err
	}
	shop := object{"name": "Shop", "url": a.pages.url + "/ads?sub1={clickid}", "network_id": network.ID, "payout_from_param": true}
	if err := a.api.Create(ctx, "/offers", shop, &offer); err != nil {
		return nil, err
	}
	a.network, a.offer = network.ID, offer.ID
	for _, p := range adPlatforms {
		s := &adSource{adPlatform: p, fake: server.fakes[p.name]}
		a.sources = append(a.sources, s)
		if s.zone, err = time.LoadLocation(s.fake.Zone); err != nil {
			return nil, err
		}
		if err := signIn(ctx, a.api, sites, p.name, "Ads"); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		for _, step := range []func(context.Context, *adSource) error{a.setUp, a.connect, a.arrive} {
			if err := step(ctx, s); err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return a, errors.Join(a.waitClicks(ctx), a.importSpend(ctx), a.sell(ctx))
}

// setUp creates the traffic source from its template, and two campaigns.
func (a *adRun) setUp(ctx context.Context, s *adSource) error {
	var source struct {
		ID          string
		TokenMacros map[string]string `json:"token_macros"`
	}
	if err := a.api.Create(ctx, "/traffic-sources", object{"platform": s.name, "name": s.name}, &source); err != nil {
		return err
	}
	s.id, s.param = source.ID, "campaign"
	for param, macro := range source.TokenMacros {
		if s.macro != "" && macro == s.macro {
			s.param = param
		}
	}
	for i := range s.campaigns {
		var made struct {
			ID          string
			TrackingURL string `json:"tracking_url"`
		}
		name := s.name + "-" + strconv.Itoa(i)
		body := object{"name": name, "alias": "ads-" + name, "source_id": s.id, "offer_id": a.offer}
		if err := a.api.Create(ctx, "/campaigns", body, &made); err != nil {
			return err
		}
		s.campaigns[i] = moneyCampaign{made.ID, made.TrackingURL, "70" + strconv.Itoa(i) + "001"}
	}
	return nil
}

func (a *adRun) connect(ctx context.Context, s *adSource) error {
	var listed struct{ Accounts []struct{ ID string } }
	if err := a.api.Get(ctx, "/oauth/"+s.name+"/accounts", &listed); err != nil {
		return err
	}
	known := false
	for _, account := range listed.Accounts {
		known = known || account.ID == s.fake.Account
	}
	a.same("the ad account is listed at "+s.name, known, true)
	body := object{
		"provider": s.name, "credentials": s.fake.Credentials, "is_enabled": false, "conversions_enabled": true, "mode": "live", "send_keys": true,
	}
	if s.macro == "" {
		body["campaign_param"] = s.param
	}
	if s.action != "" {
		body["conversion_action"] = s.action
	}
	if err := a.api.Do(ctx, http.StatusOK, http.MethodPut, s.path(), body, nil); err != nil {
		return err
	}
	var tested struct {
		OK     bool
		Detail *string
	}
	if err := a.api.Do(ctx, http.StatusOK, http.MethodPost, s.path(), nil, &tested); err != nil {
		return err
	}
	if !tested.OK {
		return fmt.Errorf("the platform does not accept the connection: %v", *tested.Detail)
	}
	return nil
}

// arrive sends a person for each of adSales, and the bots, to the campaigns in turn.
func (a *adRun) arrive(ctx context.Context, s *adSource) error {
	wait, cancel := context.WithTimeout(ctx, quietTimeout)
	defer cancel()
	for _, c := range s.campaigns {
		if err := a.waitLink(wait, c.link); err != nil {
			return err
		}
	}
	random := rand.New(rand.NewPCG(5, 5))
	for i := range len(adSales) + adBots {
		c := &adClick{visitor: newVisitor(a.visitors, 0, random), click: s.name + "-click-" + strconv.Itoa(i), campaign: i % len(s.campaigns)}
		if c.Agent = a.visitors.People[i]; i >= len(adSales) {
			c.Agent = a.visitors.Bots[i]
		} else {
			c.sale = adSales[i]
			c.sale.id = s.name + "-sale-" + strconv.Itoa(i)
		}
		link, err := url.Parse(s.campaigns[c.campaign].link)
		if err != nil {
			return err
		}
		q := link.Query()
		q.Set(s.param, s.campaigns[c.campaign].platform)
		q.Set(s.click, c.click)
		link.RawQuery = q.Encode()
		resp, err := a.request(ctx, http.MethodGet, link.String(), c.visitor, "")
		if err != nil {
			return err
		}
		if c.Bot == "" {
			to, err := url.Parse(resp.to)
			if err != nil {
				return err
			}
			if c.id = to.Query().Get("sub1"); idTime(c.id).IsZero() {
				return fmt.Errorf("visitor %d got the status %d and was sent to %q, an address without a click id", i, resp.status, resp.to)
			}
		}
		c.at = time.Now()
		s.clicks = append(s.clicks, c)
	}
	return nil
}

func (a *adRun) waitClicks(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, quietTimeout)
	defer cancel()
	n := len(a.sources)
	return client.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		var got struct {
			Clicks int
			Bots   int `json:"bot_clicks"`
		}
		err := a.api.Get(ctx, "/stats/overview", &got)
		return got.Clicks == n*len(adSales) && got.Bots == n*adBots, err
	})
}

// spent returns the spend that the platform reports, by campaign and by day in the platform's time zone. Bots and lost clicks
// cost nothing.
func (s *adSource) spent() (rows []AdSpend) {
	for i, c := range s.clicks {
		day, campaign := c.at.In(s.zone).Format(time.DateOnly), s.campaigns[c.campaign].platform
		at := slices.IndexFunc(rows, func(r AdSpend) bool { return r.Day == day && r.Campaign == campaign })
		if at < 0 {
			at, rows = len(rows), append(rows, AdSpend{Day: day, Campaign: campaign, Amount: "0", Clicks: 0})
		}
		rows[at].Clicks++
		if c.Bot == "" {
			rows[at].Amount = amount(rows[at].Amount).Add(c.price(i)).String()
		}
	}
	rows[0].Clicks += adLost
	return rows
}

// price returns the cost of the click with number i in the platform's currency: 37+i cents.
func (*adClick) price(i int) decimal.Decimal { return decimal.New(int64(37+i), -2) }

// importSpend imports the spend of every platform twice. The second time nothing changes.
func (a *adRun) importSpend(ctx context.Context) error {
	for _, s := range a.sources {
		rows, days, sum := s.spent(), map[string]bool{}, decimal.Zero
		for _, r := range rows {
			days[r.Day], sum = true, sum.Add(amount(r.Amount))
		}
		s.fake.SetSpend(rows)
		for _, changed := range []int{len(days), 0} {
			var got struct {
				OK                     bool
				Detail                 *string
				Rows, Matched, Changed int
				Spend                  decimal.Decimal
				Currency               string
				TimeZone               string `json:"time_zone"`
			}
			if err := a.api.Do(ctx, http.StatusOK, http.MethodPost, s.path(), object{"action": "sync"}, &got); err != nil {
				return err
			}
			if !got.OK {
				return fmt.Errorf("the spend of %s was not read: %v", s.name, *got.Detail)
			}
			a.same("spend at "+s.name, fmt.Sprint(got.Rows, got.Matched, got.Changed, shortest(got.Spend), got.Currency, got.TimeZone),
				fmt.Sprint(len(rows), len(rows), changed, shortest(sum), s.fake.Currency, s.fake.Zone))
		}
	}
	return nil
}

func (a *adRun) sell(ctx context.Context) error {
	for _, s := range a.sources {
		for _, c := range s.clicks {
			if c.sale.id == "" {
				continue
			}
			q := url.Values{
				"clickid": {c.id}, "payout": {c.sale.payout.String()}, "status": {"approved"}, "conversion_id": {c.sale.id}, "currency": {"USD"},
				"email": {buyerEmail},
			}
			if c.sale.phones {
				q.Set("phone", buyerPhone)
			}
			if c.sale.consent != "" {
				q.Set("consent", c.sale.consent)
			}
			resp, err := a.request(ctx, http.MethodGet, "/postback/"+a.network+"?"+q.Encode(), c.visitor, "")
			if err == nil && resp.status != http.StatusOK {
				err = fmt.Errorf("the postback was answered %d: %.200s", resp.status, resp.body)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
