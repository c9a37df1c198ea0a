package v1

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/integration"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
)

// networkIntegrations returns the routes of /networks/{id}/integration.
func networkIntegrations(d Deps) []route.Route {
	const group, path = "Affiliate networks", "/networks/{id}/integration"
	row := func(method, tail, summary string, handle route.Handler, codes ...string) route.Route {
		return route.New(method, path+tail, group, summary, handle, route.Codes("404 not_found"), route.Codes(codes...))
	}
	save := row("PUT", "", "connect or change the network's API integration", route.HandleRecordBody((*store.Store).Networks, saveNetworkIntegration),
		"400 unknown_provider invalid_credentials no_encryption_key")
	save.Version = networkConnectionVersion
	return []route.Route{
		row("GET", "", "the network's API integration", route.HandleRecord((*store.Store).Networks, findNetworkIntegration)),
		save,
		row("DELETE", "", "disconnect the network's API integration", route.HandleRecord((*store.Store).Networks, deleteNetworkIntegration)),
		row("POST", "/sync", "import conversions for a range; a dry run unless apply is true", route.HandleBody(d.syncNetwork),
			"400 bad_range not_connected too_many", "502 network_error").Awaits(syncNetworkJob.Answer()),
		row("POST", "/test", "test the network's API connection", route.Handle(d.testNetwork), "400 not_connected").
			Awaits(testNetworkJob.Answer()).WithShare(route.Sends),
	}
}

// NetworkIntegration is the answer of GET /networks/{id}/integration.
type NetworkIntegration struct {
	NetworkID           uuid.UUID             `json:"networkId"`
	NetworkName         string                `json:"networkName"`
	Version             string                `json:"version" doc:"version of the connection, for If-Match of PUT; the word none: no provider is connected"`
	ConnectedTo         *string               `json:"connectedTo" doc:"the connected provider; null: no provider is connected"`
	Credentials         map[string]string     `json:"credentials" doc:"the value of each field; secrets are masked"`
	IsEnabled           bool                  `json:"is_enabled" doc:"whether orders are imported automatically every half hour"`
	LastStatus          *string               `json:"lastStatus" enum:"ok,error" doc:"result of the last request to the provider; null: there was none yet"`
	LastError           *string               `json:"lastError"`
	LastCheckedAt       *string               `json:"lastCheckedAt"`
	LastSyncedAt        *string               `json:"lastSyncedAt" doc:"when orders were last imported"`
	NextSyncAt          *string               `json:"nextSyncAt" doc:"when the next automatic import runs; null: none is planned"`
	ChangesReadTo       *string               `json:"changesReadTo" doc:"the changes that the network made to orders of any age, such as approvals and rejections, are imported up to this time; null: no changes were imported yet, or the provider cannot be queried by the date of a change"`
	ChangesError        *string               `json:"changesError" doc:"why the last import of changes or of older orders failed; the next import continues where the failed one stopped"`
	Runs                []IntegrationRun      `json:"runs" doc:"the last 20 imports and dry runs, the latest first; runs are kept for 90 days"`
	Providers           []NetworkProviderForm `json:"providers" doc:"the providers that can be connected, each with the fields of its form"`
	EncryptionAvailable bool                  `json:"encryptionAvailable" doc:"false: this install cannot store credentials"`
}

// NetworkProviderForm is a provider with the fields of its form.
type NetworkProviderForm struct {
	Provider string                        `json:"provider"`
	Label    string                        `json:"label"`
	Click    string                        `json:"click" doc:"the field in which the provider reports our click id"`
	Fields   []answer.CredentialFieldShown `json:"fields"`
}

