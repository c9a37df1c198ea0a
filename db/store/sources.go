package store

import "switchyard/models"

// Sources accesses the traffic sources of accounts.
type Sources struct {
	integrations[models.TrafficSource]
}

// Sources returns access to the traffic sources on this store's connection.
func (s *Store) Sources() Sources {
	return Sources{integrations[models.TrafficSource]{records[models.TrafficSource]{s, sourceTable}}}
}

var sourceTable = newTable(table[models.TrafficSource]{
	name: "traffic_sources", what: "traffic source", removed: "deactivated_at", allowance: allowedIntegrations,
})
