package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// RoutingChannel is the channel on which PostgreSQL announces changes of records that the redirect reads. Each announcement has
// the text of a RoutingKey.
const RoutingChannel = "routing"

// RoutingKey identifies a record that the redirect reads.
type RoutingKey struct {
	Table string    `db:"table_name"`
	ID    uuid.UUID `db:"id"`
}

// ParseRoutingKey parses the payload of a notification, "table:id". ok is false for an unknown table or an invalid id.
func ParseRoutingKey(payload string) (key RoutingKey, ok bool) {
	table, text, _ := strings.Cut(payload, ":")
	id, err := uuid.Parse(text)
	known := slices.ContainsFunc(routingTables, func(t routingTable) bool { return t.name == table })
	return RoutingKey{table, id}, err == nil && known
}

// RoutingVersion is the key and the version of a record. The version changes with every write.
type RoutingVersion struct {
	RoutingKey
	Version int64 `db:"version"`
}

// RoutingRow is a record that the redirect reads. It is a pointer to one of the Routing types below.
type RoutingRow interface {
	// Head returns the row's key and version.
	Head() RoutingVersion
}

// Routing is a set of records that the redirect reads, in any order.
type Routing struct {
	Rows []RoutingRow
	// LanderSecret is the secret that signs hop links, domain proofs and the keys of protected landing pages. It also goes into the hashes
	// of visitors' addresses. Package routing sets it when it loads all records.
	LanderSecret []byte
}

// RoutingRows returns the rows of a type: RoutingRows[*RoutingCampaign](r).
func RoutingRows[R RoutingRow](r *Routing) (list []R) {
	for _, row := range r.Rows {
		if one, ok := row.(R); ok {
			list = append(list, one)
		}
	}
	return list
}

// RoutingAccount has the fields of an account that the redirect needs.
type RoutingAccount struct {
	ID           uuid.UUID      `db:"id"`
	Version      int64          `db:"version"`
	Timezone     string         `db:"timezone"`
	Currency     string         `db:"currency"`
	BotThreshold int            `db:"bot_threshold"`
	BotDisabled  pq.StringArray `db:"bot_disabled"`
	SiteKey      string         `db:"site_key"`
	// OldTracker is the tracker from which the account moved, a constant of package foreign. Postbacks about its clicks are
	// forwarded to this tracker. If OldTracker is empty, nothing is forwarded.
	OldTracker string `db:"old_tracker"`
	// HasOldClicks says that clicks of another tracker were imported. Postbacks can then name them by that tracker's ids.
	HasOldClicks bool `db:"has_old_clicks"`
	// GoalSecret is the sealed secret with which the account's servers report goals, and GoalSecretHash is its hash.
	GoalSecretHash []byte `db:"goal_secret_hash"`
	GoalSecret     []byte `db:"goal_secret"`
	// The previous secret remains valid until OldGoalSecretUntil.
	OldGoalSecretHash  []byte     `db:"old_goal_secret_hash"`
	OldGoalSecret      []byte     `db:"old_goal_secret"`
	OldGoalSecretUntil *time.Time `db:"old_goal_secret_until"`
}

// RoutingDomain is a host of tracking links. A shared domain has no account.
type RoutingDomain struct {
	ID        uuid.UUID     `db:"id"`
	Version   int64         `db:"version"`
	AccountID uuid.NullUUID `db:"account_id"`
	Host      string        `db:"host"`
	Crawlers  string        `db:"crawlers"`
	HTTPSOnly bool          `db:"https_only"`
	IndexPage string        `db:"index_page"`
	TagName   string        `db:"tag_name"`
}

// RoutingSource has the fields of a traffic source that the redirect needs.
type RoutingSource struct {
	ID              uuid.UUID       `db:"id"`
	Version         int64           `db:"version"`
	AccountID       uuid.UUID       `db:"account_id"`
	Name            string          `db:"name"`
	TokenMacros     json.RawMessage `db:"token_macros"`
	Subs            json.RawMessage `db:"subs"`
	CostParam       string          `db:"cost_param"`
	CostModel       string          `db:"cost_model"`
	ExternalIDParam string          `db:"external_id_param"`
	TrafficLossPct  decimal.Decimal `db:"traffic_loss_pct"`
}

