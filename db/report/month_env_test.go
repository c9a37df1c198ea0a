package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	"switchyard/models/longtest"
)

var (
	monthClicks      = longtest.Size(6_000, 300_000)
	monthConversions = longtest.Size(500, 4_000)
)

const monthConcurrency = 4 // number of concurrent operations

// monthEnv is a history of the most recent complete October, in which clocks go back in the north and forward in the south.
type monthEnv struct {
	*testing.T
	rnd     *rand.Rand
	d       *db.DB
	copied  *click.CopyReader // the ClickHouse copy that answers; nil: PostgreSQL answers
	account uuid.UUID
	start   time.Time
	end     time.Time
	pools   []pool
	facts   []*monthFact // sorted by time after sumUp
	offers  map[string]monthOffer
	visits  map[string]time.Time // until when another visit of a visitor is not unique
	earlier []string             // fingerprints of visitors of earlier rounds
	current []string             // fingerprints of visitors of this round
	sent    []spool.Record       // up to 500 records of the previous round, to send again
	deleted int                  // number of deleted clicks
	spent   int                  // number of times that spend was set
	alone   []*monthFact         // spend without clicks
	log     []*monthFact         // clicks that have conversions
	sold    int                  // number of facts that are conversions
}

// monthOffer holds the payout of an offer: a fixed amount (see units), or a percentage of the sale. If byParam is
// true, an amount in the postback replaces the fixed amount.
type monthOffer struct {
	pays             int64
	percent, byParam bool
}

func newMonthEnv(t *testing.T) *monthEnv {
	t.Helper()
	now := time.Now().UTC()
	start := time.Date(now.Year(), time.October, 1, 0, 0, 0, 0, time.UTC)
	if now.Before(start.AddDate(0, 1, 1)) {
		start = start.AddDate(-1, 0, 0)
	}
	m := &monthEnv{
		T: t, rnd: rand.New(rand.NewPCG(10, 31)), d: dbtest.New(t), start: start, end: start.AddDate(0, 1, 0),
		pools: make([]pool, len(monthDims)), offers: map[string]monthOffer{}, visits: map[string]time.Time{},
	}
	m.account = newAccount(t, m.d)
	for at, d := range monthDims {
		for i := range d.size {
			m.pools[at].number(d.value(i))
		}
	}
	m.records()
	return m
}

