package report

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

// offer is an offer of a history. If fromParam is set, the payout of a postback replaces the fixed payout. For the kind percent,
// payout is a percentage of the postback's payout.
type offer struct {
	id        uuid.UUID
	payout    decimal.Decimal
	kind      string
	fromParam bool
}

// fact is the model's state of a click: the records about it, and whether the click is stored.
type fact struct {
	click  models.Click
	stored bool
	unique bool
	last   models.ClickOut // the latest click-out, which determines the offer
	hops   []models.ClickOut
	convs  map[string]*sale
}

type sale struct {
	status       string
	payout, cost decimal.Decimal
}

// historyEnv is a random history, with a model that calculates the figures without ledger, rows or SQL.
type historyEnv struct {
	t       *testing.T
	rnd     *rand.Rand
	d       *db.DB
	spool   *spool.Spool
	account uuid.UUID
	start   time.Time
	offers  []offer
	ids     map[string][]uuid.UUID // ids to choose from, by dimension
	facts   map[uuid.UUID]*fact
	order   []uuid.UUID
	queue   []spool.Record // not appended yet
	sent    []spool.Record
	seen    map[string]bool // visitors that the model has counted
	reader  Reader
	engines
}

func newHistoryEnv(t *testing.T, seed uint64) *historyEnv {
	t.Helper()
	d := dbtest.New(t)
	log, err := spool.Open(t.TempDir(), spool.Options{SegmentSize: 4096})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	h := &historyEnv{
		t: t, rnd: rand.New(rand.NewPCG(seed, 7)), d: d, spool: log,
		account: newAccount(t, d), start: time.Now().UTC().Add(-20 * time.Hour), ids: map[string][]uuid.UUID{},
		facts: map[uuid.UUID]*fact{}, seen: map[string]bool{}, reader: Reader{Conn: d},
	}
	for _, o := range []offer{{kind: "fixed", fromParam: true}, {kind: "fixed"}, {kind: "percent", fromParam: true}} {
		o.id, o.payout = uuid.New(), decimal.New(int64(h.rnd.IntN(5000)), -2)
		h.offers = append(h.offers, o)
		dbtest.Exec(t, d, `INSERT INTO offers (id, account_id, name, url, payout, payout_type,
			payout_from_param) VALUES ($1, $2, $3, 'https://example.com', $4, $5, $6)`,
			o.id, h.account, o.id.String(), o.payout, o.kind, o.fromParam)
	}
	for _, name := range []string{"campaign", "stream", "lander", "source", "network"} {
		h.ids[name] = []uuid.UUID{uuid.New(), uuid.New()}
	}
	return h
}

