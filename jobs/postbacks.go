package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// SendPostback tells a traffic source of a conversion. Its row has the id of the postback.
var SendPostback = Define[None, None](models.KindSendPostback, Policy{
	Queue: Postbacks, Timeout: 20 * time.Second, Retries: WebhookSchedule, Row: true,
})

// PostbackArgs names a postback to a traffic source of the account.
type PostbackArgs struct {
	ID uuid.UUID `json:"id"`
}

// PostbackAnswer is the result of an attempt that a caller waits for. Status is nil if the source did not answer. Error is
// empty after a success.
type PostbackAnswer struct {
	ID     uuid.UUID `json:"id"`
	Told   bool      `json:"told"`
	Status *int      `json:"status"`
	Error  string    `json:"error"`
}

// ResendPostback makes one more attempt of a postback now, whatever its result. Errors: not_found, no_url, in_progress,
// too_old.
var ResendPostback = Define[PostbackArgs, PostbackAnswer]("postback:resend", Policy{
	Queue: Interactive, Timeout: 20 * time.Second,
})

// TestPostbackArgs are a conversion of a click that a traffic source is told of on trial. Payout is an amount in the account's
// currency. Without a click it is the latest one of the source.
type TestPostbackArgs struct {
	SourceID     uuid.UUID `json:"source_id"`
	ClickID      uuid.UUID `json:"click_id"`
	ConversionID string    `json:"conversion_id"`
	Goal         string    `json:"goal"`
	Status       string    `json:"status"`
	Payout       string    `json:"payout"`
}

// TestedPostback is what came of it. Request and Answer have no secrets of the account. Status is nil without an answer of the
// source. Error is empty after a success.
type TestedPostback struct {
	ClickID uuid.UUID          `json:"click_id"`
	Wanted  bool               `json:"wanted"` // such a conversion would be told
	Told    bool               `json:"told"`
	Request models.SentRequest `json:"request"`
	Status  *int               `json:"status"`
	Answer  string             `json:"answer"`
	Error   string             `json:"error"`
	MS      int64              `json:"ms"`
}

// TestPostback tells a traffic source of a made-up conversion of a click, once and now. Nothing is recorded. Errors: not_found,
// no_url, no_click.
var TestPostback = Define[TestPostbackArgs, TestedPostback]("postback:test", Policy{
	Queue: Interactive, Timeout: 20 * time.Second,
})
