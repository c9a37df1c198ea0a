package conversion_test

import (
	"fmt"
	"testing"

	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// TestBrowserConversionsAreBounded checks that a click's conversions by browsers beyond models.MaxBrowserConversions are pending
// until a server or a correction approves them. Other conversions have no limit.
func TestBrowserConversionsAreBounded(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c, other := clicktest.StoredClick(t, d, nil), clicktest.StoredClick(t, d, nil)
	report := func(click *models.Click, order, source, status, result, want string) {
		t.Helper()
		out, err := clicktest.Record(t, d, clicktest.Input{
			AccountID: click.AccountID, ClickID: click.ID, ConversionID: order, Source: source, Status: status, Payout: clicktest.Amount("1"), OwnValue: true,
			Final: source == models.FromCorrection,
		})
		if err != nil || out.Result != result || out.Conversion.Status != want {
			t.Errorf("the order %s by %s is %s and %s (%s), %v; want %s and %s", order, source, out.Result, out.Conversion.Status, out.Reason, err, result, want)
		}
	}
	for i := range 30 {
		report(c, fmt.Sprint("server-", i), []string{models.FromPostback, models.FromGoalAPI}[i%2], "", "created", models.StatusApproved)
	}
	for i := range models.MaxBrowserConversions {
		report(c, fmt.Sprint("page-", i), []string{models.FromTag, models.FromPixel}[i%2], "", "created", models.StatusApproved)
	}
	report(c, "page-0", models.FromTag, "", "duplicate", models.StatusApproved) // a repetition changes nothing
	for _, source := range []string{models.FromTag, models.FromPixel} {
		order := "late-" + source
		report(c, order, source, "", "created", models.StatusPending)
		report(c, order, source, "", "duplicate", models.StatusPending)
		report(c, order, models.FromPixel, models.StatusApproved, "duplicate", models.StatusPending)
	}
	report(c, "refused", models.FromPixel, models.StatusRejected, "created", models.StatusPending)
	report(c, "late-tag", models.FromCorrection, models.StatusApproved, "updated", models.StatusApproved)
	report(c, "late-pixel", models.FromPostback, models.StatusApproved, "updated", models.StatusApproved)
	report(c, "server-30", models.FromPostback, "", "created", models.StatusApproved)
	report(other, "page-0", models.FromTag, "", "created", models.StatusApproved)
}

// TestBrowserPayoutThatIsNoAmount checks that a pixel with an invalid payout records no conversion if nothing else gives the
// conversion a value.
func TestBrowserPayoutThatIsNoAmount(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := clicktest.StoredClick(t, d, nil)
	in := clicktest.Input{ClickID: c.ID, Source: models.FromPixel, InvalidPayout: true}
	if out, err := clicktest.Record(t, d, in); err == nil {
		t.Errorf("a pixel without an amount is recorded as %s, with the status %s and the payout %s, want an error", out.Result, out.Conversion.Status, out.Conversion.Payout)
	}
	in.Source = models.FromPostback // a network's conversion is recorded, without money
	if out, err := clicktest.Record(t, d, in); err != nil || out.Result != "created" {
		t.Errorf("a postback without an amount is recorded as %s, want created: %v", out.Result, err)
	}
}
