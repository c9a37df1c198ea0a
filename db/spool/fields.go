package spool

import (
	"net/netip"
	"slices"
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
			func(c *models.Click, n uint64) { *a.ASN(c) = models.ASN(n) }) //nolint:gosec // it came from one
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

var outFields = []field[models.ClickOut]{
	idField(1, func(o *models.ClickOut) *uuid.UUID { return &o.ID }),
	idField(2, func(o *models.ClickOut) *uuid.UUID { return &o.ClickID }),
	idField(3, func(o *models.ClickOut) *uuid.UUID { return &o.AccountID }),
	intField(4, func(o *models.ClickOut) *int { return &o.Slot }),
	idField(5, func(o *models.ClickOut) *uuid.UUID { return &o.OfferID }),
	idField(6, func(o *models.ClickOut) *uuid.UUID { return &o.NetworkID }),
	textField(7, func(o *models.ClickOut) *string { return &o.Destination }),
}

var postbackFields = []field[models.Postback]{
	idField(1, func(p *models.Postback) *uuid.UUID { return &p.ID }),
	idField(2, func(p *models.Postback) *uuid.UUID { return &p.AccountID }),
	idField(3, func(p *models.Postback) *uuid.UUID { return &p.NetworkID }),
	textField(4, func(p *models.Postback) *string { return &p.Source }),
	textField(5, func(p *models.Postback) *string { return &p.Domain }),
	addrField(6, func(p *models.Postback) *netip.Addr { return &p.IP }),
	mapField(7, func(p *models.Postback) *map[string]string { return &p.Params }),
	textField(8, func(p *models.Postback) *string { return &p.Signature }),
	textField(9, func(p *models.Postback) *string { return &p.SignedText }),
	idField(10, func(p *models.Postback) *uuid.UUID { return &p.ClickID }),
	textField(11, func(p *models.Postback) *string { return &p.Unmatched }),
	bytesField(12, func(p *models.Postback) *[]byte { return &p.Proof }),
	textField(13, func(p *models.Postback) *string { return &p.Refused }),
}

var eventFields = []field[models.SiteEvent]{
	idField(1, func(e *models.SiteEvent) *uuid.UUID { return &e.ID }),
	idField(2, func(e *models.SiteEvent) *uuid.UUID { return &e.AccountID }),
	idField(3, func(e *models.SiteEvent) *uuid.UUID { return &e.SiteID }),
	timeField(4, func(e *models.SiteEvent) *time.Time { return &e.ReceivedAt }),
	timeField(5, func(e *models.SiteEvent) *time.Time { return &e.At }),
	idField(6, func(e *models.SiteEvent) *uuid.UUID { return &e.ClickID }),
	textField(7, func(e *models.SiteEvent) *string { return &e.Arrival }),
	textField(8, func(e *models.SiteEvent) *string { return &e.AdID }),
	textField(9, func(e *models.SiteEvent) *string { return &e.Name }),
	textField(10, func(e *models.SiteEvent) *string { return &e.Host }),
	textField(11, func(e *models.SiteEvent) *string { return &e.Path }),
	textField(12, func(e *models.SiteEvent) *string { return &e.Referrer }),
	moneyField(13, func(e *models.SiteEvent) *decimal.Decimal { return &e.Value }),
	textField(14, func(e *models.SiteEvent) *string { return &e.Currency }),
	textField(15, func(e *models.SiteEvent) *string { return &e.OrderID }),
	listField(16, func(e *models.SiteEvent) *[]models.SiteItem { return &e.Items }),
	intField(17, func(e *models.SiteEvent) *int { return &e.Slot }),
	textField(18, func(e *models.SiteEvent) *string { return &e.Source }),
	textField(19, func(e *models.SiteEvent) *string { return &e.TimeZone }),
	textField(20, func(e *models.SiteEvent) *string { return &e.Screen }),
	boolField(21, func(e *models.SiteEvent) *bool { return &e.WebDriver }),
	textField(22, func(e *models.SiteEvent) *string { return &e.Domain }),
	addrField(23, func(e *models.SiteEvent) *netip.Addr { return &e.IP }),
	listField(24, func(e *models.SiteEvent) *[]models.ReachedGoal { return &e.Goals }),
}

var trapFields = []field[models.ClickTrap]{
	idField(1, func(t *models.ClickTrap) *uuid.UUID { return &t.ClickID }),
	idField(2, func(t *models.ClickTrap) *uuid.UUID { return &t.AccountID }),
	idField(3, func(t *models.ClickTrap) *uuid.UUID { return &t.Sender }),
}

// smartlinkFields encodes the fields of a click under the same tags as clickFields, and the smartlink's own fields.
var smartlinkFields = func() []field[models.SmartlinkClick] {
	var fields []field[models.SmartlinkClick]
	for _, f := range clickFields {
		fields = append(fields, field[models.SmartlinkClick]{
			tag: f.tag,
			put: func(b []byte, tag byte, c *models.SmartlinkClick) []byte { return f.put(b, tag, &c.Click) },
			set: func(c *models.SmartlinkClick, p []byte) error { return f.set(&c.Click, p) },
		})
	}
	return append(fields,
		idField(201, func(c *models.SmartlinkClick) *uuid.UUID { return &c.SmartlinkID }),
		idField(202, func(c *models.SmartlinkClick) *uuid.UUID { return &c.RuleID }),
		textField(203, func(c *models.SmartlinkClick) *string { return &c.DestinationURL }),
	)
}()
