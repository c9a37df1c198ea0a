package botscan

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/ledger"
	"switchyard/models"
	"switchyard/models/bot"
)

// Finding is what was found out about a stored click.
type Finding struct {
	ClickID uuid.UUID
	Signals bot.Signals   // signals that fired, in addition to the stored signals
	Cleared bot.Signals   // signals that no longer apply
	Place   *models.Place // place of the click's address; nil: unchanged. An empty field changes nothing
	Source  string        // the source of Place
	Crawler string        // the verified crawler that made the click; empty: unchanged
}

var reviseColumns = slices.Concat(rescoreColumns, click.AllColumns.Named(placeColumns...))

var placeColumns = []string{
	"region", "city", "isp", "asn", "mobile_operator", "connection_type", "proxy_kind", "geo_source", "crawler",
}

var (
	scoreUpdate = click.NewUpdate("save scores", "is_bot", "bot_score", "bot_reason", "bot_signals", "is_unique", "cost")
	placeUpdate = click.NewUpdate("save places", append([]string{"country"}, placeColumns...)...)
)

// Revise applies findings to clicks of an account, in the transaction of c. It scores the clicks again, and moves their figures
// and the figures of their conversions in the ledger. It returns the days on which the split between bots and visitors has
// changed, for spend.Respread. It skips clicks that no longer exist.
func Revise(ctx context.Context, l click.Log, c db.Conn, account uuid.UUID, settings bot.Settings, findings []Finding) (
	[]time.Time, error,
) {
	if len(findings) == 0 {
		return nil, nil
	}
	found := db.ByKey(findings, func(f Finding) uuid.UUID { return f.ClickID })
	in := l.Store()
	list, err := in.Read(ctx, c, reviseColumns, click.Set{Account: account, IDs: db.SortedIDs(found), Lock: true})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	r := newRevision()
	var placed []*click.StoredClick
	for _, click := range list {
		was, f := *click, found[click.ID]
		f.apply(click)
		click.BotScore, click.IsBot, click.BotReason = bot.Score(bot.Signals(click.BotSignals), settings)
		r.move(was, click)
		if f.Place != nil || f.Crawler != "" {
			placed = append(placed, click)
		}
	}
	if err := r.end(ctx, c, in); err != nil {
		return nil, err
	}
	if len(placed) > 0 {
		err = in.Save(ctx, c, placeUpdate, placed)
	}
	return r.days, err
}

func (f Finding) apply(click *click.StoredClick) {
	if f.Place != nil {
		p := f.Place
		click.Country, click.Region = cmp.Or(p.Country, click.Country), cmp.Or(p.Region, click.Region)
		click.City, click.ISP = cmp.Or(p.City, click.City), cmp.Or(p.ISP, click.ISP)
		click.ASN = cmp.Or(models.ASN(p.ASN), click.ASN)
		click.MobileOperator = cmp.Or(p.MobileOperator, click.MobileOperator)
		click.ConnectionType = cmp.Or(p.ConnectionType, click.ConnectionType)
		if p.ProxyKind != "" {
			click.ProxyKind = p.ProxyKind
			click.BotSignals = click.BotSignals&^uint64(bot.Network) | uint64(bot.FromProxyKind(p.ProxyKind))
		}
		click.GeoSource = f.Source
	}
	click.Crawler = cmp.Or(f.Crawler, click.Crawler)
	click.BotSignals = click.BotSignals&^uint64(f.Cleared) | uint64(f.Signals)
}

// revision collects changes of stored clicks and moves their figures in the ledger.
type revision struct {
	deltas  ledger.Deltas
	changed []*click.StoredClick // clicks whose IsBot, score, reason or signals changed
	freed   []*click.StoredClick // clicks that no longer count as a bot's
	moved   map[uuid.UUID]moved
	days    []time.Time // days on which the split between bots and visitors has changed
}

type moved struct{ from, to ledger.Key }

func newRevision() revision { return revision{deltas: ledger.Deltas{}, moved: map[uuid.UUID]moved{}} }

// move moves the figures of a changed click in the ledger. The first argument is the click before the change. The second argument
// points to the changed click, whose fields IsUnique and Cost may change too.
func (r *revision) move(was click.StoredClick, is *click.StoredClick) {
	turned := was.IsBot != is.IsBot
	if turned || was.BotScore != is.BotScore || was.BotReason != is.BotReason || was.BotSignals != is.BotSignals {
		r.changed = append(r.changed, is)
	}
	if was.LedgerKey() != is.LedgerKey() {
		r.moved[is.ID] = moved{was.LedgerKey(), is.LedgerKey()}
	} else if !turned {
		return
	}
	r.deltas.Add(was.LedgerKey(), was.Figures().Neg())
	if !turned {
		r.deltas.Add(is.LedgerKey(), is.Figures())
		return
	}
	if day := is.At.UTC().Truncate(click.Day); len(r.days) == 0 || !r.days[len(r.days)-1].Equal(day) { // the clicks are in order
		r.days = append(r.days, day)
	}
	if was.IsUnique {
		is.IsUnique, is.Cost = false, is.Cost.Sub(is.UniqueCost)
	}
	if was.IsBot { // the method end adds the figures, which depend on whether the click is unique
		r.freed = append(r.freed, is)
		return
	}
	r.deltas.Add(is.LedgerKey(), is.Figures())
}

// end decides which freed clicks are unique, moves the figures of conversions and writes all changes, in the transaction of c.
func (r *revision) end(ctx context.Context, c db.Conn, in click.Store) error {
	if err := click.DecideUnique(ctx, c, r.freed); err != nil {
		return err
	}
	for _, click := range r.freed {
		if click.IsUnique {
			click.Cost = click.Cost.Add(click.UniqueCost)
		}
		r.deltas.Add(click.LedgerKey(), click.Figures())
	}
	if len(r.moved) > 0 {
		converted, err := conversion.Sums(ctx, c, db.SortedIDs(r.moved))
		if err != nil {
			return err
		}
		for id, f := range converted {
			r.deltas.Add(r.moved[id].from, f.Neg())
			r.deltas.Add(r.moved[id].to, f)
		}
	}
	if len(r.changed) > 0 {
		if err := in.Save(ctx, c, scoreUpdate, r.changed); err != nil {
			return err
		}
	}
	return r.deltas.Write(ctx, c)
}
