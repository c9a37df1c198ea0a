package click

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/routing"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/matchkey"
	"switchyard/models/money"
	"switchyard/models/postback"
)

// Limits of a site event: the bytes of its texts, the number of items of an order, the quantity of each item, and the event's age.
const (
	maxEventName   = 64
	maxHost        = 253
	maxPath        = 1000
	maxBrowserText = 64  // time zone, screen
	maxOrderText   = 255 // order id, ad id, SKU, product name
	maxItems       = 100
	maxQuantity    = 1_000_000
	maxEventAge    = 30 * 24 * time.Hour
)

// errNoSite means that an event belongs to no active site: the account has no active site, or only inactive
// sites have the event's host.
var errNoSite = models.NotFound("site")

// appendsAtOnce is how many events of one message wait for the disk together, so that they share a write.
const appendsAtOnce = 64

// storeEvents puts events of an account on stable storage, each with the goals that it reaches under the current settings. An
// event without a SiteID gets the site that SiteOf finds for its host. If writing fails, some of the events may be stored: the
// sender sends all of them again, and each counts once.
func (h *Handler) storeEvents(ctx context.Context, a *routing.Account, events []models.SiteEvent) error {
	snapshot, now := h.routes.Current(), time.Now()
	for i := range events {
		e := &events[i]
		e.AccountID = a.Row.ID
		cleanEvent(e, now)
		if e.SiteID == uuid.Nil {
			site := snapshot.SiteOf(a.Row.ID, e.Host)
			if site == nil {
				return errNoSite
			}
			e.SiteID = site.Row.ID
		}
		if site := snapshot.Site(e.SiteID); site != nil {
			e.Goals = nil
			e.RecordGoals(site.Row.SiteTerms, snapshot.GoalsOf(e.SiteID))
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), messageBudget)
	defer cancel()
	if err := h.appendEvents(ctx, events); err != nil {
		h.metrics.unrecorded.Add(float64(len(events)))
		h.logThrottled(ctx, err)
		return err
	}
	h.metrics.events.Add(float64(len(events)))
	return nil
}

// appendEvents puts all events into the spool of postbacks, up to appendsAtOnce of them at the same time.
func (h *Handler) appendEvents(ctx context.Context, events []models.SiteEvent) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	errs := make([]error, len(events))
	for range min(appendsAtOnce, len(events)) {
		workers.Go(func() {
			for i := int(next.Add(1) - 1); i < len(events); i = int(next.Add(1) - 1) {
				errs[i] = h.postbacks.Append(ctx, spool.Record{Event: &events[i]})
			}
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// cleanEvent cuts texts that are too long and drops impossible values.
func cleanEvent(e *models.SiteEvent, now time.Time) {
	e.ReceivedAt = now
	if e.Source != models.FromGoalAPI && (e.At.Before(now.Add(-maxEventAge)) || e.At.After(now.Add(time.Minute))) {
		e.At = now
	}
	for _, t := range []struct {
		text  *string
		limit int
	}{
		{&e.Name, maxEventName},
		{&e.Host, maxHost},
		{&e.Path, maxPath},
		{&e.Referrer, maxPath},
		{&e.OrderID, maxOrderText},
		{&e.AdID, maxOrderText},
		{&e.TimeZone, maxBrowserText},
		{&e.Screen, maxBrowserText},
		{&e.Domain, maxHost},
	} {
		*t.text = postback.Clean(*t.text, t.limit)
	}
	e.Host = models.BareHost(e.Host)
	e.Currency, _ = money.Currency(e.Currency, "")
	if !slices.Contains(models.Arrivals, e.Arrival) {
		e.Arrival = ""
	}
	// The query is dropped and e-mail addresses are hidden, because they may be personal data.
	for _, link := range []*string{&e.Path, &e.Referrer} {
		*link, _, _ = strings.Cut(*link, "?")
		*link = matchkey.HideAddresses(*link)
	}
	e.Value = cleanValue(e.Value)
	e.Slot = min(max(e.Slot, 0), flow.MaxSlot)
	e.Items = e.Items[:min(len(e.Items), maxItems)]
	for i := range e.Items {
		item := &e.Items[i]
		item.SKU, item.Name = postback.Clean(item.SKU, maxOrderText), postback.Clean(item.Name, maxOrderText)
		item.Price = models.NewMoney(cleanValue(item.Price.Decimal))
		item.Quantity = min(max(item.Quantity, 1), maxQuantity)
	}
}

// readValue sets the value and the currency of an event. The currency is the one in the text of the value, or else
// the one in `named`, or else empty. A sign of several currencies in the value means the currency in `named`, or else
// `fallback`. An empty value is zero.
func readValue(e *models.SiteEvent, value, named, fallback string) *models.Error {
	e.Currency, _ = money.Currency(named, fallback)
	if e.Currency != "" && e.Currency != money.Unknown {
		fallback = e.Currency
	}
	if value = strings.TrimSpace(value); value == "" {
		return nil
	}
	amount, err := money.Read(value, fallback)
	if err == nil {
		err = amount.Doubt
	}
	switch {
	case err != nil:
		return models.Invalid("invalid_value", "value is not an amount from 0 to 1,000,000,000: %.64q %s", value, err)
	case amount.Value.IsNegative():
		return models.Invalid("invalid_value", "value is not an amount from 0 to 1,000,000,000: it is below zero")
	}
	e.Value, e.Currency = amount.Value, cmp.Or(amount.Currency, e.Currency)
	return nil
}

// readPrice reads the price of a product of an event. It returns zero if the text is not an amount, or if the amount has another
// currency than the event. For an event without a currency, `fallback` counts instead.
func readPrice(text string, e *models.SiteEvent, fallback string) models.Money {
	currency := cmp.Or(e.Currency, fallback)
	amount, err := money.Read(strings.TrimSpace(text), currency)
	if err != nil || amount.Currency != "" && amount.Currency != currency {
		return models.Money{}
	}
	return models.NewMoney(amount.Value)
}

// cleanValue rounds an amount to models.GoalValuePlaces. An amount out of bounds becomes zero. So does a negative amount, because
// a page must not take money back. The exponent and the number of digits are checked before the comparison and the rounding, because
// these would take all memory for a number such as 1e999999999.
func cleanValue(d decimal.Decimal) decimal.Decimal {
	if d.Exponent() > 9 || d.IsNegative() || d.Exponent() < -30 || d.NumDigits() > 40 || d.GreaterThan(models.MaxGoalValue) {
		return decimal.Zero
	}
	return d.Round(models.GoalValuePlaces)
}
