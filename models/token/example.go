package token

import (
	"strconv"
	"time"
)

// Example fills the tokens of a redirect's URL with made-up values of the form that real ones have, so that the address
// can be tried. The values are the same each time but for {date} and {timestamp}; of a draw it is always the first.
func Example(url string, at time.Time) string {
	return string(Compile(url).Expand(nil, sample{at.UTC()}))
}

type sample struct{ at time.Time }

// samples are the values of tokens that a page might look at; any other is "test".
var samples = map[Name]string{
	ClickID: "0000000000000000000000", CampaignID: sampleID, PathID: sampleID, LanderID: sampleID, OfferID: sampleID,
	NetworkID: sampleID, SourceID: sampleID, VisitorID: sampleID, LPSlot: "1", Cost: "0.01", Currency: "USD", Country: "US",
	CountryName: "United States", Region: "California", City: "Los Angeles", Language: "en", IP: "192.0.2.1",
	ISP: "Example", ASN: "64496", MobileOperator: "", ConnectionType: "broadband", DeviceType: "desktop",
	DeviceBrand: "", DeviceModel: "", OS: "Windows", OSVersion: "10", Browser: "Chrome", BrowserVersion: "120",
	UserAgent: "Mozilla/5.0", Referrer: "https://www.example.com/", ReferrerDomain: "www.example.com", IsUnique: "1",
	IsBot: "0", Domain: "www.example.com", LPKey: "",
}

const sampleID = "00000000-0000-4000-8000-000000000000"

func (sample) AppendToken(dst []byte, t Token) []byte {
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
