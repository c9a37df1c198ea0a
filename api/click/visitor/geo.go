package visitor

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"

	"github.com/maypok86/otter/v2"
	"github.com/oschwald/maxminddb-golang/v2"
	"github.com/phuslu/iploc"

	"switchyard/models/country"
)

// recordCacheSize is how many decoded records of one file are remembered; a file has fewer records than networks, so
// that most visitors share theirs.
const recordCacheSize = 20_000

// geo answers from the built-in country table, the operator's files and the table of known networks.
type geo struct{ files []*database }

// database is one mapped file and its decoded records by their place in the file.
type database struct {
	reader  *maxminddb.Reader
	records *otter.Cache[uintptr, *record]
}

func (g *geo) open(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		reader, err := maxminddb.Open(path)
		if err != nil {
			return fmt.Errorf("visitor: open geo database %s: %w", path, err)
		}
		records := otter.Must(&otter.Options[uintptr, *record]{MaximumSize: recordCacheSize})
		g.files = append(g.files, &database{reader, records})
	}
	iploc.IPCountry(netip.IPv6LinkLocalAllNodes()) // unpacks the IPv6 table now, not in the first request
	return nil
}

func (g *geo) close() (err error) {
	for _, f := range g.files {
		f.records.StopAllGoroutines()
		err = errors.Join(err, f.reader.Close())
	}
	g.files = nil
	return err
}

// find is the record of an address, or nil. A damaged record counts as none.
func (f *database) find(a netip.Addr) *record {
	result := f.reader.Lookup(a)
	if !result.Found() {
		return nil
	}
	if known, ok := f.records.GetIfPresent(result.Offset()); ok {
		return known
	}
	var fields map[string]any
	rec := &record{}
	if err := result.Decode(&fields); err == nil {
		rec.read(fields)
	}
	f.records.Set(result.Offset(), rec)
	return rec
}

// describe fills everything that follows from into.IP. The first file that knows a field wins.
func (g *geo) describe(into *Description) {
	if !into.IP.IsValid() {
		return
	}
	for _, f := range g.files {
		if rec := f.find(into.IP); rec != nil {
			rec.fill(into)
		}
	}
	if into.Country == "" {
		into.Country = builtInCountry(into.IP)
	}
	if into.Continent == "" {
		into.Continent = country.Continent(into.Country)
	}
	kind := networks[uint32(into.ASN)].kind
	switch {
	case kind == hosting && into.ProxyKind == ProxyNone:
		into.ProxyKind = ProxyDatacenter
	case kind == vpnProvider && (into.ProxyKind == ProxyNone || into.ProxyKind == ProxyDatacenter):
		into.ProxyKind = ProxyVPN
	case kind == mobileCarrier && into.ConnectionType == "":
		into.ConnectionType = Cellular
	}
	if into.ConnectionType == Cellular {
		into.MobileOperator = cmp.Or(networks[uint32(into.ASN)].operator, into.ISP, into.Organization)
	}
}

// allocatedIPv6 is all of IPv6 that is in public use. The built-in table must not be asked below its first entry.
var allocatedIPv6 = netip.MustParsePrefix("2000::/3")

// builtInCountry knows public addresses only.
func builtInCountry(a netip.Addr) string {
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Is6() && !allocatedIPv6.Contains(a) {
		return ""
	}
	code := iploc.IPCountry(a)
	if country.Name(code) == "" {
		return "" // ZZ and the like
	}
	return code
}
