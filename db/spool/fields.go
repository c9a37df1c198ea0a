package spool

import (
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/clickattr"
)

// clickFields encodes the attributes of a click that have a tag, in the order of their tags.
var clickFields = func() []field[models.Click] {
	var list []field[models.Click]
	for i := range clickattr.All {
		if a := &clickattr.All[i]; a.Tag != 0 {
			list = append(list, clickField(a))
		}
	}
	slices.SortFunc(list, func(a, b field[models.Click]) int { return int(a.tag) - int(b.tag) })
	return list
}()

func clickField(a *clickattr.Attr) field[models.Click] {
	switch {
	case a.Text != nil:
		return textField(a.Tag, a.Text)
	case a.ID != nil:
		return idField(a.Tag, a.ID)
	case a.Addr != nil:
		return addrField(a.Tag, a.Addr)
	case a.ASN != nil:
		return numberField(a.Tag, func(c *models.Click) uint64 { return uint64(*a.ASN(c)) },
			func(c *models.Click, n uint64) { *a.ASN(c) = models.ASN(n) }) //nolint:gosec // the number was encoded from an ASN
	case a.Int != nil:
		return intField(a.Tag, a.Int)
	case a.Bits != nil:
		return numberField(a.Tag, func(c *models.Click) uint64 { return *a.Bits(c) },
			func(c *models.Click, n uint64) { *a.Bits(c) = n })
	case a.Bool != nil:
		return boolField(a.Tag, a.Bool)
	}
	return moneyField(a.Tag, a.Money)
}

// The fields of other records. Their tags are in the structs in package models.
var (
	outFields      = taggedFields[models.ClickOut]()
	postbackFields = taggedFields[models.Postback]()
	eventFields    = taggedFields[models.SiteEvent]()
	trapFields     = taggedFields[models.ClickTrap]()
)

// smartlinkFields encodes the fields of a smartlink's click. Fields that every click has use the tags of clickFields.
var smartlinkFields = func() []field[models.SmartlinkClick] {
	var fields []field[models.SmartlinkClick]
	for _, f := range clickFields {
		fields = append(fields, field[models.SmartlinkClick]{
			tag: f.tag,
			put: func(b []byte, tag byte, c *models.SmartlinkClick) []byte { return f.put(b, tag, &c.Click) },
			set: func(c *models.SmartlinkClick, p []byte) error { return f.set(&c.Click, p) },
		})
	}
	return append(fields, taggedFields[models.SmartlinkClick]()...)
}()

// taggedFields encodes the members of T that have the struct tag spool, in the order of their tags.
func taggedFields[T any]() []field[T] {
	var list []field[T]
	for _, member := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if text := member.Tag.Get("spool"); text != "" {
			tag, err := strconv.ParseUint(text, 10, 8)
			if err != nil {
				panic("spool: tag of " + member.Name + ": " + err.Error())
			}
			list = append(list, taggedField[T](byte(tag), member))
		}
	}
	slices.SortFunc(list, func(a, b field[T]) int { return int(a.tag) - int(b.tag) })
	return list
}

func taggedField[T any](tag byte, member reflect.StructField) field[T] {
	switch reflect.Zero(member.Type).Interface().(type) {
	case string:
		return textField(tag, memberAt[T, string](member))
	case uuid.UUID:
		return idField(tag, memberAt[T, uuid.UUID](member))
	case netip.Addr:
		return addrField(tag, memberAt[T, netip.Addr](member))
	case time.Time:
		return timeField(tag, memberAt[T, time.Time](member))
	case decimal.Decimal:
		return moneyField(tag, memberAt[T, decimal.Decimal](member))
	case int:
		return intField(tag, memberAt[T, int](member))
	case bool:
		return boolField(tag, memberAt[T, bool](member))
	case []byte:
		return bytesField(tag, memberAt[T, []byte](member))
	case map[string]string:
		return mapField(tag, memberAt[T, map[string]string](member))
	case []models.SiteItem:
		return listField(tag, memberAt[T, []models.SiteItem](member))
	case []models.ReachedGoal:
		return listField(tag, memberAt[T, []models.ReachedGoal](member))
	}
	panic("spool: no encoding of " + member.Name)
}

func memberAt[T, V any](member reflect.StructField) func(*T) *V {
	return func(v *T) *V { return reflect.ValueOf(v).Elem().FieldByIndex(member.Index).Addr().Interface().(*V) } //nolint:forcetypeassert // the type of the member
}
