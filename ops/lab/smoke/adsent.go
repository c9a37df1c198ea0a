package smoke

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// finish checks the uploads, the reports, and the comparisons with an ad platform and the network.
func (a *adRun) finish(ctx context.Context) error {
	for _, s := range a.sources {
		if err := a.uploads(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if _, refused := a.server.received(""); len(refused) > 0 {
		a.problem("ad platforms refused %v", refused)
	}
	if err := a.figures(ctx); err != nil {
		return err
	}
	return errors.Join(a.sourceDifference(ctx, a.sources[0]), a.networkDifference(ctx))
}

// uploads waits for the uploads to a platform, and compares them with the sales.
func (a *adRun) uploads(ctx context.Context, s *adSource) error {
	var got struct{ Uploads uploadsAnswer }
	_, err := poll(ctx, uploadsTimeout, 500*time.Millisecond, func() (bool, error) {
		err := a.api.Get(ctx, s.path(), &got)
		return got.Uploads.Accepted == len(adSales) && got.Uploads.Pending == 0, err
	})
	if err != nil {
		return err
	}
	u := got.Uploads
	a.same("uploads to "+s.name, fmt.Sprint(u.Accepted, u.Rejected, u.Shadow, u.Skipped, u.Pending, u.Stopped == nil), fmt.Sprint(len(adSales), 0, 0, 0, 0, true))
	keys := map[string]string{} // ids of conversions at the platform, by our click ids
	for _, row := range u.Rows {
		keys[row.ClickID] = row.ConversionID
	}
	bodies, _ := a.server.received(s.name)
	seen := map[string]int{}
	for _, body := range bodies {
		for path, want := range s.sent.head {
			a.same(path+" at "+s.name, at(body, path), want)
		}
		list, _ := at(body, s.sent.list).([]any)
		for _, item := range list {
			seen[fmt.Sprint(at(item, s.sent.click))]++
			a.arrived(s, item, keys)
		}
	}
	for _, c := range s.clicks {
		if c.sale.id != "" {
			a.same("conversions of "+c.click, seen[c.click], 1)
			delete(seen, c.click)
		}
	}
	a.same("conversions at "+s.name+" for clicks without a sale", len(seen), 0)
	return nil
}

func (a *adRun) arrived(s *adSource, item any, keys map[string]string) {
	for _, c := range s.clicks {
		if c.sale.id == "" || c.click != at(item, s.sent.click) {
			continue
		}
		email, phone := any(nil), any(nil)
		if c.sale.consent == "granted" {
			email = sha(s.email)
			if c.sale.phones {
				phone = sha(s.phone)
			}
		}
		value, _ := at(item, s.sent.value).(json.Number)
		got := fmt.Sprint(at(item, s.sent.id), " ", shortest(number(value)), at(item, s.sent.currency), " ", at(item, s.sent.email), " ", at(item, s.sent.phone))
		a.same("conversion of "+c.click, got, fmt.Sprint(keys[c.id], " ", shortest(c.sale.payout), "USD ", email, " ", phone))
		return
	}
	a.differ("a conversion at %s belongs to no sale: %v", s.name, item)
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (a *adRun) figures(ctx context.Context) error {
	for _, dimension := range []string{"source_id", "campaign_id"} {
		want := map[string]*figures{}
		for _, s := range a.sources {
			for i, c := range s.clicks {
				key := s.id
				if dimension == "campaign_id" {
					key = s.campaigns[c.campaign].id
				}
				if want[key] == nil {
					want[key] = &figures{}
				}
				f := want[key]
				if c.Bot != "" {
					f.bots++
					continue
				}
				f.clicks, f.unique, f.approved = f.clicks+1, f.unique+1, f.approved+1
				f.cost, f.revenue = f.cost.Add(c.price(i).Mul(euro)), f.revenue.Add(c.sale.payout)
			}
		}
		var answer struct{ Rows []reportRow }
		if err := a.api.Get(ctx, "/reports/performance?dimension="+dimension, &answer); err != nil {
			return err
		}
		a.same("ad platforms by "+dimension+": rows", len(answer.Rows), len(want))
		for i := range answer.Rows {
			row := &answer.Rows[i]
			if f := want[row.key([]string{dimension})]; f != nil {
				a.compare("ad platforms by "+dimension, row.figures, f, everyFigure)
			} else {
				a.differ("ad platforms by %s: a row of %v", dimension, row.dims)
			}
		}
	}
	return nil
}