func findNetworkIntegration(c *route.Call, n models.Network) (out NetworkIntegration, err error) {
	out = NetworkIntegration{
		NetworkID: n.ID, NetworkName: n.Name, Version: notConnected, Credentials: map[string]string{}, EncryptionAvailable: c.Store.Box().HasKey(),
		Providers: answer.Each(models.NetworkProviders, func(p models.NetworkProvider) NetworkProviderForm {
			return NetworkProviderForm{p.Name, p.Label, p.Click, answer.CredentialFields(p.CredentialForm)}
		}),
	}
	if out.Runs, err = listRuns(c, n.ID); err != nil {
		return out, err
	}
	i, err := integration.NewNetworks(c.Store).Find(c.Context(), c.Account.ID, n.ID)
	switch {
	case errors.Is(err, integration.ErrNotConnected):
		return out, nil
	case err != nil:
		return out, err
	}
	p, _ := models.NetworkProviderNamed(i.Provider)
	out.Version, out.ConnectedTo, out.Credentials, out.IsEnabled = answer.Stamp(i.SavedAt), &i.Provider, p.Masked(i.Settings), i.IsEnabled
	out.LastStatus = lastStatus(i)
	out.LastError, out.LastCheckedAt, out.LastSyncedAt = answer.OrNull(i.Failure), answer.StampOrNull(i.CheckedAt), answer.StampOrNull(i.SyncedAt)
	out.NextSyncAt = nextSync(i, n.IsActive)
	changes, err := integration.NewNetworks(c.Store).Changes(c.Context(), c.Account.ID, n.ID)
	if err == nil {
		out.ChangesReadTo, out.ChangesError = answer.StampOrNull(changes.To), answer.OrNull(changes.Failure)
	}
	return out, err
}

// NetworkIntegrationBody is the body of PUT /networks/{id}/integration.
type NetworkIntegrationBody struct {
	Provider    string            `json:"provider" required:"unknown_provider" bad:"unknown_provider" trim:"true" case:"lower" doc:"a provider that GET /networks/{id}/integration lists"`
	Credentials map[string]string `json:"credentials" bad:"invalid_credentials" doc:"the value of each field; when a connection is changed, fields that are blank or left out keep their values"`
	IsEnabled   *bool             `json:"is_enabled" doc:"whether orders are imported automatically; left out: unchanged, or true for a new connection"`
}

// NetworkIntegrationSaved is the answer of PUT /networks/{id}/integration.
type NetworkIntegrationSaved struct {
	Saved   bool   `json:"saved"`
	Version string `json:"version"`
}

func saveNetworkIntegration(c *route.Call, _ models.Network, b NetworkIntegrationBody) (NetworkIntegrationSaved, error) {
	p, ok := models.NetworkProviderNamed(b.Provider)
	if !ok {
		return NetworkIntegrationSaved{}, models.Invalid("unknown_provider", "there is no provider %.60q: see GET /networks/{id}/integration", b.Provider)
	}
	err := integration.NewNetworks(c.Store).Save(c.Context(), c.Account.ID, c.ID, p, b.Credentials, b.IsEnabled, firstSyncAt())
	if err != nil {
		return NetworkIntegrationSaved{}, err
	}
	version, err := networkConnectionVersion(c, c.ID)
	return NetworkIntegrationSaved{true, version}, err
}

func deleteNetworkIntegration(c *route.Call, _ models.Network) (Disconnected, error) {
	ok, err := integration.NewNetworks(c.Store).Remove(c.Context(), c.Account.ID, c.ID)
	return Disconnected{ok}, err
}

// connectedNetwork returns the connection of the network in the path.
func connectedNetwork(c *route.Call) (models.Integration, error) {
	if _, err := c.Store.Networks().Find(c.Context(), c.Account.ID, c.ID); err != nil {
		return models.Integration{}, err
	}
	i, err := integration.NewNetworks(c.Store).Find(c.Context(), c.Account.ID, c.ID)
	if errors.Is(err, integration.ErrNotConnected) {
		err = models.NetworkNotConnected()
	}
	return i, err
}

