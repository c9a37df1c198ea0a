package linkcheck_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/models"
)

// failsOver lets campaigns of a domain move to another domain.
const failsOver = true

// domain adds a verified domain to a group.
func (w *env) domain(host, group string, failover bool) uuid.UUID {
	w.Helper()
	id := uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified, group_name, failover) VALUES ($1, $2, $3, true, $4, $5)`,
		id, w.account, host, group, failover)
	return id
}

func (w *env) campaign(domain uuid.UUID, alias string) uuid.UUID {
	w.Helper()
	c := models.NewCampaign(models.Account{Currency: "USD"})
	c.AccountID, c.Name, c.Alias, c.DomainID, c.DestinationURL = w.account, uuid.NewString(), alias, domain, "https://shop.acme.com/"
	c, err := w.store.Campaigns().Create(w.Context(), c, nil)
	if err != nil {
		w.Fatal(err)
	}
	return c.ID
}

func (w *env) hostOf(campaign uuid.UUID) string {
	w.Helper()
	c, err := w.store.Campaigns().Find(w.Context(), w.account, campaign)
	if err != nil {
		w.Fatal(err)
	}
	return c.Host
}

// setListed replaces the hosts on the list of unsafe addresses, and looks up the links.
func (w *env) setListed(hosts ...string) {
	w.Helper()
	w.list.mu.Lock()
	w.list.threat = map[string][]string{}
	for _, h := range hosts {
		w.list.threat["http://"+h+"/"] = []string{"MALWARE"}
	}
	w.list.mu.Unlock()
	w.hour(jobs.ScreenLinks)
}

// TestFailover checks that campaigns of a listed domain move to a spare domain if the account asked for it, and come back on
// request.
func TestFailover(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	// The spare domains are in the group "spare", in upper or lower case. a0 is not verified and a1 leads elsewhere, so neither gets
	// campaigns. The alias "taken" is in use on the first spare, so the campaign with this alias cannot move there.
	home := w.domain("home.acme.com", "", failsOver)
	still := w.domain("still.acme.com", "", !failsOver)
	w.domain("other.acme.com", "", !failsOver)
	first := w.domain("a-spare.acme.com", "Spare", !failsOver)
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified, group_name) VALUES ($1, $2, 'a0.acme.com', false, 'spare')`,
		uuid.New(), w.account)
	stray := w.domain("a1.acme.com", "spare", !failsOver)
	dbtest.Exec(w, w.db, `INSERT INTO domain_checks (domain_id, account_id, wrong_since) VALUES ($1, $2, now())`, stray, w.account)
	mine, both, taken, stays := w.campaign(home, "mine"), w.campaign(home, "both"), w.campaign(home, "taken"), w.campaign(still, "stays")
	w.campaign(first, "taken")
	dbtest.Exec(w, w.db, `INSERT INTO smartlinks (id, account_id, name, slug, domain_id, destination_url)
		VALUES ($1, $2, 's', 'smart', $3, 'https://shop.acme.com/')`, uuid.New(), w.account, home)
	expect := func(step string, hosts ...string) {
		t.Helper()
		for i, id := range []uuid.UUID{mine, both, taken, stays} {
			if got := w.hostOf(id); got != hosts[i]+".acme.com" {
				t.Errorf("%s: campaign %d is on %s, want %s", step, i, got, hosts[i])
			}
		}
	}

	w.setListed("still.acme.com")
	expect("no failover asked for", "home", "home", "home", "still")
	w.setListed("home.acme.com", "still.acme.com")
	expect("listed", "a-spare", "a-spare", "home", "still")
	events := w.events(models.EventLinkUnsafe)
	if len(events) != 2 || events[0]["failover"] != nil {
		t.Fatalf("events %v, want two, the first without a failover", events)
	}
	want := map[string]any{"domain_id": first.String(), "domain": "a-spare.acme.com", "campaigns": 2.0, "kept": 1.0, "smartlinks": 1.0}
	if fmt.Sprint(events[1]["failover"]) != fmt.Sprint(want) {
		t.Errorf("event %v, want %v", events[1]["failover"], want)
	}
	unsafe, err := w.store.Links().Unsafe(t.Context(), w.account)
	if err != nil || len(unsafe) != 2 || unsafe[0].FailedOver != 2 || unsafe[0].FailedOverTo != "a-spare.acme.com" || unsafe[1].FailedOver != 0 {
		t.Errorf("unsafe links %+v, %v", unsafe, err)
	}

	w.setListed("home.acme.com", "still.acme.com")
	if n := len(w.events(models.EventLinkUnsafe)); n != 2 {
		t.Errorf("%d events although nothing new is listed", n)
	}
	w.setListed("home.acme.com", "a-spare.acme.com")
	expect("no other spare", "a-spare", "a-spare", "home", "still")
	w.domain("b-spare.acme.com", "spare", !failsOver)
	w.setListed("home.acme.com", "a-spare.acme.com")
	expect("a new spare", "b-spare", "b-spare", "b-spare", "still")
	// Three more: one for the listed spare, one for the campaign that moves from home, and one for the campaigns that move from the
	// first spare.
	if n := len(w.events(models.EventLinkUnsafe)); n != 5 {
		t.Errorf("%d events, want 5", n)
	}

	domains := w.store.Domains()
	if _, _, _, err := domains.FailBack(t.Context(), w.account, home); !errors.Is(err, models.Conflict("domain_unsafe", "")) {
		t.Errorf("moving back to a listed domain: %v, want domain_unsafe", err)
	}
	w.setListed()
	dbtest.Exec(w, w.db, `UPDATE campaigns SET domain_id = $2 WHERE id = $1`, both, still) // by hand
	w.campaign(home, "taken")
	back, moved, kept, err := domains.FailBack(t.Context(), w.account, home)
	if err != nil || moved != 1 || kept != 1 || back.Campaigns != 2 || back.FailedOver != 1 {
		t.Errorf("after moving back: %d moved, %d kept, %+v, %v", moved, kept, back, err)
	}
	expect("back", "home", "still", "b-spare", "still")
	if _, _, _, err := domains.FailBack(t.Context(), uuid.New(), home); !errors.Is(err, models.NotFound("domain")) {
		t.Errorf("moving back another account's domain: %v, want not found", err)
	}
	var left int
	if err := w.db.GetContext(t.Context(), &left, `SELECT count(*) FROM domain_failovers`); err != nil || left != 1 {
		t.Errorf("%d moves are still stored, %v", left, err)
	}
}

// TestScreenDomains checks that tracking domains are looked up in every run, and that the link of an offer is not looked up
// again 20 minutes later.
func TestScreenDomains(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.add("offers", "A", "https://shop.acme.com/")
	w.domain("go.acme.com", "", !failsOver)
	w.run(jobs.ScreenLinks)
	w.now.Add(int64(20 * time.Minute / time.Second))
	w.run(jobs.ScreenLinks)
	count := map[string]int{}
	for _, u := range w.list.requested {
		count[u]++
	}
	if count["http://go.acme.com/"] != 2 || count["https://shop.acme.com/"] != 1 {
		t.Errorf("look-ups by URL: %v, want 2 of the tracking domain and 1 of the link", count)
	}
}
