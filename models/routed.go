package models

import "github.com/google/uuid"

// RoutedTo says where a click was sent, or would be sent. It is a value to count by. For a landing page only the page counts,
// not where its visitors went on to.
type RoutedTo struct {
	CampaignID uuid.UUID `json:"campaign_id"` // the campaign that decided; after a hand-over, the last one
	StreamID   uuid.UUID `json:"stream_id"`   // zero without a path
	LanderID   uuid.UUID `json:"lander_id"`
	OfferID    uuid.UUID `json:"offer_id"`
	// To is path, fallback_url, destination_url or none. The addresses of one path count together.
	To string `json:"to"`
}
