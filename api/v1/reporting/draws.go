package reporting

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/routing"
)

// DrawnWay is a way through the flow, with the number of draws that took it.
type DrawnWay struct {
	Via      string     `json:"via" enum:"none,forced,bound,regular,default,fallback_url,destination_url"`
	PathID   *uuid.UUID `json:"path_id"`
	Path     string     `json:"path"`
	LanderID *uuid.UUID `json:"lander_id"`
	OfferID  *uuid.UUID `json:"offer_id"`
	Count    int        `json:"count"`
}

type way struct {
	via                 string
	path, lander, offer uuid.UUID
}

// drawWays routes the same visitor repeatedly, with random numbers that are derived from the question's seed. It returns the ways
// that the visitor takes, the most frequent one first.
func drawWays(ctx context.Context, x *routing.Explainer, q routing.Question, draws int) ([]DrawnWay, error) {
	rnd := rand.New(rand.NewPCG(q.Seed, uint64(draws))) //nolint:gosec // not a secret
	indexOf := map[way]int{}
	drawn := []DrawnWay{}
	facts := q.Facts
	for range draws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.Seed, q.Facts = rnd.Uint64(), new(*facts) // what one draw adds does not affect the next one
		d := routeTrace(x.Explain(q)).Decision
		key := way{d.Via, answer.ValueOrZero(d.PathID), answer.ValueOrZero(d.LanderID), answer.ValueOrZero(d.OfferID)}
		i, known := indexOf[key]
		if !known {
			i = len(drawn)
			indexOf[key], drawn = i, append(drawn, DrawnWay{d.Via, d.PathID, d.Path, d.LanderID, d.OfferID, 0})
		}
		drawn[i].Count++
	}
	slices.SortStableFunc(drawn, func(a, b DrawnWay) int { return b.Count - a.Count })
	return drawn, nil
}
