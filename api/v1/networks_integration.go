package v1

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
)

// networkIntegrations returns the routes of /networks/{id}/integration.
func networkIntegrations(d Deps) []route.Route {
	const group, path = "Affiliate networks", "/networks/{id}/integration"
	row := func(method, tail, summary string, handle route.Handler, codes ...string) route.Route {
		return route.Route{
			Method: method, Path: path + tail, Group: group, Summary: summary, Handle: handle,
			Codes: append(route.Codes("404 not_found"), route.Codes(codes...)...),
		}
	}
	sync := row("POST", "/sync", "import conversions for a range; a dry run unless apply is true", route.Take(d.syncNetwork),
		"400 bad_range not_connected too_many", "502 network_error")
	sync.Slow = syncNetworkJob.Answer()
	test := row("POST", "/test", "test the network's API connection", route.Do(d.testNetwork), "400 not_connected")
	test.Slow, test.Share = testNetworkJob.Answer(), route.Sends
	return []route.Route{
		row("GET", "", "the network's API integration", route.Do(findNetworkIntegration)),
		row("PUT", "", "connect or change the network's API integration", route.Take(saveNetworkIntegration),
			"400 unknown_provider invalid_credentials no_encryption_key"),
		row("DELETE", "", "disconnect the network's API integration", route.Do(deleteNetworkIntegration)),
		sync, test,
	}
}

// NetworkIntegration is the answer of GET /networks/{id}/integration.
type NetworkIntegration struct {
	NetworkID           uuid.UUID             `json:"networkId"`
	NetworkName         string                `json:"networkName"`
	ConnectedTo         *string               `json:"connectedTo" doc:"the provider; null: not connected"`
	Credentials         map[string]string     `json:"credentials" doc:"by field; secrets are masked"`
	IsEnabled           bool                  `json:"is_enabled" doc:"orders are imported by themselves, every half hour"`
	LastStatus          *string               `json:"lastStatus" enum:"ok,error" doc:"how asking the provider went; null: it was never asked"`
	LastError           *string               `json:"lastError"`
	LastCheckedAt       *string               `json:"lastCheckedAt"`
	LastSyncedAt        *string               `json:"lastSyncedAt" doc:"when orders were last imported"`
	NextSyncAt          *string               `json:"nextSyncAt" doc:"of the next import by itself; null: there is none"`
	Runs                []IntegrationRun      `json:"runs" doc:"the last 20 imports and dry runs, the latest first; runs are kept for 90 days"`
	Providers           []NetworkProviderForm `json:"providers" doc:"what can be connected, with the fields of a form for it"`
	EncryptionAvailable bool                  `json:"encryptionAvailable" doc:"false: this install cannot store credentials"`
}

// NetworkProviderForm is a provider with the fields of its form.
type NetworkProviderForm struct {
	Provider string                        `json:"provider"`
	Label    string                        `json:"label"`
	Click    string                        `json:"click" doc:"where the provider keeps our click id"`
	Fields   []answer.CredentialFieldShown `json:"fields"`
}

// IntegrationRun describes a run of an integration.
type IntegrationRun struct {
	ID        uuid.UUID `json:"id" doc:"of its job"`
	Kind      string    `json:"kind" doc:"what it did"`
	Origin    string    `json:"origin" enum:"api,clock"`
	From      *string   `json:"from"`
	To        *string   `json:"to"`
	Applied   bool      `json:"applied" doc:"false: a dry run"`
	StartedAt string    `json:"startedAt"`
	EndedAt   *string   `json:"endedAt" doc:"null: it is under way"`
	Ms        *int64    `json:"ms"`
	Requests  int       `json:"requests"`
	Pages     int       `json:"pages"`
	Read      int       `json:"read" doc:"orders, or rows of spend"`
	Matched   int       `json:"matched"`
	Changed   int       `json:"changed" doc:"conversions that are new or others now, or days of spend"`
	Error     *string   `json:"error"`
}

// shownRuns is the maximum number of runs of each kind that GET shows.
const shownRuns = 20

