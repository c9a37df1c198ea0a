package models

import "testing"

func TestRights(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string]Rights{
		"": RightsRead, "read": RightsRead, "change read": RightsChange, "propose": RightsPropose, "offline_access openid": RightsRead, "CHANGE": RightsRead,
	} {
		if got := RightsOfScope(scope); got != want {
			t.Errorf("%q: %s, want %s", scope, got, want)
		}
	}
	for role, want := range map[Role][3]Rights{
		RoleViewer: {RightsRead, RightsRead, RightsRead}, RoleContributor: {RightsRead, RightsPropose, RightsChange},
		RoleOwner: {RightsRead, RightsPropose, RightsChange}, "": {},
	} {
		for i, r := range AllRights {
			if got := r.Within(role); got != want[i] {
				t.Errorf("%s of a %q: %q, want %q", r, role, got, want[i])
			}
		}
	}
	if Rights("all").Includes(RightsRead) || RightsPropose.Scope() != "read propose" || RightsPropose.KeyScope() != ScopeReadOnly || RightsChange.KeyScope() != ScopeFull {
		t.Error("Includes, Scope or KeyScope returns the wrong rights")
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	c := AssistantClient{RedirectURIs: []string{"https://a.example/cb", "http://127.0.0.1:7777/cb?x=1", "http://[::1]/cb"}}
	for redirect, want := range map[string]bool{
		"https://a.example/cb": true, "http://127.0.0.1:7777/cb?x=1": true, "http://127.0.0.1:1/cb?x=1": true, "http://127.0.0.1/cb?x=1": true,
		"http://[::1]:9/cb":        true,
		"https://a.example:443/cb": false, "https://a.example/cb/": false, "https://A.example/cb": false, "https://a.example/cb?x": false, "https://a.example/cb#x": false,
		"http://127.0.0.1:1/cb": false, "https://127.0.0.1:1/cb?x=1": false, "http://127.0.0.1.evil.example/cb?x=1": false, "http://127.0.0.1:1@evil.example/cb?x=1": false,
		"http://localhost/cb?x=1": false, "": false, "javascript:alert(1)": false,
	} {
		if got := c.Allows(redirect); got != want {
			t.Errorf("the redirect address %q is allowed: %v, want %v", redirect, got, want)
		}
	}
	for id, want := range map[string]bool{
		"https://a.example/client.json": true, "https://a.example/c?v=1": true, "https://a.example": false, "https://a.example/": false, "http://a.example/c": false,
		"https://a.example/c#x": false, "https://u@a.example/c": false, "https://a.example/x/../c": false, "sy_client_x": false, "https:///c": false,
	} {
		if got := IsClientDocument(id); got != want {
			t.Errorf("%q can be the URL of a document: %v, want %v", id, got, want)
		}
	}
	if !LooksLikeAccessToken(NewAccessToken()) || LooksLikeAccessToken(NewRefreshToken()) || LooksLikeAccessToken(NewAPIKey(ScopeFull)) || LooksLikeAPIKey(NewAccessToken()) {
		t.Error("LooksLikeAccessToken or LooksLikeAPIKey takes one kind of secret for another, or refuses an access token")
	}
}
