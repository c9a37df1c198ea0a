package smoke

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
)

// finish waits for the first uploads and revises the reports of the platforms. Then it checks the uploads, the imports and the
// webhooks.
func (m *money) finish(ctx context.Context) error {
	first := 0
	for _, s := range saleScripts {
		if s.first == "approved" {
			first++
		}
	}
	// A conversion that is revised before its upload would be uploaded only in its revised form.
	if err := m.waitUploads(ctx, func(u uploadsAnswer) bool { return u.Accepted == first && u.Pending == 0 }); err != nil {
		return err
	}
	if err := m.revise(ctx); err != nil {
		return err
	}
	err := errors.Join(m.uploads(ctx), m.runs(ctx), m.checkWebhooks(ctx))
	for _, fault := range m.platforms.faults() {
		m.problem("a platform refused a request: %s", fault)
	}
	return err
}

type uploadsAnswer struct {
	Accepted, Rejected, Shadow, Skipped, Pending int
	Stopped                                      *string
	Rows                                         []struct {
		ClickID              string `json:"click_id"`
		ConversionID         string `json:"conversion_id"`
		Goal, Action, Result string
		Reason               string
		Value                json.Number
	}
}

// uploadsTimeout is long enough for the clock to start the uploads several times.
const uploadsTimeout = 3 * time.Minute

func (m *money) waitUploads(ctx context.Context, done func(uploadsAnswer) bool) error {
	var got struct{ Uploads uploadsAnswer }
	late, err := poll(ctx, uploadsTimeout, 500*time.Millisecond, func() (bool, error) {
		err := m.api.Get(ctx, m.sourcePath(), &got)
		return done(got.Uploads), err
	})
	if late {
		m.problem("uploads to Meta: after %s they are %+v", uploadsTimeout, got.Uploads)
	}
	return err
}

// uploads compares the conversions that Meta received with the sales. Meta can neither change a conversion nor take it back, so
// later changes are listed as skipped.
func (m *money) uploads(ctx context.Context) error {
	accepted, skipped := map[string]string{}, map[string]string{} // by click and goal; skipped has the action and the reason
	for i, s := range saleScripts {
		key := m.sales[i].click + " " + s.goal
		switch {
		case s.first == "approved":
			accepted[key] = s.firstPayout
			if s.second == "gone" {
				skipped[key] = "retract cannot be retracted: the platform does not support it"
			} else if s.second != s.first || s.firstPayout != s.secondPayout {
				skipped[key] = "restate cannot be changed: the platform does not support it"
			}
		case s.second == "approved":
			accepted[key] = s.secondPayout
		}
	}
	var shown uploadsAnswer
	err := m.waitUploads(ctx, func(u uploadsAnswer) bool {
		shown = u
		return u.Accepted == len(accepted) && u.Skipped == len(skipped) && u.Pending == 0
	})
	if err != nil {
		return err
	}
	m.same("uploads: accepted, skipped, others", fmt.Sprint(shown.Accepted, shown.Skipped, shown.Rejected+shown.Shadow+shown.Pending, shown.Stopped == nil),
		fmt.Sprint(len(accepted), len(skipped), 0, true))
	ids := map[string]string{}
	for _, row := range shown.Rows {
		key := row.ClickID + " " + row.Goal
		if row.Result == "skipped" {
			m.same("upload of "+key, row.Action+" "+row.Reason, skipped[key])
			continue
		}
		ids[row.ConversionID] = key
		m.same("upload of "+key, fmt.Sprint(row.Action, row.Result, shortest(number(row.Value))), fmt.Sprint("upload", "accepted", accepted[key]))
	}
	events := m.platforms.events()
	m.same("conversions reported to Meta", len(events), len(accepted))
	for _, e := range events {
		m.event(e, ids[e.ID], accepted)
		delete(ids, e.ID)
	}
	return nil
}

func (m *money) event(e metaEvent, key string, accepted map[string]string) {
	for _, s := range m.sales {
		if s.click+" "+s.goal != key {
			continue
		}
		sum := sha256.Sum256([]byte(strings.ToLower(s.click)))
		want := fmt.Sprint("Purchase website ", accepted[key], " USD ", e.ID, [1]string{hex.EncodeToString(sum[:])},
			" fb.1.", s.visit.at.UnixMilli(), ".", s.visit.fbclid, " ", s.visit.IP, " ", s.visit.UserAgent)
		m.same("conversion at Meta", fmt.Sprint(e.Name, " ", e.Source, " ", shortest(number(e.Custom.Value)), " ", e.Custom.Currency, " ", e.Custom.Order,
			e.User.External, " ", e.User.Fbc, " ", e.User.IP, " ", e.User.Agent), want)
		if s.source == "postback" {
			return // its time is the arrival of the postback, which this program does not know exactly
		}
		m.same("time of the conversion at Meta", e.Time, max(s.at.Unix(), s.visit.at.Unix()+1))
		return
	}
	m.differ("conversion at Meta: %+v belongs to no sale, or came twice", e)
}

func (m *money) runs(ctx context.Context) error {
	var got struct {
		Runs []struct {
			Origin                        string
			Applied                       bool
			Pages, Read, Matched, Changed int
			Error                         *string
		}
	}
	if err := m.api.Get(ctx, m.networkPath(), &got); err != nil {
		return err
	}
	m.same("imports of orders", len(got.Runs), len(m.wantRuns))
	for i, want := range m.wantRuns {
		if at := len(got.Runs) - 1 - i; at >= 0 { // the newest comes first
			r := got.Runs[at]
			m.same("an import of orders", fmt.Sprint(r.Origin, r.Pages, r.Read, r.Matched, r.Error == nil), want)
		}
	}
	return nil
}

// checkWebhooks checks that each change of a conversion is delivered once.
func (m *money) checkWebhooks(ctx context.Context) error {
	var want []string
	for _, s := range m.sales {
		for _, r := range s.recordings {
			want = append(want, strings.Join([]string{r.event, s.click, s.goal, s.own, r.status, shortest(r.payout)}, " "))
		}
	}
	sort.Strings(want)
	var got []string
	_, err := poll(ctx, quietTimeout, 200*time.Millisecond, func() (bool, error) {
		got = got[:0]
		for _, a := range m.receiver.Attempts() {
			if a.Endpoint != hookPath || !a.Accepted() {
				continue
			}
			var p payload
			if err := json.Unmarshal(a.Body, &p); err != nil {
				return false, fmt.Errorf("a webhook of %s: %w", hookPath, err)
			}
			if p.AccountID != m.account || a.Problem != "" {
				return false, fmt.Errorf("a webhook of %s: %s: %s", hookPath, a.Problem, a.Body)
			}
			r := p.Data.conversionRow
			got = append(got, strings.Join([]string{a.Type, r.ClickID, r.Goal, r.ConversionID, r.Status, shortest(number(r.Payout))}, " "))
		}
		return len(got) >= len(want), nil
	})
	if err != nil {
		return err
	}
	sort.Strings(got)
	m.same("webhooks of "+hookPath, len(got), len(want))
	for i := range min(len(got), len(want)) {
		m.same("webhook of "+hookPath, got[i], want[i])
	}
	return nil
}
