package demo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/ops/client"
	"switchyard/ops/visitors"
)

const historyDays = 30

// comesAgain is the share of clicks that get the unique key of the previous click, so that they do not count as unique.
const comesAgain = .13

// LoadRouter loads a campaign and returns a function that routes its clicks: see routing.ClickRouter.
type LoadRouter = func(ctx context.Context, account, campaign uuid.UUID) (func(*models.Click), error)

// History gives the demo account a month of invented traffic and returns the number of clicks. It does nothing if the campaign of
// the first story has had clicks within a year.
func History(ctx context.Context, d *db.DB, dir string, a Account, api *client.API, load LoadRouter) (clicks int, err error) {
	account, err := uuid.Parse(a.ID)
	if err != nil {
		return 0, fmt.Errorf("demo: account: %w", err)
	}
	filled, err := hasHistory(ctx, api)
	if err != nil || filled {
		return 0, err
	}
	w, err := newPast(d, account)
	if err != nil {
		return 0, err
	}
	for i := range stories {
		ids, err := setUpStory(ctx, api, &stories[i])
		if err != nil {
			return 0, err
		}
		if w.route, err = load(ctx, account, ids.campaign); err != nil {
			return 0, fmt.Errorf("demo: router: %w", err)
		}
		w.makeClicks(&stories[i], ids)
	}
	if err := w.store(ctx, dir); err != nil {
		return 0, fmt.Errorf("demo: history: %w", err)
	}
	// The Copilot may have judged while only part of this history was stored, so it is asked to judge again.
	if _, err := api.Call(ctx, http.MethodPost, "/copilot", map[string]string{"action": "refresh"}); err != nil {
		return 0, fmt.Errorf("demo: refresh the Copilot: %w", err)
	}
	return len(w.clicks), nil
}

func hasHistory(ctx context.Context, api *client.API) (bool, error) {
	var have struct{ Rows []struct{ ID, Name string } }
	if err := api.Get(ctx, "/campaigns", &have); err != nil {
		return false, fmt.Errorf("demo: %w", err)
	}
	for _, row := range have.Rows {
		if row.Name != stories[0].name {
			continue
		}
		var seen struct{ Rows []struct{ Clicks int } }
		from := time.Now().UTC().AddDate(-1, 0, 0).Format(time.DateOnly)
		err := api.Get(ctx, "/reports/performance?dimension=campaign_id&from="+from+"&f.campaign_id="+row.ID, &seen)
		return len(seen.Rows) > 0, err
	}
	return false, nil
}

type past struct {
	d           *db.DB
	account     uuid.UUID
	rand        *rand.Rand
	doubt       *rand.Rand
	people      map[bool][]visitors.Agent // true: on any device except a desktop
	bots        []visitors.Agent
	addresses   map[string][]netip.Addr
	now         time.Time
	key         uuid.UUID
	route       func(*models.Click)
	clicks      []*models.Click
	outs        []*models.ClickOut
	conversions []conversion.Input
}

func newPast(d *db.DB, account uuid.UUID) (*past, error) {
	set, err := visitors.Load()
	if err != nil {
		return nil, err
	}
	w := &past{
		d: d, account: account, rand: rand.New(rand.NewPCG(7, 11)), doubt: rand.New(rand.NewPCG(7, 13)), people: map[bool][]visitors.Agent{}, bots: set.Bots,
		addresses: map[string][]netip.Addr{}, now: time.Now(),
	}
	for _, agent := range set.People {
		w.people[agent.Device != "desktop"] = append(w.people[agent.Device != "desktop"], agent)
	}
	for _, at := range set.Addresses {
		if ip, err := netip.ParseAddr(at.IP); err == nil && ip.Is4() {
			w.addresses[at.Country] = append(w.addresses[at.Country], ip)
		}
	}
	return w, nil
}

// makeClicks makes the clicks of a story.
func (w *past) makeClicks(st *story, ids records) {
	begin := w.now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-historyDays)
	for day := range historyDays {
		date, done := begin.AddDate(0, 0, day), float64(day)/historyDays
		clicks := float64(st.daily) * (1 + st.growth*done) * (.9 + .2*w.rand.Float64())
		if wd := date.Weekday(); wd == time.Saturday || wd == time.Sunday {
			clicks *= 1.15
		}
		rate := st.rate * math.Pow(st.rateGrowth, done*done)
		for range int(clicks) {
			at := date.Add(time.Duration(w.hour() * float64(time.Hour)))
			if at.Before(w.now.Add(-time.Minute)) {
				w.visit(st, ids, at, rate)
			}
		}
	}
}

// hour returns a random hour of the day in UTC.
func (w *past) hour() float64 {
	if w.rand.Float64() < .35 {
		return w.rand.Float64() * 24
	}
	return math.Mod(w.rand.NormFloat64()*3.6+19+24, 24)
}

func idAt(at time.Time) uuid.UUID {
	id, random := models.FloorClickID(at), uuid.New()
	copy(id[6:], random[6:])
	id[6] = 0x70 | random[6]&0x0f
	return id
}

