package v1

import (
	"errors"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/geodatabase"
	"switchyard/jobs"
	"switchyard/models"
)

// geoDatabase returns the routes of /geo-database.
func geoDatabase(d Deps) []route.Route {
	const group = "Connections"
	return []route.Route{
		route.New("GET", "/geo-database", group, "the account's own geo database, if it has one", route.Handle(findGeoDatabase)),
		route.New("PUT", "/geo-database", group, "connect a geo database, change its key, or switch it on or off; a new key is tried first",
			route.HandleBody(d.saveGeoDatabase), route.Codes("400 invalid_provider key_required invalid_key key_refused no_encryption_key",
				"402 plan_limit", "502 network_error")).WithShare(route.Sends).Awaits(connectGeoJob.Answer()),
		route.New("DELETE", "/geo-database", group, "disconnect the geo database and delete its key", route.Handle(deleteGeoDatabase)),
	}
}

// GeoDatabase is the answer of GET /geo-database.
type GeoDatabase struct {
	PlanIncludes    bool          `json:"planIncludes" doc:"whether the plan allows the account a geo database of its own"`
	Connected       *GeoConnected `json:"connected" doc:"null: no database is connected, and the service's own databases describe the clicks"`
	Providers       []GeoProvider `json:"providers" doc:"the providers that can be connected"`
	BudgetPerMinute int           `json:"budgetPerMinute" doc:"how many look-ups a minute the plan allows; the answer for an address is reused for 30 days for all addresses of its network"`
}

// GeoConnected is a geo database that an account has connected. Its key is not shown.
type GeoConnected struct {
	Provider     string  `json:"provider"`
	Enabled      bool    `json:"enabled"`
	SavedAt      string  `json:"savedAt"`
	FailingSince *string `json:"failingSince" doc:"since when look-ups fail; null: the last look-up succeeded"`
	Error        *string `json:"error" doc:"why look-ups fail; null: the last look-up succeeded"`
}

// GeoProvider is a provider of geo look-ups.
type GeoProvider struct {
	Provider string `json:"provider"`
	Label    string `json:"label"`
	Key      string `json:"key" doc:"the form of the provider's keys"`
}

func findGeoDatabase(c *route.Call) (GeoDatabase, error) {
	budget := c.Account.Allowances().GeoLookups
	out := GeoDatabase{PlanIncludes: budget > 0, BudgetPerMinute: budget, Providers: answer.Each(models.GeoProviders,
		func(p models.GeoProvider) GeoProvider { return GeoProvider{p.Name, p.Label, p.KeyForm} })}
	g, err := geodatabase.New(c.Store).Find(c.Context(), c.Account.ID)
	switch {
	case errors.Is(err, models.NotFound("geo database")):
		return out, nil
	case err != nil:
		return out, err
	}
	out.Connected = &GeoConnected{
		Provider: g.Provider, Enabled: g.Enabled, SavedAt: answer.Stamp(g.SavedAt), Error: answer.OrNull(g.Failure),
		FailingSince: answer.StampOrNull(g.FailingSince),
	}
	return out, nil
}

// GeoDatabaseBody is the body of PUT /geo-database.
type GeoDatabaseBody struct {
	Provider string `json:"provider" bad:"invalid_provider" required:"invalid_provider" case:"lower" enum:"maxmind,ipinfo,ipdata,ip2location"`
	Key      string `json:"key" bad:"invalid_key" trim:"true" maxLength:"200" doc:"required to connect a provider and to change the provider; left out: the saved key is kept"`
	Enabled  *bool  `json:"enabled" default:"true"`
}

// GeoDatabaseSaved is the answer of PUT /geo-database.
type GeoDatabaseSaved struct {
	Saved    bool   `json:"saved"`
	Provider string `json:"provider"`
	Enabled  bool   `json:"enabled"`
}

var connectGeoJob = slow.New(jobs.ConnectGeo, func(a jobs.ConnectedGeo) GeoDatabaseSaved {
	return GeoDatabaseSaved{true, a.Provider, a.Enabled}
})

func (d Deps) saveGeoDatabase(c *route.Call, b GeoDatabaseBody) (out GeoDatabaseSaved, err error) {
	enabled := b.Enabled == nil || *b.Enabled
	if c.Account.Allowances().GeoLookups == 0 {
		return out, models.PlanLimit("the plan %q does not allow a geo database of your own", c.Account.Plan)
	}
	if b.Key == "" {
		err := geodatabase.New(c.Store).SetEnabled(c.Context(), c.Account.ID, b.Provider, enabled)
		if errors.Is(err, models.NotFound("geo database")) {
			return out, models.Invalid("key_required", "no key of this provider is saved: send one")
		}
		return GeoDatabaseSaved{true, b.Provider, enabled}, err
	}
	if err := models.CheckGeoKey(b.Provider, b.Key); err != nil {
		return out, err
	}
	sealed, err := geodatabase.New(c.Store).Seal(c.Account.ID, b.Key)
	if err != nil {
		return out, err
	}
	return connectGeoJob.Run(c, d.Jobs, jobs.ConnectGeoArgs{Provider: b.Provider, Key: sealed, Enabled: enabled})
}

// Disconnected is the answer of calls that disconnect a service, such as DELETE /geo-database.
type Disconnected struct {
	Disconnected bool `json:"disconnected" doc:"false: nothing was connected"`
}

func deleteGeoDatabase(c *route.Call) (Disconnected, error) {
	ok, err := geodatabase.New(c.Store).Delete(c.Context(), c.Account.ID)
	return Disconnected{ok}, err
}
