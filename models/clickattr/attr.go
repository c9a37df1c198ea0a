// Package clickattr is the one table of all attributes of a click. It says under which tag the spool holds an attribute, and
// which conditions, tokens, reports and files know it. Package cond, package token, the spool, the columns of the click store,
// the dimensions of reports and the columns of export files derive from it. README.md shows how to add an attribute.
package clickattr

import (
	"net/netip"
	"strconv"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// Attr is one attribute. A recorded attribute has a Tag, and exactly one of the accessors, which sets its type. An attribute
// without a Tag is known while a click is routed and is not recorded.
type Attr struct {
	// Name is the attribute's name in conditions and reports, as a column of the table clicks and of export files.
	Name string
	// Tag is the attribute's tag in the spool. Tags are stored on disks, so a tag is never given to another attribute.
	Tag byte
	// Compare says how conditions compare the attribute. NotCompared: they do not know it.
	Compare Compare
	// Token is the attribute's token in URLs, followed by other trackers' names for it, with commas between. Empty: none.
	Token string
	// Doc says, for the documentation, what the token is filled with.
	Doc string
	// Dimension is the attribute's place in the list of report dimensions, from 1. Zero: reports do not know it.
	Dimension int
	// Values are the values that the attribute can have; nil: any value. A value that a caller names is checked against them
	// and stored in its canonical form.
	Values *Values
	// In says where else the attribute is.
	In Home

	Text  func(*models.Click) *string
	ID    func(*models.Click) *uuid.UUID
	Addr  func(*models.Click) *netip.Addr
	ASN   func(*models.Click) *models.ASN
	Int   func(*models.Click) *int
	Bits  func(*models.Click) *uint64
	Bool  func(*models.Click) *bool
	Money func(*models.Click) *decimal.Decimal

	// Sub is the number of a sub-parameter. All of them are one column: the array subs.
	Sub int
}

// Compare says how the values of an attribute compare.
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

// Home is a place that has an attribute.
type Home uint8

// Exports are the export files, whose columns have the order of the table. Smartlinks are the clicks of smartlinks: the
// attribute has a column in smartlink_clicks as well.
const (
	Exports Home = 1 << iota
	Smartlinks
	Both = Exports | Smartlinks
)

// Column returns the attribute's column in SQL. For a sub-parameter that is an element of an array, which is NULL if the click
// has no such element.
func (a *Attr) Column() string {
	if a.Sub > 0 {
		return "subs[" + strconv.Itoa(a.Sub) + "]"
	}
	return a.Name
}

// Append appends the value as the tokens of a URL show it: a truth value as 0 or 1, nothing for what is unknown.
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
