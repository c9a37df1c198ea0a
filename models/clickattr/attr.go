// Package clickattr is the table of all attributes of a click. For each attribute it defines the tag under which the spool
// stores it, and the conditions, tokens, reports and files that use it. Package cond, package token, the spool, the columns of
// the click store, the dimensions of reports and the columns of export files are derived from the table. README.md shows how to
// add an attribute.
package clickattr

import (
	"net/netip"
	"strconv"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// Attr is one attribute. A recorded attribute has a Tag and exactly one of the accessors, which determines its type. An
// attribute without a Tag is known only while a click is routed, and is not recorded.
type Attr struct {
	// Name is the attribute's name in conditions and reports. It is also the name of its column in export files and, except for a
	// sub-parameter, in the table clicks.
	Name string
	// Tag is the attribute's tag in the spool. Tags are stored on disks, so a tag must never be given to another attribute.
	Tag byte
	// Compare says how conditions compare the attribute. With NotCompared, conditions cannot use it.
	Compare Compare
	// Token is the attribute's token in URLs, followed by the names that other trackers use for it, separated by commas. It is
	// empty if the attribute has no token.
	Token string
	// Doc is the description of the token's value in the documentation.
	Doc string
	// Dimension is the attribute's place in the list of report dimensions, counted from 1. It is zero if reports cannot use the
	// attribute.
	Dimension int
	// Values lists the values that the attribute can have. Nil allows any value. A value that a caller sends is checked against
	// the list and stored in its canonical form.
	Values *Values
	// In lists further places that use the attribute.
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

// Exports means the export files. Smartlinks means the clicks of smartlinks: the attribute then also has a column in
// smartlink_clicks.
const (
	Exports Home = 1 << iota
	Smartlinks
	Both = Exports | Smartlinks
)

// Column returns the attribute's column in SQL. For a sub-parameter this is an element of the array subs. The element is NULL if
// the array is shorter.
func (a *Attr) Column() string {
	if a.Sub > 0 {
		return "subs[" + strconv.Itoa(a.Sub) + "]"
	}
	return a.Name
}

// Append appends the value in the form that tokens in a URL have. A boolean becomes 0 or 1. For an unknown value it appends
// nothing.
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

// Find returns the attribute with a name, or nil if it does not exist.
func Find(name string) *Attr {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

// IsBlockable reports whether the values of an attribute can be blocked. Reports must be able to group by the attribute. In
// addition, the attribute must be the ASN, or conditions must compare it as a text or a version. Ids of records, IP addresses
// and the result of the bot detection cannot be blocked here, because they have their own settings.
func (a *Attr) IsBlockable() bool {
	byValue := a.Text != nil && (a.Compare == AsText || a.Compare == AsVersion) || a.ASN != nil
	return byValue && a.Dimension > 0 && a.Name != "bot_reason"
}
