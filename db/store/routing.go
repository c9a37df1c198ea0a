package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
)

// RoutingChannel is the channel on which PostgreSQL announces changes of what the redirect reads (RoutingKey).
const RoutingChannel = "routing"

// RoutingKey names one record that the redirect reads.
type RoutingKey struct {
	Table string    `db:"table_name"`
	ID    uuid.UUID `db:"id"`
}

// ParseRoutingKey reads the payload of a notification, "table:id".
func ParseRoutingKey(payload string) (key RoutingKey, ok bool) {
	table, text, _ := strings.Cut(payload, ":")
	id, err := uuid.Parse(text)
	_, known := routingLoaders[table]
	return RoutingKey{table, id}, err == nil && known
}

// RoutingVersion is the version of a record's row: it changes with every write of the row.
type RoutingVersion struct {
	RoutingKey
	Version int64 `db:"version"`
}

// Routing is a set of records that the redirect reads; live tells which.
type Routing struct {
	Accounts  []RoutingAccount
	Domains   []RoutingDomain
	Sources   []RoutingSource
	Networks  []RoutingNetwork
	Offers    []RoutingOffer
	Landers   []RoutingLander
	Rules     []RoutingRule
	Campaigns []RoutingCampaign

	Smartlinks []RoutingSmartlink
	// LanderSecret signs the keys of protected landing pages. It comes with a full load only.
	LanderSecret []byte
}

// RoutingAccount is what the redirect needs of an account.
type RoutingAccount struct {
	ID           uuid.UUID      `db:"id"`
	Version      int64          `db:"version"`
	Timezone     string         `db:"timezone"`
	Currency     string         `db:"currency"`
	BotThreshold int            `db:"bot_threshold"`
	BotDisabled  pq.StringArray `db:"bot_disabled"`
}

// RoutingDomain is a host of tracking links; a shared one has no account.
type RoutingDomain struct {
	ID        uuid.UUID     `db:"id"`
	Version   int64         `db:"version"`
	AccountID uuid.NullUUID `db:"account_id"`
	Host      string        `db:"host"`
	Crawlers  string        `db:"crawlers"`
	HTTPSOnly bool          `db:"https_only"`
	IndexPage string        `db:"index_page"`
}

// RoutingSource is what the redirect needs of a traffic source.
type RoutingSource struct {
	ID              uuid.UUID       `db:"id"`
	Version         int64           `db:"version"`
	AccountID       uuid.UUID       `db:"account_id"`
	Name            string          `db:"name"`
	TokenMacros     json.RawMessage `db:"token_macros"`
	CostParam       string          `db:"cost_param"`
	CostModel       string          `db:"cost_model"`
	ExternalIDParam string          `db:"external_id_param"`
	TrafficLossPct  decimal.Decimal `db:"traffic_loss_pct"`
}

// RoutingNetwork is what click-outs and postbacks need of an affiliate network. Its secret is not read here: only
// the worker that understands a postback needs it.
type RoutingNetwork struct {
	ID         uuid.UUID `db:"id"`
	Version    int64     `db:"version"`
	AccountID  uuid.UUID `db:"account_id"`
	Name       string    `db:"name"`
	ClickParam string    `db:"click_param"`
}

// RoutingOffer is what the redirect needs of an offer.
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

// RoutingLander is what the redirect needs of a landing page.
type RoutingLander struct {
	ID        uuid.UUID `db:"id"`
	Version   int64     `db:"version"`
	AccountID uuid.UUID `db:"account_id"`
	Name      string    `db:"name"`
	URL       string    `db:"url"`
	IsActive  bool      `db:"is_active"`
	// Protection is the protection as saved.
	Protection json.RawMessage `db:"protection"`
}

// RoutingSmartlink is what the redirect needs of a smartlink; Rules are its rules as saved.
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
}

// RoutingRule is what a saved rule says. Deleted ones are among them: flows that use them keep their conditions.
type RoutingRule struct {
	ID         uuid.UUID       `db:"id"`
	Version    int64           `db:"version"`
	AccountID  uuid.UUID       `db:"account_id"`
	Logic      string          `db:"logic"`
	Conditions json.RawMessage `db:"conditions"`
}

// RoutingCampaign is what the redirect needs of a campaign; Streams is its flow as saved.
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

// live tells which rows of a table the redirect reads. An own domain serves only once its owner has shown that it
// is theirs. Deactivated sources and networks go on for the campaigns and offers that name them: a click without their
// parameters, cost or id could not be put right later.
var live = []struct{ table, where string }{
	{"accounts", `true`},
	{"domains", `(account_id IS NULL OR is_verified)`},
	{"traffic_sources", `true`},
	{"networks", `true`},
	{"offers", `deactivated_at IS NULL`},
	{"landers", `deactivated_at IS NULL`},
	{"rules", `true`},
	{"campaigns", `deleted_at IS NULL`},
	{"smartlinks", `deleted_at IS NULL AND is_active`},
}

func liveWhere(table string) string {
	for _, l := range live {
		if l.table == table {
			return l.where
		}
	}
	panic("store: no routing table " + table)
}

// The transaction that wrote a row is the version of the row: a later write is always by another one.
const rowVersion = `xmin::text::bigint AS version`

type routingLoader func(ctx context.Context, c db.Conn, ids []uuid.UUID, into *Routing) error

