package alerts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"switchyard/db"
	"switchyard/models"
)

func linkAlert(p models.LinkProblem, alertType, severity, message string) Alert {
	return Alert{
		Type: alertType, Severity: severity, Kind: p.Kind, ID: p.ID, Name: p.Name, URL: &p.URL, Message: message,
		Status: p.State.Status, Threats: append([]string{}, p.Threats...), Since: p.Since,
		CheckedAt: p.CheckedAt,
	}
}

func brokenLinks(ctx context.Context, l reading) ([]Alert, error) {
	links, err := l.Store.Links().Broken(ctx, l.account.ID)
	return db.Map(links, func(p models.LinkProblem) Alert {
		return linkAlert(p, models.EventLinkBroken, Warning, p.State.Error)
	}), err
}

func unsafeLinks(ctx context.Context, l reading) ([]Alert, error) {
	links, err := l.Store.Links().Unsafe(ctx, l.account.ID)
	return db.Map(links, func(p models.LinkProblem) Alert {
		message := "listed as " + strings.Join(p.Threats, ", ")
		if p.FailedOver > 0 {
			message += fmt.Sprintf("; %d campaigns moved to %s", p.FailedOver, p.FailedOverTo)
		}
		return linkAlert(p, models.EventLinkUnsafe, Critical, message)
	}), err
}

// failingWebhooks lists the active endpoints at which at least the last models.FailingReceiver attempts failed.
func failingWebhooks(ctx context.Context, l reading) ([]Alert, error) {
	hooks, err := l.Store.Webhooks().List(ctx, l.account.ID)
	hooks = slices.DeleteFunc(hooks, func(w models.Webhook) bool {
		return !w.Active || w.FailingSince == nil || w.Failures < models.FailingReceiver
	})
	return db.Map(hooks, func(w models.Webhook) Alert {
		return Alert{
			Type: "webhook.failing", Severity: Warning, Kind: "webhook", ID: w.ID, Name: w.Name, URL: &w.URL,
			Message: fmt.Sprintf("the last %d attempts to deliver failed", w.Failures),
			Since:   *w.FailingSince,
		}
	}), err
}