// RoutingNetwork has the fields of an affiliate network that click-outs and postbacks need. The secret is missing, because only
// workers need it.
type RoutingNetwork struct {
	ID         uuid.UUID `db:"id"`
	Version    int64     `db:"version"`
	AccountID  uuid.UUID `db:"account_id"`
	Name       string    `db:"name"`
	ClickParam string    `db:"click_param"`
	AnswerText string    `db:"answer_text"`
	// PostbackParams are the network's own parameters, as saved. They are missing in a copy on disk that an older version wrote.
	PostbackParams json.RawMessage `db:"postback_params"`
	PostbackScheme string          `db:"postback_scheme"`
}

// RoutingOffer has the fields of an offer that the redirect needs.
type RoutingOffer struct {
	ID        uuid.UUID     `db:"id"`
	Version   int64         `db:"version"`
	AccountID uuid.UUID     `db:"account_id"`
	Name      string        `db:"name"`
	URL       string        `db:"url"`
	NetworkID uuid.NullUUID `db:"network_id"`
	DailyCap  *int          `db:"daily_cap"`
	IsActive  bool          `db:"is_active"`
}

// RoutingLander has the fields of a landing page that the redirect needs.
type RoutingLander struct {
	ID         uuid.UUID       `db:"id"`
	Version    int64           `db:"version"`
	AccountID  uuid.UUID       `db:"account_id"`
	Name       string          `db:"name"`
	URL        string          `db:"url"`
	IsActive   bool            `db:"is_active"`
	Protection json.RawMessage `db:"protection"`
}

// RoutingSmartlink has the fields of a smartlink that the redirect needs.
type RoutingSmartlink struct {
	ID             uuid.UUID       `db:"id"`
	Version        int64           `db:"version"`
	AccountID      uuid.UUID       `db:"account_id"`
	DomainID       uuid.UUID       `db:"domain_id"`
	SourceID       uuid.NullUUID   `db:"source_id"`
	Slug           string          `db:"slug"`
	Name           string          `db:"name"`
	DestinationURL string          `db:"destination_url"`
	Rules          json.RawMessage `db:"rules"`
	Paused         bool            `db:"paused"` // the link leads nowhere but keeps its address
}

// RoutingRule is a saved rule. Deleted rules are read too, because flows that use them still need their conditions.
type RoutingRule struct {
	ID         uuid.UUID       `db:"id"`
	Version    int64           `db:"version"`
	AccountID  uuid.UUID       `db:"account_id"`
	Logic      string          `db:"logic"`
	Conditions json.RawMessage `db:"conditions"`
}

// RoutingBotEntry is an entry of the bot lists.
type RoutingBotEntry struct {
	ID         uuid.UUID       `db:"id"`
	Version    int64           `db:"version"`
	AccountID  uuid.UUID       `db:"account_id"`
	CampaignID uuid.NullUUID   `db:"campaign_id"`
	ListType   string          `db:"list_type"`
	Attribute  string          `db:"attribute"`
	Operator   string          `db:"operator"`
	Value      json.RawMessage `db:"value"`
}

// RoutingBlockList is a list of blocked values.
type RoutingBlockList struct {
	ID        uuid.UUID      `db:"id"`
	Version   int64          `db:"version"`
	AccountID uuid.UUID      `db:"account_id"`
	Scope     string         `db:"scope"`
	ScopeID   uuid.UUID      `db:"scope_id"`
	Dimension string         `db:"dimension"`
	Values    pq.StringArray `db:"blocked"`
}

// RoutingForeignLink is a link of another tracker.
type RoutingForeignLink struct {
	ID         uuid.UUID     `db:"id"`
	Version    int64         `db:"version"`
	AccountID  uuid.UUID     `db:"account_id"`
	DomainID   uuid.NullUUID `db:"domain_id"` // null: every verified domain of the account
	Form       string        `db:"form"`
	ForeignID  string        `db:"foreign_id"`
	CampaignID uuid.UUID     `db:"campaign_id"`
}

// RoutingBotData is a list that the operator has loaded for all accounts: see package botdata.
type RoutingBotData struct {
	ID      uuid.UUID `db:"id"`
	Version int64     `db:"version"`
	Kind    string    `db:"kind"`
	Packed  []byte    `db:"packed"`
}

