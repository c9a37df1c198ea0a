// Package report answers questions about figures: sums by dimension over a window of time. It reads the ledger
// where that has every dimension of the question, and the rows of clicks and conversions where it has not; both
// give the same figures.
package report

import (
	"fmt"
	"slices"

	"switchyard/models"
)

// A kind says how values of a dimension are shown and compared. Every value is a text, and none is empty.
type kind uint8

const (
	text   kind = iota
	id          // a UUID column where zero means none
	number      // a number column where zero means none
	other       // an expression that gives a text
)

// dimension is what figures can be grouped and filtered by. The columns of ledger and clicks have the same names, so
// one expression serves both, over the alias f; %s stands for the time of the fact.
type dimension struct {
	name   string
	expr   string
	kind   kind
	ledger bool   // the ledger has it
	names  string // reads the names of ids ($2) of an account ($1); empty: values speak for themselves
}

const utc = ` AT TIME ZONE 'UTC'`

func namesOf(table string) string {
	return `SELECT id::text AS id, name FROM ` + table + ` WHERE account_id = $1 AND id = ANY ($2::uuid[])`
}

const namesOfStreams = `
SELECT s ->> 'id' AS id, coalesce(s ->> 'name', '') AS name
FROM campaigns, jsonb_array_elements(CASE jsonb_typeof(streams) WHEN 'array' THEN streams ELSE '[]' END) s
WHERE account_id = $1 AND s ->> 'id' = ANY (($2::uuid[])::text[])`

var dimensions = append([]dimension{
	{"campaign_id", "f.campaign_id", id, true, namesOf("campaigns")},
	{"stream_id", "f.stream_id", id, true, namesOfStreams},
	{"lander_id", "f.lander_id", id, true, namesOf("landers")},
	{"offer_id", "f.offer_id", id, true, namesOf("offers")},
	{"source_id", "f.source_id", id, true, namesOf("traffic_sources")},
	{Network, "f.network_id", id, false, namesOf("networks")},
	{"lp_slot", "f.lp_slot", number, false, ""},
	{"country", "f.country", text, true, ""},
	{"region", "f.region", text, false, ""},
	{"city", "f.city", text, false, ""},
	{"language", "f.language", text, false, ""},
	{"isp", "f.isp", text, false, ""},
	{"asn", "f.asn", number, false, ""},
	{"connection_type", "f.connection_type", text, false, ""},
	{"mobile_operator", "f.mobile_operator", text, false, ""},
	{"device_type", "f.device_type", text, true, ""},
	{"device_brand", "f.device_brand", text, false, ""},
	{"os", "f.os", text, true, ""},
	{"os_version", "f.os_version", text, false, ""},
	{"browser", "f.browser", text, true, ""},
	{"browser_version", "f.browser_version", text, false, ""},
	{"ip", "coalesce(host(f.ip), '')", other, false, ""},
	{"referrer", "f.referrer", text, false, ""},
	{"arrival", "f.arrival", text, false, ""},
	{"bot_reason", "f.bot_reason", text, false, ""},
	{"proxy_kind", "f.proxy_kind", text, false, ""},
	{"date", "to_char(%s" + utc + ", 'YYYY-MM-DD')", other, true, ""},
	{"hour", "to_char(%s" + utc + ", 'YYYY-MM-DD HH24:00:00')", other, true, ""},
	{"hour_of_day", "to_char(%s" + utc + ", 'FMHH24')", other, true, ""},
	{"day_of_week", "to_char(%s" + utc + ", 'ID')", other, true, ""}, // 1 is Monday
	{"month", "to_char(%s" + utc + ", 'YYYY-MM')", other, true, ""},
}, subs()...)

func subs() []dimension {
	list := make([]dimension, models.Subs)
	for i := range list {
		expr := fmt.Sprintf("coalesce(f.subs[%d], '')", i+1)
		list[i] = dimension{name: fmt.Sprintf("sub%d", i+1), expr: expr, kind: other}
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

// shown is the expression of a value as a text, over rows whose time is in column at.
func (d dimension) shown(at string) string {
	switch d.kind {
	case id:
		return `coalesce(nullif(` + d.expr + `, '00000000-0000-0000-0000-000000000000')::text, '')`
	case number:
		return `coalesce(nullif(` + d.expr + `, 0)::text, '')`
	case text, other:
	}
	return d.at(at)
}

func (d dimension) at(column string) string {
	if d.kind != other || !d.ledger { // only times have a place for it
		return d.expr
	}
	return fmt.Sprintf(d.expr, column)
}
