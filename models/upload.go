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

// NextUpload finds what a platform is told of a conversion that has got a status, a value and a currency. last is what it was
// told last; nil: nothing. Of a conversion whose click it will not know, and of statuses that the connection does not want,
// it is told nothing: then the action is empty.
func NextUpload(last *ConversionUpload, wanted bool, status string, value decimal.Decimal, currency string) (action string) {
	told := last != nil && last.Action != UploadRetract
	switch {
	case wanted && !told:
		return UploadNew
	case wanted && (!last.Value.Equal(value) || last.Currency != currency):
		return UploadRestate
	case !wanted && told && (status == StatusRejected || status == StatusChargeback):
		return UploadRetract
	}
	return ""
}

// UploadDays is how many days uploads are kept: longer than any platform changes what it was told.
const UploadDays = 100

// RunConversionUpload is the kind of runs that upload conversions to a platform.
const RunConversionUpload = "conversion_upload"
