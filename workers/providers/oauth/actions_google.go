package oauth

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"switchyard/workers/providers/rest"
)

const googleActionQuery = "SELECT conversion_action.id, conversion_action.name, conversion_action.resource_name, conversion_action.type, " +
	"conversion_action.status, conversion_action.category, conversion_action.owner_customer FROM conversion_action " +
	"WHERE conversion_action.type = 'UPLOAD_CLICKS' AND conversion_action.status = 'ENABLED'"

// googleResource returns the resource name of an action under the customer that owns it. Uploads are sent to this customer.
// Where a manager account tracks the conversions of its accounts, the owner is the manager.
func googleResource(action rest.Record) string {
	owner := action.Get("ownerCustomer") // "customers/" and the id of the customer
	if owner == "" {
		return action.Get("resourceName")
	}
	return owner + "/conversionActions/" + action.Get("id")
}

// googleOf returns the path and the headers for a customer. People often write ids with hyphens.
func googleOf(a Advertiser) (path string, header map[string]string) {
	digits := func(id string) string { return strings.ReplaceAll(strings.TrimSpace(id), "-", "") }
	if login := digits(a.Credentials["login_customer_id"]); login != "" {
		header = map[string]string{"login-customer-id": login}
	}
	return "/customers/" + digits(a.Credentials["customer_id"]), header
}

func googleActions(ctx context.Context, s *session, a Advertiser) ([]Action, error) {
	path, header := googleOf(a)
	var chunks []struct {
		Results []struct {
			Action rest.Record `json:"conversionAction"`
		} `json:"results"`
	}
	err := s.call(ctx, rest.Request{
		Method: http.MethodPost, Path: path + "/googleAds:searchStream", Repeat: true, Header: header,
		Body: map[string]string{"query": googleActionQuery},
	}, &chunks)
	out := []Action{}
	for _, chunk := range chunks {
		for _, r := range chunk.Results {
			v := r.Action
			out = append(out, Action{
				ID: v.Get("id"), Name: v.Get("name"), Category: v.Get("category"), Status: strings.ToLower(v.Get("status")), Resource: googleResource(v),
			})
		}
	}
	return out, err
}

// googleCreate creates an action for purchases. Every purchase counts, with its uploaded value.
func googleCreate(ctx context.Context, s *session, a Advertiser, name string) (Action, error) {
	const category, status = "PURCHASE", "ENABLED"
	path, header := googleOf(a)
	var answer struct {
		Results []struct {
			Resource string `json:"resourceName"`
		} `json:"results"`
	}
	err := s.call(ctx, rest.Request{Method: http.MethodPost, Path: path + "/conversionActions:mutate", Header: header, Body: map[string]any{
		"operations": []any{map[string]any{"create": map[string]any{
			"name": name, "type": "UPLOAD_CLICKS", "category": category, "status": status, "countingType": "MANY_PER_CLICK",
			"valueSettings": map[string]any{
				"defaultValue": 0, "defaultCurrencyCode": cmp.Or(a.Currency, "USD"), "alwaysUseDefaultValue": false,
			},
		}}},
	}}, &answer)
	if err != nil {
		return Action{}, err
	}
	if len(answer.Results) != 1 {
		return Action{}, rest.ErrForm
	}
	resource := answer.Results[0].Resource
	_, id, found := strings.Cut(resource, "/conversionActions/")
	if !found {
		return Action{}, rest.ErrForm
	}
	return Action{ID: id, Name: name, Category: category, Status: strings.ToLower(status), Resource: resource}, nil
}
