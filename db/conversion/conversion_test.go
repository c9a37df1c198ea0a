package conversion_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/click/clicktest"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/parttest"
)

// TestConversionLife takes a conversion from pending to chargeback and checks its results, figures and events.
func TestConversionLife(t *testing.T) {
	parttest.ClickHouse.Also(t)
	t.Parallel()
	d := dbtest.New(t)
	c := clicktest.StoredClick(t, d, func(c *models.Click) {
		c.Currency, c.RevenueShare = "EUR", decimal.NewFromInt(10)
		c.ExternalID, c.Subs[0], c.Subs[9] = "gclid-1", "ad7", "ten"
	})
	for _, active := range []bool{true, false} {
		dbtest.Exec(t, d, `INSERT INTO webhook_endpoints (id, account_id, url, events, active, secret)
			VALUES ($1, $2, 'https://example.com', '{conversion.created,conversion.updated}', $3, 'x')`,
			uuid.New(), c.AccountID, active)
	}
	happened := time.Date(2026, 11, 1, 10, 0, 0, 123e6, time.UTC)
	for i, step := range []struct {
		in            clicktest.Input
		result        string
		status        string
		payout, cost  string
		events        int
		reasonHasWord string
	}{
		{clicktest.Input{Status: "pending", Payout: clicktest.Amount("4"), At: happened}, "created", "pending", "4", "0", 1, ""},
		{clicktest.Input{Status: "pending", Payout: clicktest.Amount("4.00")}, "duplicate", "pending", "4", "0", 1, ""},
		{clicktest.Input{Status: "chargeback"}, "ignored", "pending", "4", "0", 1, "chargeback"},
		{clicktest.Input{Status: "approved"}, "updated", "approved", "4", "0.4", 2, ""},
		{clicktest.Input{Status: "approved", Payout: clicktest.Amount("5")}, "updated", "approved", "5", "0.5", 3, ""},
		{clicktest.Input{Payout: clicktest.Amount("6"), Cost: clicktest.Amount("1")}, "updated", "approved", "6", "1", 4, ""},
		{clicktest.Input{Status: "rejected"}, "updated", "rejected", "6", "0", 5, ""},
		{clicktest.Input{Status: "approved", Payout: clicktest.Amount("6")}, "updated", "approved", "6", "1", 6, ""},
		{clicktest.Input{Status: "chargeback"}, "updated", "chargeback", "6", "0", 7, ""},
		{clicktest.Input{Status: "approved"}, "ignored", "chargeback", "6", "0", 7, "approved"},
	} {
		in := step.in
		in.ClickID, in.ConversionID, in.Source = c.ID, "order-1", models.FromPostback
		out, err := clicktest.Record(t, d, in)
		if err != nil {
			t.Fatal(err)
		}
		v := out.Conversion
		if out.Result != step.result || v.Status != step.status || !v.Payout.Equal(*clicktest.Amount(step.payout)) ||
			!v.Cost.Equal(*clicktest.Amount(step.cost)) || v.Currency != "EUR" || !v.RecordedAt.Equal(happened) ||
			!strings.Contains(out.Reason, step.reasonHasWord) {
			t.Errorf("step %d: the outcome is %+v, want the result %s and the status %s", i, out, step.result, step.status)
		}
		changed := out.Result == "created" || out.Result == "updated"
		if changed != (len(out.Jobs) == 1) {
			t.Errorf("step %d: %d deliveries, want 1 if the result is created or updated, else none", i, len(out.Jobs))
		}
		if n := dbtest.Get[int](t, d, `SELECT count(*) FROM events`); n != step.events {
			t.Errorf("step %d: %d events are stored, want %d", i, n, step.events)
		}
	}
	bodies := dbtest.Select[[]byte](t, d, `SELECT body FROM events ORDER BY created_at`)
	last := ""
	for i, body := range bodies {
		var e struct {
			Type      string                 `json:"type"`
			CreatedAt string                 `json:"created_at"`
			Data      models.ConversionEvent `json:"data"`
		}
		if err := json.Unmarshal(body, &e); err != nil {
			t.Fatal(err)
		}
		if e.CreatedAt <= last {
			t.Errorf("event %d has the time %s, which is not later than the time %s of the event before it", i, e.CreatedAt, last)
		}
		last = e.CreatedAt
		if e.Data.ClickID != models.FormatClickID(c.ID) || e.Data.RecordedAt != "2026-11-01 10:00:00.123" ||
			(e.Type == models.EventConversionCreated) != (i == 0) ||
			e.Data.ExternalID+e.Data.Sub1+e.Data.Sub5+e.Data.Sub10 != "gclid-1ad7ten" {
			t.Errorf("event %d has the wrong type, click, time or parameters: %s", i, body)
		}
	}
	clicktest.CheckFigures(t, d)
}

