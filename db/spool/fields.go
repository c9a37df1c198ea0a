package spool

import (
	"net/netip"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// firstSubTag is the tag of sub1; the others follow it.
const firstSubTag = 101

var clickFields = append([]field[models.Click]{
	idField(1, func(c *models.Click) *uuid.UUID { return &c.ID }),
	idField(2, func(c *models.Click) *uuid.UUID { return &c.AccountID }),
	idField(3, func(c *models.Click) *uuid.UUID { return &c.CampaignID }),
	idField(4, func(c *models.Click) *uuid.UUID { return &c.ParentCampaignID }),
	idField(5, func(c *models.Click) *uuid.UUID { return &c.StreamID }),
	idField(6, func(c *models.Click) *uuid.UUID { return &c.LanderID }),
	idField(7, func(c *models.Click) *uuid.UUID { return &c.OfferID }),
	idField(8, func(c *models.Click) *uuid.UUID { return &c.NetworkID }),
	idField(9, func(c *models.Click) *uuid.UUID { return &c.SourceID }),
	idField(10, func(c *models.Click) *uuid.UUID { return &c.VisitorID }),
	textField(11, func(c *models.Click) *string { return &c.Domain }),
	textField(12, func(c *models.Click) *string { return &c.Destination }),
	textField(13, func(c *models.Click) *string { return &c.Arrival }),
	textField(14, func(c *models.Click) *string { return &c.ExternalID }),
	textField(15, func(c *models.Click) *string { return &c.Params }),
	addrField(16, func(c *models.Click) *netip.Addr { return &c.IP }),
	textField(17, func(c *models.Click) *string { return &c.UserAgent }),
	textField(18, func(c *models.Click) *string { return &c.Referrer }),
	textField(19, func(c *models.Click) *string { return &c.ReferrerDomain }),
	textField(20, func(c *models.Click) *string { return &c.Keyword }),
	textField(21, func(c *models.Click) *string { return &c.SearchEngine }),
	textField(22, func(c *models.Click) *string { return &c.Language }),
	textField(23, func(c *models.Click) *string { return &c.Country }),
	textField(24, func(c *models.Click) *string { return &c.Region }),
	textField(25, func(c *models.Click) *string { return &c.City }),
	textField(26, func(c *models.Click) *string { return &c.ISP }),
	numberField(27, func(c *models.Click) uint64 { return uint64(c.ASN) },
		func(c *models.Click, n uint64) { c.ASN = models.ASN(n) }), //nolint:gosec // it came from one
	textField(28, func(c *models.Click) *string { return &c.MobileOperator }),
	textField(29, func(c *models.Click) *string { return &c.ConnectionType }),
	textField(30, func(c *models.Click) *string { return &c.ProxyKind }),
	textField(31, func(c *models.Click) *string { return &c.DeviceType }),
	textField(32, func(c *models.Click) *string { return &c.DeviceBrand }),
	textField(33, func(c *models.Click) *string { return &c.DeviceModel }),
	textField(34, func(c *models.Click) *string { return &c.OS }),
	textField(35, func(c *models.Click) *string { return &c.OSVersion }),
	textField(36, func(c *models.Click) *string { return &c.Browser }),
	textField(37, func(c *models.Click) *string { return &c.BrowserVersion }),
	boolField(38, func(c *models.Click) *bool { return &c.IsBot }),
	intField(39, func(c *models.Click) *int { return &c.BotScore }),
	numberField(40, func(c *models.Click) uint64 { return c.BotSignals },
		func(c *models.Click, n uint64) { c.BotSignals = n }),
	textField(41, func(c *models.Click) *string { return &c.BotReason }),
	moneyField(42, func(c *models.Click) *decimal.Decimal { return &c.Cost }),
	moneyField(43, func(c *models.Click) *decimal.Decimal { return &c.UniqueCost }),
	textField(44, func(c *models.Click) *string { return &c.Currency }),
	moneyField(45, func(c *models.Click) *decimal.Decimal { return &c.ConversionCost }),
	moneyField(46, func(c *models.Click) *decimal.Decimal { return &c.RevenueShare }),
	idField(47, func(c *models.Click) *uuid.UUID { return (*uuid.UUID)(&c.UniqueKey) }),
	intField(48, func(c *models.Click) *int { return &c.UniqueHours }),
	numberField(49, func(c *models.Click) uint64 { return c.RouteSeed },
		func(c *models.Click, n uint64) { c.RouteSeed = n }),
	numberField(50, func(c *models.Click) uint64 { return c.FlowHash },
		func(c *models.Click, n uint64) { c.FlowHash = n }),
	intField(51, func(c *models.Click) *int { return &c.Via }),
}, subFields()...)

func subFields() []field[models.Click] {
	fields := make([]field[models.Click], models.Subs)
	for i := range fields {
		fields[i] = textField(byte(firstSubTag+i), func(c *models.Click) *string { return &c.Subs[i] })
	}
	return fields
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
}

// smartlinkFields are those of a click, under the same tags, and the smartlink's own.
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
