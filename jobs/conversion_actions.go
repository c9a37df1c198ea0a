package jobs

import (
	"time"

	"github.com/google/uuid"
)

// ConversionActionsArgs name a traffic source.
type ConversionActionsArgs struct {
	Source uuid.UUID `json:"source"`
}

// ConversionAction is an action of an ad platform. Conversions can be uploaded to the action.
type ConversionAction struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Category string     `json:"category"`
	Status   string     `json:"status"`
	Resource string     `json:"resource"`
	ReadyAt  *time.Time `json:"ready_at"`
}

// ListConversionActions lists the conversion actions of a traffic source's platform. Errors: not_platform_ab, not_connected,
// credentials, no_customer_id, no_account_id, not_configured, platform_a_refused, platform_b_refused. In these codes, platform_a
// is Google Ads and platform_b is Microsoft Ads.
var ListConversionActions = Define[ConversionActionsArgs, []ConversionAction]("source:actions", interactive(40*time.Second))

// CreateConversionActionArgs name a traffic source and the action to create.
type CreateConversionActionArgs struct {
	Source uuid.UUID `json:"source"`
	Name   string    `json:"name"`
}

// CreateConversionAction creates a conversion action. From then on, the conversions of the traffic source are uploaded to it. An
// action with that name is used again, so a repeated job does not create a second one. It fails with the errors of
// ListConversionActions.
var CreateConversionAction = Define[CreateConversionActionArgs, ConversionAction]("source:action", interactive(40*time.Second))
