package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/longtest"
	"switchyard/ops/lab/e2e"
)

// pages stands for the pages and servers of a customer.
type pages struct {
	*sides
	events, batch int
	site          string
	key, secret   string // the account's public key, and the secret of its servers
	clicks        []uuid.UUID
	done          sync.WaitGroup
	mu            sync.Mutex
	errs          []error
}

// orders counts the orders among the events: every tenth event is one.
func (p *pages) orders() int { return p.events / 10 }

// ofServer reports whether a server sends message n. The page tag sends the others.
func ofServer(n int) bool { return n%10 == 9 }

// startPages creates a site and starts to send messages, two at a time.
func (s *sides) startPages(t *testing.T, via http.RoundTripper, clicks []uuid.UUID) *pages {
	t.Helper()
	p := &pages{sides: s, clicks: clicks, events: longtest.Size(800, 50_000), batch: longtest.Size(10, 50)}
	var made struct{ Site struct{ ID string } }
	var list struct{ SiteKey string }
	var secret struct{ Secret string }
	err := errors.Join(
		s.API.Do(t.Context(), http.StatusOK, http.MethodPost, "/sites", map[string]any{"name": "Shop", "seedGoals": true}, &made),
		s.API.Do(t.Context(), http.StatusOK, http.MethodPost, "/goals", nil, &secret), s.API.Get(t.Context(), "/goals", &list))
	if err != nil {
		t.Fatal(err)
	}
	p.site, p.key, p.secret = made.Site.ID, list.SiteKey, secret.Secret
	messages := make(chan int)
	for range 2 {
		p.done.Go(func() {
			for n := range messages {
				if err := p.send(t.Context(), via, n); err != nil {
					p.mu.Lock()
					p.errs = append(p.errs, err)
					p.mu.Unlock()
				}
			}
		})
	}
	p.done.Go(func() {
		defer close(messages)
		for n := range p.events / p.batch {
			messages <- n
		}
	})
	return p
}

func (p *pages) wait() error {
	p.done.Wait()
	return errors.Join(p.errs...)
}

// send sends message n until it is accepted, with the same ids each time. It returns an error for an answer that no fault
// explains.
func (p *pages) send(ctx context.Context, via http.RoundTripper, n int) error {
	path, message := "/t/event", p.tagged(n)
	if ofServer(n) {
		path, message = "/t/goal", p.reported(n)
	}
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		got, err := p.Send(ctx, p.urls[rand.IntN(len(p.urls))], via, http.MethodPost, path, body, p.secret)
		switch {
		case err == nil && (got.Status == http.StatusNoContent || got.Status == http.StatusOK && ofServer(n)):
			return nil
		case err == nil && got.Status < http.StatusInternalServerError && got.Status != http.StatusTooManyRequests &&
			got.Status != http.StatusUnauthorized && got.Status != http.StatusNotFound: // 401, 404: the web process may not know the site yet
			return fmt.Errorf("%w: %s: %d %.200s", e2e.ErrWrong, path, got.Status, got.Body)
		}
		e2e.Pause(ctx, 20*time.Millisecond)
	}
	return ctx.Err()
}

func (p *pages) numbers(n int) (list []int) {
	for i := range p.batch {
		list = append(list, n*p.batch+i)
	}
	return list
}

func (p *pages) click(i int) string { return models.FormatClickID(p.clicks[i%len(p.clicks)]) }

// tagged returns message n as the page tag sends it.
func (p *pages) tagged(n int) any {
	now := time.Now().UnixMilli()
	var events []map[string]any
	for _, i := range p.numbers(n) {
		e := map[string]any{
			"id": strconv.Itoa(i), "name": "view", "at": now, "url": "https://shop.example/" + strconv.Itoa(i), "click": p.click(i), "from": "url",
		}
		if i%10 == 0 {
			e["name"], e["order_id"] = "purchase", "order-"+strconv.Itoa(i)
		}
		events = append(events, e)
	}
	return map[string]any{"site": p.key, "now": now, "events": events}
}

// reported returns message n as a server sends it. The service counts at most one sign-up of a click.
func (p *pages) reported(n int) any {
	var goals []map[string]any
	for _, i := range p.numbers(n) {
		g := map[string]any{"event_id": strconv.Itoa(i), "click_id": p.click(i), "goal": "signup"}
		if i%10 == 0 {
			g["goal"], g["order_id"] = "purchase", "order-"+strconv.Itoa(i)
		}
		goals = append(goals, g)
	}
	return goals
}

// signups counts the clicks for which a server reports a sign-up.
func (p *pages) signups() int {
	all := map[string]bool{}
	for n := range p.events / p.batch {
		for _, i := range p.numbers(n) {
			if ofServer(n) && i%10 != 0 {
				all[p.click(i)] = true
			}
		}
	}
	return len(all)
}

// counted checks that each event counts once, that each order is one conversion, and that all sign-ups of a click are one
// conversion. It keeps waiting while the figures still change.
func (p *pages) counted(t *testing.T) {
	t.Helper()
	want, got := fmt.Sprint(p.events, p.orders(), p.orders(), p.signups()), ""
	for got != want {
		before := got
		await.Until(t, "events, orders, conversions and sign-ups are "+want+", not "+before, func() bool {
			got = p.reports(t)
			return got != before
		})
	}
	var stored int
	if err := p.open(t).GetContext(t.Context(), &stored, `SELECT count(*) FROM site_events`); err != nil || stored != p.events {
		t.Errorf("%d events are stored, want %d: %v", stored, p.events, err)
	}
	t.Logf("%d events accepted, stored and reported, %d of them orders", p.events, p.orders())
}

// reports returns the numbers of events, orders, conversions of orders and conversions of sign-ups in the list of goals.
func (p *pages) reports(t *testing.T) string {
	t.Helper()
	var list struct {
		SiteTotals struct{ Events int }
		Goals      []struct {
			Key                 string
			Events, Conversions int
		}
	}
	if err := p.API.Get(t.Context(), "/goals?site="+p.site, &list); err != nil || len(list.Goals) != 2 {
		return fmt.Sprint(err)
	}
	purchase, signup := list.Goals[0], list.Goals[1] // the primary goal is first
	return fmt.Sprint(list.SiteTotals.Events, purchase.Events, purchase.Conversions, signup.Conversions)
}
