package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// SendPostback sends a conversion to a traffic source. The job's row has the id of the postback.
var SendPostback = Define[None, None](models.KindSendPostback, Policy{
	Queue: Postbacks, Timeout: 20 * time.Second, Retries: WebhookSchedule, Row: true,
})

// ForwardPostback forwards a postback about a click of the account's old tracker to that tracker. The job's row has the id of the
// forwarded postback.
var ForwardPostback = Define[None, None](models.KindForwardPostback, Policy{
	Queue: Postbacks, Timeout: 20 * time.Second, Retries: WebhookSchedule, Row: true,
})

// PostbackArgs names a postback to a traffic source of the account.
type PostbackArgs struct {
	ID uuid.UUID `json:"id"`
}

// PostbackAnswer is the result of an attempt that a caller waits for. Status is nil if the source did not answer.
type PostbackAnswer struct {
	ID     uuid.UUID `json:"id"`
	Told   bool      `json:"told"`
	Status *int      `json:"status"`
	Error  string    `json:"error"`
}

// ResendPostback sends a postback again, once, whatever its result was. Errors: not_found, no_url, in_progress, too_old.
var ResendPostback = Define[PostbackArgs, PostbackAnswer]("postback:resend", interactive(20*time.Second))

// ResendFailedArgs select the failed postbacks that were created in [From, To). An empty Source means all active sources.
type ResendFailedArgs struct {
	Source uuid.UUID `json:"source,omitzero"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
}

// ResendFailed schedules one more attempt for each failed postback that its arguments select.
var ResendFailed = Define[ResendFailedArgs, RedeliverFailedAnswer]("postback:resend_failed", rewindable)

// TestPostbackArgs describe a made-up conversion that is sent to a traffic source as a test. Payout is an amount in the account's
// currency. An empty ClickID means the latest click of the source.
type TestPostbackArgs struct {
	SourceID     uuid.UUID `json:"source_id"`
	ClickID      uuid.UUID `json:"click_id"`
	ConversionID string    `json:"conversion_id"`
	Goal         string    `json:"goal"`
	Status       string    `json:"status"`
	Payout       string    `json:"payout"`
}

// TestedPostback is the result of TestPostback. Request and Answer contain no secrets of the account. Status is nil if the source
// did not answer.
type TestedPostback struct {
	ClickID uuid.UUID          `json:"click_id"`
	Wanted  bool               `json:"wanted"` // a real conversion like this would be sent
	Told    bool               `json:"told"`
	Request models.SentRequest `json:"request"`
	Status  *int               `json:"status"`
	Answer  string             `json:"answer"`
	Error   string             `json:"error"`
	MS      int64              `json:"ms"`
}

// TestPostback sends a made-up conversion to a traffic source, once. Nothing is recorded. Errors: not_found, no_url, no_click.
var TestPostback = Define[TestPostbackArgs, TestedPostback]("postback:test", interactive(20*time.Second))
