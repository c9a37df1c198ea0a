package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// What an ad platform is told of a conversion.
const (
	UploadNew     = "upload"  // that it happened
	UploadRestate = "restate" // that it has another value
	UploadRetract = "retract" // that it is taken back
)

// Results of uploads.
const (
	UploadPending  = "pending"
	UploadAccepted = "accepted" // by the platform
	UploadRejected = "rejected" // by the platform, or it failed too often
	UploadShadow   = "shadow"   // it was built, and tried where the platform can try, but does not count
	UploadSkipped  = "skipped"  // there was nothing to tell, or no way to
)

// UploadResults lists the results of uploads.
var UploadResults = []string{UploadPending, UploadAccepted, UploadRejected, UploadShadow, UploadSkipped}

// Modes of a connection that uploads conversions.
const (
	UploadsShadow = "shadow" // nothing that is sent counts
	UploadsLive   = "live"
)

// ConversionUpload is what the ad platform of a traffic source is told of a conversion.
type ConversionUpload struct {
	ID           uuid.UUID       `db:"id"`
	AccountID    uuid.UUID       `db:"account_id"`
	SourceID     uuid.UUID       `db:"source_id"`
	Provider     string          `db:"provider"` // the platform that is told; empty: the platform of its traffic source
	ClickID      uuid.UUID       `db:"click_id"`
	ConversionID uuid.UUID       `db:"conversion_id"` // ours: the platform knows the conversion by it
	Goal         string          `db:"goal"`
	Status       string          `db:"status"` // of the conversion
	Action       string          `db:"action"` // UploadNew, UploadRestate or UploadRetract
	Value        decimal.Decimal `db:"value"`  // the share of the payout that is told
	Currency     string          `db:"currency"`
	HappenedAt   time.Time       `db:"happened_at"` // the same in all uploads of a conversion
	ChangedAt    time.Time       `db:"changed_at"`  // when the conversion became so
	Result       string          `db:"result"`
	Reason       string          `db:"reason"` // the platform's words, or ours
	Attempts     int             `db:"attempts"`
	NextAt       time.Time       `db:"next_at"`
	DecidedAt    *time.Time      `db:"decided_at"`
	CreatedAt    time.Time       `db:"created_at"`
	// Request is what the platform calls the request that has taken it, if it says later what became of it.
	Request string `db:"request"`
}

// UploadAmend has an upload that waits, and was never sent, take the new status, value and currency. No upload has it as its
// action.
const UploadAmend = "amend"

// NextUpload finds what a platform is told of a conversion that has got a status, a value and a currency; empty: nothing.
//
// there is what the platform heard of it last, or is about to hear; nil: nothing. What it refused does not count, and what it was
// told in shadow counts in shadow alone. refused is what it has refused since; nil: nothing. The same is not told again.
// wanted says that the connection uploads conversions of the status.
func NextUpload(there, refused *ConversionUpload, wanted bool, status string, value decimal.Decimal, currency string) (action string) {
	told := there != nil && there.Action != UploadRetract
	switch {
	case wanted && !told:
		action = UploadNew
	case wanted && !there.tells(value, currency):
		action = UploadRestate
	case !wanted && told && (status == StatusRejected || status == StatusChargeback):
		action = UploadRetract
	}
	switch {
	case action == UploadRestate && there.Result == UploadPending && there.Attempts == 0:
		return UploadAmend
	case refused != nil && refused.Action == action && (action == UploadRetract || refused.tells(value, currency)):
		return ""
	}
	return action
}

func (u *ConversionUpload) tells(value decimal.Decimal, currency string) bool {
	return u.Value.Equal(value) && u.Currency == currency
}

// UploadDays is how many days uploads are kept: longer than any platform changes what it was told.
const UploadDays = 100

// RunConversionUpload is the kind of runs that upload conversions to a platform.
const RunConversionUpload = "conversion_upload"
