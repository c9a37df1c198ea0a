package models

import (
	"strings"

	"github.com/google/uuid"
)

// EdgeBundle holds the data with which the edge routes one campaign. The edge finds it by Key.
type EdgeBundle struct {
	Key        string
	CampaignID uuid.UUID
	Value      []byte      // JSON: see ops/deploy/edge/README.md; nil: this service routes the campaign entirely
	Rules      []uuid.UUID // saved rules in the bundle
	Broken     []uuid.UUID // saved rules that no longer exist or cannot be read, so that no visitor satisfies them
	// Origin lists the features of the campaign that the edge leaves to this service, in a fixed order.
	Origin []string
}

const (
	// MaxEdgeBundle is the size in bytes of the largest value that is published. The edge's script reads the value for each
	// visitor.
	MaxEdgeBundle = 1 << 20
	// MaxEdgeAccount is the maximum total size in bytes of an account's values at the edge. A worker needs this memory while it
	// publishes them.
	MaxEdgeAccount = 128 << 20
	// EdgeTooLarge is the Origin of a campaign that exceeds MaxEdgeBundle or MaxEdgeAccount. This service routes it entirely.
	EdgeTooLarge = "too_large"
	// EdgeBlocked is in the Origin of a campaign that has blocked values, or may hand visitors over to such a campaign. This service
	// routes it entirely, because the edge's script has no lists of blocked values.
	EdgeBlocked = "blocked_values"
)

// EdgeKey returns the key under which the edge finds the campaign of a tracking link. A verified host belongs to only one
// account, so two accounts never have the same key.
func EdgeKey(host, alias string) string { return host + "/" + alias }

// OriginText returns Origin as one text, separated by spaces.
func (b EdgeBundle) OriginText() string { return strings.Join(b.Origin, " ") }
