package alerts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/exchangerate"
	"switchyard/models"
	"switchyard/models/money"
)

// unconvertedMoney lists the currencies with amounts that are not counted, because a day has no exchange rate. For amounts with
// an unknown currency, see unreadMoney.
func unconvertedMoney(ctx context.Context, l reading) ([]Alert, error) {
	found, err := exchangerate.UnconvertedOf(ctx, l.Store.Conn(), l.account.ID)
	found = slices.DeleteFunc(found, func(u exchangerate.Unconverted) bool { return u.Currency == money.Unknown })
	return db.Map(found, func(u exchangerate.Unconverted) Alert {
		days := fmt.Sprintf("%d days", u.Days)
		if u.Days == 1 {
			days = "1 day"
		}
		return Alert{
			Type: "currency.unconverted", Severity: Critical, Kind: "account", ID: l.account.ID, Name: u.Currency,
			Message: fmt.Sprintf("amounts in %s are not counted on %s since %s: there is no exchange rate to %s. They will count once there is one",
				u.Currency, days, u.First.UTC().Format(time.DateOnly), l.account.Currency),
			Since: u.Since,
		}
	}), err
}

// cappedOffers lists the offers that have reached their daily cap today.
func cappedOffers(ctx context.Context, l reading) ([]Alert, error) {
	offers, err := l.Store.Offers().WithCap(ctx, l.account.ID)
	if err != nil || len(offers) == 0 {
		return nil, err
	}
	start := l.account.DayStart(l.now)
	have, err := l.Figures.ConversionsIn(ctx, l.account.ID, start, start.AddDate(0, 0, 2))
	var out []Alert
	for _, o := range offers {
		if err != nil || have[o.ID] < *o.DailyCap {
			continue
		}
		out = append(out, Alert{
			Type: "offer.capped", Severity: Warning, Kind: "offer", ID: o.ID, Name: o.Name, URL: &o.URL,
			Message: fmt.Sprintf("it has reached its daily cap of %d conversions: visitors are sent elsewhere", *o.DailyCap), Since: start,
		})
	}
	return out, err
}

// nearLimit is the share of an allowance at which the allowance counts as nearly used.
const nearLimit = 0.8

// planLimit returns an alert if the clicks of this month have passed, or nearly reached, the allowance of the account's plan.
func planLimit(ctx context.Context, l reading) ([]Alert, error) {
	passed, err := l.Store.Usage().Limit(ctx, l.account.ID, l.now)
	e, ok := models.AsError(err)
	switch {
	case ok && e.Kind == models.KindNotFound, err == nil && passed.Plan != l.account.Plan:
		return nearPlanLimit(ctx, l)
	case err != nil:
		return nil, err
	}
	return []Alert{{
		Type: models.EventPlanLimitReached, Severity: Warning, Kind: "account", ID: l.account.ID, Name: l.account.Name,
		Message: fmt.Sprintf("the month's clicks passed the %d of the plan %q", passed.Allowance, passed.Plan), Since: passed.ReachedAt,
	}}, nil
}

func nearPlanLimit(ctx context.Context, l reading) ([]Alert, error) {
	allowance := l.account.Allowances().ClicksPerMonth
	if allowance == models.Unlimited {
		return nil, nil
	}
	month := models.MonthOf(l.now)
	clicks, err := l.Figures.ClicksOf(ctx, []uuid.UUID{l.account.ID}, month, month.AddDate(0, 1, 0))
	n := clicks[l.account.ID]
	if err != nil || float64(n) < nearLimit*float64(allowance) {
		return nil, err
	}
	return []Alert{{
		Type: "plan.limit_near", Severity: Warning, Kind: "account", ID: l.account.ID, Name: l.account.Name,
		Message: fmt.Sprintf("%d of the %d clicks of the plan %q are used this month", n, allowance, l.account.Plan), Since: month,
	}}, nil
}
