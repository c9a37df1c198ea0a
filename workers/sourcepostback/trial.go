package sourcepostback

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/click"
	"switchyard/db/sourcepostback"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// test sends a made-up conversion once, even if the source is paused or does not want the status. Nothing is recorded.
func (s *sender) test(ctx context.Context, args jobs.TestPostbackArgs) (out jobs.TestedPostback, err error) {
	account := workers.Account(ctx)
	t, err := sourcepostback.TrialTarget(ctx, s.db, account, args.SourceID)
	if err != nil {
		return out, err
	}
	click, err := s.trialClick(ctx, account, args)
	if err != nil {
		return out, err
	}
	now := time.Now()
	t.SentPostback = models.SentPostback{
		ID: uuid.New(), AccountID: account, SourceID: args.SourceID, CampaignID: click.CampaignID, NetworkID: click.NetworkID,
		ClickID: click.ID, ConversionID: uuid.New(), Reference: args.ConversionID, Goal: args.Goal, Status: args.Status,
		Currency: t.Currency, Rate: decimal.NewNullDecimal(decimal.NewFromInt(1)), RecordedAt: now, CreatedAt: now,
	}
	if t.Payout, err = decimal.NewFromString(args.Payout); err != nil {
		return out, fmt.Errorf("source: payout of a test: %w", err)
	}
	url, wanted := t.URLFor(t.Goal, t.Status)
	if url == "" {
		return out, models.Invalid("no_url", "the traffic source has no postback_url for this postback")
	}
	m, err := s.message(ctx, t, &click)
	if err != nil {
		return out, err
	}
	a, _, _ := s.call(ctx, m) // the error is in a.Error too
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	return jobs.TestedPostback{
		ClickID: click.ID, Wanted: wanted, Told: a.Accepted, Request: a.Request, Status: a.Status, Answer: models.AnswerText(a.Answer),
		Error: a.Error, MS: a.Took.Milliseconds(),
	}, nil
}

// trialClick returns the named click, or else the source's latest.
func (s *sender) trialClick(ctx context.Context, account uuid.UUID, args jobs.TestPostbackArgs) (click.StoredClick, error) {
	if args.ClickID == uuid.Nil {
		click, ok, err := s.o.Clicks.LatestOf(ctx, account, args.SourceID)
		if err == nil && !ok {
			err = models.Invalid("no_click", "the traffic source has no click among the latest clicks of the account: name a click with click_id")
		}
		return click, err
	}
	click, ok, err := s.o.Clicks.FindByID(ctx, args.ClickID)
	if err == nil && (!ok || click.AccountID != account || click.SourceID != args.SourceID) {
		err = models.Invalid("no_click", "the traffic source has no click %s", models.FormatClickID(args.ClickID))
	}
	return click, err
}
