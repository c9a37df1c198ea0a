package alerts

import (
	"context"

	"switchyard/db"
	"switchyard/db/copilot"
)

// matchedRules returns the alerts that are open about the targets of active rules.
func matchedRules(ctx context.Context, l reading) ([]Alert, error) {
	found, err := copilot.NewRules(l.Store).Alerts(ctx, l.account.ID)
	return db.Map(found, func(a copilot.RuleAlert) Alert {
		return Alert{
			Type: "rule.matched", Severity: Warning, Kind: "copilot_rule", ID: a.RuleID, Name: a.Rule + ": " + a.Name, Message: a.Message,
			Since: a.Since,
		}
	}), err
}
