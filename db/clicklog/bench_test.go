package clicklog_test

import (
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/dbtest"
	"switchyard/db/exchangerate"
	"switchyard/db/spool"
	"switchyard/models"
)

// realistic returns a click as a tracking link records it, with random values for one of many campaigns, countries and visitors.
func realistic(acc uuid.UUID, campaigns []uuid.UUID) *models.Click {
	n := rand.IntN(1 << 30)
	one := func(of int) uuid.UUID { return campaigns[n%of%len(campaigns)] }
	return &models.Click{
		ID: models.NewClickID(), AccountID: acc, CampaignID: one(len(campaigns)), StreamID: one(3),
		LanderID: one(5), SourceID: one(2), VisitorID: uuid.New(), Domain: "go.example.com",
		Destination: "https://lander.example.com/page?clickid=0BvS1kYbYg1Qq2rAI0cQvL&c=summer", Arrival: "url",
		ExternalID: "ext-293847293847", Subs: [models.Subs]string{"banner-7", "zone-12345", "", "creative"},
		Params: "sub1=banner-7&sub2=zone-12345&sub4=creative&cost=0.0031&ext=ext-293847293847",
		Visitor: models.Visitor{
			IP: netip.AddrFrom4([4]byte{93, byte(n >> 16), byte(n >> 8), byte(n)}),
			UserAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
				"Version/17.5 Mobile/15E148 Safari/604.1",
			Referrer: "https://news.example.org/2026/11/article", ReferrerDomain: "news.example.org", Language: "de",
			Country: []string{"DE", "FR", "US", "BR", "IN"}[n%5], Region: "Bavaria", City: "Munich", ISP: "Some Carrier GmbH",
			ASN: 3320, ConnectionType: "mobile", DeviceType: []string{"mobile", "desktop"}[n%2], DeviceBrand: "Apple",
			DeviceModel: "iPhone", OS: []string{"iOS", "Android", "Windows"}[n%3], OSVersion: "17.5", Browser: "Safari",
			BrowserVersion: "17.5",
		}, Cost: decimal.New(31, -4), Currency: "USD",
		UniqueKey: [16]byte(uuid.NewSHA1(uuid.Nil, []byte{byte(n), byte(n >> 8), byte(n >> 16)})), UniqueHours: 24,
	}
}

// BenchmarkIngest measures how many clicks a second go from a full spool into PostgreSQL, without pacing. A third of the clicks
// have a click-out to an offer.
func BenchmarkIngest(b *testing.B) {
	d := dbtest.New(b)
	acc := account(b, d)
	campaigns := make([]uuid.UUID, 20)
	for i := range campaigns {
		campaigns[i] = uuid.New()
	}
	const batch = 10_000
	clicks := 0
	b.StopTimer()
	b.ResetTimer()
	for range b.N {
		s, err := spool.Open(b.TempDir(), spool.Options{})
		if err != nil {
			b.Fatal(err)
		}
		records := make(chan spool.Record, 64)
		done := make(chan struct{})
		for range 64 {
			go func() {
				for r := range records {
					if err := s.Append(b.Context(), r); err != nil {
						b.Error(err)
					}
				}
				done <- struct{}{}
			}()
		}
		for i := range batch {
			c := realistic(acc, campaigns)
			records <- spool.Record{Click: c}
			if i%3 == 0 {
				records <- spool.Record{Out: &models.ClickOut{
					ID: models.NewClickID(), ClickID: c.ID, AccountID: acc,
					Slot: 1, OfferID: campaigns[i%7], Destination: "https://offer.example.com/?cid=1",
				}}
			}
		}
		close(records)
		for range 64 {
			<-done
		}
		b.StartTimer()
		drain(b, s, d, clicklog.IngestOptions{})
		b.StopTimer()
		clicks += batch
		if st := s.Stats(); st.Rejected > 0 || st.PendingBytes > 0 {
			b.Fatalf("%+v", st)
		}
		_ = s.Close()
	}
	if n := number[int](b, d, `SELECT count(*) FROM clicks`); n < clicks {
		b.Fatalf("%d of %d clicks", n, clicks)
	}
	b.ReportMetric(float64(clicks)/b.Elapsed().Seconds(), "clicks/s")
}

// BenchmarkChangeCurrency measures how many clicks a second are restated after the currency of a large account has changed, with
// the batches of the job.
func BenchmarkChangeCurrency(b *testing.B) {
	const clicks, batch = 100_000, 1000
	d := dbtest.New(b)
	acc, campaigns := account(b, d), []uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New(), uuid.New()}
	s, err := spool.Open(b.TempDir(), spool.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var writers sync.WaitGroup
	for range 50 {
		writers.Go(func() {
			for range clicks / 50 {
				if err := s.Append(b.Context(), spool.Record{Click: realistic(acc, campaigns)}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	writers.Wait()
	drain(b, s, d, clicklog.IngestOptions{})
	if _, err := d.ExecContext(b.Context(), `INSERT INTO currency_rates (base, currency, day, rate, source)
		VALUES ('EUR', 'USD', current_date - 1, 1.25, 'file')`); err != nil {
		b.Fatal(err)
	}
	log, own := clicklog.Log{Conn: d}, []string{"EUR", "USD"}
	in := func(do func(c db.Conn) error) {
		if err := db.Tx(b.Context(), d, do); err != nil {
			b.Fatal(err)
		}
	}
	n := 0
	for b.Loop() {
		in(func(c db.Conn) error {
			_, err := log.BeginCurrency(b.Context(), c, acc, own[n%2], uuid.New())
			return err
		})
		k, _, err := exchangerate.FindChange(b.Context(), d, acc)
		if err != nil {
			b.Fatal(err)
		}
		in(func(c db.Conn) error { return log.FindCurrencies(b.Context(), c, k) })
		keys, err := exchangerate.RestatingOf(b.Context(), d, acc)
		if err != nil {
			b.Fatal(err)
		}
		for _, key := range keys {
			r := clicklog.Restatement{Key: key, Kept: k.Kept}
			for done := false; !done; {
				in(func(c db.Conn) (err error) {
					done, err = log.Restate(b.Context(), c, &r, batch)
					return err
				})
			}
		}
		in(func(c db.Conn) error { return exchangerate.EndChange(b.Context(), c, k) })
		n++
	}
	if wrong := number[int](b, d, `SELECT count(*) FROM clicks WHERE rate <> CASE WHEN $1 % 2 = 0 THEN 1 ELSE 0.8 END`, n); wrong > 0 {
		b.Errorf("%d clicks have another rate", wrong)
	}
	b.ReportMetric(float64(n*clicks)/b.Elapsed().Seconds(), "clicks/s")
}
