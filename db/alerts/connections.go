package alerts

import (
	"context"
	"errors"
	"fmt"

	"switchyard/db"
	"switchyard/db/geodatabase"
	"switchyard/db/integration"
	"switchyard/db/oauth"
	"switchyard/models"
)

// failingNetworks lists the networks whose import of orders failed several times in a row.
func failingNetworks(ctx context.Context, l reading) ([]Alert, error) {
	found, err := integration.NewNetworks(l.Store).Failing(ctx, l.account.ID)
	return failingIntegrations("network.failing", "network", found), err
}

func failingIntegrations(alertType, kind string, list []integration.Failing) []Alert {
	return db.Map(list, func(i integration.Failing) Alert {
		return Alert{
			Type: alertType, Severity: Warning, Kind: kind, ID: i.ID, Name: i.Name,
			Message: fmt.Sprintf("requests to %s failed %d times in a row: %s", i.Provider, i.Failures, i.Failure),
			Since:   i.Since, CheckedAt: i.CheckedAt,
		}
	})
}

// failingSpend lists the traffic sources whose import of spend failed several times in a row.
func failingSpend(ctx context.Context, l reading) ([]Alert, error) {
	found, err := integration.NewSources(l.Store).Failing(ctx, l.account.ID)
	return failingIntegrations("spend.failing", "source", found), err
}

// troubledUploads lists the traffic sources whose uploads of conversions were stopped, or failed several times in a row.
func troubledUploads(ctx context.Context, l reading) ([]Alert, error) {
	found, err := integration.NewSources(l.Store).TroubledUploads(ctx, l.account.ID)
	return db.Map(found, func(s integration.TroubledUploads) Alert {
		a := Alert{
			Type: "uploads.failing", Severity: Warning, Kind: "source", ID: s.ID, Name: s.Name,
			Message: fmt.Sprintf("uploads of conversions to %s failed %d times in a row: %s", s.Provider, s.Failures, s.Failure),
			Since:   s.Since,
		}
		if s.Stopped != "" {
			a.Type, a.Severity = "uploads.stopped", Critical
			a.Message = s.Stopped + ": uploads are stopped"
		}
		return a
	}), err
}

// troubledConnections lists the connections by sign-in that the platform no longer accepts, or whose tokens cannot be renewed.
func troubledConnections(ctx context.Context, l reading) ([]Alert, error) {
	found, err := oauth.NewConnections(l.Store).Troubled(ctx, l.account.ID, l.now)
	return db.Map(found, func(k models.OAuthConnection) Alert {
		a := Alert{
			Type: "oauth.failing", Severity: Warning, Kind: "oauth_connection", ID: k.ID, Name: k.Name(),
			Message: "its tokens could not be renewed: " + k.Failure, Since: *k.Since,
		}
		if k.Status == models.OAuthRevoked {
			a.Type, a.Severity, a.Message = "oauth.revoked", Critical, "the platform no longer accepts the sign-in, sign in again: "+k.Failure
		}
		return a
	}), err
}

// failingGeoDatabase returns the alert of a geo database whose last look-up failed.
func failingGeoDatabase(ctx context.Context, l reading) ([]Alert, error) {
	g, err := geodatabase.New(l.Store).Find(ctx, l.account.ID)
	switch {
	case errors.Is(err, models.NotFound("geo database")):
		return nil, nil
	case err != nil || !g.Enabled || g.FailingSince == nil:
		return nil, err
	}
	return []Alert{{
		Type: "geo_database.failing", Severity: Warning, Kind: "account", ID: l.account.ID, Name: g.Provider,
		Message: g.Failure + ": clicks are described by the service's own databases",
		Since:   *g.FailingSince,
	}}, nil
}
