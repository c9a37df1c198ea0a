package v1_test

import "testing"

// TestUnroutableAddresses: no record accepts an address with tokens before the path, a user name, or an invalid host or port.
func TestUnroutableAddresses(t *testing.T) {
	t.Parallel()
	s := newCampaignEnv(t)
	campaign := campaignPath(s.make(t, s.campaign("C"))["id"])
	for _, url := range []string{
		"https://{sub1}/", "https://{country}.x.example/", "https://x.example:{sub1}/", "https://a:b@x.example/",
		"https://{sub1}@x.example/", "https://-münchen.example/", "https://x.example:99999/", "https://x..example/",
	} {
		for _, call := range []struct {
			method, path string
			body         map[string]any
			code         string
		}{
			{"POST", "/offers", map[string]any{"name": "x", "url": url}, "invalid_url"},
			{"POST", "/landers", map[string]any{"name": "x", "url": url}, "invalid_url"},
			{"PUT", "/landers", map[string]any{"id": s.lander, "name": "x", "url": url}, "invalid_url"},
			{"PATCH", "/landers", map[string]any{"id": s.lander, "protection": fallback(url)}, "invalid_fallback"},
			{"PATCH", campaign, map[string]any{"destination_url": url}, "invalid_destination_url"},
			{"PATCH", campaign, map[string]any{"fallback_url": url}, "invalid_fallback_url"},
		} {
			if a := s.Do(call.method, call.path, call.body); a.Status != 400 || a.Code != call.code {
				t.Errorf("%s: %s %s answers %d %s, want %s", url, call.method, call.path, a.Status, a.Code, call.code)
			}
		}
	}
}

func fallback(url string) map[string]any { return map[string]any{"fallbackUrl": url} }
