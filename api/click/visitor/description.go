package visitor

import (
	"net/netip"

	"switchyard/models/bot"
)

// Values of Description.DeviceType.
const (
	Desktop  = "desktop"
	Mobile   = "mobile"
	Tablet   = "tablet"
	Console  = "console"
	TV       = "tv"
	Wearable = "wearable"
	Car      = "car"
	Bot      = "bot" // any automated client, a headless browser included
	Unknown  = "unknown"
)

// Values of Description.ProxyKind.
const (
	ProxyNone       = "none"
	ProxyVPN        = "vpn"
	ProxyProxy      = "proxy"
	ProxyTor        = "tor"
	ProxyDatacenter = "datacenter"
	ProxyRelay      = "relay" // a privacy relay of a browser vendor: real people
)

// Values of Description.ConnectionType; empty when no database tells.
const (
	Cellular  = "cellular"
	CableDSL  = "cable_dsl"
	Corporate = "corporate"
	Dialup    = "dialup"
	Satellite = "satellite"
	WiFi      = "wifi"
)

// Limits of the texts of a Description, in bytes. A longer text is cut at a rune.
const (
	MaxUserAgent = 512
	MaxReferrer  = 2000
	MaxDomain    = 253
	MaxText      = 128 // every other text
)

// Description is what one request tells about its visitor. All texts are valid UTF-8 without control characters and
// within their limits; an unknown one is empty. It holds no pointer of its own and may be reused.
type Description struct {
	IP        netip.Addr // the client's, IPv4-mapped IPv6 unmapped, without zone; invalid if the peer's address is
	Country   string     // ISO 3166-1 alpha-2, upper case
	Continent string     // AF AN AS EU NA OC SA
	Region    string
	City      string
	Timezone  string // IANA name

	ISP            string
	ASN            uint32
	Organization   string
	MobileOperator string
	ConnectionType string
	ProxyKind      string // never empty

	Language       string // primary subtag of Accept-Language, lower case
	DeviceType     string // never empty
	DeviceBrand    string
	DeviceModel    string
	OS             string
	OSVersion      string
	Browser        string
	BrowserVersion string

	UserAgent      string
	Referrer       string
	ReferrerDomain string // lower case, without port and leading www.
	SearchEngine   string
	Keyword        string

	Signals bot.Signals // of those that a request alone can show
}

// IPVersion is 4 or 6, or 0 when the address is unknown.
func (d *Description) IPVersion() int {
	switch {
	case d.IP.Is4():
		return 4
	case d.IP.IsValid():
		return 6
	}
	return 0
}

// CountryName is the English name of the country, or empty.
func (d *Description) CountryName() string { return CountryName(d.Country) }
