package click

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/models"
	"switchyard/models/country"
	"switchyard/models/token"
)

// AppendToken answers for the tokens of a destination. HEAD and prefetch requests have no click, so {clickid} is
// empty there.
func (r *request) AppendToken(dst []byte, t token.Token) []byte {
	c := &r.click
	switch t.Name {
	case token.ClickID:
		if c.ID == uuid.Nil {
			return dst
		}
		return models.AppendClickID(dst, c.ID)
	case token.Sub:
		return append(dst, c.Subs[t.N-1]...)
	case token.Param:
		return append(dst, r.Param(t.Arg)...)
	case token.Cost:
		return append(dst, c.Cost.String()...)
	case token.IP:
		if !c.IP.IsValid() {
			return dst
		}
		return c.IP.AppendTo(dst)
	case token.ASN:
		if c.ASN == 0 {
			return dst
		}
		return strconv.AppendUint(dst, uint64(c.ASN), 10)
	case token.LPSlot:
		if r.slot == 0 {
			return dst
		}
		return strconv.AppendInt(dst, int64(r.slot), 10)
	case token.LPKey:
		return r.appendLanderKey(dst)
	case token.IsUnique:
		return appendBit(dst, r.unique)
	case token.IsBot:
		return appendBit(dst, c.IsBot)
	}
	if text := clickTexts[t.Name]; text != nil {
		return append(dst, *text(c)...)
	}
	if id := clickIDs[t.Name]; id != nil {
		return append(dst, idText(*id(c))...)
	}
	return append(dst, r.nameOf(t.Name)...)
}

func appendBit(dst []byte, v bool) []byte {
	if v {
		return append(dst, '1')
	}
	return append(dst, '0')
}

// clickTexts and clickIDs are the tokens that stand in the click as they are.
var clickTexts = [256]func(*models.Click) *string{
	token.ExternalID: func(c *models.Click) *string { return &c.ExternalID },
	token.Currency:   func(c *models.Click) *string { return &c.Currency },
	token.Country:    func(c *models.Click) *string { return &c.Country },
	token.Region:     func(c *models.Click) *string { return &c.Region },
	token.City:       func(c *models.Click) *string { return &c.City },
	token.Language:   func(c *models.Click) *string { return &c.Language },
	token.ISP:        func(c *models.Click) *string { return &c.ISP },

	token.MobileOperator: func(c *models.Click) *string { return &c.MobileOperator },
	token.ConnectionType: func(c *models.Click) *string { return &c.ConnectionType },
	token.DeviceType:     func(c *models.Click) *string { return &c.DeviceType },
	token.DeviceBrand:    func(c *models.Click) *string { return &c.DeviceBrand },
	token.DeviceModel:    func(c *models.Click) *string { return &c.DeviceModel },
	token.OS:             func(c *models.Click) *string { return &c.OS },
	token.OSVersion:      func(c *models.Click) *string { return &c.OSVersion },
	token.Browser:        func(c *models.Click) *string { return &c.Browser },
	token.BrowserVersion: func(c *models.Click) *string { return &c.BrowserVersion },
	token.UserAgent:      func(c *models.Click) *string { return &c.UserAgent },
	token.Referrer:       func(c *models.Click) *string { return &c.Referrer },
	token.ReferrerDomain: func(c *models.Click) *string { return &c.ReferrerDomain },
	token.Keyword:        func(c *models.Click) *string { return &c.Keyword },
	token.Domain:         func(c *models.Click) *string { return &c.Domain },
}

var clickIDs = [256]func(*models.Click) *uuid.UUID{
	token.CampaignID: func(c *models.Click) *uuid.UUID { return &c.CampaignID },
	token.PathID:     func(c *models.Click) *uuid.UUID { return &c.StreamID },
	token.LanderID:   func(c *models.Click) *uuid.UUID { return &c.LanderID },
	token.OfferID:    func(c *models.Click) *uuid.UUID { return &c.OfferID },
	token.NetworkID:  func(c *models.Click) *uuid.UUID { return &c.NetworkID },
	token.SourceID:   func(c *models.Click) *uuid.UUID { return &c.SourceID },
	token.VisitorID:  func(c *models.Click) *uuid.UUID { return &c.VisitorID },
}

// nameOf gives the names of the records that routed the click.
func (r *request) nameOf(n token.Name) string {
	switch n {
	case token.CampaignName:
		return r.camp.Row.Name
	case token.CampaignAlias:
		return r.camp.Row.Alias
	case token.SourceName:
		return r.source.Row.Name
	case token.CountryName:
		return country.Name(r.click.Country)
	case token.PathName:
		if r.route != nil {
			return r.route.Name
		}
	case token.LanderName:
		if l := routing.LanderOf(r.lander); l != nil {
			return l.Row.Name
		}
	case token.OfferName:
		if o := routing.OfferOf(r.offer); o != nil {
			return o.Row.Name
		}
	case token.NetworkName:
		if n := r.snap.Network(r.click.NetworkID); n != nil {
			return n.Row.Name
		}
	}
	return ""
}

// Now is the moment of the request in the account's time zone.
func (r *request) Now() time.Time { return r.now.In(r.account.Zone) }

// Random gives the next number of the request's own sequence.
func (r *request) Random() uint64 { return r.pcg.Uint64() }
