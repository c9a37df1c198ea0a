package clicktest

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/await"
)

// Realistic returns a click as a tracking link records it.
func Realistic(acc uuid.UUID, campaigns []uuid.UUID) *models.Click {
	n := rand.IntN(1 << 30)
	id := func(count int) uuid.UUID { return campaigns[n%count%len(campaigns)] } // an id from the beginning of the list
	return &models.Click{
		ID: models.NewClickID(), AccountID: acc, CampaignID: id(len(campaigns)), StreamID: id(3),
		LanderID: id(5), SourceID: id(2), VisitorID: uuid.New(), Domain: "go.example.com",
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

// Record records a conversion in a transaction.
func Record(tb testing.TB, d *db.DB, in conversion.Input) (conversion.Outcome, error) {
	tb.Helper()
	var out conversion.Outcome
	err := db.Tx(tb.Context(), d, func(c db.Conn) (err error) {
		out, err = conversion.Record(tb.Context(), click.Log{}, c, in)
		return err
	})
	return out, err
}

// Amount returns a decimal that a text contains.
func Amount(s string) *decimal.Decimal {
	d := decimal.RequireFromString(s)
	return &d
}

// StoredClick creates an account and stores a click of it. If the argument change is not nil, it is called with the click before the
// click is stored.
func StoredClick(tb testing.TB, d *db.DB, change func(*models.Click)) *models.Click {
	tb.Helper()
	dbtest.SetRates(tb, d, "1")
	c := Click(Account(tb, d), uuid.New(), 1)
	if change != nil {
		change(c)
	}
	s := OpenSpool(tb, tb.TempDir())
	Put(tb, s, spool.Record{Click: c})
	Drain(tb, s, d, ingest.Options{})
	return c
}

// Input is the input of Record.
type Input = conversion.Input

// In tests, days of any age may leave PostgreSQL for ClickHouse, because tests have no old clicks.
func init() { click.ColdAfter = -click.NewestClick }

// OpenSpool opens a spool and closes it at the end of the test.
func OpenSpool(tb testing.TB, dir string) *spool.Spool {
	tb.Helper()
	s, err := spool.Open(dir, spool.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// Put appends records to a spool.
func Put(tb testing.TB, s *spool.Spool, records ...spool.Record) {
	tb.Helper()
	for _, r := range records {
		if err := s.Append(tb.Context(), r); err != nil {
			tb.Fatal(err)
		}
	}
}

// Drain stores all records of a spool.
func Drain(tb testing.TB, s *spool.Spool, d *db.DB, o ingest.Options) {
	tb.Helper()
	if err := ingest.NewIngester(s, d, o).Drain(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

// Account adds an account.
func Account(tb testing.TB, d *db.DB) uuid.UUID {
	tb.Helper()
	id := uuid.New()
	dbtest.Exec(tb, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2)`, id, id.String())
	return id
}

// IDAt returns a new click id for a moment.
func IDAt(at time.Time) uuid.UUID {
	id, floor := models.NewClickID(), models.FloorClickID(at)
	copy(id[:6], floor[:6])
	return id
}

// Click returns a click of a visitor.
func Click(acc, campaign uuid.UUID, visitor byte) *models.Click {
	return &models.Click{
		ID: models.NewClickID(), AccountID: acc, CampaignID: campaign, Visitor: models.Visitor{Country: "DE"},
		UniqueKey: [16]byte{visitor}, UniqueHours: 24, Cost: decimal.New(1, -2), UniqueCost: decimal.New(5, -3),
	}
}

// AwaitRow waits until a query returns true.
func AwaitRow(tb testing.TB, d *db.DB, query string, args ...any) {
	tb.Helper()
	await.Until(tb, query, func() (ok bool) {
		if err := d.GetContext(tb.Context(), &ok, query, args...); err != nil {
			tb.Fatal(err)
		}
		return ok
	})
}

// SameValues are options of cmp. They compare addresses and amounts by their values.
var SameValues = cmp.Options{
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
	cmp.Comparer(decimal.Decimal.Equal),
}

// Full returns a new click of the same account as c. It has a value in most columns. Some of the texts need quoting.
func Full(c *models.Click) *models.Click {
	f := *Realistic(c.AccountID, []uuid.UUID{uuid.New(), uuid.New(), uuid.New(), uuid.New(), uuid.New()})
	f.ParentCampaignID, f.OfferID, f.NetworkID = uuid.New(), uuid.New(), uuid.New()
	f.Subs = [models.Subs]string{"", `"`, `\N`, "{a,b}", "\t", "", "", "", "ü", ""}
	f.Params, f.Keyword = "a\\b\nc", `'; DROP TABLE clicks; --`
	f.SearchEngine, f.MobileOperator, f.ProxyKind, f.BotReason = "Google", "T", "vpn", "datacenter"
	f.BotScore, f.BotSignals = 40, 1<<63|1
	f.UniqueCost, f.ConversionCost, f.RevenueShare = decimal.New(1, -5), decimal.New(2, 0), decimal.New(3, 0)
	return &f
}

// SmartlinkClick returns a click of a smartlink.
func SmartlinkClick(at time.Time, account, link, rule uuid.UUID, to string, bot bool) *models.SmartlinkClick {
	return &models.SmartlinkClick{
		Click: models.Click{
			ID: IDAt(at), AccountID: account, Destination: to + "?x", Subs: [models.Subs]string{"a", "", "c"}, Domain: "l.example",
			Visitor: models.Visitor{Country: "DE", IsBot: bot, IP: netip.MustParseAddr("192.0.2.1")},
		},
		SmartlinkID: link, RuleID: rule, DestinationURL: to,
	}
}
