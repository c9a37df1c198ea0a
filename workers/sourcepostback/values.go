package sourcepostback

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/click"
	"switchyard/db/sourcepostback"
	"switchyard/models"
	"switchyard/models/country"
	"switchyard/models/token"
)

// values has the values of the tokens in one postback.
type values struct {
	target *sourcepostback.Target
	click  *click.StoredClick
	names  map[token.Name]string
	random *rand.PCG
}

// reset restarts the random numbers, which depend only on the postback's id.
func (v *values) reset() {
	id := v.target.ID
	v.random = rand.NewPCG(binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:]))
}

// named has the tokens for names that must be looked up, with the dimension of the look-up and the record's id.
var named = map[token.Name]struct {
	dimension string
	id        func(*models.Click) uuid.UUID
}{
	token.CampaignName: {"campaign_id", func(c *models.Click) uuid.UUID { return c.CampaignID }},
	token.PathName:     {"stream_id", func(c *models.Click) uuid.UUID { return c.StreamID }},
	token.LanderName:   {"lander_id", func(c *models.Click) uuid.UUID { return c.LanderID }},
	token.OfferName:    {"offer_id", func(c *models.Click) uuid.UUID { return c.OfferID }},
	token.NetworkName:  {"network_id", func(c *models.Click) uuid.UUID { return c.NetworkID }},
}

// name stores the name of the source in v.names, and the other names and the campaign alias that the template uses.
func (s *sender) name(ctx context.Context, v *values, t *token.Template) error {
	v.names = map[token.Name]string{token.SourceName: v.target.SourceName}
	for token, record := range named {
		if !t.Uses(token) {
			continue
		}
		id := record.id(&v.click.Click).String()
		found, err := s.store.Labels(ctx, v.target.AccountID, record.dimension, []string{id})
		if err != nil {
			return err
		}
		v.names[token] = found[id]
	}
	if t.Uses(token.CampaignAlias) {
		alias, err := sourcepostback.Alias(ctx, s.db, v.target.AccountID, v.click.CampaignID)
		if err != nil {
			return err
		}
		v.names[token.CampaignAlias] = alias
	}
	return nil
}

// AppendToken implements token.Values. It has no value for {lp_key}.
func (v *values) AppendToken(dst []byte, t token.Token) []byte {
	p, c := v.target, v.click
	switch t.Name {
	case token.ClickID:
		return models.AppendClickID(dst, c.ID)
	case token.Param:
		return append(dst, token.QueryParam(c.Params, t.Arg)...)
	case token.Sub:
		return append(dst, c.Subs[t.N-1]...)
	case token.LPSlot:
		if c.LPSlot == 0 {
			return dst
		}
		return strconv.AppendInt(dst, int64(c.LPSlot), 10)
	case token.IsUnique:
		if c.IsUnique {
			return append(dst, '1')
		}
		return append(dst, '0')
	case token.CountryName:
		return append(dst, country.Name(c.Country)...)
	case token.Payout:
		return append(dst, models.NewMoney(p.Share(p.Payout)).Text()...)
	case token.Revenue:
		return append(dst, models.NewMoney(v.revenue()).Text()...)
	case token.Profit:
		return append(dst, v.profit()...)
	case token.Status:
		return append(dst, p.Status...)
	case token.ConversionID:
		return append(dst, cmp.Or(p.Reference, p.ConversionID.String())...)
	case token.Goal:
		return append(dst, p.Goal...)
	case token.EventTime:
		return strconv.AppendInt(dst, p.RecordedAt.Unix(), 10)
	}
	if name, ok := v.names[t.Name]; ok {
		return append(dst, name...)
	}
	if t.Name == currencyToken { // of the payout
		return append(dst, p.Currency...)
	}
	return t.Name.Append(dst, &c.Click)
}

var currencyToken = func() token.Name {
	t, _ := token.Lookup("currency")
	return t.Name
}()

// revenue returns the source's share of an approved payout, otherwise zero.
func (v *values) revenue() decimal.Decimal {
	if v.target.Status != models.StatusApproved {
		return decimal.Zero
	}
	return v.target.Share(v.target.Payout)
}

// profit is the revenue minus the costs of click and conversion, in the currency of the payout. It is "" if a rate that it needs is
// missing.
func (v *values) profit() string {
	c, p := v.click, v.target
	sold, known := toRateCurrency(p.Cost, p.Rate)
	if !known {
		return ""
	}
	clicked := c.Cost
	if c.Currency != p.Currency && !c.Cost.IsZero() {
		if clicked, known = toRateCurrency(models.ConvertAmount(c.Cost, c.Rate), p.Rate); !known || !c.Rate.Valid {
			return ""
		}
	}
	return models.NewMoney(v.revenue().Sub(clicked).Sub(sold)).Text()
}

// toRateCurrency converts an amount from the account's currency to the currency of the rate. Without a rate, only an amount of
// zero can be converted.
func toRateCurrency(amount decimal.Decimal, rate decimal.NullDecimal) (own decimal.Decimal, known bool) {
	switch {
	case amount.IsZero():
		return amount, true
	case !rate.Valid:
		return amount, false
	}
	return amount.DivRound(rate.Decimal, models.MoneyScale), true
}

// Now returns when the conversion got its status, in the account's time zone.
func (v *values) Now() time.Time {
	zone, err := time.LoadLocation(v.target.Zone)
	if err != nil {
		zone = time.UTC
	}
	return v.target.CreatedAt.In(zone)
}

// Random returns the next number of the postback's own sequence.
func (v *values) Random() uint64 { return v.random.Uint64() }
