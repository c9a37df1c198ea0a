package click

import (
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/country"
	"switchyard/models/token"
)

// AppendToken appends the value of a destination's token. HEAD and prefetch requests have no click, so {clickid} is empty for
// them.
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
	case token.LPSlot:
		if r.slot == 0 {
			return dst
		}
		return strconv.AppendInt(dst, int64(r.slot), 10)
	case token.LPKey:
		return r.appendLanderKey(dst)
	case token.IsUnique:
		if r.unique {
			return append(dst, '1')
		}
		return append(dst, '0')
	}
	if name := r.nameOf(t.Name); name != "" {
		return append(dst, name...)
	}
	return t.Name.Append(dst, c)
}

// nameOf returns the value of a token that names a record of the click's routing or the click's country.
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
		if r.lander != nil {
			return r.lander.Row.Name
		}
	case token.OfferName:
		if r.offer != nil {
			return r.offer.Row.Name
		}
	case token.NetworkName:
		if n := r.snap.Network(r.click.NetworkID); n != nil {
			return n.Row.Name
		}
	}
	return ""
}

// Now returns the time of the request in the account's time zone.
func (r *request) Now() time.Time { return r.now.In(r.account.Zone) }

// Random returns the next number of the request's own random sequence.
func (r *request) Random() uint64 { return r.pcg.Uint64() }