// NetworkTested is the answer of POST /networks/{id}/integration/test.
type NetworkTested struct {
	OK       bool    `json:"ok" doc:"whether the provider accepts the credentials"`
	Provider string  `json:"provider"`
	Message  string  `json:"message"`
	Detail   *string `json:"detail" doc:"the provider's message if the test failed"`
}

var testNetworkJob = slow.New(jobs.TestNetwork, func(t jobs.NetworkTested) NetworkTested {
	out := NetworkTested{OK: t.Failure == "", Provider: t.Provider, Message: "the provider accepts the credentials", Detail: answer.OrNull(t.Failure)}
	if !out.OK {
		out.Message = "the test failed"
	}
	return out
})

func (d Deps) testNetwork(c *route.Call) (NetworkTested, error) {
	if _, err := connectedNetwork(c); err != nil {
		return NetworkTested{}, err
	}
	return testNetworkJob.Run(c, d.Jobs, jobs.NetworkArgs{ID: c.ID})
}

// SyncBody is the body of POST /networks/{id}/integration/sync.
type SyncBody struct {
	From  string   `json:"from" required:"bad_range" bad:"bad_range" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"first day, YYYY-MM-DD, in the provider's time zone"`
	To    string   `json:"to" required:"bad_range" bad:"bad_range" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"last day, YYYY-MM-DD, in the provider's time zone; from and to include at most 366 days"`
	Apply onlyTrue `json:"apply" doc:"true: the orders are imported; any other value: the call is a dry run"`
}

func (b SyncBody) check() error {
	from, err := time.Parse(time.DateOnly, b.From)
	to, toErr := time.Parse(time.DateOnly, b.To)
	if err != nil || toErr != nil {
		return models.Invalid("bad_range", "from and to must be days, YYYY-MM-DD")
	}
	return checkRange("bad_range", from, to)
}

// NetworkSynced is the answer of POST /networks/{id}/integration/sync.
type NetworkSynced struct {
	DryRun    bool                           `json:"dryRun"`
	Provider  string                         `json:"provider"`
	From      string                         `json:"from"`
	To        string                         `json:"to"`
	Total     int                            `json:"total" doc:"orders that the provider reports"`
	Matched   int                            `json:"matched" doc:"orders that are recorded, or that would be recorded if this were not a dry run; orders that change nothing count too"`
	Unmatched int                            `json:"unmatched" doc:"number of orders that are refused; outcomes has the reason of each"`
	Payout    models.Money                   `json:"payout" doc:"total payout of the matched orders"`
	Outcomes  []correction.ConversionOutcome `json:"outcomes" doc:"one outcome for each order; the job of an automatic import stores only the outcomes of orders that changed something"`
}

var syncNetworkJob = slow.New(jobs.SyncNetwork, func(a jobs.CorrectionAnswer[correction.ConversionOutcome]) NetworkSynced {
	out := NetworkSynced{
		DryRun: a.DryRun, Total: a.Total, Matched: a.Accepted, Unmatched: a.Refused, Payout: models.NewMoney(a.Sum),
		Outcomes: append([]correction.ConversionOutcome{}, a.Outcomes...),
	}
	if sync := a.Network; sync != nil {
		out.Provider, out.From, out.To = sync.Provider, sync.From, sync.To
	}
	return out
})

func (d Deps) syncNetwork(c *route.Call, b SyncBody) (NetworkSynced, error) {
	if err := b.check(); err != nil {
		return NetworkSynced{}, err
	}
	i, err := connectedNetwork(c)
	if err != nil {
		return NetworkSynced{}, err
	}
	if !b.Apply {
		c.RecordDryRun()
	}
	return syncNetworkJob.Start(c, d.Jobs, jobs.CorrectionArgs{Apply: bool(b.Apply), Network: &jobs.NetworkSync{
		NetworkID: c.ID, PlatformRange: jobs.PlatformRange{Provider: i.Provider, From: b.From, To: b.To, Origin: models.RunByAPI},
	}}, nil)
}
