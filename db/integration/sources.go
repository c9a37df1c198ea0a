package integration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

// Sources stores the connections of traffic sources to the APIs of their platforms.
type Sources struct{ Connections }

var sourceTable = table{
	CredentialTable: store.CredentialTable{Name: "source_integrations", Key: "source_id", What: "connection of the traffic source"},
	owners:          "traffic_sources",
	failing:         "i.failure, i.failures, i.failing_since",
	changed:         "false", since: "NULL::timestamptz", older: "NULL::date", zone: "i.zone", account: ", currency = coalesce(nullif($7, ''), currency), zone = coalesce(nullif($8, ''), zone)",
}

// NewSources returns Sources in a store.
func NewSources(s *store.Store) Sources { return Sources{Connections{s, sourceTable}} }

// Find returns the connection of a traffic source. The error is ErrNotConnected if the source is not connected.
func (k Sources) Find(ctx context.Context, account, source uuid.UUID) (models.SourceIntegration, error) {
	return find[models.SourceIntegration](ctx, k.Connections, account, source)
}

// SourceConnect is a change that an account makes to a connection. A nil field keeps its value. If the provider changes, most nil
// fields get their defaults instead: see findOrNew.
type SourceConnect struct {
	Provider           models.SourceProvider
	Credentials        map[string]string // a blank one keeps its stored value, but a secret only if it is still sent to the same address
	Clear              []string
	Endpoint           *models.CostEndpoint
	Enabled            *bool
	Connection         *uuid.NullUUID
	CampaignParam      *string
	ConversionAction   *string
	ConversionStatuses []string
	ConversionsEnabled *bool
	UploadMode         *string
	DailyCapCount      *int
	DailyCapValue      *models.Money
	SendKeys           *bool
	Next               time.Time // time of the next automatic sync
}

const saveSourceIntegration = `
INSERT INTO source_integrations AS t (source_id, account_id, provider, settings, secrets, secret_names, is_enabled, cost_endpoint,
	oauth_connection_id, campaign_param, conversion_action, conversion_statuses, conversions_enabled, next_at, wide_at,
	upload_mode, daily_cap_count, daily_cap_value, send_keys)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $15, $16, $17, $18)
ON CONFLICT (source_id) DO UPDATE SET provider = $3, settings = $4, secrets = $5, secret_names = $6, is_enabled = $7,
	cost_endpoint = $8, oauth_connection_id = $9, campaign_param = $10, conversion_action = $11, conversion_statuses = $12,
	conversions_enabled = $13, next_at = $14, wide_at = $14, session = NULL, currency = '', zone = '',
	saved_at = ` + store.NextSave + `,
	checked_at = NULL, failure = '', failures = 0, failing_since = NULL, upload_mode = $15,
	daily_cap_count = $16, daily_cap_value = $17, send_keys = $18, uploads_since = now(), uploads_stopped = '', uploads_stopped_at = NULL,
	upload_next_at = now(), upload_failure = '', upload_failures = 0, upload_failing_since = NULL,
	uploads_ready_at = CASE WHEN t.conversion_action = $11 THEN t.uploads_ready_at END`

const skipUploadsOfOthers = `
UPDATE conversion_uploads u SET result = 'skipped', reason = 'the traffic source has another platform now', decided_at = now()
FROM source_integrations i WHERE i.source_id = u.source_id AND i.account_id = $1 AND u.source_id = $2 AND i.provider <> $3
	AND u.result = 'pending'`

// Save connects a traffic source, or changes its connection. If uploads were stopped, they start again. Errors: not_found, and
// the errors of PUT /traffic-sources/{id}/integration.
func (k Sources) Save(ctx context.Context, account, source uuid.UUID, w SourceConnect) error {
	return k.s.LockedTx(ctx, account, func(s *store.Store) error {
		if _, err := s.Sources().Find(ctx, account, source); err != nil {
			return err
		}
		i, stored, err := NewSources(s).findOrNew(ctx, account, source, w.Provider.Name)
		if err != nil {
			return err
		}
		w.applyTo(&i)
		if err := i.Endpoint.Check(); err != nil {
			return err
		}
		credentials, err := w.complete(i, stored)
		if err != nil {
			return err
		}
		if err := i.CheckConversions(w.Provider, credentials); err != nil {
			return err
		}
		form := w.Provider.Form(i.Endpoint)
		open, sealed, err := k.t.Seal(s, account, source, form, credentials)
		if err != nil {
			return err
		}
		if i.IsEnabled && w.Provider.Name == models.CustomCost && i.Endpoint.URL == "" {
			return models.Invalid("no_url", "a custom endpoint needs cost_endpoint.url")
		}
		signedIn, err := NewSources(s).signedIn(ctx, account, w.Provider.Name)
		if err != nil {
			return err
		}
		i.ConnectionID, err = models.ChooseConnection(signedIn, i.ConnectionID, i.NeedsSignIn(w.Provider, i.IsEnabled, credentials))
		if err != nil {
			return err
		}
		if err := db.Run(ctx, s.Conn(), "skip uploads to another platform", skipUploadsOfOthers, account, source, i.Provider); err != nil {
			return err
		}
		_, secrets := form.Split(credentials)
		return db.Run(ctx, s.Conn(), "connect traffic source", saveSourceIntegration, source, account, i.Provider, db.Document(open), sealed,
			pq.Array(slices.AppendSeq([]string{}, maps.Keys(secrets))), i.IsEnabled, db.Document(i.Endpoint.WithoutValues()), i.ConnectionID,
			i.CampaignParam, i.ConversionAction, pq.Array(i.ConversionStatuses), i.ConversionsEnabled, w.Next, i.UploadMode, i.DailyCapCount, i.DailyCapValue.Decimal, i.SendKeys)
	})
}

