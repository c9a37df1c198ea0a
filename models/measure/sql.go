package measure

import (
	"cmp"
	"strings"
)

// SQL contains the SQL expressions for the amounts that are added to a counter: by a click (its table has the alias f), by a
// conversion (alias v), and by spend without clicks (alias f). If a text is empty, nothing is added.
//
// In PostgreSQL, the value for a row that adds nothing is NULL, because NULL is the cheapest value to sum up. Money is in the
// account's currency. Money without an exchange rate adds nothing. Names in braces, such as {rate}, are replaced by the SQL of
// exchange rates and costs (see the type prices in db/report).
//
// In ClickHouse, the row of a click also contains the sums over its conversions, in the columns that Sold names.
type SQL struct {
	Click, Conversion, Spend string

	CopyClick string // ClickHouse: added by the click itself
	Sold      string // ClickHouse: the column with the sum over the click's conversions
	CopySale  string // ClickHouse: added by a single conversion
}

const noMoney = "toDecimal256(0, 38)"

func when(condition, expr string) string { return "CASE WHEN " + condition + " THEN " + expr + " END" }

func status(name string) string { return "v.status = '" + name + "'" }

// Without an exchange rate, the result is zero.
func copyPaid(amount, fact string) string {
	return "ifNull(" + amount + " * " + fact + ".rate, " + noMoney + ")"
}

// In ClickHouse, a condition is 0 or 1.
func clicks(condition string) SQL { return SQL{Click: when(condition, "1"), CopyClick: condition} }

func onlyHumans(column string) SQL {
	return SQL{Click: when("NOT f.is_bot", "f."+column), CopyClick: "if(f.is_bot, 0, f." + column + ")"}
}

func conversions(name, sold string) SQL {
	return SQL{Conversion: when(status(name), "1"), Sold: sold, CopySale: status(name)}
}

func payouts(name, sold string) SQL {
	return SQL{
		Conversion: when(status(name), "v.payout * {rate}"), Sold: sold,
		CopySale: "if(" + status(name) + ", " + copyPaid("v.payout", "v") + ", " + noMoney + ")",
	}
}

// costs adds up the costs of clicks that are not from bots, of conversions, and of spend without clicks.
var costs = SQL{
	Click: when("NOT f.is_bot", "f.cost * {click rate}"), Conversion: "{cost}", Spend: "{spend}",
	CopyClick: "if(f.is_bot, " + noMoney + ", " + copyPaid("f.cost", "f") + ")", Sold: "sale_cost", CopySale: "v.cost",
}

const sqlNull = "NULL"

// ForClick returns the PostgreSQL expression of the amount that a click adds to a counter.
func (m *Measure) ForClick() string { return cmp.Or(m.SQL.Click, sqlNull) }

// ForConversion returns the PostgreSQL expression of the amount that a conversion adds to a counter.
func (m *Measure) ForConversion() string { return cmp.Or(m.SQL.Conversion, sqlNull) }

// ForSpend returns the PostgreSQL expression of the amount that spend without clicks adds to a counter.
func (m *Measure) ForSpend() string { return cmp.Or(m.SQL.Spend, sqlNull) }

// CopyOfClick returns the ClickHouse expression of the amount that the row of a click adds to a counter. sold says whether the
// conversions of the click are included.
func (m *Measure) CopyOfClick(sold bool) string {
	switch {
	case m.SQL.CopyClick != "" && m.SQL.Sold != "" && sold:
		return m.SQL.CopyClick + " + f." + m.SQL.Sold
	case m.SQL.CopyClick != "":
		return m.SQL.CopyClick
	case sold && m.SQL.Sold != "":
		return "f." + m.SQL.Sold
	}
	return m.copyNothing()
}

// CopyOfSale returns the ClickHouse expression of the amount that a conversion adds to a counter.
func (m *Measure) CopyOfSale() string { return cmp.Or(m.SQL.CopySale, m.copyNothing()) }

func (m *Measure) copyNothing() string {
	if m.IsAmount() {
		return noMoney
	}
	return "0"
}

// NotZero returns the condition that at least one of several SQL expressions is not zero.
func NotZero(exprs []string) string {
	return "(" + strings.Join(exprs, ", ") + ") <> (0" + strings.Repeat(", 0", len(exprs)-1) + ")"
}
