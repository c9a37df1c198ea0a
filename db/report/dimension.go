// Package report answers queries for figures, which are sums by dimension over a window of time. It reads the ledger and its
// coarser copies if they have every dimension of the query, and otherwise the rows of clicks and conversions. All give the same
// figures. README.md lists which dimension is in which table, and why.
package report

import (
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/clickattr"
)

// kind determines how values of a dimension are grouped, shown and compared. A missing value is shown as an empty text.
type kind uint8

const (
	text   kind = iota
	id          // a UUID column; zero means no value
	number      // a number column; zero means no value
	addr        // an address or NULL
	timed       // a part of the time of the fact
	local       // a part of the time in a time zone, as the number that the type clock assigns to it
)

// dimension is an attribute by which figures can be grouped and filtered. The columns of ledger and clicks have the same names,
// so expr works for both, with the alias f. In expr, %s stands for the time of the fact.
type dimension struct {
	name  string
	place int // position in the list of dimensions
	expr  string
	kind  kind
	// format and inClickHouse belong to a timed dimension, and step to a timed or local dimension. format is the SQL of the shown
	// text; %s stands for the value of expr. inClickHouse has both expressions for ClickHouse. step is the longest time over which
	// a table may sum up figures and still have the dimension.
	format       string
	inClickHouse clickHouseTime
	step         time.Duration
	// values lists the values that the dimension can have. Nil: all values are possible.
	values *clickattr.Values
	// grain is the kind of bucket of a timed dimension. inOrder is set if the values of the dimension follow one another in time.
	grain   grain
	inOrder bool
	clock   *clock // the clock of a local dimension
	// labels returns the values that follow from the campaign of a fact. It is nil for dimensions that facts have themselves.
	// many is set if a campaign may have several values: then its facts are in several groups.
	labels func(campaignLabels) []string
	many   bool
	// ofSale is the SQL of the value of a conversion v, for both engines. It is set if only conversions have a value.
	ofSale string
}

// PlainGoal is the value of the dimension goal for conversions without a goal. Facts that are not conversions have an empty value.
const PlainGoal = "(plain)"

// saleGoal is the SQL of the value of a conversion v in the dimension goal, for both engines. A goal named PlainGoal, or with
// more opening parentheses before this name, gets one more parenthesis, so that it differs from conversions without a goal.
const saleGoal = "CASE WHEN v.goal = '' THEN '" + PlainGoal + "'" +
	" WHEN v.goal LIKE '(%' AND trim(LEADING '(' FROM v.goal) = 'plain)' THEN concat('(', v.goal) ELSE v.goal END"

// noSale is the value of the dimensions goal and status for facts that are not conversions.
const noSale = "''"

// of returns the dimension with the SQL for conversions or for all other facts.
func (d dimension) of(sales bool) dimension {
	if sales && d.ofSale != "" {
		d.expr = d.ofSale
	}
	return d
}

// IsConversionDimension reports whether only conversions have a value in the dimension.
func IsConversionDimension(name string) bool {
	d, _ := find(name)
	return d.ofSale != ""
}

const utc = ` AT TIME ZONE 'UTC'`

const day = 24 * time.Hour

