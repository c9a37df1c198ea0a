package click

import (
	"time"

	"github.com/google/uuid"

	"switchyard/db/ledger"
	"switchyard/models"
)

// ClickID returns the id of the click.
func (c *StoredClick) ClickID() uuid.UUID { return c.ID }

// LedgerKey returns the ledger key under which a click, its click-outs and its conversions count.
func (c *StoredClick) LedgerKey() ledger.Key {
	return ledger.Key{
		AccountID: c.AccountID, Hour: c.At.Truncate(time.Hour).Unix(), CampaignID: c.CampaignID, StreamID: c.StreamID,
		LanderID: c.LanderID, OfferID: c.OfferID, SourceID: c.SourceID, Country: c.Country,
		DeviceType: c.DeviceType, OS: c.OS, Browser: c.Browser,
	}
}

// Figures returns the figures of a click without its conversions.
func (c *StoredClick) Figures() models.Figures {
	if c.IsBot {
		return models.Figures{BotClicks: 1}
	}
	f := models.Figures{Clicks: 1, LPViews: int64(c.LPViews), LPClicks: int64(c.LPClicks), Cost: models.ConvertAmount(c.Cost, c.Rate)}
	if c.IsUnique {
		f.UniqueClicks = 1
	}
	return f
}