// visit adds one click at the time `at`, and sometimes a click-out and a conversion. rate is the story's conversion rate on that day.
func (w *past) visit(st *story, ids records, at time.Time, rate float64) {
	agent := w.agent(st)
	country := st.countries[min(int(w.rand.ExpFloat64()*1.1), len(st.countries)-1)]
	c := &models.Click{
		ID: idAt(at), AccountID: w.account, CampaignID: ids.campaign, SourceID: ids.source, RouteSeed: w.rand.Uint64(),
		VisitorID: uuid.New(), Domain: "localhost", Arrival: "url", Cost: decimal.NewFromFloat(st.cost), Currency: "USD", UniqueHours: 24,
		Visitor: models.Visitor{
			IP: w.address(country), Country: country, DeviceType: agent.Device, OS: agent.OS, Browser: agent.Browser, UserAgent: agent.UserAgent,
			ConnectionType: map[bool]string{true: "mobile", false: "broadband"}[st.mobile],
		},
	}
	found := w.signals(agent)
	c.BotSignals = uint64(found)
	c.BotScore, c.IsBot, c.BotReason = bot.Score(found, bot.Settings{})
	c.Subs[0], c.Subs[1] = "zone-"+strconv.Itoa(1+int(w.rand.ExpFloat64()*4)), "banner-"+strconv.Itoa(1+w.rand.IntN(4))
	if w.rand.Float64() >= comesAgain {
		w.key = uuid.New()
	}
	c.UniqueKey = w.key
	w.route(c)
	w.clicks = append(w.clicks, c)
	if c.IsBot {
		return
	}
	path := ids.way(c.StreamID)
	share := rate * path.luck
	if c.LanderID != uuid.Nil {
		if w.rand.Float64() >= st.goesOn {
			return
		}
		at = at.Add(time.Duration(5+w.rand.IntN(90)) * time.Second)
		w.outs = append(w.outs, &models.ClickOut{
			ID: idAt(at), ClickID: c.ID, AccountID: w.account, Slot: 1, OfferID: path.offers.draw(w.rand), NetworkID: ids.network, Destination: "https://example.com/offer",
		})
		share = rate / st.goesOn * path.luck
	}
	if w.rand.Float64() < share {
		w.convert(st, c.ID, at)
	}
}

var doubts = []struct {
	signal bot.Signals
	share  float64
}{
	{bot.GeoTZMismatch, .015},
	{bot.NoAcceptLanguage, .012},
	{bot.FewHeaders, .01},
	{bot.RepeatClick, .01},
	{bot.NoJS, .008},
	{bot.FastClick, .008},
	{bot.UAMismatch, .006},
}

// signals returns random bot signals of a visit.
func (w *past) signals(agent visitors.Agent) (found bot.Signals) {
	reason := agent.Bot
	if reason == "crawler" {
		reason = "declared_bot"
	}
	if declared, ok := bot.ByReason(reason); ok {
		found = declared.Bit
		if w.doubt.IntN(2) == 0 {
			found |= bot.FewHeaders
		}
		return found
	}
	for _, d := range doubts {
		if w.doubt.Float64() < d.share {
			found |= d.signal
		}
	}
	return found
}

func (w *past) agent(st *story) visitors.Agent {
	list := w.people[st.mobile == (w.rand.Float64() < .85)]
	if w.rand.Float64() < st.bots {
		list = w.bots
	}
	return list[w.rand.IntN(len(list))]
}

// address returns a random address that shares its first two bytes with a known address of the country, if there is one.
func (w *past) address(country string) netip.Addr {
	near := w.addresses[country]
	if len(near) == 0 {
		return netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + w.rand.IntN(250))}) // TEST-NET-1, reserved for documentation
	}
	a := near[w.rand.IntN(len(near))].As4()
	a[2], a[3] = byte(w.rand.IntN(256)), byte(1+w.rand.IntN(250))
	return netip.AddrFrom4(a)
}

// convert adds a conversion 1 to 40 minutes after the time `at` of the click or of its step to the offer. It adds none in the future.
func (w *past) convert(st *story, click uuid.UUID, at time.Time) {
	at = at.Add(time.Duration(1+w.rand.IntN(40)) * time.Minute)
	if at.After(w.now) {
		return
	}
	in := conversion.Input{AccountID: w.account, ClickID: click, Status: "approved", At: at, Source: models.FromPostback}
	if draw := w.rand.Float64(); draw < st.rejected {
		in.Status = "rejected"
	} else if w.now.Sub(at) < 3*24*time.Hour && draw < .4 {
		in.Status = "pending"
	}
	payout := decimal.NewFromFloat(st.payout * (.9 + .2*w.rand.Float64())).Round(2)
	in.Payout = &payout
	w.conversions = append(w.conversions, in)
}

// Records that are appended at the same time share a sync of the disk.
const appendingAtOnce = 64

// Clicks take their usual way, through a spool and its ingester.
func (w *past) store(ctx context.Context, dir string) error {
	dir, err := os.MkdirTemp(dir, "history-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := spool.Open(dir, spool.Options{})
	if err != nil {
		return err
	}
	appending, appendCtx := errgroup.WithContext(ctx)
	appending.SetLimit(appendingAtOnce)
	for _, c := range w.clicks {
		appending.Go(func() error { return s.Append(appendCtx, spool.Record{Click: c}) })
	}
	for _, o := range w.outs {
		appending.Go(func() error { return s.Append(appendCtx, spool.Record{Out: o}) })
	}
	err = appending.Wait()
	if err == nil {
		err = ingest.NewIngester(s, w.d, ingest.Options{}).Drain(ctx)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	if err := db.Analyze(ctx, w.d); err != nil {
		return err
	}
	return w.record(ctx)
}

const conversionsAtOnce = 200

func (w *past) record(ctx context.Context) error {
	for part := range slices.Chunk(w.conversions, conversionsAtOnce) {
		err := db.Tx(ctx, w.d, func(c db.Conn) error {
			_, _, err := conversion.Correct(ctx, click.Log{Conn: w.d}, c, w.account, part, true)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
