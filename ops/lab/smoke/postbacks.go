package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// The ways to send a postback, and the number of ways.
const (
	asQuery = iota
	asForm
	asJSON
	waysToSend
)

// sendPostback sends a postback as a query, as a form or as JSON: `way` modulo waysToSend is one of the constants above. A
// refusal is recorded as a problem.
func (t *traffic) sendPostback(ctx context.Context, path string, values url.Values, way int) error {
	method, query, body, kind := http.MethodGet, "?"+values.Encode(), "", ""
	switch way % waysToSend {
	case asForm:
		method, query, body, kind = http.MethodPost, "", values.Encode(), "application/x-www-form-urlencoded"
	case asJSON:
		object := map[string]string{}
		for name := range values {
			object[name] = values.Get(name)
		}
		text, err := json.Marshal(object)
		if err != nil {
			return err
		}
		method, query, body, kind = http.MethodPost, "", string(text), "application/json"
	}
	req, err := http.NewRequestWithContext(ctx, method, t.base+path+query, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Host = t.host
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	var answer struct{ Data struct{ Result string } }
	if err := json.Unmarshal(text, &answer); err != nil || resp.StatusCode != http.StatusOK || answer.Data.Result != "accepted" {
		t.problem("%s %s%s answered %d: %.200s", method, path, query, resp.StatusCode, text)
	}
	return nil
}

// convert sends misleading postbacks and then all rounds of real ones. After each round, it waits until the conversions are recorded.
func (t *traffic) convert(ctx context.Context) error {
	if err := t.sendMisleading(ctx); err != nil {
		return err
	}
	for round := 1; round <= rounds; round++ {
		if err := t.round(ctx, round); err != nil {
			return err
		}
		if err := t.waitRecorded(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (t *traffic) round(ctx context.Context, round int) error {
	work := make(chan *click)
	errs := make([]error, senders)
	var wg sync.WaitGroup
	for i := range senders {
		wg.Go(func() {
			for c := range work {
				if round > 1 || !c.early() {
					errs[i] = errors.Join(errs[i], t.report(ctx, c, round))
				}
			}
		})
	}
	for _, c := range t.clicks {
		work <- c
	}
	close(work)
	wg.Wait()
	return errors.Join(errs...)
}

// early reports whether the first postbacks of a click are sent immediately after it, so that they overtake the click. A click
// with two click-outs is excluded, because its postbacks could count for the first offer.
func (c *click) early() bool { return c.number%8 == 0 && len(c.outs) < 2 }

// sendMisleading sends postbacks that must not lead to a conversion.
func (t *traffic) sendMisleading(ctx context.Context) error {
	random := rand.New(rand.NewPCG(7, 7))
	var alpha *click
	for _, c := range t.clicks {
		if c.offer == "fixed" && !c.bot() {
			alpha = c
			break
		}
	}
	if alpha == nil {
		return errors.New("no click reached an offer of alpha")
	}
	own := "/postback/" + t.networks["alpha"]
	wrong := []struct {
		path   string
		values url.Values
	}{
		{"/postback", url.Values{"clickid": {makeID(random.Uint64())}, "payout": {"100"}}},
		{"/postback", url.Values{"clickid": {makeID(random.Uint64())}, "status": {"approved"}}},
		{"/postback", url.Values{"clickid": {"no-such-click"}, "payout": {"100"}}},
		{"/postback", url.Values{"payout": {"100"}}},
		{"/postback", url.Values{"clickid": {alpha.id}, "payout": {"100"}, "conversion_id": {"without-secret"}}},
		{own, url.Values{"aff_ref": {alpha.id}, "income": {"100"}, "order": {"no-secret"}}},
		{own, url.Values{"aff_ref": {alpha.id}, "secret": {"alpha-knows-that"}, "order": {"wrong-secret"}}},
	}
	for i, w := range wrong {
		if err := t.sendPostback(ctx, w.path, w.values, i); err != nil {
			return err
		}
	}
	return nil
}

type conversionRow struct {
	ClickID      string      `json:"click_id"`
	ConversionID string      `json:"conversion_id"`
	Goal         string      `json:"goal"`
	Status       string      `json:"status"`
	Payout       json.Number `json:"payout"`
	Currency     string      `json:"currency"`
	CampaignID   string      `json:"campaign_id"`
	OfferID      string      `json:"offer_id"`
	SourceID     string      `json:"source_id"`
	Source       string      `json:"source"`
	RecordedAt   string      `json:"recorded_at"`
}

func (r conversionRow) key() string { return r.ClickID + " " + r.Goal + " " + r.ConversionID }

func (v *conversion) key() string { return v.click.id + " " + v.goal + " " + v.id }

func (t *traffic) expected() map[string]*conversion {
	all := map[string]*conversion{}
	for _, c := range t.clicks {
		for _, v := range c.conversions {
			all[v.key()] = v
		}
	}
	return all
}

// waitRecorded waits until the log shows every conversion with its status and payout. A timeout is a problem, and the run
// continues.
func (t *traffic) waitRecorded(ctx context.Context) error {
	want := t.expected()
	late, err := poll(ctx, quietTimeout, 300*time.Millisecond, func() (bool, error) {
		rows, err := pages1000[conversionRow](ctx, t.api, "/logs/conversions", nil)
		if err != nil {
			return false, err
		}
		right := 0
		for _, r := range rows {
			if v := want[r.key()]; v != nil && v.status == r.Status && v.payout.Round(answerDecimals).Equal(number(r.Payout)) {
				right++
			}
		}
		return right == len(want), nil
	})
	if late {
		t.problem("not every conversion was recorded within %s", quietTimeout)
	}
	return err
}

// quietTimeout is the time that the service may take to process the traffic that it received.
const quietTimeout = 60 * time.Second
