package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// The kinds of messages to an ad platform about a conversion.
const (
	UploadNew     = "upload"
	UploadRestate = "restate" // the conversion has another value
	UploadRetract = "retract" // the conversion is taken back
)

// Results of uploads.
const (
	UploadPending  = "pending"
	UploadAccepted = "accepted"
	UploadRejected = "rejected" // rejected by the platform, or it failed too often
	UploadShadow   = "shadow"   // it was built, and sent as a test if the platform has tests, but does not count
	UploadSkipped  = "skipped"  // there was nothing to upload, or no way to do so
)

// The modes of a connection that uploads conversions.
const (
	UploadsShadow = "shadow" // nothing that is sent counts
	UploadsLive   = "live"
)

// ConversionUpload is a message to the ad platform of a traffic source about a conversion.
type ConversionUpload struct {
	ID           uuid.UUID       `db:"id"`
	AccountID    uuid.UUID       `db:"account_id"`
	SourceID     uuid.UUID       `db:"source_id"`
	Provider     string          `db:"provider"` // the platform that gets it; empty: the platform of the traffic source
	ClickID      uuid.UUID       `db:"click_id"`
	ConversionID uuid.UUID       `db:"conversion_id"` // our id, by which the platform knows the conversion
	Goal         string          `db:"goal"`
	Status       string          `db:"status"`
	Action       string          `db:"action"`
	Value        decimal.Decimal `db:"value"` // the share of the payout that is reported
	Currency     string          `db:"currency"`
	HappenedAt   time.Time       `db:"happened_at"` // the same in all uploads of a conversion
	ChangedAt    time.Time       `db:"changed_at"`
	Result       string          `db:"result"`
	Reason       string          `db:"reason"`
	Attempts     int             `db:"attempts"`
	NextAt       time.Time       `db:"next_at"`
	DecidedAt    *time.Time      `db:"decided_at"`
	CreatedAt    time.Time       `db:"created_at"`
	// Keys are the names of the hashed personal data that the upload had, or would have had in shadow mode.
	Keys []string `db:"keys"`
	// Request is the platform's own id of the request that delivered the upload, if the platform reports the result only later.
	Request string `db:"request"`
}

// UploadAmend changes the status, value and currency of an upload that is waiting and was never sent. It is never stored as the
// action of an upload.
const UploadAmend = "amend"

// NextUpload returns the action that reports to a platform that a conversion now has a status, a value and a currency. It returns
// an empty text if there is nothing to report. wanted is true if conversions with this status are reported to the platform.
//
// last is the last upload that the platform received or is about to receive, or nil. It is never an upload that the platform
// refused, and it is an upload in shadow mode only if the connection is in shadow mode. refused is a later upload that the
// platform refused, or nil. NextUpload does not report the content of a refused upload again.
func NextUpload(last, refused *ConversionUpload, wanted bool, status string, value decimal.Decimal, currency string) (action string) {
	reported := last != nil && last.Action != UploadRetract
	switch {
	case wanted && !reported:
		action = UploadNew
	case wanted && !last.reports(value, currency):
		action = UploadRestate
	case !wanted && reported && (status == StatusRejected || status == StatusChargeback):
		action = UploadRetract
	}
	switch {
	case action == UploadRestate && last.Result == UploadPending && last.Attempts == 0:
		return UploadAmend
	case refused != nil && refused.Action == action && (action == UploadRetract || refused.reports(value, currency)):
		return ""
	}
	return action
}

func (u *ConversionUpload) reports(value decimal.Decimal, currency string) bool {
	return u.Value.Equal(value) && u.Currency == currency
}

// UploadDays is the number of days for which uploads are kept. Every platform stops accepting changes to a
// conversion sooner.
const UploadDays = 100

// RunConversionUpload is the kind of runs that upload conversions to a platform.
const RunConversionUpload = "conversion_upload"
