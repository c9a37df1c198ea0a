package conversion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/delivery"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/db/sourcepostback"
	"switchyard/db/upload"
	"switchyard/models"
	"switchyard/models/postback"
)

// Corrected is the outcome of one of many inputs. Refusal says why the input was refused or ignored.
type Corrected struct {
	Outcome
	Refusal error
}

// Correct records many inputs of one account in their order, in the transaction of c. Each has the same effect as in Record. A
// refused input does not affect the others. jobs must be dispatched after the commit. If account is zero, it is the account of
// the first click. If write is false, Correct takes no locks and writes nothing, and the outcomes are a preview.
func Correct(ctx context.Context, l click.Log, c db.Conn, account uuid.UUID, list []Input, write bool) (
	out []Corrected, jobs []models.JobRef, err error,
) {
	b := correcting{account: account, store: l.Store()}
	if err := b.load(ctx, c, list, write); err != nil {
		return nil, nil, err
	}
	out = db.Map(b.inputs, b.decide)
	if err := b.convert(ctx, c, out, write); err != nil {
		return nil, nil, err
	}
	if write {
		jobs, err = b.write(ctx, c, out)
	}
	return out, jobs, err
}

type correcting struct {
	account    uuid.UUID
	store      click.Store
	inputs     []checkedInput
	clicks     map[uuid.UUID]*click.StoredClick
	expired    map[uuid.UUID]bool   // clicks that were deleted by age: only their recorded conversions change
	currency   string               // currency of the account
	terms      map[uuid.UUID]terms  // by offer
	currencies map[uuid.UUID]string // currencies of campaigns, for clicks without an offer
	entries    map[Key]*entry
	browser    map[uuid.UUID]int // by click: number of conversions by browsers
	order      []*entry          // changed entries, in the order of their first change
}

type checkedInput struct {
	Input
	refusal error
}

func (in Input) checked() checkedInput {
	err := in.check()
	return checkedInput{in, err}
}

// keys lists the keys of the conversions that an input may be about, the likeliest first. An input without a conversion id has one
// key. With a conversion id, if the input names no goal, or a status word such as rebill gives its goal, the conversion may have no
// goal or the goal of another status word.
func (in Input) keys() []Key {
	keys := []Key{{in.ClickID, in.Goal, in.ConversionID}}
	if in.ConversionID == "" || in.Goal != "" && !in.WordGoal {
		return keys
	}
	for _, goal := range append([]string{""}, postback.WordGoals...) {
		if goal != in.Goal {
			keys = append(keys, Key{in.ClickID, goal, in.ConversionID})
		}
	}
	return keys
}

// keyOf returns the key of the conversion that an input is about: for a replay, the conversion that it recorded before. If a
// status word gives the goal and the input is not final, the key has this goal, because some networks send a sale and its rebills
// with the same id. Otherwise a recorded conversion goes before a new one.
func (b *correcting) keyOf(in Input) Key {
	keys := in.keys()
	for _, k := range keys {
		if e := b.entries[k]; in.Again != uuid.Nil && e != nil && e.current != nil && e.current.ID == in.Again {
			return k
		}
	}
	if in.WordGoal && !in.Final {
		return keys[0]
	}
	for _, k := range keys {
		if e := b.entries[k]; e != nil && e.current != nil {
			return k
		}
	}
	return keys[0]
}

// entry is a conversion before and after the inputs.
type entry struct {
	before  models.Figures // figures of the stored conversion
	stored  *Conversion    // nil: not stored yet
	current *Conversion    // after the inputs so far; nil: there is no conversion
	changed bool
}

