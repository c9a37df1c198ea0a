// Package clickattr is the table of all attributes of a click. The spool, conditions, tokens, reports and export files are
// derived from it. README.md shows how to add an attribute.
package clickattr

import (
	"net/netip"
	"strconv"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// Attr is one attribute. If it is recorded, it has a Tag and exactly one accessor, which determines its type. Otherwise it is
// known only while a click is routed.
type Attr struct {
	// Name is its name in conditions, reports and export files. It is also the column in the table clicks, if the attribute is
	// recorded and is no sub-parameter.
	Name string
	// Tag is the attribute's tag in the spool. Tags are stored on disks, so a tag must never be used for another attribute.
	Tag byte
	// Compare says how conditions compare the attribute. Attributes with NotCompared have no conditions.
	Compare Compare
	// Token is the attribute's token in URLs and, after commas, the names that other trackers use for it.
	Token string
	// Doc is the description of the token's value in the documentation.
	Doc string
	// Dimension is the attribute's place in the list of report dimensions, from 1 on. Zero means that it is no dimension.
	Dimension int
	// Values lists the values that the attribute can have. Nil allows any value. Values that a caller sends are checked against
	// the list.
	Values *Values
	// The field In lists further places that use the attribute.
	In Home

	Text  func(*models.Click) *string
	ID    func(*models.Click) *uuid.UUID
	Addr  func(*models.Click) *netip.Addr
	ASN   func(*models.Click) *models.ASN
	Int   func(*models.Click) *int
	Bits  func(*models.Click) *uint64
	Bool  func(*models.Click) *bool
	Money func(*models.Click) *decimal.Decimal

	// Sub is the number of a sub-parameter. All sub-parameters share one column: the array subs.
	Sub int
}

// Compare is the way in which the values of an attribute are compared.
type Compare uint8

// The ways to compare.
const (
	NotCompared Compare = iota
	AsText
	AsNumber
	AsVersion
	AsBool
	AsAddr
)

// Home is a set of places that use an attribute.
type Home uint8

// Exports means the export files. Smartlinks means the clicks of smartlinks, with a column in smartlink_clicks.
const (
	Exports Home = 1 << iota
	Smartlinks
	Both = Exports | Smartlinks
)

// Column returns the attribute's column in SQL. For a sub-parameter this is an element of the array subs, which is NULL if the
// array is shorter.
func (a *Attr) Column() string {
	if a.Sub > 0 {
		return "subs[" + strconv.Itoa(a.Sub) + "]"
	}
	return a.Name
}

// Append appends the value as tokens in a URL have it. A boolean becomes 0 or 1. An unknown value is empty.
func (a *Attr) Append(dst []byte, c *models.Click) []byte {
	switch {
	case a.Text != nil:
		return append(dst, *a.Text(c)...)
	case a.ID != nil:
		return append(dst, models.IDText(*a.ID(c))...)
	case a.Addr != nil && a.Addr(c).IsValid():
		return a.Addr(c).AppendTo(dst)
	case a.ASN != nil && *a.ASN(c) != 0:
		return strconv.AppendUint(dst, uint64(*a.ASN(c)), 10)
	case a.Int != nil:
		return strconv.AppendInt(dst, int64(*a.Int(c)), 10)
	case a.Bool != nil:
		if *a.Bool(c) {
			return append(dst, '1')
		}
		return append(dst, '0')
	case a.Money != nil:
		return append(dst, a.Money(c).String()...)
	}
	return dst
}

// Find returns the attribute with a name, or nil.
func Find(name string) *Attr {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

// IsBlockable reports whether the values of an attribute can be blocked. The attribute must be a dimension of reports, and must be
// the ASN, or a text or version that conditions can compare. Ids, IP addresses and the result of the bot detection have their own
// settings.
func (a *Attr) IsBlockable() bool {
	byValue := a.Text != nil && (a.Compare == AsText || a.Compare == AsVersion) || a.ASN != nil
	return byValue && a.Dimension > 0 && a.Name != "bot_reason"
}
