package visitor

import (
	"switchyard/models"
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
	ProxyRelay      = "relay" // a privacy relay of a browser vendor, which real people use
)

// Cellular is the value of Description.ConnectionType for mobile networks. An unknown connection type is empty.
const Cellular = "cellular"

// Limits of the texts of a Description, in bytes.
const (
	MaxUserAgent = 512
	MaxReferrer  = 2000
	MaxDomain    = 253
	MaxText      = 128 // every other text
)

// Description is the description of a visitor from a single request. All texts are valid UTF-8 without control characters and
// within their limits. An unknown text is empty.
type Description struct {
	models.Visitor // without the results of the bot score; DeviceType and ProxyKind are never empty

	Continent    string // AF AN AS EU NA OC SA
	Timezone     string // IANA name
	Organization string
	Signals      bot.Signals // only signals that a single request can show
}
