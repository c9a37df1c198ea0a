package v1

import (
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/integration"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// sourceIntegrations returns the routes of /traffic-sources/{id}/integration.
func sourceIntegrations(d Deps) []route.Route {
	const group, path = "Traffic sources", "/traffic-sources/{id}/integration"
	row := func(method, summary string, handle route.Handler, codes ...string) route.Route {
		return route.New(method, path, group, summary, handle, route.Codes("400 invalid_id", "404 not_found"), route.Codes(codes...))
	}
	save := row("PUT", "connect or change the integration", route.HandleRecordBody((*store.Store).Sources, d.saveSourceIntegration),
		"400 invalid_provider invalid_pixel_id invalid_capi_token no_encryption_key no_url choose_connection not_connected "+
			"invalid_conversion_action no_conversion_action no_capi_credentials")
	save.Version = sourceConnectionVersion
	return []route.Route{
		row("GET", "the source's integration (cost sync and conversion upload)", route.HandleRecord((*store.Store).Sources, findSourceIntegration)),
		save,
		row("POST", "test the connection or sync spend", route.HandleRecordBody((*store.Store).Sources, d.runSourceIntegration), "400 not_configured no_url").
			Awaits(runSourceJob.Answer()).WithOptionalBody(),
		row("DELETE", "remove the integration", route.HandleRecord((*store.Store).Sources, deleteSourceIntegration)),
	}
}

// SourceIntegration is the answer of GET /traffic-sources/{id}/integration.
type SourceIntegration struct {
	Configured          bool                 `json:"configured" doc:"false: the source is not connected"`
	Version             string               `json:"version" doc:"version of the connection, for If-Match of PUT; the word none: the source is not connected"`
	Provider            *string              `json:"provider"`
	IsEnabled           bool                 `json:"is_enabled" doc:"whether spend is read automatically every three hours"`
	CostEndpoint        *models.CostEndpoint `json:"cost_endpoint" doc:"the cost endpoint of the provider custom, with masked header values"`
	Credentials         map[string]string    `json:"credentials" doc:"the saved value of each field; secrets are masked"`
	OAuthConnectionID   *uuid.UUID           `json:"oauth_connection_id" doc:"id of the sign-in at the platform"`
	CampaignParam       string               `json:"campaign_param" doc:"the parameter of the tracking link that has the platform's campaign id; empty: the parameter with the platform's macro for this id"`
	ConversionAction    string               `json:"conversion_action"`
	ConversionStatuses  []string             `json:"conversion_statuses"`
	ConversionsEnabled  bool                 `json:"conversions_enabled"`
	Mode                *string              `json:"mode" enum:"shadow,live" doc:"shadow: uploads are only tried and do not count at the platform; live: they count"`
	DailyCapCount       int                  `json:"daily_cap_count" doc:"maximum number of conversions that are uploaded per day, in the account's time zone"`
	DailyCapValue       models.Money         `json:"daily_cap_value" doc:"maximum total value of the conversions that are uploaded per day, in the account's currency"`
	SendKeys            bool                 `json:"send_keys" doc:"whether hashed personal data are sent too, for people who have agreed"`
	Uploads             *SourceUploads       `json:"uploads" doc:"the conversions that were uploaded to the platform"`
	Currency            *string              `json:"currency" doc:"currency of the account at the platform, as last read"`
	TimeZone            *string              `json:"time_zone" doc:"time zone of the account at the platform, as last read; spend is reported for days in this zone"`
	LastSyncAt          *string              `json:"last_sync_at" doc:"when spend was last read"`
	LastCheckedAt       *string              `json:"last_checked_at"`
	LastStatus          *string              `json:"last_status" enum:"ok,error" doc:"result of the last request to the platform; null: there was none yet"`
	LastError           *string              `json:"last_error"`
	NextSyncAt          *string              `json:"next_sync_at" doc:"when the next automatic sync runs; null: none is planned"`
	Runs                []IntegrationRun     `json:"runs" doc:"the last 20 runs of each kind, such as syncs and uploads, the latest first; runs are kept for 90 days"`
	ClickLoss           []ClickLossDay       `json:"click_loss" doc:"those days of the last 14 days for which the platform reported its clicks"`
	Providers           []SourceProviderForm `json:"providers" doc:"the providers that can be connected, each with the fields of its form"`
	EncryptionAvailable bool                 `json:"encryption_available" doc:"false: this install cannot store credentials"`
}

// SourceProviderForm is a platform with the fields of its form.
type SourceProviderForm struct {
	Provider    string                        `json:"provider"`
	Label       string                        `json:"label"`
	SignIn      bool                          `json:"sign_in" doc:"whether a person has to sign in at the platform; see GET /oauth/connections"`
	Cost        bool                          `json:"cost" doc:"whether spend can be read"`
	Conversions bool                          `json:"conversions" doc:"whether conversions can be uploaded"`
	Endpoint    bool                          `json:"endpoint" doc:"whether the provider needs a cost_endpoint"`
	Fields      []answer.CredentialFieldShown `json:"fields"`
	Presets     []CostPreset                  `json:"presets" doc:"only for the provider custom: cost endpoints of platforms that have no provider of their own"`
}

// CostPreset is a cost endpoint for a platform, to be sent as cost_endpoint with the credential token.
type CostPreset struct {
	Name         string              `json:"name"`
	Label        string              `json:"label"`
	Help         string              `json:"help" doc:"where to find the token, and which data cannot be read"`
	CostEndpoint models.CostEndpoint `json:"cost_endpoint"`
}

func findSourceIntegration(c *route.Call, source models.TrafficSource) (out SourceIntegration, err error) {
	out = SourceIntegration{
		Version: notConnected, Credentials: map[string]string{}, ConversionStatuses: []string{}, EncryptionAvailable: c.Store.Box().HasKey(),
		Providers: answer.Each(models.SourceProviders, sourceProviderForm),
	}
	if out.Runs, err = listRuns(c, c.ID); err != nil {
		return out, err
	}
	if out.ClickLoss, err = clickLossDays(c, c.ID); err != nil {
		return out, err
	}
	i, err := integration.NewSources(c.Store).Find(c.Context(), c.Account.ID, c.ID)
	if errors.Is(err, integration.ErrNotConnected) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.fill(i)
	out.NextSyncAt = nextSync(i.Integration, source.IsActive)
	out.Uploads, err = sourceUploads(c, i)
	return out, err
}

func sourceProviderForm(p models.SourceProvider) SourceProviderForm {
	presets := []CostPreset{}
	if p.Name == models.CustomCost {
		presets = answer.Each(models.CostPresets, func(c models.CostPreset) CostPreset {
			return CostPreset{c.Name, c.Label, c.Help, c.Endpoint.WithDefaults()}
		})
	}
	return SourceProviderForm{
		p.Name, p.Label, p.SignIn, p.Cost, p.Conversions, p.Name == models.CustomCost, answer.CredentialFields(p.CredentialForm), presets,
	}
}

func (out *SourceIntegration) fill(i models.SourceIntegration) {
	out.Configured, out.Version, out.Provider, out.IsEnabled, out.Credentials = true, answer.Stamp(i.SavedAt), &i.Provider, i.IsEnabled, i.Masked()
	if i.Provider == models.CustomCost {
		out.CostEndpoint = new(i.Endpoint.WithDefaults())
	}
	out.OAuthConnectionID = answer.OrNull(i.ConnectionID.UUID)
	out.CampaignParam, out.ConversionAction = i.CampaignParam, i.ConversionAction
	out.ConversionStatuses, out.ConversionsEnabled = i.ConversionStatuses, i.ConversionsEnabled
	out.Mode, out.DailyCapCount, out.DailyCapValue = &i.UploadMode, i.DailyCapCount, i.DailyCapValue
	out.SendKeys = i.SendKeys
	out.Currency, out.TimeZone = answer.OrNull(i.Currency), answer.OrNull(i.Zone)
	out.LastSyncAt, out.LastCheckedAt = answer.StampOrNull(i.SyncedAt), answer.StampOrNull(i.CheckedAt)
	out.LastStatus, out.LastError = lastStatus(i.Integration), answer.OrNull(i.Failure)
}

// SourceIntegrationBody is the body of PUT /traffic-sources/{id}/integration.
type SourceIntegrationBody struct {
	Provider           string               `json:"provider" required:"invalid_provider" bad:"invalid_provider" trim:"true" case:"lower" doc:"a provider that GET /traffic-sources/{id}/integration lists; if the provider changes, the stored credentials are deleted"`
	CostEndpoint       *models.CostEndpoint `json:"cost_endpoint" doc:"only for the provider custom"`
	Credentials        map[string]string    `json:"credentials" doc:"the value of each field; fields that are blank or left out keep their values"`
	CredentialsClear   []string             `json:"credentials_clear" maxItems:"50" doc:"names of credential fields whose values are deleted"`
	IsEnabled          *bool                `json:"is_enabled" doc:"whether spend is read automatically; left out: unchanged, or true for a new connection"`
	OAuthConnectionID  bind.Opt[uuid.UUID]  `json:"oauth_connection_id" bad:"not_connected" doc:"id of the sign-in at the platform; required if there are several sign-ins"`
	CampaignParam      bind.Opt[string]     `json:"campaign_param" trim:"true" maxLength:"100" bad:"invalid_input" doc:"the parameter of the tracking link that has the platform's campaign id, or sub1 to {lastSub}; empty: the parameter with the platform's macro for this id"`
	ConversionAction   bind.Opt[string]     `json:"conversion_action" trim:"true" maxLength:"2000" bad:"invalid_conversion_action" doc:"google_ads: a conversion action, as its resource name, as its number at the credential customer_id, or as a link to its page in Google Ads; microsoft_ads: the name of the offline goal, or of the event if there is a uet_token; other platforms: the name of the event, and empty means their event for a purchase"`
	ConversionStatuses []string             `json:"conversion_statuses" unique:"true" enum:"approved,pending" doc:"statuses of the conversions that are uploaded; for a new connection, the default is approved"`
	ConversionsEnabled *bool                `json:"conversions_enabled" doc:"whether conversions are uploaded; for a new connection, the default is false"`
	Mode               *string              `json:"mode" enum:"shadow,live" doc:"shadow (the default for a new connection): uploads are built, and validated if the platform offers validation, but do not count; live: uploads count"`
	DailyCapCount      *int                 `json:"daily_cap_count" bad:"invalid_input" min:"1" max:"1000000" doc:"maximum number of uploads per day in the account's time zone; further uploads wait for the next day. For a new connection, the default is 10000"`
	DailyCapValue      *models.Money        `json:"daily_cap_value" bad:"invalid_input" min:"0" max:"1000000000" doc:"maximum total value of the uploads per day, in the account's currency. For a new connection, the default is 100000"`
	SendKeys           *bool                `json:"send_keys" doc:"whether hashed e-mail addresses, phone numbers, names and postal addresses of people who have agreed are sent to the platform; for a new connection, the default is false"`
}

// SourceIntegrationSaved is the answer of PUT /traffic-sources/{id}/integration.
type SourceIntegrationSaved struct {
	ID      uuid.UUID `json:"id" doc:"id of the traffic source"`
	Saved   bool      `json:"saved"`
	Version string    `json:"version"`
}

func (d Deps) saveSourceIntegration(c *route.Call, _ models.TrafficSource, b SourceIntegrationBody) (out SourceIntegrationSaved, err error) {
	w, err := d.sourceConnect(b)
	if err != nil {
		return out, err
	}
	if err := integration.NewSources(c.Store).Save(c.Context(), c.Account.ID, c.ID, w); err != nil {
		return out, err
	}
	version, err := sourceConnectionVersion(c, c.ID)
	return SourceIntegrationSaved{c.ID, true, version}, err
}

// sourceConnect returns the change that the body describes, without checks against the saved connection.
func (d Deps) sourceConnect(b SourceIntegrationBody) (w integration.SourceConnect, err error) {
	p, ok := models.SourceProviderNamed(b.Provider)
	if !ok {
		return w, models.Invalid("invalid_provider", "there is no provider %.60q: see GET /traffic-sources/{id}/integration", b.Provider)
	}
	if err := models.CheckPixel(p.Name, b.Credentials); err != nil {
		return w, err
	}
	if e := b.CostEndpoint; e != nil && e.URL != "" {
		if p.Name != models.CustomCost {
			return w, models.Invalid("invalid_input", "cost_endpoint is for the provider custom")
		}
		if err := d.checkCalledURL(e.URL); err != nil {
			return w, models.Invalid("invalid_input", "cost_endpoint.url: %s", err)
		}
	}
	w = integration.SourceConnect{
		Provider: p, Credentials: b.Credentials, Clear: b.CredentialsClear, Endpoint: b.CostEndpoint, Enabled: b.IsEnabled,
		CampaignParam: b.CampaignParam.Sent(), ConversionStatuses: b.ConversionStatuses,
		ConversionsEnabled: b.ConversionsEnabled, UploadMode: b.Mode, DailyCapCount: b.DailyCapCount, DailyCapValue: b.DailyCapValue,
		SendKeys: b.SendKeys, Next: firstSyncAt(),
	}
	if id := b.OAuthConnectionID.Sent(); id != nil {
		w.Connection = &uuid.NullUUID{UUID: *id, Valid: *id != uuid.Nil}
	}
	if text := b.ConversionAction.Sent(); text != nil {
		action, err := models.ConversionAction(p.Name, *text)
		if err != nil {
			return w, err
		}
		w.ConversionAction = &action
	}
	return w, nil
}

// SourceRunBody is the body of POST /traffic-sources/{id}/integration.
type SourceRunBody struct {
	Action string `json:"action" bad:"invalid_input" enum:"test,sync" default:"test"`
	From   string `json:"from" bad:"invalid_input" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" doc:"first day, YYYY-MM-DD, in the platform's time zone; default: two days before the last day"`
	To     string `json:"to" bad:"invalid_input" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" doc:"last day, YYYY-MM-DD, in the platform's time zone; default: today; from and to include at most 366 days"`
}

// window returns the days of the body, in the time zone of the account at the platform. An empty zone is unknown and means UTC.
func (b SourceRunBody) window(zone string, now time.Time) (from, to time.Time, err error) {
	at, err := time.LoadLocation(zone)
	if err != nil {
		at = time.UTC
	}
	today := now.In(at)
	to = time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	if b.To != "" {
		if to, err = time.Parse(time.DateOnly, b.To); err != nil {
			return from, to, models.Invalid("invalid_input", "to must be a day, YYYY-MM-DD")
		}
	}
	from = to.AddDate(0, 0, 1-models.SpendDays)
	if b.From != "" {
		if from, err = time.Parse(time.DateOnly, b.From); err != nil {
			return from, to, models.Invalid("invalid_input", "from must be a day, YYYY-MM-DD")
		}
	}
	return from, to, checkRange("invalid_input", from, to)
}

// SourceRun is the answer of POST /traffic-sources/{id}/integration.
type SourceRun struct {
	Action   string       `json:"action" enum:"test,sync"`
	OK       bool         `json:"ok" doc:"whether the platform answered without an error"`
	Provider string       `json:"provider"`
	Message  string       `json:"message"`
	Detail   *string      `json:"detail" doc:"the platform's message if the call failed"`
	Range    DayRange     `json:"range"`
	Rows     int          `json:"rows" doc:"number of rows that the platform reports, one for each day and campaign"`
	Matched  int          `json:"matched" doc:"number of rows whose campaign at the platform has sent clicks to a campaign here; the spend of the other rows is spread over all clicks of the source"`
	Changed  int          `json:"changed" doc:"number of days whose spend has changed"`
	Spend    models.Money `json:"spend" doc:"total spend, in the currency of the account at the platform"`
	Currency *string      `json:"currency"`
	TimeZone *string      `json:"time_zone"`
}

// DayRange is a range of days, including both ends.
type DayRange struct {
	From string `json:"from" doc:"YYYY-MM-DD"`
	To   string `json:"to"`
}

var runSourceJob = slow.New(jobs.SyncSpend, func(a jobs.SpendSynced) SourceRun {
	out := SourceRun{
		Action: "sync", OK: a.Failure == "", Provider: a.Provider, Message: "the spend was read", Detail: answer.OrNull(a.Failure),
		Range: DayRange{a.From, a.To}, Rows: a.Rows, Matched: a.Matched, Changed: a.Changed, Spend: models.NewMoney(a.Spend),
		Currency: answer.OrNull(a.Currency), TimeZone: answer.OrNull(a.Zone),
	}
	if a.Test {
		out.Action, out.Message = "test", "the platform accepts the connection"
	}
	if !out.OK {
		out.Message = "the " + out.Action + " failed"
	}
	return out
})

func (d Deps) runSourceIntegration(c *route.Call, _ models.TrafficSource, b SourceRunBody) (out SourceRun, err error) {
	i, err := integration.NewSources(c.Store).Find(c.Context(), c.Account.ID, c.ID)
	switch {
	case errors.Is(err, integration.ErrNotConnected):
		return out, models.SourceNotConnected()
	case err != nil:
		return out, err
	case i.Provider == models.CustomCost && i.Endpoint.URL == "":
		return out, models.Invalid("no_url", "the custom endpoint has no cost_endpoint.url")
	}
	from, to, err := b.window(i.Zone, time.Now())
	if err != nil {
		return out, err
	}
	args := jobs.SpendArgs{SourceID: c.ID, Test: b.Action != "sync", PlatformRange: jobs.PlatformRange{
		Provider: i.Provider, From: from.Format(time.DateOnly), To: to.Format(time.DateOnly), Origin: models.RunByAPI,
	}}
	out, err = runSourceJob.Start(c, d.Jobs, args, nil)
	if e, ok := models.AsError(err); ok && slices.Contains(publicFailures, e.Code) {
		return runSourceJob.PublicResult(jobs.SpendSynced{Failure: e.Message, Provider: args.Provider, From: args.From, To: args.To}), nil
	}
	return out, err
}

// publicFailures are the codes of errors that are returned as an answer in which ok is false.
var publicFailures = []string{"platform_error", "not_connected", models.TooManyRows}

// SourceIntegrationDeleted is the answer of DELETE /traffic-sources/{id}/integration.
type SourceIntegrationDeleted struct {
	ID      uuid.UUID `json:"id" doc:"id of the traffic source"`
	Deleted bool      `json:"deleted" doc:"false: the traffic source was not connected"`
}

func deleteSourceIntegration(c *route.Call, _ models.TrafficSource) (out SourceIntegrationDeleted, err error) {
	ok, err := integration.NewSources(c.Store).Remove(c.Context(), c.Account.ID, c.ID)
	return SourceIntegrationDeleted{c.ID, ok}, err
}
