package oauthtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/workers/providers/rest/resttest"
)

// api serves the platforms' APIs for users who have signed in.
func (p *Platforms) api(rw http.ResponseWriter, r *http.Request, provider, path string) {
	u, ok := p.userOf(r, provider)
	switch provider {
	case models.GoogleAds:
		p.google(rw, r, path, ok)
	case models.MicrosoftAds:
		p.microsoft(rw, r, path, u, ok)
	case models.Meta:
		p.meta(rw, r, path, u, ok)
	default:
		fakes[provider].api(p, rw, r, path, u, ok)
	}
}

// fake is the fake of a platform whose sign-in follows OAuth 2 without exceptions.
type fake struct {
	basic   bool // the app's id and secret come by HTTP Basic authentication
	rotates bool // a refresh ends the previous refresh token
	sparse  bool // ad accounts have neither a time zone nor a status
	api     func(p *Platforms, rw http.ResponseWriter, r *http.Request, path string, u User, ok bool)
}

// fakes has the fakes by the name of the provider. Microsoft has an entry only because it rotates refresh tokens.
var fakes = map[string]fake{
	models.MicrosoftAds: {rotates: true},
	models.Snapchat:     snapchat,
	models.Pinterest:    pinterest,
	models.Reddit:       reddit,
}

// Rotates reports whether a platform issues a new refresh token with each refresh.
func Rotates(provider string) bool { return fakes[provider].rotates }

// Sparse reports whether a platform reports neither the time zone nor the status of ad accounts.
func Sparse(provider string) bool { return fakes[provider].sparse }

// Unreachable is a Google account that is listed but refuses requests.
const Unreachable = "9990000000"

// google serves Google's API. It lists Unreachable and the first account, which is a manager with all other accounts below it.
func (p *Platforms) google(rw http.ResponseWriter, r *http.Request, path string, ok bool) {
	fail := func(status int, word, reason string) {
		resttest.JSON(rw, status, map[string]any{"error": map[string]any{"code": status, "message": "Request failed.", "status": word, "details": []any{
			map[string]any{"@type": "type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure", "errors": []any{
				map[string]any{"errorCode": map[string]string{googleErrors[reason]: reason}, "message": reason},
			}},
		}}})
	}
	ids := p.adAccounts(models.GoogleAds)
	_, call, _ := strings.Cut(path, "/") // the part after the version
	switch {
	case !ok:
		fail(http.StatusUnauthorized, "UNAUTHENTICATED", "OAUTH_TOKEN_EXPIRED")
	case p.googleActions(rw, r, call, fail):
	case call == "customers:listAccessibleCustomers" && r.Method == http.MethodGet && r.Header.Get("Login-Customer-Id") == "":
		names := []string{}
		if len(ids) > 0 {
			names = append(names, "customers/"+ids[0], "customers/"+Unreachable)
		}
		resttest.JSON(rw, http.StatusOK, map[string]any{"resourceNames": names})
	case call == "customers/"+Unreachable+"/googleAds:searchStream":
		fail(http.StatusForbidden, "PERMISSION_DENIED", "CUSTOMER_NOT_ENABLED")
	case len(ids) > 0 && call == "customers/"+ids[0]+"/googleAds:searchStream" && r.Header.Get("Login-Customer-Id") == ids[0]:
		var chunks []any
		for i, id := range ids { // each in a message of its own
			client := map[string]any{
				"resourceName": "customers/" + ids[0] + "/customerClients/" + id, "id": id, "descriptiveName": "Shop " + id,
				"currencyCode": "EUR", "timeZone": "Europe/Berlin", "status": "ENABLED", "level": strconv.Itoa(min(i, 1)),
			}
			if i == 0 {
				client["manager"] = true
			}
			chunks = append(chunks, map[string]any{"results": []any{map[string]any{"customerClient": client}}, "requestId": "r"})
		}
		resttest.JSON(rw, http.StatusOK, append(chunks, map[string]any{"requestId": "r"}))
	default:
		fail(http.StatusNotFound, "NOT_FOUND", "RESOURCE_NAME_MISSING")
	}
}