// load reads the clicks, conversions and terms of the inputs. If lock is set, it locks the clicks.
func (b *correcting) load(ctx context.Context, c db.Conn, list []Input, lock bool) error {
	b.clicks, b.terms, b.entries = map[uuid.UUID]*click.StoredClick{}, map[uuid.UUID]terms{}, map[Key]*entry{}
	b.browser = map[uuid.UUID]int{}
	b.inputs = db.Map(list, Input.checked)
	ids := db.SortedIDs(db.ByKey(list, func(in Input) uuid.UUID { return in.ClickID }))
	if len(ids) == 0 {
		return nil
	}
	clicks, err := b.store.Read(ctx, c, click.ChangeColumns, click.Set{IDs: ids, Lock: lock})
	if err != nil {
		return err
	}
	if clicks, err = b.addExpired(ctx, c, ids, clicks, lock); err != nil {
		return err
	}
	for _, click := range clicks {
		b.account = cmp.Or(b.account, click.AccountID)
		if click.AccountID == b.account {
			b.clicks[click.ID] = click
		}
	}
	if len(b.clicks) == 0 {
		return nil
	}
	for _, load := range []func(context.Context, db.Conn) error{b.loadConversions, b.loadBrowser, b.loadCampaigns, b.loadTerms} {
		if err := load(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// addExpired appends to the found clicks the clicks among ids that were deleted by age.
func (b *correcting) addExpired(ctx context.Context, c db.Conn, ids []uuid.UUID, found []*click.StoredClick, lock bool) (
	[]*click.StoredClick, error,
) {
	if len(found) == len(ids) {
		return found, nil
	}
	have := db.ByKey(found, (*click.StoredClick).ClickID)
	missing := db.Without(ids, func(id uuid.UUID) bool { return have[id] != nil })
	kept, err := readKept(ctx, c, b.account, missing, lock)
	b.expired = map[uuid.UUID]bool{}
	for _, click := range kept {
		b.expired[click.ID] = true
	}
	return append(found, kept...), err
}

// loadCampaigns reads the currencies of the campaigns of clicks without an offer, which may differ from the currencies of the
// clicks' costs.
func (b *correcting) loadCampaigns(ctx context.Context, c db.Conn) (err error) {
	campaigns := map[uuid.UUID]bool{}
	for _, k := range b.clicks {
		if k.OfferID == uuid.Nil {
			campaigns[k.CampaignID] = true
		}
	}
	if len(campaigns) > 0 {
		b.currencies, err = db.Pairs[uuid.UUID, string](ctx, c, "currencies of campaigns",
			`SELECT id, currency FROM campaigns WHERE account_id = $1 AND id = ANY ($2::uuid[])`, b.account, db.UUIDs(db.SortedIDs(campaigns)))
	}
	return err
}

// Columns are the columns of a Conversion.
var Columns = db.Columns[Conversion]("")

var selectConversions = `SELECT ` + Columns + ` FROM conversions
JOIN unnest($1::uuid[], $2::text[], $3::text[]) AS k (click_id, goal, conversion_id)
	USING (click_id, goal, conversion_id)`

func (b *correcting) loadConversions(ctx context.Context, c db.Conn) error {
	var keys []Key
	for _, in := range b.inputs {
		if in.refusal == nil {
			keys = append(keys, in.keys()...)
		}
	}
	list, err := db.Select[Conversion](ctx, c, "find conversions", selectConversions,
		db.UUIDsOf(keys, func(k Key) uuid.UUID { return k.ClickID }),
		db.Map(keys, func(k Key) string { return k.Goal }), db.Map(keys, func(k Key) string { return k.ConversionID }))
	for i := range list {
		v := &list[i]
		b.entries[v.key()] = &entry{before: v.Figures(), stored: v, current: v}
	}
	return err
}

// Deactivated offers still pay. The query returns the account's currency even if none of the offers exists.
const selectTerms = `
SELECT a.currency AS account_currency, coalesce(o.id, '` + db.ZeroID + `') AS id, coalesce(o.payout, 0) AS payout, coalesce(o.payout_type, '') AS payout_type,
	coalesce(o.payout_from_param, false) AS payout_from_param, coalesce(o.currency, '') AS currency
FROM accounts a LEFT JOIN offers o ON o.account_id = a.id AND o.id = ANY ($2::uuid[]) WHERE a.id = $1`

func (b *correcting) loadTerms(ctx context.Context, c db.Conn) error {
	clicks := slices.Collect(maps.Values(b.clicks))
	list, err := db.Select[struct {
		terms
		AccountCurrency string `db:"account_currency"`
	}](ctx, c, "offers of clicks", selectTerms, b.account, db.UUIDsOf(clicks, func(k *click.StoredClick) uuid.UUID { return k.OfferID }))
	for _, t := range list {
		b.currency = t.AccountCurrency
		if t.ID != uuid.Nil {
			b.terms[t.ID] = t.terms
		}
	}
	return err
}

// convert sets the rate and the cost of changed conversions. A conversion whose day and currency are unchanged keeps its rate. If
// write is set, the rates stay locked until the transaction ends.
func (b *correcting) convert(ctx context.Context, c db.Conn, out []Corrected, write bool) error {
	var list []*Conversion
	var copyResult []func(*Conversion) // one for each conversion of list: copies the result to an outcome, if there is one
	for _, e := range b.order {
		if e.stored == nil || !e.current.same(*e.stored) {
			list, copyResult = append(list, e.current), append(copyResult, func(*Conversion) {})
		}
	}
	for i := range out {
		o := &out[i].Outcome
		if e := b.entries[(&Conversion{Conversion: o.Conversion}).key()]; e != nil && e.changed {
			list = append(list, &Conversion{Conversion: o.Conversion, GivenCost: o.given})
			copyResult = append(copyResult, func(v *Conversion) { o.Conversion = v.Conversion })
		}
	}
	var keys []exchangerate.Key
	for _, v := range list {
		if k, foreign := b.rateKey(v); foreign {
			keys = append(keys, k)
		}
	}
	readRates := exchangerate.FindRates
	if write {
		readRates = exchangerate.LockRates
	}
	found, err := readRates(ctx, c, keys)
	if err != nil {
		return err
	}
	for i, v := range list {
		rate := models.SameRate
		if k, foreign := b.rateKey(v); foreign {
			rate = found[k]
		} else if e := b.entries[v.key()]; e.hasSameRate(v) {
			rate = e.stored.Rate
		}
		v.SetPrice(b.clicks[v.ClickID], rate)
		copyResult[i](v)
	}
	return nil
}

// rateKey returns the key of the rate that a conversion needs. foreign is false if it needs none.
func (b *correcting) rateKey(v *Conversion) (k exchangerate.Key, foreign bool) {
	if v.Currency == b.currency || v.Currency == "" || b.currency == "" || b.entries[v.key()].hasSameRate(v) {
		return k, false
	}
	return exchangerate.NewKey(b.account, v.RecordedAt, v.Currency), true
}

func (e *entry) hasSameRate(v *Conversion) bool {
	return e.stored != nil && e.stored.Currency == v.Currency &&
		e.stored.RecordedAt.UTC().Truncate(click.Day).Equal(v.RecordedAt.UTC().Truncate(click.Day))
}

func (v *Conversion) key() Key { return Key{v.ClickID, v.Goal, v.ConversionID} }

// decide applies an input to its conversion in memory.
func (b *correcting) decide(in checkedInput) Corrected {
	if in.refusal != nil {
		return Corrected{Refusal: in.refusal}
	}
	click := b.clicks[in.ClickID]
	if click == nil {
		return Corrected{Refusal: ErrUnknownClick}
	}
	key := b.keyOf(in.Input)
	in.Goal = key.Goal
	e := b.entries[key]
	if b.expired[in.ClickID] && (e == nil || e.current == nil) {
		return Corrected{Refusal: ErrUnknownClick}
	}
	if e == nil {
		e = &entry{}
		b.entries[key] = e
	}
	t := b.terms[click.OfferID]
	if t.Currency == "" {
		t.Currency = b.currencies[click.CampaignID]
	}
	if err := b.limitBrowser(&in.Input, e.current, t); err != nil {
		return Corrected{Refusal: err}
	}
	next, out := in.decide(click, e.current, t)
	if out.Result == ResultCreated && in.fromBrowser() {
		b.browser[in.ClickID]++
	}
	// An input that leaves the status and the payout as they are is stored if it comes from a postback, or changes the sale amount.
	if out.changes() || e.current != nil && (in.Arrival != uuid.Nil || !next.hasSameSale(*e.current)) {
		e.current = &next
		if !e.changed {
			e.changed = true
			b.order = append(b.order, e)
		}
	}
	if out.Result == ResultIgnored {
		return Corrected{out, models.Invalid("invalid_status", "%s", out.Reason)}
	}
	return Corrected{Outcome: out}
}

// write stores the final state of each changed conversion and announces the changes.
func (b *correcting) write(ctx context.Context, c db.Conn, out []Corrected) ([]models.JobRef, error) {
	s := ledger.Deltas{}
	var fresh []*Conversion
	for _, e := range b.order {
		if e.stored == nil {
			fresh = append(fresh, e.current)
		} else if err := e.current.update(ctx, c); err != nil {
			return nil, err
		}
		key := b.clicks[e.current.ClickID].LedgerKey()
		s.Add(key, e.before.Neg())
		s.Add(key, e.current.Figures())
	}
	for part := range slices.Chunk(fresh, insertedAtOnce) {
		if _, err := sqlx.NamedExecContext(ctx, c, insertConversions, part); err != nil {
			return nil, fmt.Errorf("conversion: insert conversions: %w", err)
		}
	}
	if err := s.Write(ctx, c); err != nil {
		return nil, err
	}
	return b.announce(ctx, c, out)
}

// announce stores the webhook events, uploads and postbacks to traffic sources, except for inputs with Past.
func (b *correcting) announce(ctx context.Context, c db.Conn, out []Corrected) ([]models.JobRef, error) {
	var events []models.Event
	var changed []models.Conversion
	for i, v := range out {
		if v.changes() && !b.inputs[i].Past {
			events, changed = append(events, v.event(&b.clicks[v.Conversion.ClickID].Click)), append(changed, v.Conversion)
		}
	}
	deliveries, err := delivery.AddEvents(ctx, c, events)
	if err != nil {
		return nil, err
	}
	if err := upload.Add(ctx, c, b.account, changed); err != nil {
		return nil, err
	}
	postbacks, err := sourcepostback.Add(ctx, c, b.account, changed)
	return append(models.NewRefs(models.KindDeliverWebhook, b.account, deliveries), postbacks...), err
}

// insertedAtOnce is the largest number of conversions that one statement inserts. PostgreSQL allows at most 65,535 parameters.
const insertedAtOnce = 1000

var insertConversions = `INSERT INTO conversions (` + Columns + `)
VALUES (:` + strings.ReplaceAll(Columns, ", ", ", :") + `)`

// updateConversion sets all columns that may change.
var updateConversion = func() string {
	var set []string
	for name := range strings.SplitSeq(Columns, ", ") {
		if !slices.Contains([]string{"id", "account_id", "click_id", "conversion_id", "goal", "campaign_id", "source_id"}, name) {
			set = append(set, name+" = :"+name)
		}
	}
	return `UPDATE conversions SET ` + strings.Join(set, ", ") + ` WHERE id = :id AND account_id = :account_id`
}()

func (v Conversion) update(ctx context.Context, c db.Conn) error {
	res, err := sqlx.NamedExecContext(ctx, c, updateConversion, v)
	if err == nil {
		if n, _ := res.RowsAffected(); n != 1 {
			err = errors.New("the row no longer exists")
		}
	}
	if err != nil {
		return fmt.Errorf("conversion: write conversion: %w", err)
	}
	return nil
}
