package models

import "github.com/google/uuid"

// RoutedTo is the destination to which a click was sent, or would be sent. A click that was sent to a landing page counts for
// that page, not for the offer to which the visitor went on.
type RoutedTo struct {
	CampaignID uuid.UUID `json:"campaign_id"` // the campaign that decided; after hand-overs, the last campaign
	StreamID   uuid.UUID `json:"stream_id"`   // zero without a path
	LanderID   uuid.UUID `json:"lander_id"`
	OfferID    uuid.UUID `json:"offer_id"`
	// To is path, fallback_url, destination_url or none. If a path redirects to several URLs, they count as one destination.
	To string `json:"to"`
}
