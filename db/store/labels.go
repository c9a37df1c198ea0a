package store

import (
	"context"
	"maps"
	"strings"

	"github.com/google/uuid"

	"switchyard/db"
)

const pathNames = `
SELECT s ->> 'id', coalesce(s ->> 'name', '')
FROM campaigns, jsonb_array_elements(CASE jsonb_typeof(streams) WHEN 'array' THEN streams ELSE '[]' END) s
WHERE account_id = $1 AND s ->> 'id' = ANY (($2::uuid[])::text[])`

func namesIn(table string) string {
	return `SELECT id::text, name FROM ` + table + ` WHERE account_id = $1 AND id = ANY ($2::uuid[])`
}

var nameQueries = map[string]string{
	"campaign_id": namesIn("campaigns"), "stream_id": pathNames, "lander_id": namesIn("landers"),
	"offer_id": namesIn("offers"), "source_id": namesIn("traffic_sources"), "network_id": namesIn("networks"),
	"flow_id":   namesIn("flows"),
	"domain_id": `SELECT id::text, host FROM domains WHERE (account_id = $1 OR account_id IS NULL) AND id = ANY ($2::uuid[])`,
}

// HasLabels reports whether the values of a report dimension or a field are ids of records with names.
func HasLabels(dimension string) bool { return nameQueries[dimension] != "" }

// LabelName returns the field for the names of a dimension's records, such as campaign_name for campaign_id.
func LabelName(dimension string) string { return strings.TrimSuffix(dimension, "_id") + "_name" }

// LabelsOf returns the result of Labels for each dimension that has names. values(i) returns the values of the dimension with
// index i.
func (s *Store) LabelsOf(ctx context.Context, account uuid.UUID, dimensions []string, values func(i int) []string) (
	map[string]map[string]string, error,
) {
	labels := map[string]map[string]string{}
	for i, name := range dimensions {
		if !HasLabels(name) {
			continue
		}
		found, err := s.Labels(ctx, account, name, values(i))
		if err != nil {
			return nil, err
		}
		labels[name] = found
	}
	return labels, nil
}

// NamesOf returns the names of records by id. ids maps dimensions to the ids of their records. Ids without a record are left
// out.
func (s *Store) NamesOf(ctx context.Context, account uuid.UUID, ids map[string][]string) (map[string]string, error) {
	names := map[string]string{}
	for dimension, values := range ids {
		found, err := s.Labels(ctx, account, dimension, values)
		if err != nil {
			return nil, err
		}
		maps.Copy(names, found)
	}
	return names, nil
}

// Labels returns the names of records by id, also of deleted records that are still stored. It ignores values that are not ids.
func (s *Store) Labels(ctx context.Context, account uuid.UUID, dimension string, values []string) (
	map[string]string, error,
) {
	var ids []uuid.UUID
	for _, v := range values {
		if id, err := uuid.Parse(v); err == nil {
			ids = append(ids, id)
		}
	}
	if !HasLabels(dimension) || len(ids) == 0 {
		return map[string]string{}, nil
	}
	return db.Pairs[string, string](ctx, s.c, "labels of "+dimension, nameQueries[dimension], account, db.UUIDs(ids))
}