// RoutingSite is a site of an account.
type RoutingSite struct {
	ID        uuid.UUID `db:"id"`
	Version   int64     `db:"version"`
	AccountID uuid.UUID `db:"account_id"`
	models.SiteTerms
}

// RoutingGoal is a goal of a site.
type RoutingGoal struct {
	ID        uuid.UUID `db:"id"`
	Version   int64     `db:"version"`
	AccountID uuid.UUID `db:"account_id"`
	SiteID    uuid.UUID `db:"site_id"`
	models.GoalTerms
}

// RoutingCampaign has the fields of a campaign that the redirect needs.
type RoutingCampaign struct {
	ID                 uuid.UUID       `db:"id"`
	Version            int64           `db:"version"`
	AccountID          uuid.UUID       `db:"account_id"`
	Name               string          `db:"name"`
	Alias              string          `db:"alias"`
	DomainID           uuid.UUID       `db:"domain_id"`
	SourceID           uuid.NullUUID   `db:"source_id"`
	Status             string          `db:"status"`
	DestinationURL     string          `db:"destination_url"`
	FallbackURL        string          `db:"fallback_url"`
	CostModel          string          `db:"cost_model"`
	CostValue          decimal.Decimal `db:"cost_value"`
	Currency           string          `db:"currency"`
	FlowRotation       string          `db:"flow_rotation"`
	BindVisitors       string          `db:"bind_visitors"`
	UniquenessMethod   string          `db:"uniqueness_method"`
	UniquenessParam    string          `db:"uniqueness_param"`
	UniquenessTTLHours int             `db:"uniqueness_ttl_hours"`
	TrafficLossPct     decimal.Decimal `db:"traffic_loss_pct"`
	Streams            json.RawMessage `db:"streams"`
}

