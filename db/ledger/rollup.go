package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"switchyard/models/measure"
)

// Rollup is a coarser copy of the ledger: its merged rows, summed over the dimensions that the copy leaves out. A copy and the
// unmerged rows of the ledger together have all figures of the ledger.
type Rollup struct {
	Name string
	Step time.Duration // an hour or a day
	Keys []string      // some of the ledger's dimensions
}

// Rollups lists the copies, smallest first. Each is a partition of ledger_rollups. The README.md of package report has
// measurements. To fill a new copy, empty the other copies and mark all rows of the ledger as not merged.
var Rollups = []Rollup{
	{"traffic", time.Hour, []string{"campaign_id", "source_id"}},
	{"paths", 24 * time.Hour, []string{"campaign_id", "stream_id", "lander_id", "offer_id", "source_id"}},
	{"audience", 24 * time.Hour, []string{"campaign_id", "source_id", "country", "device_type", "os", "browser"}},
}

// Traffic is a FROM item for queries that count clicks and bots' clicks by campaign, source and hour. It reads about one
// row for each hundred rows of the ledger.
const Traffic = `(
	SELECT account_id, hour, campaign_id, source_id, clicks, bot_clicks FROM ledger_rollups WHERE rollup = 'traffic'
	UNION ALL
	SELECT account_id, hour, campaign_id, source_id, clicks, bot_clicks FROM ledger WHERE NOT merged
)`

// Dimensions lists the dimensions of the ledger besides account and hour.
var Dimensions = []string{
	"campaign_id", "stream_id", "lander_id", "offer_id", "source_id", "country", "device_type", "os", "browser",
}

// selectNew returns the part of mergeHour that sums up the unmerged rows for one copy.
func (r Rollup) selectNew() string {
	at := "hour"
	if r.Step > time.Hour {
		at = "date_trunc('day', hour AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'"
	}
	keys, groups := make([]string, len(Dimensions)), []string{"account_id", at}
	for i, k := range Dimensions {
		switch {
		case slices.Contains(r.Keys, k):
			keys[i], groups = k, append(groups, k)
		case strings.HasSuffix(k, "_id"):
			keys[i] = "'00000000-0000-0000-0000-000000000000'::uuid"
		default:
			keys[i] = "''"
		}
	}
	return fmt.Sprintf("SELECT '%s', account_id, %s, %s, %s FROM deleted WHERE NOT merged GROUP BY %s", r.Name, at,
		strings.Join(keys, ", "), sums, strings.Join(groups, ", "))
}

// addRollups returns the INSERT of mergeHour that adds the unmerged rows to all copies. It locks the rows of the copies in a fixed
// order, so that two compactions never deadlock.
func addRollups() string {
	parts, updates := make([]string, len(Rollups)), measure.Each(measure.Counters, "%s = r.%s + EXCLUDED.%s")
	for i, r := range Rollups {
		parts[i] = r.selectNew()
	}
	return `INSERT INTO ledger_rollups AS r (rollup, ` + Keys + `, ` + Sums + `)
SELECT * FROM (
	` + strings.Join(parts, "\n\tUNION ALL\n\t") + `
) n ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
ON CONFLICT (rollup, ` + Keys + `) DO UPDATE SET ` + strings.Join(updates, ", ")
}
