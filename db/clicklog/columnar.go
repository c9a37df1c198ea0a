package clicklog

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/columnar"
	"switchyard/db/ledger"
	"switchyard/models"
	"switchyard/models/clickattr"
)

// Types of columns in ClickHouse. Few values repeat in a word; an amount in the account's currency has the decimals of the
// amount and of its rate.
const (
	columnarWord   = "LowCardinality(String)"
	columnarText   = "String CODEC(ZSTD(1))"
	columnarMoney  = "Decimal(38, 10) CODEC(ZSTD(1))"
	columnarAmount = "Decimal(76, 38) CODEC(ZSTD(1))"
	columnarRate   = "Nullable(Decimal(76, 28))"
	columnarCount  = "Int64 CODEC(T64, ZSTD(1))"
)

// soldColumns are the figures of a click's conversions, as its row in ClickHouse has them: conversions themselves are
// PostgreSQL's.
var soldColumns = []struct {
	columnar.Column
	of func(models.Figures) any
}{
	{columnar.Column{Name: "approved", Type: "Int32"}, func(f models.Figures) any { return int32(f.Approved) }},
	{columnar.Column{Name: "pending", Type: "Int32"}, func(f models.Figures) any { return int32(f.Pending) }},
	{columnar.Column{Name: "rejected", Type: "Int32"}, func(f models.Figures) any { return int32(f.Rejected) }},
	{columnar.Column{Name: "chargebacks", Type: "Int32"}, func(f models.Figures) any { return int32(f.Chargebacks) }},
	{columnar.Column{Name: "sale_cost", Type: columnarAmount}, func(f models.Figures) any { return f.Cost }},
	{columnar.Column{Name: "revenue", Type: columnarAmount}, func(f models.Figures) any { return f.Revenue }},
	{columnar.Column{Name: "pending_revenue", Type: columnarAmount}, func(f models.Figures) any { return f.PendingRevenue }},
}

// columnarClicks is the table of clicks: their columns, what their conversions count, and which version of a click a row is.
// The latest version counts; one that is removed is no row.
var columnarClicks = func() columnar.Table {
	t := columnar.Table{
		Name: "clicks",
		Engine: `ENGINE = ReplacingMergeTree(version, removed) PARTITION BY toYYYYMMDD(at) ORDER BY (account_id, at, id)
SETTINGS index_granularity = 1024, min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1`,
	}
	for _, c := range clickColumns {
		t.Columns = append(t.Columns, columnar.Column{Name: c.name, Type: columnarType(c)})
	}
	for _, c := range soldColumns {
		t.Columns = append(t.Columns, c.Column)
	}
	t.Columns = append(t.Columns, columnar.Column{Name: "version", Type: "UInt64"}, columnar.Column{Name: "removed", Type: "UInt8"})
	return t
}()

// columnarType is the type of a column of clicks.
func columnarType(c column[StoredClick]) string {
	switch c.at(&StoredClick{}).(type) {
	case *uuid.UUID:
		return "UUID"
	case *string:
		if a := clickattr.Find(c.name); a != nil && (a.Dimension > 0 || c.name == "user_agent") {
			return columnarWord
		}
		return columnarText
	case *subsValue:
		return "Array(String) CODEC(ZSTD(1))"
	case *time.Time:
		return "DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1))"
	case *addrValue:
		return "IPv6"
	case *bool:
		return "Bool"
	case *int:
		return "Int32"
	case *models.ASN:
		return "UInt32"
	case *bitsValue:
		return "UInt64"
	case *decimal.Decimal:
		return columnarMoney
	case *decimal.NullDecimal:
		return columnarRate
	}
	panic(fmt.Sprintf("clicklog: no type of %s in ClickHouse", c.name))
}

// columnarCell is what a pointer leads to as ClickHouse takes it.
func columnarCell(pointer any) any {
	switch v := pointer.(type) {
	case *uuid.UUID:
		return *v
	case *string:
		return *v
	case *subsValue:
		n := len(v)
		for n > 0 && v[n-1] == "" {
			n--
		}
		return slices.Clone(v[:n])
	case *time.Time:
		return *v
	case *addrValue:
		if a := (*netip.Addr)(v); a.IsValid() {
			return netip.AddrFrom16(a.As16())
		}
		return netip.IPv6Unspecified()
	case *bool:
		return *v
	case *int:
		return int32(*v) //nolint:gosec // small numbers all
	case *models.ASN:
		return uint32(*v)
	case *bitsValue:
		return uint64(*v)
	case *decimal.Decimal:
		return *v
	case *decimal.NullDecimal:
		if v.Valid {
			return &v.Decimal
		}
		return (*decimal.Decimal)(nil)
	}
	panic(fmt.Sprintf("clicklog: no value of %T in ClickHouse", pointer))
}

// columnarRow is a version of a click, with what its conversions count.
func columnarRow(click *StoredClick, sold models.Figures, version uint64) []any {
	row := make([]any, 0, len(columnarClicks.Columns))
	for _, c := range clickColumns {
		row = append(row, columnarCell(c.at(click)))
	}
	for _, c := range soldColumns {
		row = append(row, c.of(sold))
	}
	return append(row, version, uint8(0))
}

// columnarLedger is the ledger: deltas, a row for each key and batch. They are never summed away, so that each batch can be
// asked for. Its projections are the coarser copies.
var columnarLedger = func() columnar.Table {
	t := columnar.Table{Name: "ledger", Extra: []string{"INDEX of_batch batch TYPE minmax"}}
	for name := range strings.SplitSeq(ledger.Keys, ", ") {
		kind := columnarWord
		switch {
		case name == "hour":
			kind = "DateTime('UTC')"
		case strings.HasSuffix(name, "_id"):
			kind = "UUID"
		}
		t.Columns = append(t.Columns, columnar.Column{Name: name, Type: kind})
	}
	for name := range strings.SplitSeq(ledger.Sums, ", ") {
		kind := columnarCount
		if name == "cost" || strings.HasSuffix(name, "revenue") {
			kind = columnarAmount
		}
		t.Columns = append(t.Columns, columnar.Column{Name: name, Type: kind})
	}
	t.Columns = append(t.Columns, columnar.Column{Name: "batch", Type: "UInt64 CODEC(Delta(8), ZSTD(1))"})
	sums := "sum(" + strings.ReplaceAll(ledger.Sums, ", ", "), sum(") + ")"
	for _, r := range ledger.Rollups {
		at := "hour"
		if r.Step > time.Hour {
			at = "toDate(hour)"
		}
		keys := "account_id, " + at + ", " + strings.Join(r.Keys, ", ")
		t.Extra = append(t.Extra, fmt.Sprintf("PROJECTION %s (SELECT %s, %s GROUP BY %s)", r.Name, keys, sums, keys))
	}
	t.Engine = `ENGINE = MergeTree PARTITION BY toYYYYMM(hour) PRIMARY KEY (account_id, hour, campaign_id)
ORDER BY (account_id, hour, ` + strings.Join(ledger.Dimensions, ", ") + `) SETTINGS ` + columnar.Tokens
	return t
}()
