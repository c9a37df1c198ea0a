package smoke

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
)

// money is an account that imports spend from Meta and conversions from Everflow, and uploads conversions to Meta. Meta and
// Everflow are fakes that keep their own counts.
type money struct {
	*traffic
	api       *client.API
	account   string
	platforms *platforms
	sites     *fleet.Sites
	receiver  *fleet.Receiver

	source, network, hook string
	param                 string // the parameter of the tracking link that carries Meta's campaign id
	campaigns             [3]moneyCampaign
	clicks                []*moneyClick
	sales                 []*sale
	wantRuns              []string // what the history must say about each import of orders, the oldest first
}

// moneyCampaign is a campaign of ours. platform is the campaign at Meta that its clicks name, or empty.
type moneyCampaign struct{ id, link, platform string }

var moneyPlatforms = [3]string{"120001", "120002", ""}

// restPlatform is a campaign at Meta that no click here names. Its spend is for the clicks that name no campaign.
const restPlatform = "120009"

type moneyClick struct {
	visitor
	id, fbclid string
	campaign   int
	at         time.Time
}

// startMoney connects the platforms, sends visitors and imports the first reports. The clock then starts the uploads to Meta.
func (t *traffic) startMoney(ctx context.Context, f *fleet.Fleet, p *platforms, s *fleet.Sites, r *fleet.Receiver) (*money, error) {
	m := &money{traffic: t, platforms: p, sites: s, receiver: r}
	var err error
	if m.account, m.api, err = f.Account(ctx, "Money", "scale"); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{
		m.setUp, m.signIn, m.connect, m.arrive, m.postbackAhead, m.importFirst,
	} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("networks and ad platforms: %w", err)
		}
	}
	return m, nil
}

// hookPath is the endpoint that receives the conversions of this account.
const hookPath = "/hooks/money"

// setUp creates the records of the account. The source and the network come from the templates of both platforms.
func (m *money) setUp(ctx context.Context) error {
	var source struct {
		ID          string
		TokenMacros map[string]string `json:"token_macros"`
	}
	if err := m.api.Create(ctx, "/traffic-sources", object{"platform": "meta", "name": "Meta"}, &source); err != nil {
		return err
	}
	m.source = source.ID
	for param, macro := range source.TokenMacros {
		if macro == "{{campaign.id}}" {
			m.param = param
		}
	}
	var network struct {
		ID          string
		OfferSuffix string `json:"offer_url_suffix"`
	}
	body := object{"template": "Everflow", "currency": "USD"}
	if err := m.api.Create(ctx, "/networks", body, &network); err != nil {
		return err
	}
	m.network = network.ID
	var offer struct{ ID string }
	shop := object{"name": "Shop", "url": m.pages.url + "/money?" + network.OfferSuffix, "network_id": m.network, "payout_from_param": true}
	if err := m.api.Create(ctx, "/offers", shop, &offer); err != nil {
		return err
	}
	for i, platform := range moneyPlatforms {
		var made struct {
			ID          string
			TrackingURL string `json:"tracking_url"`
		}
		body := object{"name": "Money " + strconv.Itoa(i), "alias": "money-" + strconv.Itoa(i), "source_id": m.source, "offer_id": offer.ID}
		if err := m.api.Create(ctx, "/campaigns", body, &made); err != nil {
			return err
		}
		m.campaigns[i] = moneyCampaign{made.ID, made.TrackingURL, platform}
	}
	var hook struct{ ID, Secret string }
	body = object{"url": m.receiver.URL(hookPath), "events": []string{"conversion.created", "conversion.updated"}, "name": "money"}
	if err := m.api.Create(ctx, "/webhooks", body, &hook); err != nil {
		return err
	}
	m.hook = hook.ID
	m.receiver.SetSecret(hookPath, hook.Secret)
	return nil
}

var linkPattern = regexp.MustCompile(`<a href="([^"]*)"`)

// signIn connects Meta and checks the list of ad accounts.
func (m *money) signIn(ctx context.Context) error {
	if err := signIn(ctx, m.api, m.sites, "meta", "Money"); err != nil {
		return err
	}
	var accounts struct {
		Accounts []struct{ ID, Currency, TimeZone string }
	}
	if err := m.api.Get(ctx, "/oauth/meta/accounts", &accounts); err != nil {
		return err
	}
	m.same("ad accounts at Meta", fmt.Sprint(accounts.Accounts), fmt.Sprintf("[{%s USD UTC}]", metaAccount))
	return nil
}

