package models

import (
	"strings"

	"github.com/google/uuid"
)

// EdgeBundle holds the data with which the edge routes one campaign. The edge looks the bundle up by Key.
type EdgeBundle struct {
	Key        string
	CampaignID uuid.UUID
	Value      []byte      // JSON: see ops/deploy/edge/README.md; nil: the edge cannot hold it
	Rules      []uuid.UUID // saved rules in the bundle
	Broken     []uuid.UUID // saved rules that no longer exist or cannot be read, so that no visitor satisfies them
	// Origin lists, in a fixed order, the features of the campaign that the edge cannot handle and leaves to this service. It is
	// empty if the edge handles all of them.
	Origin []string
}

const (
	// MaxEdgeBundle is the size in bytes of the largest value that is published. The limit exists because the edge's script
	// reads the value for each visitor.
	MaxEdgeBundle = 1 << 20
	// MaxEdgeAccount is the maximum total size in bytes of the values that an account may have at the edge. It is also about the
	// memory that a worker needs while it publishes them.
	MaxEdgeAccount = 128 << 20
	// EdgeTooLarge is the Origin of a campaign that is larger than MaxEdgeBundle, or that would exceed the account's
	// MaxEdgeAccount. This service routes such a campaign entirely.
	EdgeTooLarge = "too_large"
	// EdgeBlocked is the Origin of a campaign that has blocked values, or may hand visitors over to such a campaign. This
	// service routes such a campaign entirely, because the edge's script has no lists of blocked values.
	EdgeBlocked = "blocked_values"
)

// EdgeKey returns the key under which the edge finds the campaign of a tracking link. A verified host belongs to only one
// account, so two accounts never have the same key.
func EdgeKey(host, alias string) string { return host + "/" + alias }

// OriginText returns Origin as one text, separated by spaces. Its words contain no spaces.
func (b EdgeBundle) OriginText() string { return strings.Join(b.Origin, " ") }
