package oauth

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// microsoft signs in at Microsoft, for the Microsoft Advertising API, version 13. Each refresh returns a new refresh token.
// Requests for ad accounts also need the install's developer token. Not verified: the form of id tokens. The user name is
// taken from the id token if there is one.
var microsoft = platform{ //nolint:gosec // names of settings are no secrets
	name: models.MicrosoftAds, settings: "MICROSOFT_ADS_CLIENT_ID and MICROSOFT_ADS_CLIENT_SECRET",
	authorize:    "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
	token:        "https://login.microsoftonline.com/common/oauth2/v2.0/token",
	base:         "https://clientcenter.api.bingads.microsoft.com",
	scopes:       []string{"openid", "profile", "offline_access", "https://ads.microsoft.com/msads.manage"},
	signInParams: map[string]string{"prompt": "select_account"}, // several people may share a browser
	accounts:     microsoftAccounts,
	denies:       microsoftDenies,
}

const microsoftPage = 100

func microsoftAccounts(ctx context.Context, s *session) ([]Account, error) {
	if s.app.DeveloperToken == "" {
		return nil, errNotConfigured("MICROSOFT_ADS_DEVELOPER_TOKEN")
	}
	header := map[string]string{"DeveloperToken": s.app.DeveloperToken}
	var login struct{ User rest.Record }
	err := s.call(ctx, rest.Request{
		Method: http.MethodPost, Path: "/CustomerManagement/v13/User/Query", Repeat: true, Header: header, Body: map[string]any{"UserId": nil},
	}, &login)
	if err != nil {
		return nil, err
	}
	var out []Account
	for page := 0; len(out) < MaxAccounts; page++ {
		var answer struct{ Accounts []rest.Record }
		err := s.call(ctx, rest.Request{
			Method: http.MethodPost, Path: "/CustomerManagement/v13/Accounts/Search", Repeat: true, Header: header, Body: map[string]any{
				"Predicates": []any{map[string]string{"Field": "UserId", "Operator": "Equals", "Value": login.User.Get("Id")}},
				"PageInfo":   map[string]int{"Index": page, "Size": microsoftPage},
			},
		}, &answer)
		if err != nil {
			return nil, err
		}
		for _, a := range answer.Accounts {
			out = append(out, Account{
				ID: a.Get("Id"), ParentID: a.Get("ParentCustomerId"), Name: a.Get("Name"), Currency: a.Get("CurrencyCode"),
				TimeZone: a.Get("TimeZone"), Status: strings.ToLower(a.Get("AccountLifeCycleStatus")),
			})
		}
		if len(answer.Accounts) < microsoftPage {
			break
		}
	}
	return out, nil
}

// microsoftDenies reads the codes of a fault: 105 is InvalidCredentials, 109 AuthenticationTokenExpired.
func microsoftDenies(status int, body []byte) bool {
	type coded struct{ Code int }
	var fault struct{ Errors []coded }
	if json.Unmarshal(body, &fault) == nil && len(fault.Errors) > 0 {
		return slices.ContainsFunc(fault.Errors, func(e coded) bool { return e.Code == 105 || e.Code == 109 })
	}
	return status == http.StatusUnauthorized
}
