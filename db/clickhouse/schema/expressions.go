package schema

import (
	"fmt"
	"time"
)

// LatestMoment is a time in Unix milliseconds that ClickHouse can store and that is later than every click. Window uses it for
// later times.
var LatestMoment = time.Date(2299, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

// Window returns the ClickHouse condition that a column of times is in [from, to), to the millisecond. The bounds are not
// arguments, because ClickHouse would round arguments down to seconds.
func Window(at string, from, to time.Time) string {
	moment := func(t time.Time) string {
		return fmt.Sprintf("fromUnixTimestamp64Milli(toInt64(%d), 'UTC')", min(max(t.UnixMilli(), 0), LatestMoment))
	}
	return at + " >= " + moment(from) + " AND " + at + " < " + moment(to)
}

// NoID is the ClickHouse expression for the zero id, which means no id.
const NoID = "toUUID('00000000-0000-0000-0000-000000000000')"

// mappedPrefix is the prefix of an IPv4 address in ClickHouse's text form.
const mappedPrefix = "::ffff:"

// Host returns a ClickHouse expression for an address as text, in the form of PostgreSQL's host(). The text is empty if there is no
// address.
func Host(expr string) string {
	return fmt.Sprintf("multiIf(%[1]s = toIPv6('::'), '', %[2]s, substring(toString(%[1]s), %[3]d), toString(%[1]s))",
		expr, IsV4(expr), len(mappedPrefix)+1)
}

// IsV4 returns the ClickHouse condition that an address is an IPv4 address.
func IsV4(expr string) string {
	return expr + " BETWEEN toIPv6('" + mappedPrefix + "0.0.0.0') AND toIPv6('" + mappedPrefix + "255.255.255.255')"
}
