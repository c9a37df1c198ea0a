package ingest_test

import (
	"testing"

	"github.com/google/uuid"

	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

// BenchmarkIngest measures how many clicks per second the ingester stores from a full spool. A third of the clicks have a
// click-out.
func BenchmarkIngest(b *testing.B) {
	d := dbtest.New(b)
	acc := clicktest.Account(b, d)
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
			c := clicktest.Realistic(acc, campaigns)
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
		clicktest.Drain(b, s, d, ingest.Options{})
		b.StopTimer()
		clicks += batch
		if st := s.Stats(); st.Rejected > 0 || st.PendingBytes > 0 {
			b.Fatalf("records are rejected or not stored: %+v", st)
		}
		_ = s.Close()
	}
	if n := dbtest.Get[int](b, d, `SELECT count(*) FROM clicks`); n < clicks {
		b.Fatalf("%d of %d clicks are stored", n, clicks)
	}
	b.ReportMetric(float64(clicks)/b.Elapsed().Seconds(), "clicks/s")
}