// Head implements RoutingRow.
func (r *RoutingAccount) Head() RoutingVersion { return routingHead("accounts", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingDomain) Head() RoutingVersion { return routingHead("domains", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingSource) Head() RoutingVersion { return routingHead("traffic_sources", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingNetwork) Head() RoutingVersion { return routingHead("networks", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingOffer) Head() RoutingVersion { return routingHead("offers", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingLander) Head() RoutingVersion { return routingHead("landers", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingRule) Head() RoutingVersion { return routingHead("rules", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingBotEntry) Head() RoutingVersion { return routingHead("bot_entries", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingBlockList) Head() RoutingVersion { return routingHead("block_lists", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingForeignLink) Head() RoutingVersion {
	return routingHead("foreign_links", r.ID, r.Version)
}

// Head implements RoutingRow.
func (r *RoutingBotData) Head() RoutingVersion { return routingHead("bot_data", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingCampaign) Head() RoutingVersion { return routingHead("campaigns", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingSmartlink) Head() RoutingVersion { return routingHead("smartlinks", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingSite) Head() RoutingVersion { return routingHead("sites", r.ID, r.Version) }

// Head implements RoutingRow.
func (r *RoutingGoal) Head() RoutingVersion { return routingHead("goals", r.ID, r.Version) }

func routingHead(table string, id uuid.UUID, version int64) RoutingVersion {
	return RoutingVersion{RoutingKey{table, id}, version}
}

// routingTables lists the kinds of records that the redirect reads, each with the condition for its rows. Deactivated sources and
// networks are read too, because campaigns and offers still refer to them.
var routingTables = []routingTable{
	tableOf[RoutingAccount](`true`),
	tableOf[RoutingDomain](`(account_id IS NULL OR is_verified)`),
	tableOf[RoutingSource](`true`),
	tableOf[RoutingNetwork](`true`),
	tableOf[RoutingOffer](`deactivated_at IS NULL`),
	tableOf[RoutingLander](`deactivated_at IS NULL`),
	tableOf[RoutingRule](`true`),
	tableOf[RoutingBotEntry](`true`),
	tableOf[RoutingBlockList](`true`),
	tableOf[RoutingBotData](`true`),
	tableOf[RoutingCampaign](`deleted_at IS NULL`),
	tableOf[RoutingForeignLink](`true`),
	tableOf[RoutingSmartlink](`deleted_at IS NULL`),
	tableOf[RoutingSite](`true`),
	tableOf[RoutingGoal](`true`),
}

// routingExprs has the SQL of the columns that are computed when they are read. version is the id of the transaction that wrote
// the row.
var routingExprs = map[string]string{
	"version": `xmin::text::bigint AS version`, "host": `lower(host) AS host`, "paused": `NOT is_active AS paused`,
	"old_tracker": `CASE WHEN old_tracker_url <> '' THEN old_tracker ELSE '' END AS old_tracker`,
	"blocked":     `ARRAY(SELECT v.value FROM blocked_values v WHERE v.list_id = block_lists.id AND v.removed_at IS NULL) AS blocked`,
}

type routingTable struct {
	name, where string
	load        func(ctx context.Context, c db.Conn, ids []uuid.UUID) ([]RoutingRow, error)
}

// tableOf returns the routingTable of a row type. Its columns are the db tags of T.
func tableOf[T any, P interface {
	*T
	RoutingRow
}](where string) routingTable {
	name := P(new(T)).Head().Table
	columns := db.Map(strings.Split(db.Columns[T](""), ", "), func(name string) string { return cmp.Or(routingExprs[name], name) })
	q := `SELECT ` + strings.Join(columns, ", ") + ` FROM ` + name + ` WHERE id = ANY ($1::uuid[]) AND ` + where
	return routingTable{name, where, func(ctx context.Context, c db.Conn, ids []uuid.UUID) ([]RoutingRow, error) {
		rows, err := db.Select[T](ctx, c, "load "+name+" for routing", q, ids)
		return db.Map(rows, func(row T) RoutingRow { return P(&row) }), err
	}}
}

var versionsQuery = func() string {
	return strings.Join(db.Map(routingTables, func(t routingTable) string {
		return fmt.Sprintf(`SELECT '%s' AS table_name, id, %s FROM %s WHERE %s`, t.name, routingExprs["version"], t.name, t.where)
	}), ` UNION ALL `)
}()

// RoutingVersions lists every record that the redirect reads, with its version.
func RoutingVersions(ctx context.Context, c db.Conn) ([]RoutingVersion, error) {
	return db.Select[RoutingVersion](ctx, c, "list routing versions", versionsQuery)
}

// routingBatch is the number of records that one query reads. A thousand flows have about 10 MB.
const routingBatch = 1000

// LoadRouting reads records. Records that do not exist, and unknown tables, are ignored.
func LoadRouting(ctx context.Context, c db.Conn, keys []RoutingKey) (*Routing, error) {
	ids := map[string][]uuid.UUID{}
	for _, k := range keys {
		ids[k.Table] = append(ids[k.Table], k.ID)
	}
	r := &Routing{}
	for _, t := range routingTables {
		for batch := range slices.Chunk(ids[t.name], routingBatch) {
			rows, err := t.load(ctx, c, batch)
			if err != nil {
				return nil, err
			}
			r.Rows = append(r.Rows, rows...)
		}
	}
	return r, nil
}

const insertSharedDomain = `
INSERT INTO domains (id, host, is_verified) VALUES ($1, $2, true)
ON CONFLICT (host) WHERE is_verified OR account_id IS NULL
	DO UPDATE SET is_verified = true WHERE domains.account_id IS NULL AND NOT domains.is_verified`

const preferSharedDomain = `
UPDATE domains SET is_default = (host = $1) WHERE account_id IS NULL AND is_default <> (host = $1)
	AND EXISTS (SELECT FROM domains WHERE host = $1 AND account_id IS NULL)`

// EnsureSharedDomains adds the configured hosts as shared link domains. Every process may call it when it starts. New campaigns
// use the first host. A host that is no longer configured still serves its campaigns, and a host that already serves an account
// stays with that account.
func EnsureSharedDomains(ctx context.Context, c db.Conn, hosts []string) error {
	for _, host := range hosts {
		if err := db.Run(ctx, c, "shared domain", insertSharedDomain, uuid.New(), strings.ToLower(host)); err != nil {
			return err
		}
	}
	if len(hosts) == 0 {
		return nil
	}
	return db.Run(ctx, c, "shared domain", preferSharedDomain, strings.ToLower(hosts[0]))
}
