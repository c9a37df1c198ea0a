package click

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
	"switchyard/models/clickattr"
	"switchyard/models/measure"
)

// chAmount is for an amount in the account's currency. Such an amount is the product of an amount and a rate, so chAmount has the
// decimals of both. chWord is for columns with few different values.
const (
	chWord   = "LowCardinality(String)"
	chText   = "String CODEC(ZSTD(1))"
	chMoney  = "Decimal(38, 10) CODEC(ZSTD(1))"
	chAmount = "Decimal(76, 38) CODEC(ZSTD(1))"
	chRate   = "Nullable(Decimal(76, 28))"
	chTime   = "DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1))"
)

// soldColumns appends the columns for the figures of a click's conversions to the columns of a click's row.
func soldColumns(columns []schema.Column) []schema.Column {
	for _, m := range measure.Counters {
		kind := "Int32"
		if m.IsAmount() {
			kind = chAmount
		}
		if m.SQL.Sold != "" {
			columns = append(columns, schema.Column{Name: m.SQL.Sold, Type: kind})
		}
	}
	return columns
}

func soldCells(row []any, sold models.Figures) []any {
	for i, value := range sold.AppendTo(make([]any, 0, len(measure.Counters))) {
		if measure.Counters[i].SQL.Sold == "" {
			continue
		}
		if n, counts := value.(int64); counts {
			value = int32(n)
		}
		row = append(row, value)
	}
	return row
}

// Table is the table of clicks. A row has the columns of a click, the figures of its conversions, and a version. The row with the
// latest version counts. If that row is marked as removed, the click does not exist.
var Table = func() schema.Table {
	t := schema.Table{
		Name: "clicks", Engine: "ReplacingMergeTree(version, removed)",
		Layout: `PARTITION BY toYYYYMMDD(at) ORDER BY (account_id, at, id) SETTINGS index_granularity = 1024, ` + tableSettings,
	}
	for _, c := range AllColumns {
		t.Columns = append(t.Columns, schema.Column{Name: c.name, Type: clickHouseType(c.name, c.at(&StoredClick{}))})
	}
	t.Columns = append(soldColumns(t.Columns), versionColumns...)
	return t
}()

var versionColumns = []schema.Column{{Name: "version", Type: "UInt64"}, {Name: "removed", Type: "UInt8"}}

// tableSettings are the settings of tables. An insert is acknowledged only when it is on disk. The parts of a partition are
// merged into one when all are older than an hour.
const tableSettings = `fsync_after_insert = 1, fsync_part_directory = 1, min_age_to_force_merge_seconds = 3600,
	min_age_to_force_merge_on_partition_only = 1`

func clickHouseType(name string, pointer any) string {
	switch pointer.(type) {
	case *uuid.UUID:
		return "UUID"
	case *string:
		if a := clickattr.Find(name); a != nil && (a.Dimension > 0 || name == "user_agent") {
			return chWord
		}
		return chText
	case *subsValue:
		return "Array(String) CODEC(ZSTD(1))"
	case *time.Time:
		return chTime
	case *db.Addr:
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
		return chMoney
	case *decimal.NullDecimal:
		return chRate
	}
	panic(fmt.Sprintf("click: no type of %s in ClickHouse", name))
}

func clickHouseCell(pointer any) any {
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
	case *db.Addr:
		if a := (*netip.Addr)(v); a.IsValid() {
			return netip.AddrFrom16(a.As16())
		}
		return netip.IPv6Unspecified()
	case *bool:
		return *v
	case *int:
		return int32(*v)
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
	panic(fmt.Sprintf("click: no value of %T in ClickHouse", pointer))
}

// Row returns the ClickHouse row for a version of a click, with the figures of its conversions.
func Row(click *StoredClick, sold models.Figures, version uint64) []any {
	row := make([]any, 0, len(Table.Columns))
	for _, c := range AllColumns {
		row = append(row, clickHouseCell(c.at(click)))
	}
	return append(soldCells(row, sold), version, uint8(0))
}

