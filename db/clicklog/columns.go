package clicklog

import (
	"database/sql/driver"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/models"
	"switchyard/models/clickattr"
)

// StoredClick is a click as PostgreSQL has it: as it was routed, and what was decided and happened since. Its Cost
// is final.
type StoredClick struct {
	models.Click
	At        time.Time // the time inside the id
	IsUnique  bool
	LPViews   int
	LPClicks  int
	LPSlot    int       // of the last click-out, 0 = none
	LastHopID uuid.UUID // the last click-out
}

// column is one column of the table clicks: the pointer serves to write and to read it.
type column struct {
	name string
	at   func(*StoredClick) any
}

// clickColumns are the recorded attributes of a click, and what was decided and happened since.
var clickColumns = func() []column {
	list := []column{
		{"at", func(c *StoredClick) any { return &c.At }},
		{"subs", func(c *StoredClick) any { return (*subsValue)(&c.Subs) }},
		{"is_unique", func(c *StoredClick) any { return &c.IsUnique }},
		{"lp_views", func(c *StoredClick) any { return &c.LPViews }},
		{"lp_clicks", func(c *StoredClick) any { return &c.LPClicks }},
		{"lp_slot", func(c *StoredClick) any { return &c.LPSlot }},
		{"last_hop_id", func(c *StoredClick) any { return &c.LastHopID }},
	}
	for i := range clickattr.All {
		if a := &clickattr.All[i]; a.Tag != 0 && a.Sub == 0 {
			list = append(list, column{a.Name, pointer(a)})
		}
	}
	return list
}()

// pointer gives where an attribute stands in a click, as PostgreSQL stores it.
func pointer(a *clickattr.Attr) func(*StoredClick) any {
	switch {
	case a.Text != nil:
		return func(c *StoredClick) any { return a.Text(&c.Click) }
	case a.ID != nil:
		return func(c *StoredClick) any { return a.ID(&c.Click) }
	case a.Addr != nil:
		return func(c *StoredClick) any { return (*addrValue)(a.Addr(&c.Click)) }
	case a.ASN != nil:
		return func(c *StoredClick) any { return a.ASN(&c.Click) }
	case a.Int != nil:
		return func(c *StoredClick) any { return a.Int(&c.Click) }
	case a.Bits != nil:
		return func(c *StoredClick) any { return (*bitsValue)(a.Bits(&c.Click)) }
	case a.Bool != nil:
		return func(c *StoredClick) any { return a.Bool(&c.Click) }
	}
	return func(c *StoredClick) any { return a.Money(&c.Click) }
}

var clickColumnList = func() string {
	names := make([]string, len(clickColumns))
	for i, c := range clickColumns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}()

// clickPointers gives the pointers of all columns of c, in the order of clickColumnList.
func clickPointers(dst []any, c *StoredClick) []any {
	for i := range clickColumns {
		dst = append(dst, clickColumns[i].at(c))
	}
	return dst
}

// subsValue stores the sub-parameters as an array that ends with the last one set.
type subsValue [models.Subs]string

// Value implements driver.Valuer.
func (v *subsValue) Value() (driver.Value, error) {
	n := len(v)
	for n > 0 && v[n-1] == "" {
		n--
	}
	if n == 0 {
		return "{}", nil
	}
	return pq.StringArray(v[:n]).Value()
}

// Scan implements sql.Scanner.
func (v *subsValue) Scan(src any) error {
	var list pq.StringArray
	if err := list.Scan(src); err != nil {
		return err
	}
	*v = subsValue{}
	copy(v[:], list)
	return nil
}

// addrValue stores an address as inet, and none as NULL.
type addrValue netip.Addr

// Value implements driver.Valuer.
func (v *addrValue) Value() (driver.Value, error) {
	if a := (*netip.Addr)(v); a.IsValid() {
		return a.WithZone("").String(), nil
	}
	return nil, nil //nolint:nilnil // NULL
}

// Scan implements sql.Scanner.
func (v *addrValue) Scan(src any) error {
	*v = addrValue{}
	var text string
	switch s := src.(type) {
	case nil:
		return nil
	case []byte:
		text = string(s)
	case string:
		text = s
	}
	text, _, _ = strings.Cut(text, "/")
	a, err := netip.ParseAddr(text)
	if err != nil {
		return fmt.Errorf("clicklog: address: %w", err)
	}
	*v = addrValue(a)
	return nil
}

// bitsValue stores 64 bits in a bigint, whose sign they may set.
type bitsValue uint64

// Value implements driver.Valuer.
func (v *bitsValue) Value() (driver.Value, error) { return int64(*v), nil } //nolint:gosec // the same bits come back

// Scan implements sql.Scanner.
func (v *bitsValue) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("clicklog: bits: %T", src)
	}
	*v = bitsValue(n) //nolint:gosec // as above
	return nil
}