func newAccount(t *testing.T, d *db.DB) uuid.UUID {
	t.Helper()
	id := uuid.New()
	dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2)`, id, id.String())
	return id
}

func pick[T any](h *historyEnv, list []T) T { return list[h.rnd.IntN(len(list))] }

func (h *historyEnv) money(scale int32) decimal.Decimal {
	return decimal.New(int64(h.rnd.IntN(1000)), -scale)
}

// idIn returns an id with a random time of the history.
func (h *historyEnv) idIn() uuid.UUID {
	at := h.start.Add(time.Duration(h.rnd.Int64N(int64(19 * time.Hour))))
	id, floor := models.NewClickID(), models.FloorClickID(at)
	copy(id[:6], floor[:6])
	return id
}

func (h *historyEnv) arrive() {
	c := models.Click{
		ID: h.idIn(), AccountID: h.account, CampaignID: pick(h, h.ids["campaign"]),
		StreamID: pick(h, h.ids["stream"]), SourceID: pick(h, h.ids["source"]), Visitor: models.Visitor{
			Country: pick(h, []string{"DE", "FR", ""}), DeviceType: pick(h, []string{"mobile", "desktop"}),
			OS: pick(h, []string{"iOS", "Linux"}), Browser: pick(h, []string{"Safari", "Firefox"}),
			City: pick(h, []string{"Berlin", "Paris"}), IsBot: h.rnd.IntN(5) == 0,
		}, Cost: h.money(4), UniqueCost: h.money(7), UniqueHours: 24,
		UniqueKey: [16]byte{byte(h.rnd.IntN(9))},
	}
	c.Subs[2] = pick(h, []string{"", "x", `"q",\`})
	switch h.rnd.IntN(3) {
	case 0:
		c.LanderID = pick(h, h.ids["lander"])
	case 1:
		c.OfferID = pick(h, h.offers).id
	}
	if h.rnd.IntN(2) == 0 {
		c.ConversionCost, c.RevenueShare = h.money(2), decimal.NewFromInt(int64(h.rnd.IntN(90)))
	}
	h.facts[c.ID] = &fact{click: c, convs: map[string]*sale{}}
	h.order = append(h.order, c.ID)
	h.queue = append(h.queue, spool.Record{Click: &c})
}

func (h *historyEnv) clickOut() {
	f := h.facts[pick(h, h.order)]
	o := models.ClickOut{
		ID: h.idIn(), ClickID: f.click.ID, AccountID: h.account, Slot: 1 + h.rnd.IntN(3),
		OfferID: pick(h, h.offers).id, NetworkID: pick(h, h.ids["network"]),
	}
	if h.rnd.IntN(10) == 0 { // an account that does not have the click
		o.AccountID = uuid.New()
	}
	h.queue = append(h.queue, spool.Record{Out: &o})
}

// flush stores some of the waiting records in random order, and repeats some that were sent before.
func (h *historyEnv) flush() {
	h.rnd.Shuffle(len(h.queue), func(i, j int) { h.queue[i], h.queue[j] = h.queue[j], h.queue[i] })
	n := h.rnd.IntN(len(h.queue) + 1)
	batch := slices.Clone(h.queue[:n])
	h.queue = h.queue[n:]
	for range h.rnd.IntN(4) {
		if len(h.sent) > 0 {
			batch = append(batch, pick(h, h.sent))
		}
	}
	h.sent = append(h.sent, batch...)
	for _, r := range batch {
		if err := h.spool.Append(h.t.Context(), r); err != nil {
			h.t.Fatal(err)
		}
		h.addRecord(r)
	}
	o := ingest.Options{BatchSize: 1 + h.rnd.IntN(20)}
	if err := ingest.NewIngester(h.spool, h.d, o).Drain(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

func (h *historyEnv) addRecord(r spool.Record) {
	switch {
	case r.Click != nil:
		f := h.facts[r.Click.ID]
		who := fmt.Sprint(f.click.CampaignID, f.click.UniqueKey)
		if !f.stored && !f.click.IsBot && !h.seen[who] {
			h.seen[who], f.unique = true, true
		}
		f.stored = true
	case r.Out != nil:
		f := h.facts[r.Out.ClickID]
		if r.Out.AccountID == h.account {
			f.hops = append(f.hops, *r.Out)
			if strings.Compare(r.Out.ID.String(), f.last.ID.String()) > 0 {
				f.last = *r.Out
			}
		}
	}
}

// offer returns the offer to which the click went last.
func (f *fact) offer() uuid.UUID {
	if len(f.hops) > 0 {
		return f.last.OfferID
	}
	return f.click.OfferID
}

func (h *historyEnv) convert() {
	f := h.facts[pick(h, h.order)]
	in := conversion.Input{
		ClickID: f.click.ID, ConversionID: pick(h, []string{"", "a", "b"}),
		Goal: pick(h, []string{"", "lead"}), Source: models.FromPostback,
		Status: pick(h, []string{"pending", "approved", "rejected", "chargeback", ""}),
	}
	if h.rnd.IntN(3) > 0 {
		p := h.money(2)
		in.Payout = &p
	}
	if h.rnd.IntN(6) == 0 {
		p := h.money(3)
		in.Cost = &p
	}
	var out conversion.Outcome
	err := db.Tx(h.t.Context(), h.d, func(c db.Conn) (err error) {
		out, err = conversion.Record(h.t.Context(), click.Log{}, c, in)
		return err
	})
	if !f.stored {
		if !errors.Is(err, conversion.ErrUnknownClick) {
			h.t.Fatalf("a conversion of a click that is not stored: %v, want ErrUnknownClick", err)
		}
		return
	}
	if err != nil {
		h.t.Fatal(err)
	}
	if want := h.sell(f, in); out.Result != want {
		h.t.Fatalf("%+v: %s, want %s", in, out.Result, want)
	}
}

// costPrefix begins a key of fact.convs whose entry is the cost that an input reported for a conversion.
const costPrefix = "cost of "

// sell applies an input to the model, as conversion.Record does to the database.
func (h *historyEnv) sell(f *fact, in conversion.Input) string {
	key := in.Goal + "/" + in.ConversionID
	old := f.convs[key]
	next := sale{status: "approved"}
	if old != nil {
		next = *old
		if in.Status != "" && !models.CanMove(old.status, in.Status) {
			return conversion.ResultIgnored
		}
	}
	if in.Status != "" {
		next.status = in.Status
	}
	at := slices.IndexFunc(h.offers, func(o offer) bool { return o.id == f.offer() })
	switch {
	case at >= 0 && h.offers[at].kind == "percent" && in.Payout != nil:
		next.payout = in.Payout.Mul(h.offers[at].payout).Div(decimal.NewFromInt(100))
	case at >= 0 && h.offers[at].kind == "fixed" && (in.Payout == nil || !h.offers[at].fromParam):
		if old == nil {
			next.payout = h.offers[at].payout
		}
	case in.Payout != nil:
		next.payout = *in.Payout
	}
	given := f.convs[costPrefix+key]
	if in.Cost != nil {
		given = &sale{cost: *in.Cost}
		f.convs[costPrefix+key] = given
	}
	sameGiven := in.Cost == nil || old != nil && old.cost.Equal(*in.Cost) && old.status == "approved"
	next.cost = decimal.Zero
	if next.status == "approved" {
		next.cost = f.click.ConversionCost.Add(next.payout.Mul(f.click.RevenueShare).Div(decimal.NewFromInt(100)))
		if given != nil {
			next.cost = given.cost
		}
	}
	f.convs[key] = &next
	switch {
	case old == nil:
		return conversion.ResultCreated
	case old.status == next.status && old.payout.Equal(next.payout) && old.cost.Equal(next.cost) && sameGiven:
		return conversion.ResultDuplicate
	}
	return conversion.ResultUpdated
}
