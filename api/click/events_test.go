package click

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/routing"
	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/money"
)

// site creates an active site. The parameter columns has SQL assignments that change the site.
func (w *env) site(domain, columns string) uuid.UUID {
	w.Helper()
	id := uuid.Must(uuid.NewV7())
	dbtest.Exec(w, w.db, `INSERT INTO sites (id, account_id, name, domain, currency) VALUES ($1, $2, $4, $3, 'EUR')`, id, w.account, domain, id.String())
	if columns != "" {
		dbtest.Exec(w, w.db, `UPDATE sites SET `+columns+` WHERE id = $1`, id)
	}
	return id
}

// goal creates an active goal. The parameter columns has SQL assignments that change the goal.
func (w *env) goal(site uuid.UUID, key, columns string) {
	w.Helper()
	id := uuid.Must(uuid.NewV7())
	dbtest.Exec(w, w.db, `INSERT INTO goals (id, account_id, site_id, key, name) VALUES ($1, $2, $3, $4, $4)`, id, w.account, site, key)
	if columns != "" {
		dbtest.Exec(w, w.db, `UPDATE goals SET `+columns+` WHERE id = $1`, id)
	}
}

// routingAccount returns the account as the routing snapshot has it.
func (w *env) routingAccount() *routing.Account {
	w.Helper()
	return w.h.routes.Current().AccountOfSiteKey(w.account.String())
}

// events returns the events in the spool, sorted by their value.
func (s *memorySpool) events() (list []models.SiteEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Event != nil {
			list = append(list, *r.Event)
		}
	}
	slices.SortFunc(list, func(a, b models.SiteEvent) int { return int(a.Value.Sub(b.Value).IntPart()) })
	return list
}

func TestEventsReachGoals(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	shop := w.site("shop.example.test", "")
	below := w.site("blog.shop.example.test", "revenue_from = 'fixed'")
	w.site("closed.shop.example.test", "is_active = false")
	w.goal(shop, "purchase", "dedupe = 'per_order', value_mode = 'from_event', status = 'pending'")
	w.goal(shop, "signup", "value_mode = 'fixed', value = 7, currency = 'GBP'")
	w.goal(shop, "lead", "")
	w.goal(shop, "old", "is_active = false")
	w.goal(shop, "thanks", "kind = 'page', match_path = '/thanks'")
	w.goal(shop, "docs", "kind = 'page', match_path = '/docs/*'")
	w.goal(below, "purchase", "value_mode = 'from_event', value = 3")
	w.reload()
	reachedGoal := func(key, value, currency, status, order string) []models.ReachedGoal {
		return []models.ReachedGoal{{
			Key: key, Value: decimal.RequireFromString(value), Currency: currency, Status: status, OrderID: order,
		}}
	}
	for i, c := range []struct {
		event models.SiteEvent
		site  uuid.UUID
		want  []models.ReachedGoal
	}{
		{models.SiteEvent{Name: "purchase", Host: "www.shop.example.test", Currency: "usd", OrderID: "A1"}, shop, reachedGoal("purchase", "0", "USD", "pending", "A1")},
		{models.SiteEvent{Name: "signup", Host: "SHOP.example.test:443"}, shop, reachedGoal("signup", "7", "GBP", "", "")},
		{models.SiteEvent{Name: "lead", OrderID: "A1"}, shop, reachedGoal("lead", "0", "EUR", "", "")},
		{models.SiteEvent{Name: "old"}, shop, nil},
		{models.SiteEvent{Name: "unknown", Host: "else.example.test"}, shop, nil},
		{models.SiteEvent{Name: models.EventView, Path: "/thanks/?order=1"}, shop, reachedGoal("thanks", "0", "EUR", "", "")},
		{models.SiteEvent{Name: models.EventClick, Path: "/thanks"}, shop, nil},
		{models.SiteEvent{Name: models.EventView, Path: "/docs/a/b"}, shop, reachedGoal("docs", "0", "EUR", "", "")},
		{models.SiteEvent{Name: models.EventView, Path: "/document"}, shop, nil},
		{models.SiteEvent{Name: "purchase", Host: "blog.shop.example.test"}, below, reachedGoal("purchase", "3", "EUR", "", "")},
		{models.SiteEvent{Name: "purchase", Host: "closed.shop.example.test"}, shop, reachedGoal("purchase", "10", "EUR", "pending", "")},
	} {
		c.event.ID, c.event.Value = models.SiteEventID(w.account, models.FromTag, c.event.Name+c.event.Path), decimal.NewFromInt(int64(i))
		if err := w.h.storeEvents(t.Context(), w.routingAccount(), []models.SiteEvent{c.event}); err != nil {
			t.Fatal(err)
		}
		list := w.spool.events()
		got := list[len(list)-1]
		if got.SiteID != c.site || got.AccountID != w.account || got.ReceivedAt.IsZero() || got.At != got.ReceivedAt {
			t.Errorf("case %d: the event has the wrong site, account or times: %+v", i, got)
		}
		if diff := cmp.Diff(c.want, got.Goals, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
			t.Errorf("case %d: other goals than expected (-want +got): %s", i, diff)
		}
	}
}

