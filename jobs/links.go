package jobs

import (
	"time"

	"github.com/google/uuid"
)

// CheckLinkArgs name an offer or a landing page of the account.
type CheckLinkArgs struct {
	Kind string    `json:"kind"` // models.LinkOffer or models.LinkLander
	ID   uuid.UUID `json:"id"`
}

// CheckLinkAnswer is the result of a check of a link. Error is empty if the link works, and Status is nil if there was no answer.
type CheckLinkAnswer struct {
	CheckLinkArgs
	URL    string    `json:"url"` // the requested URL, with example values for its tokens
	At     time.Time `json:"at"`
	Status *int      `json:"status"`
	Error  string    `json:"error"`
}

// CheckLink requests a link now. Error: not_found, also if the link is not in use.
var CheckLink = Define[CheckLinkArgs, CheckLinkAnswer]("links:check", interactive(24*time.Second))
