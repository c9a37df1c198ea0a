package v1_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db"
	dbcopilot "switchyard/db/copilot"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/copilot"
)

// copilotEnv is an account on a plan with one-click apply. It has a campaign with two paths and a default path.
type copilotEnv struct {
	*apitest.Server
	t                        *testing.T
	offer, network, campaign uuid.UUID
	second, third            uuid.UUID // offers: second belongs to the default path, third is a spare
}

func newCopilotEnv(t *testing.T) *copilotEnv {
	t.Helper()
	p := &copilotEnv{Server: apitest.New(t, apitest.Options{Plan: "pro"}), t: t}
	p.furnish()
	return p
}

func (p *copilotEnv) another(t *testing.T) *copilotEnv {
	t.Helper()
	account, key, _ := p.NewAccount("pro")
	server := *p.As(key)
	server.Account = account
	other := &copilotEnv{Server: &server, t: t}
	other.furnish()
	return other
}

func (p *copilotEnv) furnish() {
	p.t.Helper()
	create := func(path string, body object) uuid.UUID {
		p.t.Helper()
		return uuid.MustParse(p.Do("POST", path, body).Want(201, "").Map()["id"].(string))
	}
	p.network = create("/networks", object{"name": "Net", "postback_params": object{"click_id": "sub"}})
	p.offer = create("/offers", object{"name": "Shop", "url": "https://o.acme.com/", "network_id": p.network, "daily_cap": 50})
	p.second, p.third = create("/offers", object{"name": "Second", "url": "https://o2.acme.com/"}), create("/offers", object{"name": "Third", "url": "https://o3.acme.com/"})
	path := func(name, kind string) object {
		return object{"name": name, "weight": 50, "stream_type": kind, "action": "offer", "destinations": []object{{"id": p.offer}}}
	}
	rest, domain := path("Rest", "default"), uuid.New()
	rest["destinations"] = []object{{"id": p.offer, "weight": 100}, {"id": p.second, "weight": 100}}
	dbtest.Exec(p.t, p.DB, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, true)`,
		domain, p.Account.ID, domain.String()+".acme.com")
	p.campaign = create("/campaigns", object{
		"name": "C", "alias": "copilotEnv", "domain_id": domain, "streams": []object{path("A", "regular"), path("B", "regular"), rest},
	})
}

func (p *copilotEnv) paths() []string {
	p.t.Helper()
	f, err := p.Store.Campaigns().Flow(p.t.Context(), p.Account.ID, p.campaign)
	if err != nil {
		p.t.Fatal(err)
	}
	ids := make([]string, len(f.Paths))
	for i, path := range f.Paths {
		ids[i] = path.ID
	}
	return ids
}

func (p *copilotEnv) record() (r copilot.Record) {
	p.t.Helper()
	ctx, account := p.t.Context(), p.Account.ID
	f, err := p.Store.Campaigns().Flow(ctx, account, p.campaign)
	c, err2 := p.Store.Campaigns().Find(ctx, account, p.campaign)
	o, err3 := p.Store.Offers().Find(ctx, account, p.offer)
	n, err4 := p.Store.Networks().Find(ctx, account, p.network)
	for _, err := range []error{err, err2, err3, err4} {
		if err != nil {
			p.t.Fatal(err)
		}
	}
	r = copilot.Record{Campaign: &c, Paths: f.Paths, Offer: &o, Network: &n}
	r.Entries, _, err = p.Store.BotEntries().List(ctx, account, store.Page{Limit: 100})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// state returns the fields that the actions change, as text.
func (p *copilotEnv) state() string {
	p.t.Helper()
	r := p.record()
	var paths []string
	for _, path := range r.Paths {
		paths = append(paths, fmt.Sprint(path.Name, path.IsActive, path.Weight, path.Filters, path.Destinations))
	}
	var entries []string
	for _, e := range r.Entries {
		entries = append(entries, fmt.Sprint(e.ListType, e.Attribute, e.Value, e.CampaignID))
	}
	limit := 0
	if r.Offer.DailyCap != nil {
		limit = *r.Offer.DailyCap
	}
	return fmt.Sprint(r.Campaign.Status, paths, r.Offer.IsActive, limit, r.Network.PostbackParams, entries)
}

// suggest creates an open suggestion with the action and returns its id. If the action is nil, the suggestion is only advice.
func (p *copilotEnv) suggest(a *copilot.Action) string {
	p.t.Helper()
	now := time.Now()
	f := dbcopilot.FoundSuggestions{At: now, Next: now.Add(time.Hour), List: []copilot.Suggestion{{
		Kind: "pause_loser", Key: uuid.NewString(), Title: "Do it", Action: a, ExpiresAt: models.Stamp{Time: now.Add(copilot.Life)},
	}}}
	if a != nil {
		f.List[0].Digest = a.JudgedDigest(p.record())
	}
	if err := dbcopilot.NewSuggestions(p.Store).Save(p.t.Context(), p.Account.ID, f); err != nil {
		p.t.Fatal(err)
	}
	list, err := dbcopilot.NewSuggestions(p.Store).Open(p.t.Context(), p.Account.ID, now)
	if err != nil || len(list) != 1 {
		p.t.Fatalf("%d suggestions are open, want 1 (%v)", len(list), err)
	}
	return list[0].ID.String()
}

func (p *copilotEnv) act(action, id string, more ...any) apitest.Answer {
	p.t.Helper()
	body := object{"action": action, "id": id}
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return p.Do("POST", "/copilot", body)
}

func (p *copilotEnv) inCampaign(a copilot.Action) *copilot.Action {
	a.CampaignID = uuid.NullUUID{UUID: p.campaign, Valid: true}
	return &a
}

// actions returns an action for every operation of the Copilot.
func (p *copilotEnv) actions() map[string]*copilot.Action {
	paths, limit := p.paths(), 80
	return map[string]*copilot.Action{
		copilot.OpPauseCampaign: p.inCampaign(copilot.Action{Op: copilot.OpPauseCampaign}),
		copilot.OpPausePath:     p.inCampaign(copilot.Action{Op: copilot.OpPausePath, PathID: paths[0]}),
		copilot.OpSetWeights:    p.inCampaign(copilot.Action{Op: copilot.OpSetWeights, Weights: []copilot.Weight{{ID: paths[0], Weight: 10}, {ID: paths[1], Weight: 90}}}),
		copilot.OpExclude:       p.inCampaign(copilot.Action{Op: copilot.OpExclude, Attribute: "country", Values: []string{"BR", "IN"}, Worst: 1}),
		copilot.OpDeny:          p.inCampaign(copilot.Action{Op: copilot.OpDeny, Attribute: "sub1", Values: []string{"z1", "z2"}, Worst: 1}),
		copilot.OpPauseOffer:    {Op: copilot.OpPauseOffer, OfferID: uuid.NullUUID{UUID: p.offer, Valid: true}},
		copilot.OpSetCap:        {Op: copilot.OpSetCap, OfferID: uuid.NullUUID{UUID: p.offer, Valid: true}, Cap: &limit},
		copilot.OpSetDestinationWeights: p.inCampaign(copilot.Action{
			Op: copilot.OpSetDestinationWeights, PathID: paths[2], Weights: []copilot.Weight{{ID: p.second.String(), Weight: 5}},
		}),
		copilot.OpSwapDestination: p.inCampaign(copilot.Action{
			Op: copilot.OpSwapDestination, PathID: paths[2], From: p.second.String(), To: p.third.String(),
		}),
		copilot.OpMapPostback: {
			Op: copilot.OpMapPostback, NetworkID: uuid.NullUUID{UUID: p.network, Valid: true}, Field: "payout", Parameter: "sum",
		},
	}
}

// TestCopilotApply applies and undoes every operation. Undoing restores the former state.
func TestCopilotApply(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	for op, a := range p.actions() {
		before := p.state()
		id := p.suggest(a)
		done := p.act("apply", id).Want(200, "").Map()
		same(t, done, map[string]any{"status": "applied", "id": id})
		if p.state() == before {
			t.Errorf("applying %s changes nothing", op)
		}
		p.act("apply", id).Want(409, "not_open")
		change := done["change_id"].(string)
		latest := p.Do("GET", "/copilot", nil).Want(200, "").Map()["changes"].([]any)[0].(map[string]any)
		same(t, latest, map[string]any{"id": change, "suggestion_id": id, "status": "applied", "undone_at": nil})
		same(t, p.act("undo", change).Want(200, "").Map(), map[string]any{"status": "undone", "change_id": change})
		if diff := cmp.Diff(before, p.state()); diff != "" {
			t.Errorf("%s: undoing did not restore the state: %s", op, diff)
		}
		p.act("undo", change).Want(409, "already_undone")
	}
	n, err := db.Get[int](t.Context(), p.DB, "events", `SELECT count(*) FROM copilot_changes WHERE status = 'undone'`)
	if err != nil || n != len(p.actions()) {
		t.Errorf("%d changes are undone, want one for each operation (%v)", n, err)
	}
}

// TestCopilotVariants: the variant "most" denies only the worst values, and the variant "all" denies every value.
func TestCopilotVariants(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	for variant, want := range map[string]int{"most": 1, "all": 2} {
		done := p.act("apply", p.suggest(p.actions()[copilot.OpDeny]), "variant", variant).Want(200, "").Map()
		if r := p.record(); len(r.Entries) != 1 || len(r.Entries[0].Value) != want {
			t.Errorf("the variant %s wrote the wrong number of values to a deny entry: %v", variant, r.Entries)
		}
		p.act("undo", done["change_id"].(string)).Want(200, "")
	}
	p.act("apply", p.suggest(p.actions()[copilot.OpDeny]), "variant", "network").Want(400, "invalid")
}

// TestCopilotStale: an action is not applied if its records have changed since the suggestion was made, and not undone if they
// have changed since it was applied.
func TestCopilotStale(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	weigh := func(weight float64) {
		t.Helper()
		p.Do("PATCH", "/campaigns/"+p.campaign.String()+"/flow", object{"path_id": p.paths()[1], "weight": weight}).Want(200, "")
	}
	id := p.suggest(p.actions()[copilot.OpPausePath])
	weigh(60)
	before := p.state()
	p.act("apply", id).Want(409, "stale")
	if p.state() != before {
		t.Error("a refused suggestion changed something")
	}
	done := p.act("apply", p.suggest(p.actions()[copilot.OpPausePath])).Want(200, "").Map()
	weigh(70)
	before = p.state()
	p.act("undo", done["change_id"].(string)).Want(409, "stale")
	if p.state() != before {
		t.Error("undoing a stale change changed something")
	}
	p.act("apply", p.suggest(nil)).Want(400, "advice_only")
	p.Do("DELETE", "/offers/"+p.offer.String(), nil)
	for _, action := range []string{"apply", "undo", "apply_proposal", "cancel_proposal"} {
		p.act(action, uuid.NewString()).Want(404, "not_found")
	}
	_, other, _ := p.NewAccount("pro")
	open := p.suggest(p.actions()[copilot.OpSetWeights])
	for action, id := range map[string]string{"apply": open, "undo": done["change_id"].(string)} {
		p.As(other).Do("POST", "/copilot", object{"action": action, "id": id}).Want(404, "not_found")
		p.As(p.ReadKey).Do("POST", "/copilot", object{"action": action, "id": id}).Want(403, "read_only_key")
	}
	dbtest.Exec(t, p.DB, `UPDATE accounts SET plan = 'growth' WHERE id = $1`, p.Account.ID)
	p.act("apply", open).Want(403, "plan_required")
	p.act("apply_proposal", open).Want(403, "plan_required")
}

// TestCopilotPausedOnce: if many callers apply or undo the same item at the same time, one of them succeeds. One event
// campaign.paused is stored.
func TestCopilotPausedOnce(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	p.Do("POST", "/webhooks", object{"url": "https://hooks.acme.com/y", "events": []string{"campaign.paused"}}).Want(201, "")
	id := p.suggest(p.actions()[copilot.OpPauseCampaign])
	var done, refused atomic.Int32
	together := func(action, id, code string) (change string) {
		done.Store(0)
		refused.Store(0)
		var all sync.WaitGroup
		var mu sync.Mutex
		for range 8 {
			all.Go(func() {
				a := p.Do("POST", "/copilot", object{"action": action, "id": id})
				if a.Status == http.StatusOK {
					done.Add(1)
					mu.Lock()
					change = a.Map()["change_id"].(string)
					mu.Unlock()
				} else if a.Want(409, code); true {
					refused.Add(1)
				}
			})
		}
		all.Wait()
		if done.Load() != 1 || refused.Load() != 7 {
			t.Errorf("%s at the same time: %d calls succeeded and %d were refused, want 1 and 7", action, done.Load(), refused.Load())
		}
		return change
	}
	change := together("apply", id, "not_open")
	together("undo", change, "already_undone")
	events, err := db.Select[string](t.Context(), p.DB, "events", `SELECT convert_from(body, 'UTF8')::jsonb->'data'->>'by' FROM events
		WHERE type = 'campaign.paused' AND account_id = $1`, p.Account.ID)
	if diff := cmp.Diff([]string{"copilot"}, events); err != nil || diff != "" {
		t.Errorf("want one event, by the Copilot (%v): %s", err, diff)
	}
}

// TestCopilotProposals: a proposal of the chat can be applied and undone, or cancelled.
func TestCopilotProposals(t *testing.T) {
	t.Parallel()
	p := newCopilotEnv(t)
	propose := func(a *copilot.Action) string {
		t.Helper()
		proposal, err := dbcopilot.NewProposals(p.Store).Create(t.Context(), copilot.Proposal{
			Owned: models.Owned{AccountID: p.Account.ID}, Title: "Do it", Action: *a,
		}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return proposal.ID.String()
	}
	before := p.state()
	done := p.act("apply_proposal", propose(p.actions()[copilot.OpSetWeights])).Want(200, "").Map()
	if p.state() == before {
		t.Error("applying the proposal changed nothing")
	}
	p.act("undo", done["change_id"].(string)).Want(200, "")
	if p.state() != before {
		t.Error("undoing the proposal did not restore the state")
	}
	id := propose(p.actions()[copilot.OpSetCap])
	same(t, p.act("cancel_proposal", id).Want(200, "").Map(), map[string]any{"status": "cancelled", "id": id})
	p.act("apply_proposal", id).Want(409, "not_open")
	p.act("cancel_proposal", id).Want(409, "not_open")
	id = propose(p.actions()[copilot.OpPauseOffer])
	dbtest.Exec(t, p.DB, `UPDATE offers SET daily_cap = 3 WHERE id = $1`, p.offer)
	p.act("apply_proposal", id).Want(409, "stale")
	p.act("apply_proposal", id).Want(409, "not_open")
}