func findNetworkIntegration(c *route.Call) (out NetworkIntegration, err error) {
	n, err := c.Store.Networks().Find(c.Context(), c.Account.ID, c.ID)
	if err != nil {
		return out, err
	}
	out = NetworkIntegration{
		NetworkID: n.ID, NetworkName: n.Name, Credentials: map[string]string{}, EncryptionAvailable: c.Store.Box().HasKey(),
		Providers: answer.Each(models.NetworkProviders, func(p models.NetworkProvider) NetworkProviderForm {
			return NetworkProviderForm{p.Name, p.Label, p.Click, answer.CredentialFields(p.CredentialForm)}
		}),
	}
	runs, err := c.Store.IntegrationRuns().List(c.Context(), c.Account.ID, n.ID, shownRuns)
	if err != nil {
		return out, err
	}
	out.Runs = answer.Each(runs, runShown)
	i, err := c.Store.NetworkIntegrations().Find(c.Context(), c.Account.ID, n.ID)
	switch {
	case errors.Is(err, models.NotFound("connection of the network")):
		return out, nil
	case err != nil:
		return out, err
	}
	p, _ := models.NetworkProviderNamed(i.Provider)
	out.ConnectedTo, out.Credentials, out.IsEnabled = &i.Provider, p.Masked(i.Settings), i.IsEnabled
	out.LastStatus = lastStatus(i.CheckedAt, i.Failure)
	out.LastError, out.LastCheckedAt, out.LastSyncedAt = answer.OrNull(i.Failure), answer.StampOrNull(i.CheckedAt), answer.StampOrNull(i.SyncedAt)
	if i.IsEnabled && bool(n.IsActive) {
		out.NextSyncAt = answer.StampOrNull(&i.NextAt)
	}
	return out, nil
}

func runShown(r models.IntegrationRun) IntegrationRun {
	day := func(at *time.Time) *string {
		if at == nil {
			return nil
		}
		text := at.Format(time.DateOnly)
		return &text
	}
	out := IntegrationRun{
		ID: r.ID, Kind: r.Kind, Origin: r.Origin, From: day(r.From), To: day(r.To), Applied: r.Applied, StartedAt: answer.Stamp(r.StartedAt),
		EndedAt: answer.StampOrNull(r.EndedAt), Requests: r.Requests, Pages: r.Pages, Read: r.Read, Matched: r.Matched,
		Changed: r.Changed, Error: answer.OrNull(r.Failure),
	}
	if r.EndedAt != nil {
		ms := r.EndedAt.Sub(r.StartedAt).Milliseconds()
		out.Ms = &ms
	}
	return out
}

// NetworkIntegrationBody is the body of PUT /networks/{id}/integration.
type NetworkIntegrationBody struct {
	Provider    string            `json:"provider" required:"unknown_provider" bad:"unknown_provider" trim:"true" case:"lower" doc:"one of those that the GET lists"`
	Credentials map[string]string `json:"credentials" bad:"invalid_credentials" doc:"field to value; of a change, what is blank or left out stays as it is"`
	IsEnabled   *bool             `json:"is_enabled" doc:"whether orders are imported by themselves; left out it stays, at first true"`
}

// NetworkIntegrationSaved is the answer of PUT /networks/{id}/integration.
type NetworkIntegrationSaved struct {
	Saved bool `json:"saved"`
}

// firstSync is the longest time from connecting a network to its first automatic import.
const firstSync = 5 * time.Minute

func saveNetworkIntegration(c *route.Call, b NetworkIntegrationBody) (NetworkIntegrationSaved, error) {
	if _, err := c.Store.Networks().Find(c.Context(), c.Account.ID, c.ID); err != nil {
		return NetworkIntegrationSaved{}, err
	}
	p, ok := models.NetworkProviderNamed(b.Provider)
	if !ok {
		return NetworkIntegrationSaved{}, models.Invalid("unknown_provider", "there is no provider %.60q: see GET /networks/{id}/integration", b.Provider)
	}
	next := time.Now().Add(firstSync/5 + rand.N(firstSync*4/5)) //nolint:gosec // it spreads them
	err := c.Store.NetworkIntegrations().Save(c.Context(), c.Account.ID, c.ID, p, b.Credentials, b.IsEnabled, next)
	return NetworkIntegrationSaved{err == nil}, err
}