// googleErrors maps each reason to the member of google.ads.googleads.errors.ErrorCode that holds it.
var googleErrors = map[string]string{
	"OAUTH_TOKEN_EXPIRED": "authenticationError", "CUSTOMER_NOT_ENABLED": "authorizationError", "REQUIRED": "fieldError",
	"DUPLICATE_NAME": "conversionActionError", "RESOURCE_NAME_MISSING": "requestError",
}

// microsoft serves Microsoft's API. The list of ad accounts has pages of the requested size.
func (p *Platforms) microsoft(rw http.ResponseWriter, r *http.Request, path string, u User, ok bool) {
	fail := func(status, code int, word string) {
		resttest.JSON(rw, status, map[string]any{"TrackingId": "t", "Type": "AdApiFaultDetail", "Errors": []any{
			map[string]any{"Code": code, "ErrorCode": word, "Message": "Authentication failed: " + word, "Detail": nil},
		}})
	}
	var body struct {
		Predicates []struct{ Field, Operator, Value string }
		PageInfo   struct{ Index, Size int }
	}
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &body)
	switch {
	case !ok:
		fail(http.StatusUnauthorized, 109, "AuthenticationTokenExpired")
	case r.Header.Get("Developertoken") != Apps()[models.MicrosoftAds].DeveloperToken:
		fail(http.StatusUnauthorized, 105, "InvalidCredentials")
	case strings.HasPrefix(path, "CampaignManagement/") && r.Header.Get("Customeraccountid") != "":
		p.microsoftGoals(rw, path, raw, fail)
	case path == "CustomerManagement/v13/User/Query":
		resttest.JSON(rw, http.StatusOK, map[string]any{"User": map[string]any{"Id": "42" + u.ID, "UserName": u.Name}, "CustomerRoles": []any{}})
	case path == "CustomerManagement/v13/Accounts/Search" && len(body.Predicates) == 1 && body.Predicates[0].Value == "42"+u.ID && body.PageInfo.Size > 0:
		all := p.adAccounts(models.MicrosoftAds)
		from := min(body.PageInfo.Index*body.PageInfo.Size, len(all))
		list := []any{}
		for _, id := range all[from:min(from+body.PageInfo.Size, len(all))] {
			list = append(list, map[string]any{
				"Id": id, "Name": "Shop " + id, "Number": "B0" + id, "ParentCustomerId": "250", "CurrencyCode": "USD",
				"AccountLifeCycleStatus": "Active", "TimeZone": "PacificTimeUSCanadaTijuana",
			})
		}
		resttest.JSON(rw, http.StatusOK, map[string]any{"Accounts": list})
	default:
		fail(http.StatusBadRequest, 100, "NullRequest")
	}
}

// metaPage is the number of ad accounts on a page, whatever the request asks for.
const metaPage = 3

func (p *Platforms) meta(rw http.ResponseWriter, r *http.Request, path string, u User, ok bool) {
	switch {
	case !ok:
		refuse(rw, models.Meta, http.StatusBadRequest, "invalid_grant", "Error validating access token: it has expired.")
	case path == "me":
		resttest.JSON(rw, http.StatusOK, map[string]string{"id": u.ID, "name": u.Name})
	case path == "me/adaccounts" && strings.Contains(r.Form.Get("fields"), "account_id"):
		all := p.adAccounts(models.Meta)
		from, _ := strconv.Atoi(r.Form.Get("after"))
		to := min(from+metaPage, len(all))
		list := []any{}
		for _, id := range all[min(from, to):to] {
			list = append(list, map[string]any{
				"id": "act_" + id, "account_id": id, "name": "Shop " + id, "currency": "USD", "account_status": 1, "timezone_name": "America/New_York",
			})
		}
		paging := map[string]any{"cursors": map[string]string{"before": strconv.Itoa(from), "after": strconv.Itoa(to)}}
		if to < len(all) {
			paging["next"] = "https://elsewhere.example/me/adaccounts?after=" + strconv.Itoa(to)
		}
		resttest.JSON(rw, http.StatusOK, map[string]any{"data": list, "paging": paging})
	default:
		refuse(rw, models.Meta, http.StatusBadRequest, "unknown", "Unknown path components")
	}
}
