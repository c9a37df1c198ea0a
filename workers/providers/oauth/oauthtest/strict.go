package oauthtest

import (
	"mime"
	"net/http"
	"strings"

	"switchyard/models"
)

// pageParams has the parameters that sign-in pages have in addition to OAuth 2 and PKCE, by provider.
var pageParams = map[string]string{
	models.GoogleAds:    "access_type prompt include_granted_scopes login_hint",
	models.MicrosoftAds: "prompt response_mode login_hint domain_hint",
	models.Meta:         "auth_type display",
	models.Reddit:       "duration",
}

const (
	standardPage  = "client_id response_type redirect_uri scope state code_challenge code_challenge_method"
	standardToken = "grant_type client_id client_secret code redirect_uri code_verifier refresh_token scope"
)

// tokenParams has the parameters that token endpoints have in addition to OAuth 2 and PKCE, by provider.
var tokenParams = map[string]string{models.Meta: "fb_exchange_token", models.Pinterest: "continuous_refresh"}

// unknownParam returns the name of a parameter that no list names or that occurs twice, or "".
func unknownParam(values map[string][]string, lists ...string) string {
	known := " " + strings.Join(lists, " ") + " "
	for name, list := range values {
		if len(list) != 1 || !strings.Contains(known, " "+name+" ") {
			return name
		}
	}
	return ""
}

// tokenFlaw returns what is wrong with a request for a token, or "". Only Meta accepts parameters in the query.
func tokenFlaw(r *http.Request, provider string) string {
	if provider != models.Meta {
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" || r.URL.RawQuery != "" {
			return "the parameters must be a form in the body"
		}
	}
	if name := unknownParam(r.Form, standardToken, tokenParams[provider]); name != "" {
		return "unknown or repeated parameter " + name
	}
	return ""
}
