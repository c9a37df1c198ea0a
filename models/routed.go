package models

import "github.com/google/uuid"

// RoutedTo is where a click was sent, or would be: a value to count by. Of a landing page only the page counts, not where
// its visitors went on to.
type RoutedTo struct {
	CampaignID uuid.UUID `json:"campaign_id"` // the one that decided; behind a hand-over the last
	StreamID   uuid.UUID `json:"stream_id"`   // zero without a path
	LanderID   uuid.UUID `json:"lander_id"`
	OfferID    uuid.UUID `json:"offer_id"`
	To         string    `json:"to"`
}

// What RoutedTo leads to. The addresses of one path count together.
const (
	ToPath        = "path"
	ToFallback    = "fallback_url"
	ToDestination = "destination_url"
	ToNothing     = "none"
)
