package v1_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/apitest"
	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/measure"
)

// visit is a click as the test sent it, with its steps from the landing page (outs) and its conversions (sales).
type visit struct {
	models.Click
	unique bool
	outs   []models.ClickOut
	sales  []conversion.Input
}

func (v *visit) offer() uuid.UUID {
	if len(v.outs) > 0 {
		return v.outs[len(v.outs)-1].OfferID
	}
	return v.OfferID
}

// trafficEnv has the visits that a test sent to an account. The test computes its own figures from them.
type trafficEnv struct {
	t      *testing.T
	s      *apitest.Server
	visits []*visit

	campaigns, landers, offers, sources []uuid.UUID
	stream                              uuid.UUID
}

// newTrafficEnv creates n visits at equal intervals. The first one was the given number of days ago.
func newTrafficEnv(t *testing.T, s *apitest.Server, n int, days int) *trafficEnv {
	t.Helper()
	r := &trafficEnv{t: t, s: s, stream: uuid.New()}
	add := func(query string, args ...any) (ids []uuid.UUID) {
		for i := range 2 {
			id := uuid.New()
			dbtest.Exec(t, s.DB, query, append([]any{id, s.Account.ID, fmt.Sprint("Name ", i)}, args...)...)
			ids = append(ids, id)
		}
		return ids
	}
	domain := uuid.New()
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, host) VALUES ($1, $2)`, domain, domain.String()+".example.com")
	r.landers = add(`INSERT INTO landers (id, account_id, name, url) VALUES ($1, $2, $3, 'https://l.example')`)
	r.offers = add(`INSERT INTO offers (id, account_id, name, url) VALUES ($1, $2, $3, 'https://o.example')`)
	r.sources = add(`INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, $3)`)
	r.campaigns = add(`INSERT INTO campaigns (id, account_id, name, alias, domain_id, streams)
		VALUES ($1, $2, $3, $3, $4, $5)`, domain, fmt.Sprintf(`[{"id": %q, "name": "Path 1"}]`, r.stream))
	rnd := rand.New(rand.NewPCG(uint64(n), 7))
	seen, now := map[string]bool{}, time.Now().UTC()
	span := time.Duration(days) * 24 * time.Hour / time.Duration(n)
	for i := range n {
		v := r.visit(rnd, now.Add(-span*time.Duration(n-i)))
		visitor := fmt.Sprint(v.CampaignID, v.UniqueKey)
		v.unique = !v.IsBot && !seen[visitor]
		seen[visitor] = seen[visitor] || !v.IsBot
		r.visits = append(r.visits, v)
	}
	r.store()
	return r
}

func one[T any](rnd *rand.Rand, list ...T) T { return list[rnd.IntN(len(list))] }

func idAt(at time.Time) uuid.UUID {
	id, floor := models.NewClickID(), models.FloorClickID(at)
	copy(id[:6], floor[:6])
	return id
}

func (r *trafficEnv) visit(rnd *rand.Rand, at time.Time) *visit {
	v := &visit{Click: models.Click{
		ID: idAt(at), AccountID: r.s.Account.ID, CampaignID: one(rnd, r.campaigns...), StreamID: r.stream,
		SourceID: one(rnd, append(r.sources, uuid.Nil)...), Visitor: models.Visitor{
			Country: one(rnd, "DE", "FR", ""), City: one(rnd, "Paris", ""),
			DeviceType: one(rnd, "mobile", "desktop"), OS: one(rnd, "iOS", "Linux"), Browser: one(rnd, "Safari", "Firefox"),
			IP: netip.MustParseAddr(one(rnd, "198.51.100.7", "2001:db8::1")), UserAgent: "UA", ASN: one[models.ASN](rnd, 0, 64500),
			IsBot: rnd.IntN(6) == 0,
		},
		Cost: decimal.New(rnd.Int64N(1000), -3), Currency: "USD", UniqueHours: 24 * 365,
		UniqueKey: [16]byte{byte(rnd.IntN(20))}, Domain: "go.example.com", Destination: "https://o.example/x",
	}}
	v.Subs[0] = one(rnd, "", "a,b", `"q"`)
	if v.City != "" {
		v.PassedStreamID, v.PassedReason = r.stream, "capped"
	}
	if rnd.IntN(2) == 0 {
		v.OfferID = one(rnd, r.offers...)
	} else {
		v.LanderID = one(rnd, r.landers...)
		for i := range rnd.IntN(3) {
			v.outs = append(v.outs, models.ClickOut{
				ID: idAt(at.Add(time.Duration(i+1) * time.Second)), ClickID: v.ID, AccountID: v.AccountID, Slot: 1 + i,
				OfferID: one(rnd, r.offers...), Destination: "https://o.example/y",
			})
		}
	}
	for i := range rnd.IntN(3) {
		if v.IsBot {
			break
		}
		payout := decimal.New(rnd.Int64N(9000), -2)
		v.sales = append(v.sales, conversion.Input{
			ClickID: v.ID, AccountID: v.AccountID, ConversionID: fmt.Sprint("order-", i), Payout: &payout,
			Status: one(rnd, "pending", "approved", "rejected"), Source: models.FromPostback,
			At: at.Add(time.Duration(i+1) * time.Millisecond),
		})
	}
	return v
}

func (r *trafficEnv) store() {
	r.t.Helper()
	ctx := r.t.Context()
	log, err := spool.Open(r.t.TempDir(), spool.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	defer log.Close()
	// The service may change the record that it gets, so it gets a copy.
	for _, v := range r.visits {
		c := v.Click
		if err := log.Append(ctx, spool.Record{Click: &c}); err != nil {
			r.t.Fatal(err)
		}
		for _, o := range v.outs {
			if err := log.Append(ctx, spool.Record{Out: &o}); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	if err := ingest.NewIngester(log, r.s.DB, ingest.Options{}).Drain(ctx); err != nil {
		r.t.Fatal(err)
	}
	for _, v := range r.visits {
		for _, in := range v.sales {
			recordConversion(r.t, r.s.DB, in)
		}
	}
}

func recordConversion(tb testing.TB, d *db.DB, in conversion.Input) {
	tb.Helper()
	if err := db.Tx(tb.Context(), d, func(c db.Conn) error {
		_, err := conversion.Record(tb.Context(), click.Log{}, c, in)
		return err
	}); err != nil {
		tb.Fatal(err)
	}
}

// keys has the value of a visit in each dimension that the tests check.
var keys = map[string]func(*visit) string{
	"campaign_id": func(v *visit) string { return models.IDText(v.CampaignID) },
	"stream_id":   func(v *visit) string { return models.IDText(v.StreamID) },
	"lander_id":   func(v *visit) string { return models.IDText(v.LanderID) },
	"offer_id":    func(v *visit) string { return models.IDText(v.offer()) },
	"source_id":   func(v *visit) string { return models.IDText(v.SourceID) },
	"country":     func(v *visit) string { return v.Country },
	"city":        func(v *visit) string { return v.City },
	"device_type": func(v *visit) string { return v.DeviceType },
	"os":          func(v *visit) string { return v.OS },
	"browser":     func(v *visit) string { return v.Browser },
	"ip":          func(v *visit) string { return v.IP.String() },
	"sub1":        func(v *visit) string { return v.Subs[0] },
	"date":        func(v *visit) string { return v.at().Format("2006-01-02") },
	"hour":        func(v *visit) string { return v.at().Format("2006-01-02 15:00:00") },
	"hour_of_day": func(v *visit) string { return strconv.Itoa(v.at().Hour()) },
	"day_of_week": func(v *visit) string { return strconv.Itoa(1 + (int(v.at().Weekday())+6)%7) },
	"month":       func(v *visit) string { return v.at().Format("2006-01") },
}

func (v *visit) at() time.Time { return models.ClickTime(v.ID) }

func (v *visit) key(dims []string) string {
	parts := make([]string, len(dims))
	for i, d := range dims {
		parts[i] = keys[d](v)
	}
	return strings.Join(parts, " | ")
}

// figures computes the figures of visits, under their names in answers. A ratio that divides by zero is NaN or infinite.
func figures(visits []*visit) map[string]float64 {
	f := map[string]float64{}
	add := func(name string, d decimal.Decimal) { x, _ := d.Float64(); f[name] += x }
	for _, name := range []string{
		"clicks", "unique_clicks", "bot_clicks", "lp_views", "lp_clicks", "approved", "pending",
		"rejected", "chargebacks", "cost", "revenue", "pending_revenue",
	} {
		f[name] = 0
	}
	for _, v := range visits {
		if v.IsBot {
			f["bot_clicks"]++
			continue
		}
		f["clicks"]++
		add("cost", v.Cost)
		if v.unique {
			f["unique_clicks"]++
		}
		if v.LanderID != uuid.Nil {
			f["lp_views"]++
		}
		if len(v.outs) > 0 {
			f["lp_clicks"]++
		}
		for _, s := range v.sales {
			f[s.Status]++
			switch s.Status {
			case "approved":
				add("revenue", *s.Payout)
			case "pending":
				add("pending_revenue", *s.Payout)
			}
		}
	}
	ratio := func(a, b float64) float64 { return a / b }
	f["conversions"] = f["approved"] + f["pending"]
	f["profit"] = f["revenue"] - f["cost"]
	f["lp_ctr"] = ratio(100*f["lp_clicks"], f["lp_views"])
	f["cr"] = ratio(100*f["conversions"], f["clicks"])
	f["roi"] = ratio(100*f["profit"], f["cost"])
	f["epc"] = ratio(f["revenue"], f["clicks"])
	f["cpc"] = ratio(f["cost"], f["clicks"])
	f["cpa"] = ratio(f["cost"], f["conversions"])
	f["approve_rate"] = ratio(100*f["approved"], f["approved"]+f["pending"]+f["rejected"])
	addFormulas(f)
	return f
}

// addFormulas adds all other measures that have a formula, so that a new one is checked too.
func addFormulas(f map[string]float64) {
	sum := func(terms []measure.Term) (n float64) {
		for _, t := range terms {
			if t.Minus {
				n -= f[t.Name]
			} else {
				n += f[t.Name]
			}
		}
		return n
	}
	for i := range measure.All {
		m := &measure.All[i]
		if _, known := f[m.Name]; known || m.IsCounter() {
			continue
		}
		over, under := m.Terms()
		value := sum(over)
		if m.IsRatio() {
			value /= sum(under)
		}
		if m.IsPercent() {
			value *= 100
		}
		f[m.Name] = value
	}
}

// compare fails the test unless the answer has these figures. NaN and infinity stand for null.
func compare(t *testing.T, where string, got map[string]any, want map[string]float64) {
	t.Helper()
	for name, w := range want {
		g, isNumber := got[name].(float64)
		same := isNumber && math.Abs(g-w) <= 2e-6 // answers have six decimals
		if math.IsNaN(w) || math.IsInf(w, 0) {
			same = got[name] == nil
		}
		if !same {
			t.Errorf("%s: %s is %v, want %v", where, name, got[name], w)
		}
	}
}

func (r *trafficEnv) where(keep func(*visit) bool) []*visit {
	return slices.DeleteFunc(slices.Clone(r.visits), func(v *visit) bool { return !keep(v) })
}

// between returns the visits from one second to another. Both whole seconds are included.
func (r *trafficEnv) between(from, to time.Time) []*visit {
	return r.where(func(v *visit) bool { return !v.at().Before(from) && v.at().Before(to.Add(time.Second)) })
}

func (r *trafficEnv) days(back int) string {
	return time.Now().UTC().AddDate(0, 0, -back).Format(time.DateOnly)
}
