package country

import (
	"slices"
	"sync"
	"time"

	"zgo.at/tz"
)

var zones = sync.OnceValue(func() map[string][]*time.Location {
	all := map[string][]*time.Location{}
	for _, z := range tz.Zones {
		if zone, err := time.LoadLocation(z.Zone); err == nil {
			all[z.CountryCode] = append(all[z.CountryCode], zone)
		}
	}
	return all
})

// OffsetFits reports whether some time zone of a country has the given offset from UTC, such as +02:00, at a moment. It is true if
// the zones are not known.
func OffsetFits(code, offset string, at time.Time) bool {
	known := zones()[code]
	return len(known) == 0 || slices.ContainsFunc(known, func(zone *time.Location) bool {
		return at.In(zone).Format("-07:00") == offset
	})
}
