package jobs

import "time"

// ConnectGeoArgs has a provider of geo look-ups, a sealed key for this provider, and whether look-ups are enabled.
type ConnectGeoArgs struct {
	Provider string `json:"provider"`
	Key      []byte `json:"key"`
	Enabled  bool   `json:"enabled"`
}

// ConnectedGeo is the saved connection to a provider.
type ConnectedGeo struct {
	Provider string `json:"provider"`
	Enabled  bool   `json:"enabled"`
}

// ConnectGeo tests a key at its provider and saves both as the account's geo database. Errors: key_refused, and network_error if
// the key could not be tested.
var ConnectGeo = Define[ConnectGeoArgs, ConnectedGeo]("geo:connect", interactive(20*time.Second))

// LookUpGeo looks up the addresses of an account's new clicks in its geo database, and stores the places with the clicks.
var LookUpGeo = Define[None, None]("geo:look-up", Policy{Queue: Bulk, Timeout: 2 * time.Minute, Retention: time.Minute})

// SweepGeo starts LookUpGeo for each account that has a geo database and new clicks.
var SweepGeo = tickWithin("geo:sweep", time.Minute)

// GeoSweeps is the number of times that SweepGeo runs in a minute. Each LookUpGeo may use 1/GeoSweeps of the plan's look-ups in a
// minute.
const GeoSweeps = 3