// records creates the records to which the ids of the history refer.
func (m *monthEnv) records() {
	domain := uuid.New()
	dbtest.Exec(m, m.d, `INSERT INTO domains (id, host) VALUES ($1, 'go.example.com')`, domain)
	streams := m.pools[place("stream_id")].list
	for i, id := range m.pools[place("campaign_id")].list {
		var paths []string
		for n := i; n < len(streams); n += monthCampaigns {
			if streams[n] != "" {
				paths = append(paths, fmt.Sprintf(`{"id": %q, "name": "name of %s"}`, streams[n], streams[n]))
			}
		}
		dbtest.Exec(m, m.d, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, streams) VALUES ($1, $2, $3, $4, $5, $6)`,
			id, m.account, "name of "+id, id, domain, "["+strings.Join(paths, ",")+"]")
	}
	for dim, query := range map[string]string{
		"lander_id":  `INSERT INTO landers (id, account_id, name, url) VALUES ($1, $2, $3, 'https://l.example')`,
		"source_id":  `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, $3)`,
		"network_id": `INSERT INTO networks (id, account_id, name) VALUES ($1, $2, $3)`,
	} {
		for _, id := range m.pools[place(dim)].list[1:] {
			dbtest.Exec(m, m.d, query, id, m.account, "name of "+id)
		}
	}
	for i, id := range m.pools[place("offer_id")].list[1:] {
		o := monthOffer{pays: int64(100 + 7*i), percent: i%3 == 0, byParam: i%3 == 1}
		kind := "fixed"
		if o.percent {
			kind = "percent"
			o.pays = int64(5 + i%60)
			dbtest.Exec(m, m.d, insertMonthOffer, id, m.account, o.pays, kind, true)
		} else {
			dbtest.Exec(m, m.d, insertMonthOffer, id, m.account, decimal.New(o.pays, -2), kind, o.byParam)
			o.pays *= 1e8
		}
		m.offers[id] = o
	}
}

const insertMonthOffer = `
INSERT INTO offers (id, account_id, name, url, payout, payout_type, payout_from_param)
VALUES ($1, $2, 'name of ' || $1::uuid, 'https://o.example', $3, $4, $5)`

// click returns a click of a new visitor or, in later rounds, of an earlier visitor.
func (m *monthEnv) click() spool.Record {
	at := m.start.Add(time.Duration(m.rnd.Int64N(int64(m.end.Sub(m.start)/time.Millisecond))) * time.Millisecond)
	c := &models.Click{AccountID: m.account, UniqueHours: 24, Currency: "USD"}
	f := &monthFact{values: make([]uint32, len(monthDims)), sales: map[string]*monthSale{}, bot: m.rnd.IntN(12) == 0}
	for i, d := range monthDims {
		if d.size == 0 {
			continue
		}
		value := m.value(f, i)
		if d.name == "bot_reason" && !f.bot {
			value = 0
		}
		f.values[i] = uint32(value)
		d.set(c, m.pools[i].list[value])
	}
	if f.landed = c.LanderID != uuid.Nil && m.rnd.IntN(3) > 0; f.landed {
		c.OfferID, c.NetworkID = uuid.Nil, uuid.Nil
		f.values[place("offer_id")], f.values[place("network_id")] = 0, 0
	} else {
		c.LanderID = uuid.Nil
		f.values[place("lander_id")] = 0
	}
	f.fingerprint = c.CampaignID.String() + uuid.NewString()
	if n := len(m.earlier); n > 0 && m.rnd.IntN(4) == 0 {
		earlier := m.earlier[n-1]
		m.earlier = m.earlier[:n-1]
		if back := m.visits[earlier].Add(time.Duration(m.rnd.IntN(47)-23) * time.Hour); back.Before(m.end) {
			at, f.fingerprint, c.CampaignID = back, earlier, asID(earlier[:36])
			f.values[0] = m.pools[0].number(earlier[:36])
		}
	}
	c.UniqueKey = [16]byte(asID(f.fingerprint[36:]))
	c.VisitorID = c.UniqueKey
	m.price(c, f)
	floor := models.FloorClickID(at)
	c.ID = models.NewClickID()
	copy(c.ID[:6], floor[:6])
	c.IsBot, f.id, f.at = f.bot, c.ID, at
	if !f.bot && !at.Before(m.visits[f.fingerprint]) {
		f.unique, m.visits[f.fingerprint] = true, at.Add(24*time.Hour)
		f.cost += units(c.UniqueCost)
		m.current = append(m.current, f.fingerprint)
	}
	m.setTimeValues(f)
	m.facts = append(m.facts, f)
	return spool.Record{Click: c}
}

// value returns the number of a random value of a dimension. Some values are more frequent. For one campaign, value returns at most
// three different paths, pages, offers and sources.
func (m *monthEnv) value(f *monthFact, at int) int {
	n, d := m.rnd.Float64(), monthDims[at]
	switch d.name {
	case "stream_id", "lander_id", "offer_id", "source_id":
		return (int(f.values[0])*d.size/monthCampaigns + int(n*n*2.5)) % d.size
	case "country", "device_type", "os", "browser":
		return int(n * n * n * n * n * float64(d.size))
	}
	return int(n * n * float64(d.size))
}

func (m *monthEnv) price(c *models.Click, f *monthFact) {
	c.Cost, c.UniqueCost = decimal.New(m.rnd.Int64N(900), -4), decimal.New(m.rnd.Int64N(900), -7)
	f.cost = units(c.Cost)
	if m.rnd.IntN(2) == 0 {
		f.each, f.share = m.rnd.Int64N(90)*1e8, m.rnd.Int64N(40)
		c.ConversionCost, c.RevenueShare = decimal.New(f.each, -moneyDecimals), decimal.NewFromInt(f.share)
	}
}

// step sends a visitor from a page to an offer. The latest step determines the offer.
func (m *monthEnv) step(f *monthFact) spool.Record {
	o := &models.ClickOut{
		ID: models.NewClickID(), ClickID: f.id, AccountID: m.account, Slot: 1 + m.rnd.IntN(3),
	}
	floor := models.FloorClickID(f.at.Add(time.Duration(m.rnd.IntN(3600)) * time.Second))
	copy(o.ID[:6], floor[:6])
	offers, networks := m.pools[place("offer_id")].list, m.pools[place("network_id")].list
	offer, network := 1+m.rnd.IntN(len(offers)-1), 1+m.rnd.IntN(len(networks)-1) // the first value is empty
	o.OfferID, o.NetworkID = asID(offers[offer]), asID(networks[network])
	f.out = true
	if f.last == uuid.Nil || strings.Compare(o.ID.String(), f.last.String()) > 0 {
		f.last = o.ID
		f.values[place("offer_id")], f.values[place("network_id")] = uint32(offer), uint32(network)
		f.values[place("lp_slot")] = m.pools[place("lp_slot")].number(strconv.Itoa(o.Slot))
	}
	return spool.Record{Out: o}
}

// round sends new clicks with their steps, and new steps of earlier clicks. Two spools store them at the same time.
func (m *monthEnv) round(clicks int) {
	m.Helper()
	m.rnd.Shuffle(len(m.earlier), func(i, j int) { m.earlier[i], m.earlier[j] = m.earlier[j], m.earlier[i] })
	var records []spool.Record
	earlier := len(m.facts)
	for range clicks {
		records = append(records, m.click())
	}
	for i, f := range m.facts {
		if f.landed && !f.deleted && (i >= earlier && m.rnd.IntN(3) == 0 || m.rnd.IntN(60) == 0) {
			records = append(records, m.step(f))
		}
	}
	fresh := slices.Clone(records[:min(500, len(records))])
	m.rnd.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	m.store(append(records, m.sent...)) // earlier records are sent again
	m.sent = fresh
	m.earlier, m.current = append(m.earlier, m.current...), nil
}

// store stores records through two spools at the same time.
func (m *monthEnv) store(records []spool.Record) {
	m.Helper()
	var parts [2][]spool.Record
	for _, r := range records { // a click and its steps may be in different spools
		part := count(r.Click != nil && r.Click.ID[15]&1 == 0) // half of the clicks are in another spool than their steps
		parts[part] = append(parts[part], r)
	}
	m.atOnce(len(parts), func(i int) error {
		s, err := spool.Open(m.TempDir(), spool.Options{})
		if err != nil {
			return err
		}
		defer s.Close()
		const writers = 128
		errs := make(chan error, writers)
		for w := range writers {
			go func() {
				for n := w; n < len(parts[i]); n += writers {
					if err := s.Append(m.Context(), parts[i][n]); err != nil {
						errs <- err
						return
					}
				}
				errs <- nil
			}()
		}
		for range writers {
			if e := <-errs; e != nil {
				err = e
			}
		}
		if err != nil {
			return err
		}
		return ingest.NewIngester(s, m.d, ingest.Options{BatchSize: monthClicks / 60}).Drain(m.Context())
	})
	for {
		n, err := conversion.ApplyWaitingHops(m.Context(), click.Log{Conn: m.d}, monthClicks/30)
		if err != nil {
			m.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// atOnce runs fn for 0 to n-1, several calls at the same time.
func (m *monthEnv) atOnce(n int, fn func(i int) error) {
	m.Helper()
	var wg sync.WaitGroup
	next := make(chan int)
	for range monthConcurrency {
		wg.Go(func() {
			for i := range next {
				if err := fn(i); err != nil {
					m.Error(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	if m.Failed() {
		m.FailNow()
	}
}