// signIn connects an account to a platform, as a person does in a browser. name is the name of the account.
func signIn(ctx context.Context, api *client.API, sites *fleet.Sites, platform, name string) error {
	var start struct{ URL string }
	if err := api.Do(ctx, http.StatusOK, http.MethodPost, "/oauth/"+platform+"/connect", nil, &start); err != nil {
		return err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	ours := &http.Client{Jar: jar, Timeout: time.Minute}
	page, err := get(ctx, ours, start.URL)
	if err != nil {
		return err
	}
	link := linkPattern.FindStringSubmatch(page.body)
	if page.status != http.StatusOK || link == nil || !strings.Contains(page.body, "<strong>"+name+"</strong>") {
		return fmt.Errorf("the page of the sign-in answers %d: %.300s", page.status, page.body)
	}
	theirs := &http.Client{
		Transport: sites.Transport(), Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	dialog, err := get(ctx, theirs, html.UnescapeString(link[1]))
	if err != nil {
		return err
	}
	back, err := get(ctx, ours, dialog.to)
	if err != nil {
		return err
	}
	if back.status != http.StatusOK || !strings.Contains(back.body, "Connected") {
		return fmt.Errorf("the page after the sign-in answers %d: %.300s", back.status, back.body)
	}
	return nil
}

func get(ctx context.Context, c *http.Client, address string) (out response, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return out, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return out, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	out = response{status: resp.StatusCode, body: string(body), to: resp.Header.Get("Location")}
	return out, errors.Join(err, resp.Body.Close())
}

// connect connects the source and the network, and tests both. The clock's imports are disabled: this test starts all imports.
func (m *money) connect(ctx context.Context) error {
	body := object{
		"provider": "meta", "credentials": object{"ad_account_id": metaAccount, "pixel_id": metaPixel, "capi_token": metaCAPI},
		"is_enabled": false, "conversions_enabled": true, "mode": "live",
	}
	if err := m.api.Do(ctx, http.StatusOK, http.MethodPut, m.sourcePath(), body, nil); err != nil {
		return err
	}
	body = object{"provider": "everflow", "credentials": object{"api_key": everflowKey}, "is_enabled": false}
	if err := m.api.Do(ctx, http.StatusOK, http.MethodPut, m.networkPath(), body, nil); err != nil {
		return err
	}
	for _, path := range []string{m.sourcePath(), m.networkPath() + "/test"} {
		var tested struct {
			OK     bool
			Detail *string
		}
		if err := m.api.Do(ctx, http.StatusOK, http.MethodPost, path, nil, &tested); err != nil {
			return err
		}
		if !tested.OK {
			return fmt.Errorf("POST %s: the platform does not accept the connection: %v", path, tested.Detail)
		}
	}
	return nil
}

func (m *money) sourcePath() string  { return "/traffic-sources/" + m.source + "/integration" }
func (m *money) networkPath() string { return "/networks/" + m.network + "/integration" }

const moneyVisitors = 12

// arrive sends the visitors from Meta, each once, to the campaigns in turn.
func (m *money) arrive(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, quietTimeout)
	defer cancel()
	for _, c := range m.campaigns {
		if err := m.waitLink(wait, c.link); err != nil {
			return err
		}
	}
	random := rand.New(rand.NewPCG(4, 4))
	for i := range moneyVisitors {
		c := &moneyClick{visitor: newVisitor(m.visitors, 0, random), fbclid: "IwAR-" + strconv.Itoa(i), campaign: i % len(m.campaigns)}
		c.Agent = m.visitors.People[i]
		at := m.campaigns[c.campaign]
		link, err := url.Parse(at.link)
		if err != nil {
			return err
		}
		q := link.Query()
		q.Set(m.param, at.platform)
		q.Set("fbclid", c.fbclid)
		link.RawQuery = q.Encode()
		resp, err := m.request(ctx, http.MethodGet, link.String(), c.visitor, "")
		if err != nil {
			return err
		}
		to, err := url.Parse(resp.to)
		if err != nil {
			return err
		}
		c.id = to.Query().Get("sub1")
		if c.at = idTime(c.id); c.at.IsZero() {
			return fmt.Errorf("visitor %d got the status %d and was sent to %q, an address without a click id", i, resp.status, resp.to)
		}
		m.clicks = append(m.clicks, c)
	}
	return m.waitClicks(ctx)
}

func (m *money) waitClicks(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, quietTimeout)
	defer cancel()
	return client.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		n := 0
		for _, c := range m.campaigns {
			var own struct{ Clicks int }
			if err := m.api.Get(ctx, "/campaigns/"+c.id+"/stats", &own); err != nil {
				return false, err
			}
			n += own.Clicks
		}
		return n == moneyVisitors, nil
	})
}

// spent returns the spend that Meta reports for the days of the clicks. Click i costs 37+i+more cents.
func (m *money) spent(more int64) []spendRow {
	var rows []spendRow
	add := func(day, platform string, amount decimal.Decimal) {
		for i := range rows {
			if rows[i].day == day && rows[i].campaign == platform {
				rows[i].amount, rows[i].clicks = rows[i].amount.Add(amount), rows[i].clicks+1
				return
			}
		}
		rows = append(rows, spendRow{day, platform, amount, 1})
	}
	for i, c := range m.clicks {
		platform := moneyPlatforms[c.campaign]
		if platform == "" {
			platform = restPlatform
		}
		add(c.at.Format(time.DateOnly), platform, decimal.New(int64(37+i)+more, -2))
	}
	for i := range rows {
		rows[i].clicks++ // one more click, which never arrived
	}
	return rows
}

// cost returns the cost of a campaign's clicks, or of all clicks if campaign is below 0.
func (m *money) cost(campaign int, more int64) decimal.Decimal {
	sum := decimal.Zero
	for i, c := range m.clicks {
		if campaign < 0 || c.campaign == campaign {
			sum = sum.Add(decimal.New(int64(37+i)+more, -2))
		}
	}
	return sum
}

// same compares two values by their texts.
func (t *traffic) same(what string, got, want any) {
	t.compared++
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.differ("%s: is %v, expected %v", what, got, want)
	}
}

// shortest rounds a number to six decimals and returns its text without zeros at the end.
func shortest(d decimal.Decimal) string { return d.Round(answerDecimals).String() }

// days returns the day of the first click, and today, which is the last possible day of a click or a conversion.
func (m *money) days() (from, to string) {
	return m.clicks[0].at.Format(time.DateOnly), time.Now().UTC().Format(time.DateOnly)
}
