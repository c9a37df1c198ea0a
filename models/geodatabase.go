package models

import (
	"regexp"
	"time"

	"github.com/google/uuid"
)

// Place is the location and the network of an address, according to a geo database.
type Place struct {
	Country        string `json:"country,omitempty"` // two letters
	Region         string `json:"region,omitempty"`
	City           string `json:"city,omitempty"`
	ISP            string `json:"isp,omitempty"`
	ASN            uint32 `json:"asn,omitempty"`
	MobileOperator string `json:"mobile_operator,omitempty"`
	ConnectionType string `json:"connection_type,omitempty"` // one of clickattr.ConnectionTypes
	ProxyKind      string `json:"proxy_kind,omitempty"`      // one of clickattr.ProxyKinds; empty: unknown
}

// GeoProvider is a provider of geo look-ups for which an account may have a key.
type GeoProvider struct {
	Name    string // the value of GeoDatabase.Provider
	Label   string
	KeyForm string // the form of the provider's keys, described for people
	key     *regexp.Regexp
}

var printable = regexp.MustCompile(`^[!-~]+$`)

// GeoProviders lists all providers.
var GeoProviders = []GeoProvider{
	{"maxmind", "MaxMind GeoIP2 Insights", "account id, a colon, license key: 123456:AbCd1234", regexp.MustCompile(`^[0-9]+:[!-9;-~]+$`)},
	{"ipinfo", "IPinfo", "access token", printable},
	{"ipdata", "ipdata", "API key", printable},
	{"ip2location", "IP2Location.io", "API key", printable},
}

// CheckGeoKey returns an error with the code invalid_key if the key cannot belong to the provider.
func CheckGeoKey(provider, key string) error {
	for _, p := range GeoProviders {
		if p.Name == provider && !p.key.MatchString(key) {
			return Invalid("invalid_key", "this is not a key of %s: a key is %s, without spaces and line breaks", p.Label, p.KeyForm)
		}
	}
	return nil
}

// GeoDatabase is an account's own geo database.
type GeoDatabase struct {
	AccountID uuid.UUID `db:"account_id"`
	Provider  string    `db:"provider"`
	Enabled   bool      `db:"enabled"`
	SavedAt   time.Time `db:"saved_at"`
	// LookedAfter is a click id. Only clicks after this id are still to be looked up.
	LookedAfter  uuid.UUID  `db:"looked_after"`
	FailingSince *time.Time `db:"failing_since"`
	Failure      string     `db:"failure"` // for people; does not contain the key
}
