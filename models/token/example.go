package token

import (
	"net/netip"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// Example returns the URL of a redirect with its tokens replaced by made-up values, so that the address can be tried.
// The values are the same each time, except for {date} and {timestamp}.
func Example(url string, at time.Time) string {
	return string(Compile(url).Expand(nil, sample{at.UTC()}))
}

type sample struct{ at time.Time }

var samples = map[Name]string{
	ClickID: "0000000000000000000000", LPSlot: "1", CountryName: "United States", IsUnique: "1", LPKey: "",
}

var sampleID = uuid.MustParse("00000000-0000-4000-8000-000000000000")

var sampleClick = models.Click{
	CampaignID: sampleID, StreamID: sampleID, LanderID: sampleID, OfferID: sampleID, NetworkID: sampleID,
	SourceID: sampleID, VisitorID: sampleID, ExternalID: "test", Domain: "www.example.com", Cost: decimal.New(1, -2),
	Currency: "USD",
	Visitor: models.Visitor{
		Country: "US", Region: "California", City: "Los Angeles", Language: "en", IP: netip.MustParseAddr("192.0.2.1"),
		ISP: "Example", ASN: 64496, ConnectionType: "cable_dsl", DeviceType: "desktop", OS: "Windows", OSVersion: "10",
		Browser: "Chrome", BrowserVersion: "120", UserAgent: "Mozilla/5.0", Referrer: "https://www.example.com/",
		ReferrerDomain: "www.example.com", Keyword: "test",
	},
}

func (sample) AppendToken(dst []byte, t Token) []byte {
	if t.Name >= firstOfClick {
		return t.Name.Append(dst, &sampleClick)
	}
	if t.Name == Sub {
		return strconv.AppendInt(append(dst, "test"...), int64(t.N), 10)
	}
	if text, ok := samples[t.Name]; ok {
		return append(dst, text...)
	}
	return append(dst, "test"...)
}

func (s sample) Now() time.Time { return s.at }

func (sample) Random() uint64 { return 0 }
