package routing

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // the data of the accounts' time zones, which some systems lack

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/bot"
	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// Builder builds a snapshot from another snapshot. Only one goroutine at a time may use it.
type Builder struct {
	*Snapshot
	explained bool        // plans are compiled so that their decisions can be explained
	stale     atomic.Bool // plans may be out of date: see completePlans
}

func (s *Snapshot) builder() *Builder {
	next := &Snapshot{
		hosts: s.hosts.fork(), addresses: s.addresses.fork(), aliases: s.aliases.fork(), slugs: s.slugs.fork(), secrets: s.secrets.fork(),
		mapped:  s.mapped.fork(),
		foreign: s.foreign.fork(), foreignOn: s.foreignOn.fork(),
		botLists: s.botLists.fork(), blocks: s.blocks.fork(), siteKeys: s.siteKeys.fork(), goalKeys: s.goalKeys.fork(),
		siteLists: s.siteLists.fork(), goalLists: s.goalLists.fork(), botData: s.botData, secret: s.secret,
	}
	for k := range s.records {
		next.records[k] = s.records[k].fork()
	}
	return &Builder{Snapshot: next}
}

// apply takes the records in r in place of the records with these keys, and returns the finished snapshot. If r has no record for
// a key, the record with this key is removed.
func (b *Builder) apply(keys []store.RoutingKey, r *store.Routing) *Snapshot {
	removed := make(map[store.RoutingKey]bool, len(keys)) // the keys without a record in r
	for _, k := range keys {
		removed[k] = true
	}
	rows := map[string][]store.RoutingRow{}
	for _, row := range r.Rows {
		key := row.Head().RoutingKey
		delete(removed, key)
		rows[key.Table] = append(rows[key.Table], row)
	}
	for k := range kindCount {
		b.put(k, slices.DeleteFunc(rows[kinds[k].table], func(row store.RoutingRow) bool { return b.has(k, row) }))
		for key := range removed {
			if key.Table == kinds[k].table {
				b.remove(k, key.ID)
			}
		}
	}
	if r.LanderSecret != nil {
		b.secret = r.LanderSecret
	}
	b.completePlans()
	b.compileBotLists()
	return b.Snapshot
}

// has reports whether the snapshot already has this version of a row.
func (b *Builder) has(k kindID, row store.RoutingRow) bool {
	old, ok := b.records[k].get(row.Head().ID)
	if !ok || old.row() == nil {
		return false
	}
	return row.Head().Version != 0 && old.row().Head().Version == row.Head().Version
}

// put compiles rows and replaces the old records by the new ones. It uses all processors.
func (b *Builder) put(k kindID, rows []store.RoutingRow) {
	compiled := make([]record, len(rows))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(rows)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(rows); i = next.Add(1) - 1 {
				old, _ := b.records[k].get(rows[i].Head().ID)
				compiled[i] = kinds[k].compile(b, rows[i], old)
			}
		})
	}
	workers.Wait()
	for i, r := range compiled {
		id := rows[i].Head().ID
		if old, ok := b.records[k].get(id); ok {
			b.unlink(old)
		}
		b.records[k].put(id, r)
		if l, ok := r.(linked); ok {
			l.link(b.Snapshot)
		}
	}
}

func (b *Builder) unlink(r record) {
	if l, ok := r.(linked); ok {
		l.unlink(b.Snapshot)
	}
}

func (b *Builder) remove(k kindID, id uuid.UUID) {
	old, ok := b.records[k].get(id)
	if !ok {
		return
	}
	b.unlink(old)
	if l, ok := old.(detacher); ok {
		if detached := l.detach(b); detached != nil {
			b.records[k].put(id, detached)
			return
		}
	}
	b.records[k].remove(id)
}

func (b *Builder) account(row *store.RoutingAccount, _ *Account) *Account {
	zone, err := time.LoadLocation(row.Timezone)
	if err != nil {
		zone = time.UTC
	}
	return &Account{Row: *row, Zone: zone, Bots: bot.NewSettings(row.BotThreshold, row.BotDisabled)}
}

func (b *Builder) domain(row *store.RoutingDomain, _ *Domain) *Domain { return &Domain{*row} }

