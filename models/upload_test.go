package models_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/models"
)

// TestNextUpload checks the next upload for a conversion, given the uploads that the platform has received and the conversion's new
// state. A refused upload and a retracted upload count as not received. If the conversion changes before its upload was sent, the
// waiting upload is changed, and no second upload is made.
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
		want           string // one word for each change: none, another value, another currency, not wanted yet, rejected, charged back
	}{
		"nothing was sent":                  {nil, nil, "upload upload upload - - -"},
		"a new one waits":                   {up(fresh, waits, 0, 10), nil, "- amend amend - retract retract"},
		"a new one may be there":            {up(fresh, waits, 1, 10), nil, "- restate restate - retract retract"},
		"a new one is there":                {up(fresh, there, 1, 10), nil, "- restate restate - retract retract"},
		"a new one was shown in shadow":     {up(fresh, shadow, 1, 10), nil, "- restate restate - retract retract"},
		"a restatement waits":               {up(restated, waits, 0, 10), nil, "- amend amend - retract retract"},
		"a restatement may be there":        {up(restated, waits, 2, 10), nil, "- restate restate - retract retract"},
		"a restatement is there":            {up(restated, there, 1, 10), nil, "- restate restate - retract retract"},
		"a restatement was shown":           {up(restated, shadow, 1, 10), nil, "- restate restate - retract retract"},
		"taking it back waits":              {up(taken, waits, 0, 10), nil, "upload upload upload - - -"},
		"taking it back may be there":       {up(taken, waits, 1, 10), nil, "upload upload upload - - -"},
		"it was taken back":                 {up(taken, there, 1, 10), nil, "upload upload upload - - -"},
		"taking it back was shown":          {up(taken, shadow, 1, 10), nil, "upload upload upload - - -"},
		"a new one was refused":             {nil, up(fresh, refused, 1, 10), "- upload upload - - -"},
		"a restatement to 20 was refused":   {up(fresh, there, 1, 10), up(restated, refused, 1, 20), "- - restate - retract retract"},
		"taking it back was refused":        {up(fresh, there, 1, 10), up(taken, refused, 1, 10), "- restate restate - - -"},
		"a new one after it was taken back": {up(taken, there, 1, 10), up(fresh, refused, 1, 10), "- upload upload - - -"},
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
			t.Errorf("%s: %s, want %s", name, words, c.want)
		}
	}
}
