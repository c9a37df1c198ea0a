package models_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/models"
)

// TestNextUpload checks the next upload for a conversion, given its last upload, an upload that the platform has refused since, and
// the conversion's new state.
func TestNextUpload(t *testing.T) {
	t.Parallel()
	up := func(action, result string, attempts int, value int64) *models.ConversionUpload {
		return &models.ConversionUpload{
			Action: action, Result: result, Attempts: attempts, Value: decimal.NewFromInt(value), Currency: "USD", Status: models.StatusApproved,
		}
	}
	const fresh, restated, taken = models.UploadNew, models.UploadRestate, models.UploadRetract
	const waits, there, refused, shadow = models.UploadPending, models.UploadAccepted, models.UploadRejected, models.UploadShadow
	changes := []struct {
		wanted           bool
		status, currency string
		value            int64
	}{
		{true, models.StatusApproved, "USD", 10},
		{true, models.StatusApproved, "USD", 20},
		{true, models.StatusApproved, "EUR", 10},
		{false, models.StatusPending, "USD", 10},
		{false, models.StatusRejected, "USD", 10},
		{false, models.StatusChargeback, "USD", 10},
	}
	for name, c := range map[string]struct {
		there, refused *models.ConversionUpload
		want           string // the action for each item of changes; "-": no upload
	}{
		"nothing was sent":                   {nil, nil, "upload upload upload - - -"},
		"an upload waits":                    {up(fresh, waits, 0, 10), nil, "- amend amend - retract retract"},
		"an upload may have arrived":         {up(fresh, waits, 1, 10), nil, "- restate restate - retract retract"},
		"an upload was accepted":             {up(fresh, there, 1, 10), nil, "- restate restate - retract retract"},
		"an upload in shadow mode":           {up(fresh, shadow, 1, 10), nil, "- restate restate - retract retract"},
		"a restatement waits":                {up(restated, waits, 0, 10), nil, "- amend amend - retract retract"},
		"a restatement may have arrived":     {up(restated, waits, 2, 10), nil, "- restate restate - retract retract"},
		"a restatement was accepted":         {up(restated, there, 1, 10), nil, "- restate restate - retract retract"},
		"a restatement in shadow mode":       {up(restated, shadow, 1, 10), nil, "- restate restate - retract retract"},
		"a retraction waits":                 {up(taken, waits, 0, 10), nil, "upload upload upload - - -"},
		"a retraction may have arrived":      {up(taken, waits, 1, 10), nil, "upload upload upload - - -"},
		"a retraction was accepted":          {up(taken, there, 1, 10), nil, "upload upload upload - - -"},
		"a retraction in shadow mode":        {up(taken, shadow, 1, 10), nil, "upload upload upload - - -"},
		"an upload was refused":              {nil, up(fresh, refused, 1, 10), "- upload upload - - -"},
		"a restatement to 20 was refused":    {up(fresh, there, 1, 10), up(restated, refused, 1, 20), "- - restate - retract retract"},
		"a retraction was refused":           {up(fresh, there, 1, 10), up(taken, refused, 1, 10), "- restate restate - - -"},
		"an upload refused after retraction": {up(taken, there, 1, 10), up(fresh, refused, 1, 10), "- upload upload - - -"},
	} {
		var got []string
		for _, to := range changes {
			action := models.NextUpload(c.there, c.refused, to.wanted, to.status, decimal.NewFromInt(to.value), to.currency)
			if action == "" {
				action = "-"
			}
			got = append(got, action)
		}
		if words := strings.Join(got, " "); words != c.want {
			t.Errorf("%s: the actions are %s, want %s", name, words, c.want)
		}
	}
}
