package store

import (
	"context"

	"switchyard/models"
)

// Sources are the traffic sources of accounts.
type Sources struct {
	integrations[models.TrafficSource]
}

// Sources gives the traffic sources on this store's connection.
func (s *Store) Sources() Sources {
	return Sources{integrations[models.TrafficSource]{records[models.TrafficSource]{s, sourceTable}}}
}

var sourceTable = newTable(table[models.TrafficSource]{
	name: "traffic_sources", what: "traffic source", gone: "deactivated_at",
})

// Create adds a traffic source under a new id, within the plan's allowance of integrations.
func (k Sources) Create(ctx context.Context, source models.TrafficSource) (models.TrafficSource, error) {
	return txOf(ctx, k.s, func(s *Store) (models.TrafficSource, error) {
		if err := s.allowIntegration(ctx, source.AccountID); err != nil {
			return source, err
		}
		return sourceTable.add(ctx, s, source)
	})
}

// Update writes every field of a traffic source, except whether it is active.
func (k Sources) Update(ctx context.Context, source models.TrafficSource) (models.TrafficSource, error) {
	return sourceTable.save(ctx, k.s, source)
}
