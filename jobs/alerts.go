package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// SendAlert sends a message to an alert channel. The job's row has the id of the message. When the last attempt has failed, the
// message is lost, and its channel shows the reason.
var SendAlert = Define[None, None](models.KindSendAlert, Policy{
	Queue: Webhooks, Timeout: 30 * time.Second, Row: true,
	Retries: []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour},
})

// TestAlertArgs names an alert channel of the account.
type TestAlertArgs struct {
	ID uuid.UUID `json:"id"`
}

// TestedAlert is the result of a test message. Error is empty if the channel accepted the message.
type TestedAlert struct {
	Sent  bool   `json:"sent"`
	Error string `json:"error"`
}

// TestAlert sends a test message to an alert channel. Errors: not_found, not_confirmed.
var TestAlert = Define[TestAlertArgs, TestedAlert]("alert:test", interactive(20*time.Second))

// SweepAlerts makes the messages about alerts that began or ended. Its runs also show that the clock works.
var SweepAlerts = tickWithin("alerts:sweep", 5*time.Minute)