func deleteNetworkIntegration(c *route.Call) (Disconnected, error) {
	if _, err := c.Store.Networks().Find(c.Context(), c.Account.ID, c.ID); err != nil {
		return Disconnected{}, err
	}
	ok, err := c.Store.NetworkIntegrations().Remove(c.Context(), c.Account.ID, c.ID)
	return Disconnected{ok}, err
}

// connectedNetwork returns the connection of the network in the path. Errors: not_found, not_connected.
func connectedNetwork(c *route.Call) (models.NetworkIntegration, error) {
	if _, err := c.Store.Networks().Find(c.Context(), c.Account.ID, c.ID); err != nil {
		return models.NetworkIntegration{}, err
	}
	i, err := c.Store.NetworkIntegrations().Find(c.Context(), c.Account.ID, c.ID)
	if errors.Is(err, models.NotFound("connection of the network")) {
		err = models.Invalid("not_connected", "the network is not connected: connect it by PUT /networks/{id}/integration")
	}
	return i, err
}

// NetworkTested is the answer of POST /networks/{id}/integration/test.
type NetworkTested struct {
	OK       bool    `json:"ok" doc:"the provider accepts the credentials"`
	Provider string  `json:"provider"`
	Message  string  `json:"message"`
	Detail   *string `json:"detail" doc:"what the provider said, if it fails"`
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
	From  string   `json:"from" required:"bad_range" bad:"bad_range" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"YYYY-MM-DD, in the provider's time zone; included"`
	To    string   `json:"to" required:"bad_range" bad:"bad_range" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"as from; at most 366 days"`
	Apply onlyTrue `json:"apply" doc:"only true writes; anything else is a dry run"`
}

// maxSyncDays is the longest range of an import.
const maxSyncDays = 366

func (b SyncBody) check() error {
	from, err := time.Parse(time.DateOnly, b.From)
	to, also := time.Parse(time.DateOnly, b.To)
	switch {
	case err != nil || also != nil:
		return models.Invalid("bad_range", "from and to must be days, YYYY-MM-DD")
	case to.Before(from):
		return models.Invalid("bad_range", "to lies before from")
	case to.Sub(from) >= maxSyncDays*24*time.Hour:
		return models.Invalid("bad_range", "the range may have at most %d days", maxSyncDays)
	}
	return nil
}

// NetworkSynced is the answer of POST /networks/{id}/integration/sync.
type NetworkSynced struct {
	DryRun    bool                           `json:"dryRun"`
	Provider  string                         `json:"provider"`
	From      string                         `json:"from"`
	To        string                         `json:"to"`
	Total     int                            `json:"total" doc:"orders that the provider reports"`
	Matched   int                            `json:"matched" doc:"orders that are recorded, or would be: also those that change nothing"`
	Unmatched int                            `json:"unmatched" doc:"orders that are refused, each with the reason"`
	Payout    models.Money                   `json:"payout" doc:"of the matched orders"`
	Outcomes  []correction.ConversionOutcome `json:"outcomes" doc:"one for each order; the job of an import by itself keeps those that changed something"`
}

var syncNetworkJob = slow.New(jobs.SyncNetwork, func(a jobs.CorrectionAnswer[correction.ConversionOutcome]) NetworkSynced {
	out := NetworkSynced{
		DryRun: a.DryRun, Total: a.Total, Matched: a.Accepted, Unmatched: a.Refused, Payout: models.NewMoney(a.Sum), Outcomes: a.Outcomes,
	}
	if of := a.Network; of != nil {
		out.Provider, out.From, out.To = of.Provider, of.From, of.To
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
	return syncNetworkJob.Start(c, d.Jobs, jobs.CorrectionArgs{Apply: bool(b.Apply), Network: &jobs.NetworkSync{
		NetworkID: c.ID, Provider: i.Provider, From: b.From, To: b.To, Origin: models.RunByAPI,
	}}, nil)
}
