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

// PostbackAnswer is the result of an attempt that somebody waits for. Status is nil without an answer of the source.
// Error is empty after a success.
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