// dimensions lists all dimensions.
var dimensions = func() []dimension {
	list := []dimension{
		{name: "lp_slot", place: 7, expr: "f.lp_slot", kind: number},
		{
			name: "date", place: 27, expr: trunc("day"), kind: timed, format: formattedAs("YYYY-MM-DD"), step: day,
			inClickHouse: clickHouseTime{"toStartOfDay(%s)", "formatDateTime(%s, '%F')", clickHouseMoment}, grain: grains[Day], inOrder: true,
		},
		{
			name: "hour", place: 28, expr: trunc("hour"), kind: timed, format: formattedAs("YYYY-MM-DD HH24:00:00"), step: time.Hour,
			inClickHouse: clickHouseTime{"toStartOfHour(%s)", "formatDateTime(%s, '%F %H:00:00')", clickHouseMoment}, grain: grains[Hour], inOrder: true,
		},
		{
			name: "hour_of_day", place: 29, expr: part("hour"), kind: timed, format: "%s::text", step: time.Hour,
			inClickHouse: clickHouseTime{"toInt64(toHour(%s))", "toString(%s)", clickHouseNumber},
			grain:        grain{hourSeconds, func(t time.Time) string { return strconv.Itoa(t.Hour()) }},
		},
		{ // 1 is Monday
			name: "day_of_week", place: 30, expr: part("isodow"), kind: timed, format: "%s::text", step: day,
			inClickHouse: clickHouseTime{"toInt64(toDayOfWeek(%s))", "toString(%s)", clickHouseNumber},
			grain:        grains[Weekday], values: clickattr.Weekdays,
		},
		{
			name: "month", place: 31, expr: trunc("month"), kind: timed, format: formattedAs("YYYY-MM"), step: day,
			inClickHouse: clickHouseTime{"toDateTime(toStartOfMonth(%s), 'UTC')", "formatDateTime(%s, '%Y-%m')", clickHouseMoment},
			grain:        grains[Month], inOrder: true,
		},
	}
	list = append(list, dimension{name: "group", place: 49, kind: text, labels: byGroup},
		dimension{name: "tag", place: 50, kind: text, labels: byTag, many: true},
		dimension{name: "goal", place: 51, kind: text, expr: noSale, ofSale: saleGoal},
		dimension{name: "status", place: 52, kind: text, expr: noSale, ofSale: "v.status", values: clickattr.Statuses})
	for i := range clickattr.All {
		if a := &clickattr.All[i]; a.Dimension > 0 {
			list = append(list, byAttr(a))
		}
	}
	slices.SortFunc(list, func(a, b dimension) int { return a.place - b.place })
	return list
}()

func byAttr(a *clickattr.Attr) dimension {
	d := dimension{name: a.Name, place: a.Dimension, expr: "f." + a.Column(), values: a.Values}
	switch {
	case a.ID != nil:
		d.kind = id
	case a.ASN != nil:
		d.kind = number
	case a.Addr != nil:
		d.kind = addr
	case a.Text == nil:
		panic("report: no kind of dimension for " + a.Name)
	case a.Sub > 0:
		d.expr = "coalesce(" + d.expr + ", '')"
	}
	return d
}

func trunc(unit string) string { return "date_trunc('" + unit + "', %s" + utc + ")" }

func formattedAs(format string) string { return "to_char(%s, '" + format + "')" }

func part(unit string) string { return "extract(" + unit + " FROM %s" + utc + ")::int" }

// Dimensions returns the names of all dimensions.
func Dimensions() []string {
	return db.Map(dimensions, func(d dimension) string { return d.name })
}

// Network is the dimension of the ids of affiliate networks.
const Network = "network_id"

func find(name string) (dimension, error) {
	i := slices.IndexFunc(dimensions, func(d dimension) bool { return d.name == name })
	if i < 0 {
		return dimension{}, models.Invalid("invalid_dimension", "there is no dimension %.50q", name)
	}
	return dimensions[i], nil
}

// FilterValue returns a filter value in the form that rows have, such as US for us. For a value that no row can have, the error
// is invalid_dimension. An empty value stands for rows without a value.
func FilterValue(name, value string) (string, error) {
	d, err := find(name)
	if err != nil || value == "" {
		return value, err
	}
	shown, ok := d.kind.canonical(value)
	if !ok {
		return value, models.Invalid("invalid_dimension", "%s: %.50q is not a possible value", name, value)
	}
	canonical, err := d.values.Check(shown)
	if err != nil && (!d.values.Open || d.values.Resembles(value)) {
		return value, models.Invalid("invalid_dimension", "%s: %s", name, err)
	}
	return canonical, nil
}

// canonical returns a value in the form in which rows of the kind show values. ok is false if no row can have the value.
func (k kind) canonical(value string) (_ string, ok bool) {
	switch k {
	case id:
		u, err := uuid.Parse(value)
		return u.String(), err == nil
	case number:
		n, err := strconv.ParseInt(value, 10, 64)
		return strconv.FormatInt(n, 10), err == nil && n >= 0
	case addr:
		ip, err := netip.ParseAddr(value)
		return ip.Unmap().String(), err == nil
	case text, timed, local:
	}
	return value, true
}

// ValuesOf returns the values that a dimension can have, or nil if all are possible.
func ValuesOf(name string) []string {
	d, _ := find(name)
	return d.values.List()
}
