package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/flow"
)

// Campaigns accesses the campaigns of accounts and their flows.
type Campaigns struct{ records[models.Campaign] }

// Campaigns returns access to the campaigns.
func (s *Store) Campaigns() Campaigns { return Campaigns{records[models.Campaign]{s, campaignTable}} }

// RoutedCampaign is a campaign with its paths.
type RoutedCampaign struct {
	models.Campaign
	Paths       []flow.Path `db:"streams,json,once"`
	MatchBytes  int         `db:"match_bytes,once"` // memory cost of the conditions in the paths
	FlowVersion string      `db:"flow_version,joined"`
}

var (
	campaignTable = newCampaignTable[models.Campaign]("")
	routedTable   = newCampaignTable[RoutedCampaign](`, left(md5(t.streams::text), 16) AS flow_version`)
)

// sourceLink is SQL for the fields of the traffic source s that a tracking link contains. The type is json, because it keeps the
// order of token_macros.
var sourceLink = func() string {
	columns := db.Map(strings.Split(db.Columns[models.SourceLink](""), ", "), func(name string) string {
		return "'" + name + "', s." + name
	})
	return `CASE WHEN s.id IS NULL THEN '{}' ELSE json_build_object(` + strings.Join(columns, ", ") + `) END`
}()

func newCampaignTable[R any](joined string) *table[R] {
	return newTable(table[R]{
		name: "campaigns", what: "campaign", removed: "deleted_at",
		allowance: allowance{limit: func(p models.Plan) int { return p.Campaigns }},
		joined: `, d.host, d.account_id IS NULL AS shared_host, coalesce(s.name, '') AS source_name,
			jsonb_array_length(t.streams) AS path_count, ` + sourceLink + ` AS source_link` + joined,
		join: `JOIN domains d ON d.id = t.domain_id LEFT JOIN traffic_sources s ON s.id = t.source_id`,
	})
}

// List lists the campaigns that are not deleted. Pinned campaigns come first, then the newest, unless the page asks for another
// order.
//
// Pinned campaigns that changed after the first page was read are listed with the others, so that no campaign is missed. Such a
// campaign may appear twice.
func (k Campaigns) List(ctx context.Context, account uuid.UUID, p Page) ([]models.Campaign, string, error) {
	q := campaignTable.page(account, p)
	if p.Sort != "" {
		return readPage(ctx, k.s, account, p, q)
	}
	q.Walk = true
	q.Order = append([]orderColumn{{"(t.is_pinned AND t.updated_at <= $2)", "%s::boolean"}}, newest...)
	q.Place = func(c models.Campaign, start time.Time) []string {
		pinned := c.IsPinned && !c.UpdatedAt.After(start)
		return append([]string{strconv.FormatBool(pinned)}, placeOf(c.CreatedAt.Time, c.ID)...)
	}
	return readPage(ctx, k.s, account, p, q)
}

// ListByMode lists the newest campaigns of a mode. Deleted campaigns are left out.
func (k Campaigns) ListByMode(ctx context.Context, account uuid.UUID, mode string, limit int) ([]models.Campaign, error) {
	q := campaignTable.from + ` WHERE ` + campaignTable.live + ` AND t.mode = $2 ORDER BY t.created_at DESC, t.id DESC LIMIT $3`
	return db.Select[models.Campaign](ctx, k.s.c, "campaigns", q, account, mode, limit)
}

// Create adds a campaign with its flow, if the plan allows another campaign. Create generates the alias if it is empty or the
// domain is shared. A flow without paths needs a destination_url or a fallback_url.
func (k Campaigns) Create(ctx context.Context, c models.Campaign, paths []flow.Path) (models.Campaign, error) {
	flow.Identify(paths, nil)
	return TxOf(ctx, k.s, func(s *Store) (models.Campaign, error) {
		saved, err := insertCampaign(ctx, s, RoutedCampaign{Campaign: c, Paths: paths})
		return saved.Campaign, err
	})
}

func insertCampaign(ctx context.Context, s *Store, c RoutedCampaign) (RoutedCampaign, error) {
	if err := s.allow(ctx, c.AccountID, campaignTable.allowance); err != nil {
		return c, err
	}
	if err := s.checkMode(ctx, c.Campaign); err != nil {
		return c, err
	}
	if len(c.Paths) > 0 || c.DestinationURL == "" && c.FallbackURL == "" {
		var err error
		flow.Canonical(c.Paths)
		if c.MatchBytes, err = s.allowFlow(ctx, c.AccountID, uuid.Nil, c.Paths, nil); err != nil {
			return c, err
		}
	}
	const accountDefault = true
	d, err := s.linkDomain(ctx, c.AccountID, c.DomainID, accountDefault)
	if err != nil {
		return c, err
	}
	if err := sourceTable.check(ctx, s, c.AccountID, c.SourceID, "source"); err != nil {
		return c, err
	}
	if err := s.checkSite(ctx, c.Campaign); err != nil {
		return c, err
	}
	c.DomainID = d.ID
	return withAlias(ctx, s, d.Shared || c.Alias == "", &c.Alias, func(s *Store) (RoutedCampaign, error) {
		return routedTable.add(ctx, s, c)
	})
}

const aliasTries = 5 // a generated alias is one of 10^15, so it is hardly ever taken

// withAlias calls save, which writes *alias. If generate is true, it first sets a new alias, and tries again if that alias is
// taken. Errors: alias_taken, duplicate_slug.
func withAlias[R any](ctx context.Context, s *Store, generate bool, alias *string, save func(*Store) (R, error)) (
	saved R, err error,
) {
	for range aliasTries {
		if generate {
			*alias = models.NewAlias()
		}
		saved, err = TxOf(ctx, s, save)
		if taken := db.UniqueViolation(err); !generate || taken != "campaigns_address" && taken != "smartlinks_address" {
			break
		}
	}
	switch db.UniqueViolation(err) {
	case "campaigns_address":
		err = models.Conflict("alias_taken", "the alias is in use on this domain")
	case "smartlinks_address":
		err = models.Invalid("duplicate_slug", "the slug is in use on this domain")
	}
	return saved, err
}

// Clone copies a campaign, its flow and its blocked values, if the plan allows another campaign. The copy is paused.
func (k Campaigns) Clone(ctx context.Context, account, id uuid.UUID) (models.Campaign, error) {
	saved, err := routedTable.clone(ctx, k.s, account, id, func(s *Store, c *RoutedCampaign) (err error) {
		if err := s.inlineDeleted(ctx, account, c.Paths); err != nil {
			return err
		}
		flow.Identify(c.Paths, nil)
		c.Alias, c.Status = "", models.CampaignPaused
		if c.SourceID, err = sourceTable.orNone(ctx, s, account, c.SourceID); err != nil {
			return err
		}
		c.MeasurementSiteID, err = siteTable.orNone(ctx, s, account, c.MeasurementSiteID)
		return err
	}, func(ctx context.Context, s *Store, c RoutedCampaign) (RoutedCampaign, error) {
		saved, err := insertCampaign(ctx, s, c)
		if err == nil {
			err = s.Blocks().copy(ctx, account, id, saved.ID)
		}
		return saved, err
	})
	return saved.Campaign, err
}
