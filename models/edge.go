package models

import (
	"strings"

	"github.com/google/uuid"
)

// EdgeBundle is what the edge routes one campaign by. The edge finds it by Key.
type EdgeBundle struct {
	Key        string
	CampaignID uuid.UUID
	Value      []byte      // JSON: see ops/deploy/edge/README.md; nil: the edge cannot hold it
	Rules      []uuid.UUID // saved rules in it
	Broken     []uuid.UUID // of Rules: no visitor satisfies them, because they cannot be read as saved, or are gone
	// Origin says what the campaign has that the edge leaves to this service, in a fixed order. Empty: nothing.
	Origin []string
}

const (
	// MaxEdgeBundle is the largest value that is published, in bytes: the script reads it for each visitor.
	MaxEdgeBundle = 1 << 20
	// MaxEdgeAccount is how many bytes of values an account may have at the edge, and about how many a worker holds at once while it
	// publishes them.
	MaxEdgeAccount = 128 << 20
	// EdgeTooLarge is the Origin of a campaign over MaxEdgeBundle, or beyond MaxEdgeAccount. All of it is left to this service.
	EdgeTooLarge = "too_large"
)

// EdgeKey is where the edge looks for the campaign of a tracking link. A verified host is of one account only, so no
// account has another one's keys.
func EdgeKey(host, alias string) string { return host + "/" + alias }

// OriginText is Origin as one text. Its words have no spaces.
func (b EdgeBundle) OriginText() string { return strings.Join(b.Origin, " ") }
