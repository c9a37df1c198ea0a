package accountconfig

import (
	"context"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/conversion"
	"switchyard/db/oldtracker"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/postback"
	"switchyard/models/trackerimport"
)

// conversionsAtOnce limits the conversions in one call of conversion.Correct.
const conversionsAtOnce = 500

// writeConversions records the conversions on a page of the old tracker's log. It leaves a conversion alone that an earlier run
// has recorded, because postbacks may have changed it since.
func (h history) writeConversions(ctx context.Context, c db.Conn, list []trackerimport.OldConversion, n *jobs.HistoryImported) error {
	clicks, err := oldtracker.FindClicks(ctx, c, h.account.ID, db.Map(list, func(v trackerimport.OldConversion) string { return v.ClickID }))
	if err != nil {
		return err
	}
	ids := map[uuid.UUID]bool{}
	for _, id := range clicks {
		ids[id] = true
	}
	before, err := oldtracker.ConversionsOf(ctx, c, h.account.ID, db.SortedIDs(ids))
	if err != nil {
		return err
	}
	known, taken := map[string]bool{}, map[conversion.Key]bool{}
	for _, v := range before {
		known[v.OldID], taken[conversion.Key{ClickID: v.ClickID, Goal: v.Goal, ConversionID: v.ConversionID}] = true, true
	}
	var inputs []conversion.Input
	var old []oldtracker.Conversion
	for _, v := range list {
		click, ok := clicks[v.ClickID]
		if known[v.ID] {
			continue
		}
		in, reason := h.input(v, click)
		if !ok {
			reason = skipClick
		}
		if reason != "" {
			skip(n, reason, 1)
			continue
		}
		key := conversion.Key{ClickID: click, Goal: in.Goal, ConversionID: in.ConversionID}
		if taken[key] { // another conversion has the same click, goal and id
			in.ConversionID, key.ConversionID = v.ID, v.ID
		}
		known[v.ID], taken[key] = true, true
		inputs = append(inputs, in)
		old = append(old, oldtracker.Conversion{OldID: v.ID, ClickID: click, Goal: in.Goal, ConversionID: in.ConversionID})
	}
	return h.record(ctx, c, inputs, old, n)
}

// record records conversions, and stores which conversion each old one became.
func (h history) record(ctx context.Context, c db.Conn, inputs []conversion.Input, old []oldtracker.Conversion, n *jobs.HistoryImported) error {
	for from := 0; from < len(inputs); from += conversionsAtOnce {
		to := min(from+conversionsAtOnce, len(inputs))
		const write = true
		done, _, err := conversion.Correct(ctx, h.clicks, c, h.account.ID, inputs[from:to], write) // all inputs are Past, so they have no jobs to dispatch
		if err != nil {
			return err
		}
		var stored []oldtracker.Conversion
		for i, d := range done {
			if d.Refusal != nil {
				skip(n, skipRefused, 1)
				continue
			}
			if d.Result == conversion.ResultCreated {
				n.Conversions++
			}
			stored = append(stored, old[from+i])
		}
		if err := oldtracker.AddConversions(ctx, c, h.account.ID, stored); err != nil {
			return err
		}
	}
	return nil
}

// input converts a conversion, or returns the reason why it is left out.
func (h history) input(v trackerimport.OldConversion, click uuid.UUID) (in conversion.Input, reason string) {
	meaning := postback.Meaning{Status: models.StatusApproved}
	if v.Status != "" {
		var ok bool
		if meaning, ok = postback.KnownWord(v.Status); !ok {
			return in, skipStatus
		}
	}
	payout, err := decimal.NewFromString(v.Payout)
	if v.Payout == "" {
		payout, err = decimal.Zero, nil
	}
	currency, ok := trackerimport.Currency(v.Currency)
	if err != nil || payout.IsNegative() || !payout.IsZero() && !ok {
		return in, skipAmount
	}
	if !ok {
		currency = h.account.Currency // the amount is 0
	}
	if v.At.IsZero() {
		return in, skipUnread
	}
	goal := v.Goal
	if goal == "" {
		goal = meaning.Goal
	}
	return conversion.Input{
		AccountID: h.account.ID, ClickID: click, ConversionID: v.Token, Goal: goal, Status: meaning.Status, OriginalStatus: v.Status,
		Payout: &payout, Currency: currency, At: v.At, Source: models.FromCorrection, Final: true, Past: true,
	}, ""
}