var routingLoaders = map[string]routingLoader{
	"accounts": loader("accounts", `timezone, currency, bot_threshold, bot_disabled`,
		func(r *Routing) *[]RoutingAccount { return &r.Accounts }),
	"domains": loader("domains", `account_id, lower(host) AS host, crawlers, https_only, index_page`,
		func(r *Routing) *[]RoutingDomain { return &r.Domains }),
	"traffic_sources": loader("traffic_sources",
		`account_id, name, token_macros, cost_param, cost_model, external_id_param, traffic_loss_pct`,
		func(r *Routing) *[]RoutingSource { return &r.Sources }),
	"networks": loader("networks", `account_id, name, click_param`,
		func(r *Routing) *[]RoutingNetwork { return &r.Networks }),
	"offers": loader("offers", `account_id, name, url, network_id, daily_cap, is_active`,
		func(r *Routing) *[]RoutingOffer { return &r.Offers }),
	"landers": loader("landers", `account_id, name, url, is_active, protection`,
		func(r *Routing) *[]RoutingLander { return &r.Landers }),
	"rules": loader("rules", `account_id, logic, conditions`,
		func(r *Routing) *[]RoutingRule { return &r.Rules }),
	"campaigns": loader("campaigns", `account_id, name, alias, domain_id, source_id, status, destination_url,
		fallback_url, cost_model, cost_value, currency, flow_rotation, bind_visitors, uniqueness_method,
		uniqueness_param, uniqueness_ttl_hours, traffic_loss_pct, streams`,
		func(r *Routing) *[]RoutingCampaign { return &r.Campaigns }),
	"smartlinks": loader("smartlinks", `account_id, domain_id, source_id, slug, name, destination_url, rules`,
		func(r *Routing) *[]RoutingSmartlink { return &r.Smartlinks }),
}

func loader[T any](table, columns string, into func(*Routing) *[]T) routingLoader {
	q := `SELECT id, ` + rowVersion + `, ` + columns + ` FROM ` + table +
		` WHERE id = ANY($1) AND ` + liveWhere(table)
	return func(ctx context.Context, c db.Conn, ids []uuid.UUID, r *Routing) error {
		var rows []T
		if err := sqlx.SelectContext(ctx, c, &rows, q, pq.Array(ids)); err != nil {
			return fmt.Errorf("store: load %s for routing: %w", table, err)
		}
		list := into(r)
		*list = append(*list, rows...)
		return nil
	}
}

var versionsQuery = func() string {
	parts := make([]string, len(live))
	for i, l := range live {
		parts[i] = fmt.Sprintf(`SELECT '%s' AS table_name, id, %s FROM %s WHERE %s`, l.table, rowVersion, l.table, l.where)
	}
	return strings.Join(parts, ` UNION ALL `)
}()

// RoutingVersions lists every record that the redirect reads with the version of its row: what is not on the list is
// gone, and only what has another version needs to be read.
func RoutingVersions(ctx context.Context, c db.Conn) ([]RoutingVersion, error) {
	var list []RoutingVersion
	if err := sqlx.SelectContext(ctx, c, &list, versionsQuery); err != nil {
		return nil, fmt.Errorf("store: list routing versions: %w", err)
	}
	return list, nil
}

// routingBatch is how many records one query reads: a thousand flows are some ten megabytes.
const routingBatch = 1000

// LoadRouting reads the named records. One that is missing from the answer does not exist (any more). A key of an
// unknown table is passed over.
func LoadRouting(ctx context.Context, c db.Conn, keys []RoutingKey) (*Routing, error) {
	ids := map[string][]uuid.UUID{}
	for _, k := range keys {
		ids[k.Table] = append(ids[k.Table], k.ID)
	}
	r := &Routing{}
	for _, l := range live {
		rest := ids[l.table]
		for len(rest) > 0 {
			n := min(len(rest), routingBatch)
			if err := routingLoaders[l.table](ctx, c, rest[:n], r); err != nil {
				return nil, err
			}
			rest = rest[n:]
		}
	}
	return r, nil
}

const insertSharedDomain = `
INSERT INTO domains (id, host, is_verified) VALUES ($1, $2, true)
ON CONFLICT (host) WHERE is_verified OR account_id IS NULL
	DO UPDATE SET is_verified = true WHERE domains.account_id IS NULL AND NOT domains.is_verified`

// The default among the shared domains is where new campaigns go that name no domain.
const preferSharedDomain = `
UPDATE domains SET is_default = (host = $1) WHERE account_id IS NULL AND is_default <> (host = $1)
	AND EXISTS (SELECT FROM domains WHERE host = $1 AND account_id IS NULL)`

// EnsureSharedDomains makes the hosts of the settings shared link domains, once; any process may call it at its start.
// New campaigns go to the first of them. A host that was taken off the settings keeps serving the campaigns it has. One
// that is an account's own domain stays that account's.
func EnsureSharedDomains(ctx context.Context, c db.Conn, hosts []string) error {
	for _, host := range hosts {
		if _, err := c.ExecContext(ctx, insertSharedDomain, uuid.New(), strings.ToLower(host)); err != nil {
			return fmt.Errorf("store: shared domain: %w", err)
		}
	}
	if len(hosts) > 0 {
		if _, err := c.ExecContext(ctx, preferSharedDomain, strings.ToLower(hosts[0])); err != nil {
			return fmt.Errorf("store: shared domain: %w", err)
		}
	}
	return nil
}