func TestEventsAreWithinBounds(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	other := w.newAccount()
	if err := w.reload().h.storeEvents(t.Context(), w.routingAccount(), []models.SiteEvent{{ID: uuid.New()}}); err == nil {
		t.Error("an event of an account without sites was accepted")
	}
	w.site("", "account_id = '"+other.String()+"'")
	if err := w.reload().h.storeEvents(t.Context(), w.routingAccount(), []models.SiteEvent{{ID: uuid.New()}}); err == nil {
		t.Error("an event was accepted although only another account has a site")
	}
	w.site("", "")
	long := string(slices.Repeat([]byte("ä\x00"), 5000))
	now := time.Now()
	events := []models.SiteEvent{{
		ID: uuid.New(), Name: long, Host: long, Path: long, Referrer: long, OrderID: long, AdID: long, TimeZone: long, Screen: long,
		Arrival: "magic", Currency: "gold", Slot: 99, At: now.AddDate(0, 0, -40), Value: decimal.New(1, 1_000_000_000),
		Items: slices.Repeat([]models.SiteItem{{SKU: long, Name: long, Price: models.NewMoney(decimal.New(-1, 0)), Quantity: -1}}, 500),
	}}
	if err := w.reload().h.storeEvents(t.Context(), w.routingAccount(), events); err != nil {
		t.Fatal(err)
	}
	e := w.spool.events()[0]
	if len(e.Name) > maxEventName || len(e.Path) > maxPath || len(e.OrderID) > maxOrderText || e.Arrival != "" || e.Currency != money.Unknown ||
		e.Slot != 20 || !e.Value.IsZero() || len(e.Items) != maxItems || e.Items[0].Quantity != 1 || !e.Items[0].Price.IsZero() ||
		e.At.Before(now) {
		t.Errorf("a value of the event exceeds its limits: %+v", e)
	}
	w.spool.full = true
	if err := w.h.storeEvents(t.Context(), w.routingAccount(), events); err == nil {
		t.Error("storeEvents returned no error although the spool was full")
	}
}

// TestSitesAreLive: changes of sites and goals in PostgreSQL take effect in the snapshot.
func TestSitesAreLive(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	first, second := w.site("", ""), w.site("", "")
	w.goal(second, "lead", "")
	s := w.reload().h.routes.Current()
	if got := s.SiteOf(w.account, "x"); got == nil || got.Row.ID != first {
		t.Errorf("a page is assigned to the site %v, want the first site", got)
	}
	if got := s.SiteOfGoal(w.account, "lead"); got == nil || got.Row.ID != second {
		t.Errorf("the site of the goal is %v, want the second site", got)
	}
	dbtest.Exec(w, w.db, `UPDATE sites SET domain = 'shop.test', is_active = false WHERE id = $1`, second)
	s = w.reload().h.routes.Current()
	if got := s.SiteOf(w.account, "www.shop.test"); got != nil {
		t.Errorf("a page of an inactive site is assigned to %v, want no site", got)
	}
	dbtest.Exec(w, w.db, `UPDATE sites SET domain = 'shop.test' WHERE id = $1`, first)
	s = w.reload().h.routes.Current()
	if got := s.SiteOf(w.account, "www.shop.test"); got == nil || got.Row.ID != first {
		t.Errorf("the page is not assigned to the active one of two sites: %v", got)
	}
	dbtest.Exec(w, w.db, `DELETE FROM sites WHERE id = $1`, second)
	dbtest.Exec(w, w.db, `UPDATE sites SET is_active = false WHERE id = $1`, first)
	s = w.reload().h.routes.Current()
	if s.SiteOf(w.account, "x") != nil || s.SiteOfGoal(w.account, "lead") != nil || len(s.GoalsOf(second)) > 0 {
		t.Error("deleted or inactive sites are still used")
	}
}
