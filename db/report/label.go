package report

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// The dimensions group and tag have the present values of a fact's campaign. A filter by them therefore becomes a filter by
// campaigns, and the ledger can answer it.

type campaignLabels struct {
	ID    uuid.UUID      `db:"id"`
	Group string         `db:"group_name"`
	Tags  pq.StringArray `db:"tags"`
}

const selectCampaignLabels = `
SELECT id, group_name, tags FROM campaigns WHERE account_id = $1 AND (group_name <> '' OR tags <> '{}') ORDER BY id`

func byGroup(c campaignLabels) []string {
	if c.Group == "" {
		return nil
	}
	return []string{c.Group}
}

func byTag(c campaignLabels) []string { return c.Tags }

// loadLabels reads the groups and tags of the account's campaigns, including deleted ones, if the query needs them.
func (q *query) loadLabels(ctx context.Context, c db.Conn) (err error) {
	for _, d := range q.known {
		if d.labels != nil && q.campaigns == nil {
			q.campaigns, err = db.Select[campaignLabels](ctx, c, "labels of campaigns", selectCampaignLabels, q.AccountID)
		}
	}
	return err
}

// ofCampaigns returns the filter by campaigns that replaces a filter by a group or a tag. A campaign without one has the empty
// value.
func (q *query) ofCampaigns(f Filter, d dimension) Filter {
	out := Filter{Dimension: "campaign_id", Not: f.Not, Values: []string{}}
	without := slices.Contains(f.Values, "")
	if without { // campaigns without values match, so the filter lists the campaigns that do not match
		out.Not = !f.Not
	}
	for _, c := range q.campaigns {
		values := d.labels(c)
		meets := slices.ContainsFunc(values, func(v string) bool { return slices.Contains(f.Values, v) })
		if len(values) > 0 && meets != without {
			out.Values = append(out.Values, c.ID.String())
		}
	}
	return out
}

// shows reports whether the filters of the query allow a row for a value of a dimension. A campaign with several tags passes a
// filter by one tag, but its other tags must not appear.
func (q *query) shows(d dimension, value string) bool {
	return !slices.ContainsFunc(q.Filters, func(f Filter) bool {
		return f.Dimension == d.name && slices.Contains(f.Values, value) == f.Not
	})
}

// labelled implements dialect.
func (postgres) labelled(b *builder, d dimension) string {
	const ofFact = ` WHERE c.account_id = f.account_id AND c.id = f.campaign_id`
	if !d.many {
		return `coalesce((SELECT c.group_name FROM campaigns c` + ofFact + `), '')`
	}
	where := ofFact
	for _, f := range b.Filters {
		switch {
		case f.Dimension != d.name:
		case f.Not:
			where += ` AND g <> ALL (` + b.arg(f.Values) + `::text[])`
		default:
			where += ` AND g = ANY (` + b.arg(f.Values) + `::text[])`
		}
	}
	return `unnest(coalesce(nullif(ARRAY(SELECT g FROM campaigns c, unnest(c.tags) g` + where + `), '{}'), '{""}'))`
}

// labelSeparator separates the values of a campaign in ClickHouse. They contain no control characters.
const labelSeparator = "\x1f"

// labelled implements dialect.
func (clickHouse) labelled(b *builder, d dimension) string {
	ids, lists := []string{""}, []string{""}
	for _, c := range b.campaigns {
		shown := slices.DeleteFunc(slices.Clone(d.labels(c)), func(v string) bool { return !b.shows(d, v) })
		if len(shown) > 0 {
			ids, lists = append(ids, c.ID.String()), append(lists, strings.Join(shown, labelSeparator))
		}
	}
	value := "transform(toString(f.campaign_id), CAST(" + b.arg(ids) + ", 'Array(String)'), CAST(" + b.arg(lists) + ", 'Array(String)'), '')"
	if d.many {
		return "arrayJoin(splitByChar('" + `\x1f` + "', " + value + "))"
	}
	return value
}

// overlaps reports whether a fact can count in several rows of a query.
func (q Query) overlaps() bool {
	return slices.ContainsFunc(q.Dimensions, func(name string) bool {
		d, _ := find(name)
		return d.many
	})
}

// eachThenTotals is for a query in which a fact can count in several rows. It calls fn with each row, and then with the totals, in
// which each fact counts once.
func (r Reader) eachThenTotals(ctx context.Context, request Query, fn func(Row) error) error {
	q := request
	q.Totals = false
	if err := r.Each(ctx, q, fn); err != nil {
		return err
	}
	q.Dimensions, q.Sort, q.MinClicks, q.MaxClicks = nil, "", 0, 0
	rows, err := r.Performance(ctx, q)
	if err != nil {
		return err
	}
	return fn(models.ReportRow{Dims: make([]string, len(request.Dimensions)), Figures: rows[0].Figures, Before: rows[0].Before, Total: true})
}