// TestConversionFollowsTheArrivals checks that a conversion does not depend on the order in which its postbacks are recorded.
func TestConversionFollowsTheArrivals(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := clicktest.StoredClick(t, d, func(c *models.Click) { c.ConversionCost = decimal.NewFromInt(2) })
	statuses := []string{"", "pending", "approved", "approved", "rejected", "chargeback"}
	amount := func(n int) *decimal.Decimal {
		if rand.IntN(2) == 0 {
			return nil
		}
		return clicktest.Amount(strconv.Itoa(rand.IntN(n)))
	}
	recordAll := func(id string, list []clicktest.Input) (v models.Conversion) {
		for _, in := range list {
			in.ConversionID = id
			out, err := clicktest.Record(t, d, in)
			if err != nil {
				t.Fatal(err)
			}
			v = out.Conversion
		}
		v.ID, v.ConversionID, v.UpdatedAt = uuid.Nil, "", time.Time{}
		return v
	}
	for i := range 100 {
		list := make([]clicktest.Input, 2+rand.IntN(5))
		for n := range list {
			list[n] = clicktest.Input{
				ClickID: c.ID, Arrival: models.NewClickID(), Status: statuses[rand.IntN(len(statuses))], Payout: amount(20), Cost: amount(3),
				At: time.Now(), Source: models.FromPostback, Currency: []string{"", "EUR", "USD"}[rand.IntN(3)],
			}
			if list[n].Reversal = rand.IntN(6) == 0; list[n].Reversal {
				list[n].Status = []string{"rejected", "chargeback"}[rand.IntN(2)]
			}
		}
		want := recordAll(fmt.Sprint("a", i), list)
		late := slices.Clone(list)
		rand.Shuffle(len(late), func(i, j int) { late[i], late[j] = late[j], late[i] })
		again := append(late, list[rand.IntN(len(list))]) //nolint:gocritic // a postback that is run again by hand
		if diff := cmp.Diff(want, recordAll(fmt.Sprint("b", i), again)); diff != "" {
			t.Errorf("%+v\nrecorded in the order %+v gives another conversion (+): %s", list, late, diff)
		}
	}
}

// TestConversionOfManyPostbacks checks that a conversion keeps 32 statements, and that older postbacks no longer count.
func TestConversionOfManyPostbacks(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := clicktest.StoredClick(t, d, nil)
	late := clicktest.Input{ClickID: c.ID, Arrival: models.NewClickID(), Status: "chargeback", Source: models.FromPostback}
	for i := range 80 {
		in := late
		in.Arrival, in.Status, in.Payout = models.NewClickID(), []string{"approved", "rejected"}[i%2], clicktest.Amount(strconv.Itoa(i))
		if out, err := clicktest.Record(t, d, in); err != nil || i > 0 && out.Result != conversion.ResultUpdated {
			t.Fatalf("postback %d is recorded as %+v, want updated after the first: %v", i, out, err)
		}
	}
	out, err := clicktest.Record(t, d, late)
	if err != nil || out.Result != conversion.ResultSuperseded || out.Conversion.Status != "rejected" || out.Reason == "" {
		t.Errorf("a postback older than the kept statements gives %+v, want superseded, with a reason and the status rejected: %v", out, err)
	}
	if n := dbtest.Get[int](t, d, `SELECT jsonb_array_length(statements) FROM conversions`); n != 32 {
		t.Errorf("%d statements are kept, want 32", n)
	}
	// An older version of the program stored no statements, or did not update them. Then the recorded values count.
	for _, query := range []string{
		`UPDATE conversions SET statements = '[]'`, `UPDATE conversions SET status = 'rejected', payout = 79`,
	} {
		dbtest.Exec(t, d, query)
		late.Arrival, late.Status = models.NewClickID(), "approved"
		out, err = clicktest.Record(t, d, late)
		if err != nil || out.Result != conversion.ResultUpdated || !out.Conversion.Payout.Equal(*clicktest.Amount("79")) {
			t.Errorf("a statement about a conversion of an older version gives %+v, want updated with the payout 79: %v", out, err)
		}
	}
}

