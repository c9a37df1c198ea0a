// Package report answers questions about figures: sums by dimension over a window of time. It reads the ledger and
// its coarser copies where they have every dimension of the question, and the rows of clicks and conversions where they
// have not; all give the same figures. README.md tells why which dimension is where.
package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"switchyard/db/ledger"
	"switchyard/models"
)

// A kind says how values of a dimension are grouped, shown and compared. Every value is shown as a text, and none is
// empty.
type kind uint8

const (
	text   kind = iota
	id          // a UUID column where zero means none
	number      // a number column where zero means none
	addr        // an address or NULL
	timed       // a part of the time of the fact
)

// dimension is what figures can be grouped and filtered by. The columns of ledger and clicks have the same names, so
// one expression serves both, over the alias f; %s stands for the time of the fact.
type dimension struct {
	name  string
	expr  string
	kind  kind
	names string // reads the names of ids ($2) of an account ($1); empty: values speak for themselves
	// Of a timed one: how the value of expr, in the place of %s, is shown; and how fine its time must be.
	show string
	step time.Duration
}

const utc = ` AT TIME ZONE 'UTC'`

func namesOf(table string) string {
	return `SELECT id::text AS id, name FROM ` + table + ` WHERE account_id = $1 AND id = ANY ($2::uuid[])`
}

const namesOfStreams = `
SELECT s ->> 'id' AS id, coalesce(s ->> 'name', '') AS name
FROM campaigns, jsonb_array_elements(CASE jsonb_typeof(streams) WHEN 'array' THEN streams ELSE '[]' END) s
WHERE account_id = $1 AND s ->> 'id' = ANY (($2::uuid[])::text[])`

const day = 24 * time.Hour

var dimensions = slices.Concat([]dimension{
	{name: "campaign_id", expr: "f.campaign_id", kind: id, names: namesOf("campaigns")},
	{name: "stream_id", expr: "f.stream_id", kind: id, names: namesOfStreams},
	{name: "lander_id", expr: "f.lander_id", kind: id, names: namesOf("landers")},
	{name: "offer_id", expr: "f.offer_id", kind: id, names: namesOf("offers")},
	{name: "source_id", expr: "f.source_id", kind: id, names: namesOf("traffic_sources")},
	{name: Network, expr: "f.network_id", kind: id, names: namesOf("networks")},
	{name: "lp_slot", expr: "f.lp_slot", kind: number},
}, columns("country", "region", "city", "language", "isp"), []dimension{
	{name: "asn", expr: "f.asn", kind: number},
}, columns("connection_type", "mobile_operator", "device_type", "device_brand", "os", "os_version", "browser",
	"browser_version"), []dimension{
	{name: "ip", expr: "f.ip", kind: addr},
}, columns("referrer", "arrival", "bot_reason", "proxy_kind"), []dimension{
	{name: "date", expr: trunc("day"), kind: timed, show: "to_char(%s, 'YYYY-MM-DD')", step: day},
	{name: "hour", expr: trunc("hour"), kind: timed, show: "to_char(%s, 'YYYY-MM-DD HH24:00:00')", step: time.Hour},
	{name: "hour_of_day", expr: part("hour"), kind: timed, show: "%s::text", step: time.Hour},
	{name: "day_of_week", expr: part("isodow"), kind: timed, show: "%s::text", step: day}, // 1 is Monday
	{name: "month", expr: trunc("month"), kind: timed, show: "to_char(%s, 'YYYY-MM')", step: day},
}, subs())

func trunc(unit string) string { return "date_trunc('" + unit + "', %s" + utc + ")" }

func part(unit string) string { return "extract(" + unit + " FROM %s" + utc + ")::int" }

func columns(names ...string) []dimension {
	list := make([]dimension, len(names))
	for i, n := range names {
		list[i] = dimension{name: n, expr: "f." + n}
	}
	return list
}

func subs() []dimension {
	list := make([]dimension, models.Subs)
	for i := range list {
		list[i] = dimension{name: fmt.Sprintf("sub%d", i+1), expr: fmt.Sprintf("coalesce(f.subs[%d], '')", i+1)}
	}
	return list
}

// Dimensions lists the names of all dimensions.
func Dimensions() []string {
	names := make([]string, len(dimensions))
	for i, d := range dimensions {
		names[i] = d.name
	}
	return names
}

// Network is a dimension for the list of networks; the contract does not let callers ask for it.
const Network = "network_id"

// Public lists the names of the dimensions that callers may ask for.
func Public() []string {
	return slices.DeleteFunc(Dimensions(), func(name string) bool { return name == Network })
}

// Named lists the names of the dimensions whose values are ids of records with names.
func Named() []string {
	var names []string
	for _, d := range dimensions {
		if d.names != "" {
			names = append(names, d.name)
		}
	}
	return names
}

func find(name string) (dimension, error) {
	i := slices.IndexFunc(dimensions, func(d dimension) bool { return d.name == name })
	if i < 0 {
		return dimension{}, models.Invalid("invalid_dimension", "there is no dimension %.50q", name)
	}
	return dimensions[i], nil
}

// in tells whether rows of a time step with some of the ledger's columns have the dimension.
func (d dimension) in(step time.Duration, keys []string) bool {
	if d.kind == timed {
		return step <= d.step
	}
	return slices.Contains(keys, d.name)
}

// ledger tells whether the ledger has the dimension.
func (d dimension) ledger() bool { return d.in(time.Hour, ledger.Dimensions) }

// raw is what rows, whose time is in column at, are grouped by.
func (d dimension) raw(at string) string {
	if d.kind == timed {
		return strings.ReplaceAll(d.expr, "%s", at)
	}
	return d.expr
}

// shown is a raw value as a text.
func (d dimension) shown(raw string) string {
	switch d.kind {
	case id:
		return `coalesce(nullif(` + raw + `, '00000000-0000-0000-0000-000000000000')::text, '')`
	case number:
		return `coalesce(nullif(` + raw + `, 0)::text, '')`
	case addr:
		return `coalesce(host(` + raw + `), '')`
	case timed:
		return strings.ReplaceAll(d.show, "%s", raw)
	case text:
	}
	return raw
}