// RemovedRow returns a row that marks a click as removed. It has the click's account, id and time, but no other values of the click.
func RemovedRow(account, id uuid.UUID, version uint64) []any {
	row := Row(&StoredClick{Click: models.Click{AccountID: account, ID: id}, At: models.ClickTime(id)}, models.Figures{}, version)
	row[len(row)-1] = uint8(1)
	return row
}

// conversionFields are the columns of a conversion, which are the same in PostgreSQL and in ClickHouse.
var conversionFields = taggedColumns[models.Conversion]()

// conversionTypes are the types of columns whose type does not follow from the Go type.
var conversionTypes = map[string]string{
	"goal": chWord, "status": chWord, "currency": chWord, "source": chWord, "cost": chAmount,
}

// ConversionTable is the table of conversions. A row has the columns of a conversion, the time of its click, and a version.
var ConversionTable = func() schema.Table {
	t := schema.Table{
		Name: "conversions", Engine: "ReplacingMergeTree(version, removed)",
		Layout: `PARTITION BY toYYYYMM(click_at) ORDER BY (account_id, click_at, click_id, id) SETTINGS ` + tableSettings,
	}
	for _, c := range conversionFields {
		kind := conversionTypes[c.name]
		if kind == "" {
			kind = clickHouseType(c.name, c.at(&models.Conversion{}))
		}
		t.Columns = append(t.Columns, schema.Column{Name: c.name, Type: kind})
	}
	t.Columns = append(t.Columns, schema.Column{Name: "click_at", Type: chTime})
	t.Columns = append(t.Columns, versionColumns...)
	return t
}()

// ConversionRow returns the ClickHouse row for a version of a conversion.
func ConversionRow(v *models.Conversion, version uint64) []any {
	row := make([]any, 0, len(ConversionTable.Columns))
	for _, c := range conversionFields {
		row = append(row, clickHouseCell(c.at(v)))
	}
	return append(row, models.ClickTime(v.ClickID), version, uint8(0))
}

// RemovedConversion returns a row that marks a conversion as removed.
func RemovedConversion(account, click, id uuid.UUID, version uint64) []any {
	epoch := time.Unix(0, 0)
	row := ConversionRow(&models.Conversion{ID: id, AccountID: account, ClickID: click, RecordedAt: epoch, UpdatedAt: epoch}, version)
	row[len(row)-1] = uint8(1)
	return row
}

func readCopied(ctx context.Context, from schema.Reader, cols Columns[StoredClick], what, query string, args ...any) ([]*StoredClick, error) {
	var list []*StoredClick
	err := from.Each(ctx, what, func(scan func(...any) error) error {
		row := &StoredClick{}
		cells := make([]any, len(cols))
		copyValues := make([]func(), len(cols))
		for i, c := range cols {
			cells[i], copyValues[i] = scanPlace(c.at(row))
		}
		err := scan(cells...)
		for _, copyValue := range copyValues {
			copyValue()
		}
		list = append(list, row)
		return err
	}, query, args...)
	return list, err
}

// scanPlace returns the destination for a ClickHouse cell. After the scan, call copyValue to copy the value to pointer.
func scanPlace(pointer any) (place any, copyValue func()) {
	switch v := pointer.(type) {
	case *subsValue:
		var list []string
		return &list, func() { copy(v[:], list) }
	case *db.Addr:
		var a netip.Addr
		return &a, func() {
			if !a.IsUnspecified() {
				*v = db.Addr(a.Unmap())
			}
		}
	case *int:
		var n int32
		return &n, func() { *v = int(n) }
	case *models.ASN:
		var n uint32
		return &n, func() { *v = models.ASN(n) }
	case *bitsValue:
		return (*uint64)(v), func() {}
	case *decimal.NullDecimal:
		var d *decimal.Decimal
		return &d, func() {
			if d != nil {
				*v = decimal.NewNullDecimal(*d)
			}
		}
	}
	return pointer, func() {} // the value needs no conversion
}
