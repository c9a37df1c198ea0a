package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"switchyard/ops/client"
	"switchyard/ops/visitors"
)

// Percentages.
const (
	goesOn    = 35 // of the visitors at the lander go on to the offer
	converts  = 6  // of the people at the offer; bots never convert
	isPending = 30 // of the conversions
	isBot     = 8  // of all visitors
)

const (
	senders      = 16
	countTimeout = time.Minute
)

// Traffic sends visitors to a campaign, waits until they are counted, and prints the reports. The service must trust
// this machine's X-Forwarded-For, otherwise all visitors have the same address.
func Traffic(ctx context.Context, api *client.API, c Campaign, clicks int, out io.Writer) error {
	set, err := visitors.Load()
	if err != nil {
		return err
	}
	link, err := url.Parse(c.Link)
	if err != nil {
		return fmt.Errorf("demo: tracking link: %w", err)
	}
	clicksBefore, conversionsBefore, err := counted(ctx, api, c)
	if err != nil {
		return err
	}
	t := &traffic{visitors: set, link: link, client: &http.Client{
		Timeout:       30 * time.Second,
		Transport:     &http.Transport{MaxIdleConnsPerHost: senders},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if err := t.send(ctx, clicks, out); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	wait, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	err = client.Poll(wait, 200*time.Millisecond, func() (bool, error) {
		clicksNow, conversionsNow, err := counted(ctx, api, c)
		return clicksNow >= clicksBefore+clicks && conversionsNow >= conversionsBefore+int(t.conversions.Load()), err
	})
	if err != nil {
		return fmt.Errorf("demo: wait until the clicks and conversions are counted (a worker records the conversions): %w", err)
	}
	return printCountries(ctx, api, c, out)
}

type figures struct {
	Dims        map[string]string
	Clicks      int
	Bots        int `json:"bot_clicks"`
	Conversions int
	Cost        float64
	Revenue     float64
	Profit      float64
}

func report(ctx context.Context, api *client.API, c Campaign, dimension string) ([]figures, error) {
	var answer struct{ Rows []figures }
	err := api.Get(ctx, "/reports/performance?dimension="+dimension+"&f.campaign_id="+c.ID, &answer)
	return answer.Rows, err
}

func counted(ctx context.Context, api *client.API, c Campaign) (clicks, conversions int, err error) {
	rows, err := report(ctx, api, c, "campaign_id")
	for _, r := range rows {
		clicks += r.Clicks + r.Bots
		conversions += r.Conversions
	}
	return clicks, conversions, err
}

type traffic struct {
	visitors visitors.Set
	link     *url.URL
	client   *http.Client

	conversions atomic.Int64
}

func (t *traffic) send(ctx context.Context, clicks int, out io.Writer) error {
	sending, sendCtx := errgroup.WithContext(ctx)
	sending.SetLimit(senders)
	progress := time.NewTicker(2 * time.Second)
	defer progress.Stop()
	for sent := 0; sent < clicks && sendCtx.Err() == nil; sent++ {
		select {
		case <-progress.C:
			_, _ = fmt.Fprintf(out, "  %d of %d visitors sent\n", sent, clicks)
		default:
		}
		sending.Go(func() error { return t.visit(sendCtx) })
	}
	return cmp.Or(sending.Wait(), ctx.Err())
}

func chance(percent int) bool { return rand.IntN(100) < percent }

func pick[T any](list []T) T { return list[rand.IntN(len(list))] }

// visit plays one visitor, who follows the link and perhaps clicks the page's button.
func (t *traffic) visit(ctx context.Context) error {
	agent, ip := pick(t.visitors.People), pick(t.visitors.Addresses).IP
	if chance(isBot) {
		agent = pick(t.visitors.Bots)
	}
	q := url.Values{
		"zone": {fmt.Sprintf("zone-%d", rand.IntN(12))}, "creative": {fmt.Sprintf("banner-%d", rand.IntN(4))},
	}
	at, err := t.get(ctx, t.link.Path+"?"+q.Encode(), agent, ip)
	if err != nil {
		return err
	}
	click := at.Query().Get("click")
	if at.Host == landerHost {
		if !chance(goesOn) {
			return nil
		}
		if _, err := t.get(ctx, "/out/1?clickid="+click, agent, ip); err != nil {
			return err
		}
	}
	if agent.Bot != "" || !chance(converts) {
		return nil
	}
	status := "approved"
	if chance(isPending) {
		status = "pending"
	}
	_, err = t.get(ctx, "/postback?"+url.Values{"clickid": {click}, "status": {status}}.Encode(), visitors.Agent{UserAgent: "network/1.0", Bot: "http_library"}, "")
	if err == nil {
		t.conversions.Add(1)
	}
	return err
}

func (t *traffic) get(ctx context.Context, path string, agent visitors.Agent, ip string) (*url.URL, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.link.Scheme+"://"+t.link.Host+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header = agent.Headers("en-US,en;q=0.9")
	if ip != "" {
		req.Header.Set("X-Forwarded-For", ip)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return &url.URL{}, nil
	}
	if resp.StatusCode != http.StatusFound {
		return nil, fmt.Errorf("%s answered %s", req.URL, resp.Status)
	}
	return resp.Location()
}

func printCountries(ctx context.Context, api *client.API, c Campaign, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "\tclicks\tbots\tconversions\tcost\trevenue\tprofit\t")
	for _, dimension := range []string{"campaign_id", "device_type", "country"} {
		rows, err := report(ctx, api, c, dimension)
		if err != nil {
			return err
		}
		for _, r := range rows[:min(len(rows), 8)] {
			name := r.Dims[dimension]
			if dimension == "campaign_id" {
				name = "all"
			}
			_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t\n", name, r.Clicks, r.Bots, r.Conversions, r.Cost, r.Revenue, r.Profit)
		}
	}
	return w.Flush()
}
