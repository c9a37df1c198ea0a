package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
)

// TestInternationalHosts: a host in Cyrillic letters is stored and answered in the ASCII form that DNS uses.
func TestInternationalHosts(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t, apitest.Options{V1: v1.Deps{BaseURL: "https://app.xn--80aairftm.xn--p1ai"}})
	const written, stored = "https://магазин.рф/?c={clickid}", "https://xn--80aairftm.xn--p1ai/?c={clickid}"
	put := func(method, path, body string, status int) string {
		body = strings.NewReplacer("WRITTEN", written, "HOST", "магазин.рф").Replace(body)
		return string(d.Do(method, path, body).Want(status, "").Raw)
	}
	lander := fmt.Sprint(d.Do("POST", "/landers", `{"name": "L", "url": "https://lp.test/"}`).Want(201, "").Map()["id"])
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		want               string
	}{
		"offer":             {"POST", "/offers", `{"name": "A", "url": "WRITTEN"}`, 201, stored},
		"lander":            {"POST", "/landers", `{"name": "A", "url": "WRITTEN"}`, 201, stored},
		"network":           {"POST", "/networks", `{"name": "A", "url": "WRITTEN"}`, 201, stored},
		"source":            {"POST", "/traffic-sources", `{"name": "A", "postback_url": "WRITTEN"}`, 201, stored},
		"campaign":          {"POST", "/campaigns", `{"name": "A", "alias": "idn-campaign", "streams": [{"action": "redirect", "destinations": [{"url": "WRITTEN"}]}], "fallback_url": "WRITTEN&f", "destination_url": "WRITTEN&d"}`, 201, stored},
		"smartlink":         {"POST", "/short-links", `{"slug": "idn", "destination_url": "WRITTEN", "domain_id": "` + addDomain(t, d.Server, "l.example") + `"}`, 201, stored},
		"webhook":           {"POST", "/webhooks", `{"url": "https://HOST/hook", "events": ["conversion.created"]}`, 201, "https://xn--80aairftm.xn--p1ai/hook"},
		"domain":            {"POST", "/domains", `{"domain": "link.пример.example"}`, 201, "link.xn--e1afmkfd.example"},
		"site":              {"POST", "/sites", `{"name": "A", "domain": "HOST"}`, 200, "xn--80aairftm.xn--p1ai"},
		"lander protection": {"PATCH", "/landers", `{"id": "` + lander + `", "protection": {"enabled": true, "mode": "click", "fallbackUrl": "WRITTEN", "referrers": ["HOST"]}}`, 200, `["xn--80aairftm.xn--p1ai"]`},
	} {
		if got := put(c.method, c.path, c.body, c.status); !strings.Contains(got, c.want) || strings.ContainsAny(got, "мп") {
			t.Errorf("%s: want the host in its ASCII form only: %s", name, got)
		}
	}
	// The dashboard's own host is refused in Cyrillic letters too, and so is a host that begins with a hyphen.
	d.Do("POST", "/offers", `{"name": "B", "url": "https://app.магазин.рф/"}`).Want(400, "invalid_url")
	d.Do("POST", "/offers", `{"name": "B", "url": "https://-магазин.рф/"}`).Want(400, "invalid_url")
}
