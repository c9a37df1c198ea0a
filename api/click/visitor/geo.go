package visitor

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/oschwald/maxminddb-golang/v2"
	"github.com/phuslu/iploc"

	"switchyard/models/country"
)

// recordCacheSize is the number of decoded records of one file that are remembered. Many networks share a record, so most
// visitors find theirs in the cache.
const recordCacheSize = 20_000

// geo looks addresses up in the built-in country table, the operator's files and the table of known networks.
type geo struct{ files []*geoFile }

// geoFile is one of the operator's files.
type geoFile struct {
	path string
	info os.FileInfo // the file that reload last opened or failed to open
	now  atomic.Pointer[database]
}

// database is a mapped file and its decoded records by their position in the file.
type database struct {
	reader  *maxminddb.Reader
	records *otter.Cache[uintptr, *record]
}

func (g *geo) open(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		f := &geoFile{path: path}
		if _, err := f.reload(); err != nil {
			return err
		}
		g.files = append(g.files, f)
	}
	iploc.IPCountry(netip.IPv6LinkLocalAllNodes()) // unpacks the IPv6 table now, not in the first request
	return nil
}

// reload opens the file if it has changed. On failure the previous file stays in use.
func (f *geoFile) reload() (changed bool, err error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return false, fmt.Errorf("visitor: geo database: %w", err)
	}
	if f.info != nil && os.SameFile(f.info, info) && f.info.ModTime().Equal(info.ModTime()) && f.info.Size() == info.Size() {
		return false, nil
	}
	f.info = info
	reader, err := maxminddb.Open(f.path)
	if err != nil {
		return false, fmt.Errorf("visitor: open geo database %s: %w", f.path, err)
	}
	records := otter.Must(&otter.Options[uintptr, *record]{MaximumSize: recordCacheSize})
	if old := f.now.Swap(&database{reader, records}); old != nil {
		old.records.StopAllGoroutines()
	}
	return true, nil
}

// GeoFile describes one of the operator's geo databases.
type GeoFile struct {
	Path      string    `json:"path"`
	Type      string    `json:"type"` // the maker's name for the type, such as GeoLite2-City
	Built     time.Time `json:"built"`
	IPVersion uint      `json:"ip_version"` // 4, or 6 for addresses of both versions
	Error     string    `json:"error"`      // why it cannot be read; else empty
}

// ReadGeoFile returns the type and age of a geo database.
func ReadGeoFile(path string) GeoFile {
	out := GeoFile{Path: path}
	reader, err := maxminddb.Open(path)
	if err != nil {
		out.Error = err.Error()
		return out
	}
	m := reader.Metadata
	out.Type, out.Built, out.IPVersion = m.DatabaseType, m.BuildTime().UTC(), m.IPVersion
	if err := reader.Close(); err != nil {
		out.Error = err.Error()
	}
	return out
}

func (g *geo) close() (err error) {
	for _, f := range g.files {
		d := f.now.Load()
		d.records.StopAllGoroutines()
		err = errors.Join(err, d.reader.Close())
	}
	g.files = nil
	return err
}

func (f *database) find(a netip.Addr) *record {
	defer runtime.KeepAlive(f.reader) // the result reads the mapped file
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

// describe fills all fields of *into that can be derived from the address into.IP. If several files know a field, the first file
// wins.
func (g *geo) describe(into *Description) {
	if !into.IP.IsValid() {
		return
	}
	for _, f := range g.files {
		if rec := f.now.Load().find(into.IP); rec != nil {
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

// allocatedIPv6 is the part of IPv6 in public use.
var allocatedIPv6 = netip.MustParsePrefix("2000::/3")

// builtInCountry returns the country of a public address, and "" for any other.
func builtInCountry(a netip.Addr) string {
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Is6() && !allocatedIPv6.Contains(a) {
		return ""
	}
	code := iploc.IPCountry(a)
	if country.Name(code) == "" {
		return "" // a code of no country, such as ZZ
	}
	return code
}
