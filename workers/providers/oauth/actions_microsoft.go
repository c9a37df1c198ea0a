package oauth

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"switchyard/workers/providers/rest"
)

// microsoftCampaigns is the address of the API for campaigns.
const microsoftCampaigns = "https://campaign.api.bingads.microsoft.com"

// microsoftPartial has the errors for the failed parts of a request that has a successful status.
type microsoftPartial []*struct {
	Code    int    `json:"Code"`
	Name    string `json:"ErrorCode"`
	Message string `json:"Message"`
}

func (p microsoftPartial) err() error {
	for _, e := range p {
		if e != nil {
			return fmt.Errorf("the platform refused: %s", strings.TrimSpace(e.Name+" "+e.Message))
		}
	}
	return nil
}

// repeat marks a request that changes nothing, so it may be sent again.
const repeat = true

func microsoftCall(ctx context.Context, s *session, a Advertiser, path string, repeat bool, body, into any) error {
	if s.app.DeveloperToken == "" {
		return errNotConfigured("MICROSOFT_ADS_DEVELOPER_TOKEN")
	}
	header := map[string]string{"DeveloperToken": s.app.DeveloperToken, "CustomerAccountId": strings.TrimSpace(a.Credentials["account_id"])}
	if customer := strings.TrimSpace(a.Credentials["customer_id"]); customer != "" {
		header["CustomerId"] = customer
	}
	api := *s
	if s.client.o.URL == "" {
		api.Base = microsoftCampaigns
	}
	return api.call(ctx, rest.Request{
		Method: http.MethodPost, Path: "/CampaignManagement/v13/ConversionGoals" + path, Repeat: repeat, Header: header, Body: body,
	}, into)
}

// microsoftGoals lists the offline goals that are active.
func microsoftGoals(ctx context.Context, s *session, a Advertiser) ([]Action, error) {
	var answer struct {
		Goals   []rest.Record    `json:"ConversionGoals"`
		Partial microsoftPartial `json:"PartialErrors"`
	}
	err := microsoftCall(ctx, s, a, "/QueryByIds", repeat, map[string]any{
		"ConversionGoalIds": nil, "ConversionGoalTypes": "OfflineConversion",
	}, &answer)
	if err == nil {
		err = answer.Partial.err()
	}
	out := []Action{}
	for _, g := range answer.Goals {
		kind, status := g.Get("Type"), g.Get("Status")
		if g != nil && (kind == "" || kind == "OfflineConversion") && (status == "" || status == "Active") {
			out = append(out, Action{ID: g.Get("Id"), Name: g.Get("Name"), Category: g.Get("GoalCategory"), Status: strings.ToLower(status)})
		}
	}
	return out, err
}

// microsoftCreate creates a goal for purchases. Every purchase counts, with its uploaded value.
func microsoftCreate(ctx context.Context, s *session, a Advertiser, name string) (Action, error) {
	const category, status, days = "Purchase", "Active", 30
	var answer struct {
		IDs     []*string        `json:"ConversionGoalIds"`
		Partial microsoftPartial `json:"PartialErrors"`
	}
	err := microsoftCall(ctx, s, a, "", !repeat, map[string]any{"ConversionGoals": []any{map[string]any{
		"Type": "OfflineConversion", "Name": name, "Status": status, "Scope": "Account", "CountType": "All",
		"ConversionWindowInMinutes": days * 24 * 60, "GoalCategory": category,
		"Revenue": map[string]any{"Type": "VariableValue", "Value": 0, "CurrencyCode": cmp.Or(a.Currency, "USD")},
	}}}, &answer)
	if err == nil {
		err = answer.Partial.err()
	}
	switch {
	case err != nil:
		return Action{}, err
	case len(answer.IDs) != 1 || answer.IDs[0] == nil:
		return Action{}, rest.ErrForm
	}
	return Action{ID: *answer.IDs[0], Name: name, Category: category, Status: strings.ToLower(status)}, nil
}