// TestPayoutFollowsTheOffer checks the payout and its currency for all payout terms.
func TestPayoutFollowsTheOffer(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acc := clicktest.Account(t, d)
	s := clicktest.OpenSpool(t, t.TempDir())
	for name, x := range map[string]struct {
		payout    string
		kind      string
		fromParam bool
		in        clicktest.Input
		want      string
		currency  string
	}{
		"a reported payout":      {"7", "fixed", true, clicktest.Input{Payout: clicktest.Amount("3"), Currency: "GBP"}, "3", "GBP"},
		"no reported payout":     {"7", "fixed", true, clicktest.Input{}, "7", "CHF"},
		"reported, but ignored":  {"7", "fixed", false, clicktest.Input{Payout: clicktest.Amount("3"), Currency: "GBP"}, "7", "CHF"},
		"percent":                {"12.5", "percent", true, clicktest.Input{Payout: clicktest.Amount("80")}, "10", "CHF"},
		"percent of the sale":    {"10", "percent", false, clicktest.Input{Amount: clicktest.Amount("50"), Payout: clicktest.Amount("9")}, "5", "CHF"},
		"payout beside the sale": {"10", "percent", true, clicktest.Input{Amount: clicktest.Amount("50"), Payout: clicktest.Amount("9")}, "9", "CHF"},
		"percent of no amount":   {"10", "percent", true, clicktest.Input{}, "0", "CHF"},
	} {
		c := clicktest.Click(acc, uuid.New(), 1)
		c.OfferID, c.Currency = uuid.New(), "EUR"
		dbtest.Exec(t, d, `INSERT INTO offers (id, account_id, name, url, payout, payout_type,
			payout_from_param, currency) VALUES ($1, $2, $3, '', $4, $5, $6, 'CHF')`,
			c.OfferID, acc, name, x.payout, x.kind, x.fromParam)
		clicktest.Put(t, s, spool.Record{Click: c})
		clicktest.Drain(t, s, d, ingest.Options{})
		x.in.ClickID = c.ID
		out, err := clicktest.Record(t, d, x.in)
		if err != nil || !out.Conversion.Payout.Equal(*clicktest.Amount(x.want)) || out.Conversion.Currency != x.currency {
			t.Errorf("%s: the payout is %s %s, want %s %s: %v", name, out.Conversion.Payout, out.Conversion.Currency, x.want, x.currency, err)
		}
		if out.Conversion.Status != models.StatusApproved {
			t.Errorf("%s: a new conversion without a status is %s, want approved", name, out.Conversion.Status)
		}
	}
}

func TestConversionRefusals(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := clicktest.StoredClick(t, d, nil)
	for name, x := range map[string]struct {
		in   clicktest.Input
		want error
	}{
		"no such click":     {clicktest.Input{ClickID: models.NewClickID()}, conversion.ErrUnknownClick},
		"another account's": {clicktest.Input{ClickID: c.ID, AccountID: uuid.New()}, conversion.ErrUnknownClick},
		"status":            {clicktest.Input{ClickID: c.ID, Status: "sold"}, models.Invalid("invalid_status", "")},
		"goal":              {clicktest.Input{ClickID: c.ID, Goal: strings.Repeat("x", 65)}, models.Invalid("too_long", "")},
		"id":                {clicktest.Input{ClickID: c.ID, ConversionID: strings.Repeat("x", 256)}, models.Invalid("too_long", "")},
		"below zero":        {clicktest.Input{ClickID: c.ID, Payout: clicktest.Amount("-1")}, models.Invalid("out_of_range", "")},
		"huge":              {clicktest.Input{ClickID: c.ID, Payout: clicktest.Amount("1e9999")}, models.Invalid("out_of_range", "")},
	} {
		if _, err := clicktest.Record(t, d, x.in); !errors.Is(err, x.want) {
			t.Errorf("an input with the fault %q: error %v, want %v", name, err, x.want)
		}
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM conversions`); n != 0 {
		t.Errorf("%d conversions were recorded from refused inputs, want none", n)
	}
}

// TestConversionsAtOnce checks that a postback that is recorded many times at once gives one conversion and one event.
func TestConversionsAtOnce(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := clicktest.StoredClick(t, d, nil)
	results := map[string]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			out, err := clicktest.Record(t, d, clicktest.Input{ClickID: c.ID, ConversionID: "1", Payout: clicktest.Amount("2")})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			results[out.Result]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if diff := cmp.Diff(map[string]int{"created": 1, "duplicate": 15}, results); diff != "" {
		t.Error(diff)
	}
	if n := dbtest.Get[int](t, d, `SELECT count(*) FROM events`); n != 1 {
		t.Errorf("%d events are stored, want 1", n)
	}
}
