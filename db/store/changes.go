package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// recorded lists the calls that are shown as changes on a chart, by the kind of record that they change. The audit entries of
// other calls, such as calls about exports, keys and people, are not shown.
var recorded = map[string][]string{
	"campaign": {
		"POST /campaigns", "PATCH /campaigns/{id}", "DELETE /campaigns/{id}", "POST /campaigns/{id}/clone", "PUT /campaigns/{id}/flow",
		"PATCH /campaigns/{id}/flow", "DELETE /campaigns/{id}/stats", "POST /campaigns/bulk", undoCall,
	},
	"flow": {"POST /flows", "PUT /flows", "PATCH /flows", "DELETE /flows"},
	"rule": {"POST /rules", "PUT /rules", "DELETE /rules"},
	"offer": {
		"POST /offers", "PUT /offers", "PATCH /offers", "DELETE /offers", "POST /offers/{id}/clone", "POST /offers/{id}/replace", "POST /offers/bulk",
	},
	"lander": {
		"POST /landers", "PUT /landers", "PATCH /landers", "DELETE /landers", "POST /landers/{id}/clone", "POST /landers/{id}/replace", "POST /landers/bulk",
	},
	"source":    {"POST /traffic-sources", "POST /traffic-sources/import", "PUT /traffic-sources", "PATCH /traffic-sources", "DELETE /traffic-sources"},
	"network":   {"POST /networks", "POST /networks/import", "PUT /networks", "PATCH /networks", "DELETE /networks"},
	"smartlink": {"POST /short-links", "PUT /short-links", "PATCH /short-links", "DELETE /short-links", "POST /short-links/{id}/clone"},
	"domain":    {"POST /domains", "PATCH /domains", "DELETE /domains"},
	"bots":      {"POST /bot-lists", "DELETE /bot-lists", "PUT /bot-detection"},
	"blocks":    {"POST /blocks", "POST /blocks/remove", "POST /blocks/undo"},
	"settings":  {"PATCH /settings"},
	"copilot":   {"POST /copilot/rules", "PATCH /copilot/rules", "DELETE /copilot/rules"},
}

// undoCall undoes a change of many records. The call is listed under the kind campaign, although its audit entry may name an
// offer or a landing page. The list of changes therefore does not show that name.
const undoCall = "POST /changes/{id}/undo"

// copilotCall is the call with which people apply suggestions and proposals.
const copilotCall = "POST /copilot"

// RecordedCalls lists the calls whose audit entries are shown as changes.
func RecordedCalls() []string { return slices.Concat(slices.Collect(maps.Values(recorded))...) }

var kindOfCall = func() string {
	var out strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(recorded)) {
		out.WriteString(" WHEN t.route IN (" + strings.Join(db.Map(recorded[kind], pq.QuoteLiteral), ", ") + ") THEN " + pq.QuoteLiteral(kind))
	}
	return "CASE" + out.String() + " END"
}()

var recordName = recordNameIn(map[string][]string{
	"name": {"campaigns", "flows", "rules", "offers", "landers", "traffic_sources", "networks", "smartlinks", "copilot_rules"},
	"host": {"domains"},
})

// recordNameIn returns SQL for the name of a change's record. The parameter maps each column that holds names to its tables.
func recordNameIn(tables map[string][]string) string {
	var parts []string
	for _, column := range slices.Sorted(maps.Keys(tables)) {
		for _, table := range tables[column] {
			parts = append(parts, "(SELECT "+column+" FROM "+table+" r WHERE r.account_id = $1 AND r.id = t.record_id)")
		}
	}
	return "coalesce(" + strings.Join(parts, ", ") + ", '')"
}

// listChanges selects entries of the audit log ($4 lists their calls) and changes of the Copilot. If $7 is a campaign, it selects
// only changes of this campaign, including bulk changes. Ids are ordered by time, so the audit log's index limits the rows that
// are read.
var listChanges = `
WITH entry AS (
	SELECT t.id, t.created_at AS at, CASE WHEN t.user_id IS NULL THEN 'key' ELSE 'person' END AS by, t.who, t.via, t.client,
		t.route AS operation, ` + kindOfCall + ` AS kind,
		CASE WHEN t.route <> '` + undoCall + `' THEN nullif(t.record, '')::uuid END AS record_id, t.fields,
		(SELECT b.campaigns FROM bulk_changes b, jsonb_array_elements(t.changes) f WHERE b.account_id = $1
			AND b.id = CASE WHEN f ->> 'field' = 'change_id' THEN (f ->> 'after')::uuid END) AS campaigns
	FROM audit t WHERE t.account_id = $1 AND t.id >= $2 AND t.id < $3 AND t.route = ANY ($4)
), asked AS (
	SELECT DISTINCT ON (t.record) t.record, t.who, t.via, t.client FROM audit t
	WHERE t.account_id = $1 AND t.id >= $2 AND t.id < $3 AND t.route = '` + copilotCall + `' AND t.record <> '' ORDER BY t.record, t.id
), t AS (
	SELECT id, at, by, who, via, client, operation, kind, record_id,
		CASE WHEN kind = 'campaign' THEN record_id END AS campaign_id, fields, '' AS title,
		NULL::timestamptz AS undone_at, campaigns FROM entry
	UNION ALL
	SELECT k.id, k.created_at, 'copilot', coalesce(a.who, r.name, ''), coalesce(a.via, ''), coalesce(a.client, ''), '` + copilotCall + `',
		'copilot', k.campaign_id, k.campaign_id, '{}', k.title, k.undone_at, NULL
	FROM copilot_changes k LEFT JOIN asked a ON a.record = coalesce(k.suggestion_id, k.proposal_id)::text
		LEFT JOIN copilot_rules r ON r.account_id = k.account_id AND r.id = k.rule_id
	WHERE k.account_id = $1 AND k.created_at >= $5 AND k.created_at < $6
)
SELECT t.id, t.at, t.by, t.who, t.via, t.client, t.operation, t.kind, t.record_id, ` + recordName + ` AS record, t.campaign_id,
	t.fields, t.title, t.undone_at
FROM t WHERE ($7::uuid IS NULL OR t.campaign_id = $7 OR $7 = ANY (t.campaigns))`

// Changes lists the changes in [from, to) that are shown on a chart, newest first.
func (s *Store) Changes(ctx context.Context, account uuid.UUID, from, to time.Time, campaign uuid.NullUUID, p Page) (
	[]models.RecordedChange, string, error,
) {
	return readPage(ctx, s, account, p, pageQuery[models.RecordedChange]{
		Name: "changes", SQL: listChanges,
		Args: []any{
			account, models.FloorClickID(from), models.FloorClickID(to), pq.Array(RecordedCalls()), from, to, campaign,
		},
		Filters: campaign.UUID.String() + from.UTC().Format(time.RFC3339) + to.UTC().Format(time.RFC3339),
		Order:   []orderColumn{{"t.at", "%s::timestamptz"}, {"t.id", "%s::uuid"}},
		Place:   func(c models.RecordedChange, _ time.Time) []string { return placeOf(c.At, c.ID) },
	})
}