func (b *Builder) network(row *store.RoutingNetwork, _ *Network) *Network {
	n := &Network{Row: *row}
	if len(row.PostbackParams) > 0 {
		n.Postbacks = &postback.Network{AnswerText: row.AnswerText}
		// Malformed settings are ignored, as in the worker.
		_ = json.Unmarshal(row.PostbackParams, &n.Postbacks.Params)
	}
	return n
}

func (b *Builder) offer(row *store.RoutingOffer, old *Offer) *Offer {
	o := &Offer{Row: *row, URL: compileURL(row.URL)}
	if old != nil {
		o.ref = old.ref
	}
	o.ref = b.setRef(o.ref, row.ID, flow.KindOffer, o, row.IsActive && o.URL != nil)
	return o
}

func (b *Builder) lander(row *store.RoutingLander, old *Lander) *Lander {
	l := &Lander{Row: *row, URL: compileURL(row.URL), Guard: newGuard(row.Protection)}
	if old != nil {
		l.ref = old.ref
	}
	l.ref = b.setRef(l.ref, row.ID, flow.KindLander, l, row.IsActive && l.URL != nil)
	return l
}

// setRef points the shared reference to the record's new version, so that every plan that has the reference sees the change
// immediately. It makes a new reference if ref is nil.
func (b *Builder) setRef(ref *flow.Ref, id uuid.UUID, kind flow.Kind, to record, active bool) *flow.Ref {
	if ref == nil {
		ref = flow.NewRef(id, kind, to)
		b.stale.Store(true)
	} else {
		ref.SetRecord(to)
	}
	ref.SetPaused(!active)
	return ref
}

// compileURL compiles an address. It returns nil if visitors cannot be sent to it.
func compileURL(url string) *token.Template {
	if token.ValidURL(url) != nil {
		return nil
	}
	return token.Compile(url)
}

// campaign compiles a campaign. If the flow cannot be read, or exceeds cond.FlowBudget, the campaign has only its fallback addresses,
// so that paid visitors still arrive somewhere.
func (b *Builder) campaign(row *store.RoutingCampaign, _ *Campaign) *Campaign {
	c := &Campaign{
		Row: *row, id: row.ID.String(), Price: newPrice(row.CostModel, row.CostValue), streams: compress(row.Streams),
	}
	c.Row.Streams = nil
	o := flow.Options{
		Explained: b.explained,
		Rotation:  flow.Rotation(row.FlowRotation), Bind: flow.Bind(row.BindVisitors),
		Fallback: compileURL(row.FallbackURL), Destination: compileURL(row.DestinationURL),
		Ref: func(id uuid.UUID) *flow.Ref {
			ref := b.refOf(row.AccountID, id)
			if ref == nil {
				c.missing = append(c.missing, id)
			}
			return ref
		},
		Rule: func(id uuid.UUID) *cond.Matcher {
			m := b.ruleOf(row.AccountID, id)
			c.rules = append(c.rules, ruleUse{id, m})
			return m
		},
	}
	var paths []flow.Path
	var err error
	if len(row.Streams) > len(`[]`) {
		paths, err = flow.Parse(row.Streams)
	}
	if err == nil {
		c.Plan, err = flow.Compile(paths, o)
	}
	if err != nil {
		slog.ErrorContext(context.Background(), "campaign cannot be routed by its flow", "campaign_id", row.ID, "error", err)
		c.Plan, _ = flow.Compile(nil, o)
		c.unusable = true
	}
	c.hash, c.CountsClicks = hashCampaign(row), c.Plan.Uses(cond.ClicksToday)
	for _, route := range c.Plan.Routes() {
		c.CountsClicks = c.CountsClicks || route.DailyCap > 0
	}
	return c
}

// completePlans compiles again the campaigns whose plan is out of date: a record to which the plan refers has appeared, or a
// saved rule has changed.
func (b *Builder) completePlans() {
	if !b.stale.Load() {
		return
	}
	var outdated []store.RoutingRow
	for c := range each[*Campaign](b.Snapshot, campaigns) {
		appeared := func(id uuid.UUID) bool { return b.refOf(c.Row.AccountID, id) != nil }
		changed := func(u ruleUse) bool { return b.ruleOf(c.Row.AccountID, u.id) != u.matcher }
		if slices.ContainsFunc(c.missing, appeared) || slices.ContainsFunc(c.rules, changed) {
			outdated = append(outdated, c.fullRow())
		}
	}
	b.put(campaigns, outdated)
}