// findOrNew returns the connection to the provider with its credentials, or else a new one. A new connection takes CampaignParam
// and IsEnabled from a connection to another provider.
func (k Sources) findOrNew(ctx context.Context, account, source uuid.UUID, provider string) (
	i models.SourceIntegration, stored map[string]string, err error,
) {
	fresh := models.SourceIntegration{Integration: models.Integration{TargetID: source, AccountID: account, Provider: provider, IsEnabled: true}}
	fresh.ConversionStatuses, fresh.UploadMode = []string{models.StatusApproved}, models.UploadsShadow
	fresh.DailyCapCount, fresh.DailyCapValue = models.DefaultCapCount, models.NewMoney(decimal.NewFromInt(models.DefaultCapValue))
	i, err = k.Find(ctx, account, source)
	switch {
	case errors.Is(err, ErrNotConnected):
		return fresh, nil, nil
	case err != nil:
		return i, nil, err
	case i.Provider != provider:
		fresh.CampaignParam, fresh.IsEnabled = i.CampaignParam, i.IsEnabled
		return fresh, nil, nil
	}
	stored, err = k.t.Stored(ctx, k.s, account, source, i.Settings)
	return i, stored, err
}

func (w SourceConnect) applyTo(i *models.SourceIntegration) {
	set(&i.IsEnabled, w.Enabled)
	set(&i.Endpoint, w.Endpoint)
	set(&i.ConnectionID, w.Connection)
	set(&i.CampaignParam, w.CampaignParam)
	set(&i.ConversionAction, w.ConversionAction)
	set(&i.ConversionsEnabled, w.ConversionsEnabled)
	set(&i.UploadMode, w.UploadMode)
	set(&i.DailyCapCount, w.DailyCapCount)
	set(&i.DailyCapValue, w.DailyCapValue)
	set(&i.SendKeys, w.SendKeys)
	if w.ConversionStatuses != nil {
		i.ConversionStatuses = w.ConversionStatuses
	}
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// complete returns the credentials to store. Its errors have the code invalid_input.
func (w SourceConnect) complete(i models.SourceIntegration, stored map[string]string) (map[string]string, error) {
	stored = maps.Clone(stored)
	for _, name := range w.Clear {
		if !slices.ContainsFunc(w.Provider.Fields, func(f models.CredentialField) bool { return f.Name == name }) {
			return nil, models.Invalid("invalid_input", "%s has no field %.60q to clear", w.Provider.Label, name)
		}
		delete(stored, name)
	}
	out, err := w.Provider.Form(i.Endpoint).Complete(i.Endpoint.Sent(w.Credentials), stored)
	if e, ok := models.AsError(err); ok {
		err = models.Invalid("invalid_input", "credentials: %s", e.Message)
	}
	return out, err
}

func sessionPlace(i models.Integration) seal.Place {
	return seal.Place{Account: i.AccountID, Table: "source_integrations", Row: i.TargetID.String(), Column: "session"}
}

// Session returns the decrypted session of an earlier login. It is empty if no session is stored, or if it can no longer be
// decrypted.
func (k Sources) Session(ctx context.Context, i models.Integration) (string, error) {
	sealed, err := db.Get[[]byte](ctx, k.s.Conn(), "connection of the traffic source",
		`SELECT coalesce(session, '') FROM source_integrations WHERE account_id = $1 AND source_id = $2`, i.AccountID, i.TargetID)
	if err != nil || len(sealed) == 0 {
		return "", err
	}
	plain, err := k.s.Box().Open(ctx, sessionPlace(i), sealed)
	if errors.Is(err, seal.ErrOpen) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("integration: session of traffic source: %w", err)
	}
	return string(plain), nil
}

// SaveSession stores the session of a login. If the connection has changed since i was read, nothing is stored.
func (k Sources) SaveSession(ctx context.Context, i models.Integration, session string) error {
	sealed, err := k.s.Box().Seal(sessionPlace(i), []byte(session))
	if err != nil {
		return err
	}
	return db.Run(ctx, k.s.Conn(), "session of traffic source", `UPDATE source_integrations SET session = $4
		WHERE account_id = $1 AND source_id = $2 AND saved_at = $3`, i.AccountID, i.TargetID, i.SavedAt, sealed)
}
