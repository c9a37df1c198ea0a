package conversion_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/click/clicktest"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// TestBrowsersHaveTheLeastSay checks that reports by browsers count only until a server or a correction reports the conversion.
func TestBrowsersHaveTheLeastSay(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	c := clicktest.StoredClick(t, d, nil)
	early := models.NewClickID()
	for i, step := range []struct {
		order, source, payout, status string
		arrival                       uuid.UUID
		result, want                  string
	}{
		{"a", models.FromTag, "1", "", uuid.Nil, "created", "1 approved tag"},
		{"a", models.FromPixel, "2", "", uuid.Nil, "updated", "2 approved pixel"},
		{"a", models.FromGoalAPI, "3", "", uuid.Nil, "updated", "3 approved goal_api"},
		{"a", models.FromTag, "900", "", uuid.Nil, "ignored", "3 approved goal_api"},
		{"a", models.FromPixel, "900", "rejected", uuid.Nil, "ignored", "3 approved goal_api"},
		{"a", models.FromPostback, "4", "", uuid.Nil, "updated", "4 approved postback"},
		{"a", models.FromTag, "900", "", early, "superseded", "4 approved postback"},
		{"b", models.FromTag, "89", "", uuid.Nil, "created", "89 approved tag"},
		{"b", models.FromCorrection, "40", "", uuid.Nil, "updated", "40 approved correction"},
		{"b", models.FromTag, "89", "", uuid.Nil, "ignored", "40 approved correction"},
		// The corrected payout stays, but the network can still change the status.
		{"c", models.FromNetworkSync, "7", "pending", uuid.Nil, "created", "7 pending network_sync"},
		{"c", models.FromNetworkSync, "8", "pending", uuid.Nil, "updated", "8 pending network_sync"},
		{"c", models.FromCorrection, "5", "", uuid.Nil, "updated", "5 pending correction"},
		{"c", models.FromNetworkSync, "8", "approved", uuid.Nil, "updated", "5 approved network_sync"},
		{"c", models.FromNetworkSync, "9", "approved", uuid.Nil, "duplicate", "5 approved network_sync"},
		{"c", models.FromCorrection, "6", "", uuid.Nil, "updated", "6 approved correction"},
	} {
		out, err := clicktest.Record(t, d, clicktest.Input{
			ClickID: c.ID, ConversionID: step.order, Source: step.source, Payout: clicktest.Amount(step.payout), Status: step.status,
			OwnValue: true, Final: step.source == models.FromCorrection || step.source == models.FromNetworkSync, Arrival: step.arrival,
		})
		if err != nil {
			t.Fatal(err)
		}
		v := out.Conversion
		if got := fmt.Sprint(v.Payout, " ", v.Status, " ", v.Source); out.Result != step.result || got != step.want {
			t.Errorf("step %d: the result is %s (%s) and the conversion %s; want %s and %s", i, out.Result, out.Reason, got, step.result, step.want)
		}
		if ignored := out.Result == "ignored"; ignored != strings.Contains(out.Reason, "browser") {
			t.Errorf("step %d: the result is %s with the reason %q, want a reason that names the browser only for ignored", i, out.Result, out.Reason)
		}
	}
	for i := range 40 { // more than maxStatements
		if _, err := clicktest.Record(t, d, clicktest.Input{
			ClickID: c.ID, ConversionID: "b", Source: models.FromTag, Payout: clicktest.Amount(strconv.Itoa(i)), OwnValue: true, Arrival: models.NewClickID(),
		}); err != nil {
			t.Fatal(err)
		}
	}
	if got := dbtest.Get[string](t, d, `SELECT payout || ' ' || source FROM conversions WHERE conversion_id = 'b'`); got != "40 correction" {
		t.Errorf("after many reports by the page tag, payout and source are %s, want 40 correction", got)
	}
}
