// Package apiversion lists the versions of other services' APIs that the adapters use, with the day on which each ends. Operators
// are warned before that day, and `make audit` fails if a row of the table was not checked for a year.
package apiversion

import (
	"slices"
	"time"

	"switchyard/models"
)

// Version is a version of an API. Page is the document or the SDK that was read on the day Checked. Days are YYYY-MM-DD.
type Version struct {
	Provider string // name in models.SourceProviders, NetworkProviders, DNSProviders or GeoProviders, or of an adapter
	Version  string // the version in the form that URLs and headers of requests use
	Ends     string // first day without the version; if the page names a month, its first day; empty: no end is announced
	Setting  string // the setting of the install that selects another version; empty: there is no setting
	Old      bool   // the version is used only if the setting selects it
	Checked  string
	Page     string
}

const (
	googleSchedule    = "https://developers.google.com/ads/blog/posts/2025/09/more-frequent-releases-coming-for"
	anthropicVersions = "https://platform.claude.com/docs/en/api/versioning"
	legoDNS           = "https://github.com/go-acme/lego"
	metaVersions      = "https://developers.facebook.com/documentation/ads-commerce/marketing-api/marketing-api-changelog/versions"
)

const (
	googleSetting = "GOOGLE_ADS_VERSION"
	metaSetting   = "META_VERSION"
)

// Versions is the table. A new version gets a new row. The former row is marked as Old, and stays at least until its version
// ends.
var Versions = []Version{
	{Provider: models.GoogleAds, Version: models.GoogleAdsVersion, Ends: "2027-11-01", Setting: googleSetting, Checked: "2026-11-26", Page: googleSchedule},
	{Provider: models.GoogleAds, Version: "v25", Ends: "2027-08-01", Setting: googleSetting, Old: true, Checked: "2026-11-26", Page: googleSchedule},
	{Provider: models.GoogleAds, Version: "v24", Ends: "2027-05-01", Setting: googleSetting, Old: true, Checked: "2026-11-26", Page: googleSchedule},
	{Provider: models.GoogleAds, Version: "v23", Ends: "2027-02-01", Setting: googleSetting, Old: true, Checked: "2026-11-26", Page: googleSchedule},
	{Provider: models.Meta, Version: models.MetaVersion, Setting: metaSetting, Checked: "2026-11-26", Page: metaVersions},
	{Provider: models.Meta, Version: "v26.0", Setting: metaSetting, Old: true, Checked: "2026-11-26", Page: metaVersions},
	{Provider: models.Meta, Version: "v25.0", Ends: "2027-02-23", Setting: metaSetting, Old: true, Checked: "2026-11-26", Page: metaVersions},
	{Provider: models.Meta, Version: "v24.0", Ends: "2026-11-10", Setting: metaSetting, Old: true, Checked: "2026-11-26", Page: metaVersions},
	{Provider: models.MicrosoftAds, Version: "v13", Checked: "2026-11-26", Page: "https://techcommunity.microsoft.com/blog/adsapiblog/bing-ads-api-version-12-sunset/1110955"},
	{Provider: "tiktok", Version: "v1.3", Checked: "2026-11-25", Page: "https://github.com/tiktok/tiktok-business-api-sdk"},
	{Provider: "taboola", Version: "1.0", Checked: "2026-11-25", Page: "https://github.com/singer-io/tap-taboola"},
	{Provider: "outbrain", Version: "v0.1", Checked: "2026-11-25", Page: "https://github.com/airbytehq/airbyte"},
	{Provider: "mgid", Version: "v1", Checked: "2026-11-26", Page: "https://help.mgid.com/api-advertisers"},
	{Provider: "revcontent", Version: "v1.0", Checked: "2026-11-26", Page: "https://api.revcontent.io/docs/stats/"},
	{Provider: "propellerads", Version: "v5", Checked: "2026-11-26", Page: "https://github.com/TheBoroer/propellerads-mcp"},
	{Provider: "exoclick", Version: "v2", Checked: "2026-11-25", Page: "https://github.com/adam-szerdahelyi/go-exoclick"},
	{Provider: "snapchat", Version: "v1", Checked: "2026-11-26", Page: "https://developers.snap.com/api/marketing-api/Ads-API/measurement"},
	{Provider: "snapchat", Version: "v3", Checked: "2026-11-26", Page: "https://developers.snap.com/api/marketing-api/Conversions-API"},
	{Provider: "trafficstars", Version: "v1.1", Checked: "2026-11-26", Page: "https://trafficstars.com/blog/how-to-use-trafficstars-api"},
	{Provider: "trafficstars", Version: "v1", Checked: "2026-11-26", Page: "https://trafficstars.com/blog/how-to-use-trafficstars-api"}, // the version for tokens
	{Provider: "pinterest", Version: "v5", Checked: "2026-11-26", Page: "https://github.com/pinterest/api-description"},
	{Provider: "reddit", Version: "v3", Checked: "2026-11-26", Page: "https://ads-api.reddit.com/docs/v3/"},
	{Provider: "reddit", Version: "v1", Checked: "2026-11-26", Page: "https://github.com/reddit-archive/reddit/wiki/OAuth2"}, // the version for signing in
	{Provider: "openai_ads", Version: "v1", Checked: "2026-11-26", Page: "https://developers.openai.com/ads"},
	{Provider: "microsoft_uet", Version: "v1", Checked: "2026-11-26", Page: "https://github.com/segmentio/action-destinations"},
	{Provider: "safe_browsing", Version: "v5", Checked: "2026-11-26", Page: "https://developers.google.com/safe-browsing/reference/rest/v5/urls/search"},
	{Provider: "web_risk", Version: "v1", Checked: "2026-11-25", Page: "https://cloud.google.com/web-risk/docs/reference/rest/v1/uris/search"},
	{Provider: "maxmind", Version: "v2.1", Checked: "2026-11-25", Page: "https://github.com/maxmind/GeoIP2-python"},
	{Provider: "google_data_manager", Version: "v1", Checked: "2026-11-25", Page: "https://github.com/googleads/data-manager-python"},
	{Provider: "affise", Version: "3.0", Checked: "2026-11-25", Page: "https://github.com/affise/php-sdk"},
	{Provider: "clickbank", Version: "1.3", Checked: "2026-11-25", Page: "https://github.com/OcelliSolutions/OpenClickBank"},
	{Provider: "everflow", Version: "v1", Checked: "2026-11-25", Page: "https://developers.everflow.io/api-reference/get-affiliatesreportingconversion"},
	{Provider: "impact", Version: "16", Checked: "2026-11-25", Page: "https://github.com/api-evangelist/impact"},
	{Provider: "rakuten", Version: "1.0", Checked: "2026-11-25", Page: "https://developers.rakutenadvertising.com/guides/events"},
	{Provider: "anthropic", Version: "v1", Checked: "2026-11-26", Page: anthropicVersions},
	{Provider: "anthropic", Version: "2023-06-01", Checked: "2026-11-26", Page: anthropicVersions},
	{Provider: "openai", Version: "v1", Checked: "2026-11-25", Page: "https://github.com/openai/openai-openapi"},
	{Provider: "openrouter", Version: "v1", Checked: "2026-11-25", Page: "https://github.com/OpenRouterTeam/typescript-sdk"},
	{Provider: "gemini", Version: "v1beta", Checked: "2026-11-25", Page: "https://github.com/googleapis/googleapis"},
	{Provider: "cloudflare", Version: "v4", Checked: "2026-11-25", Page: "https://github.com/cloudflare/cloudflare-go"},
	{Provider: "hetzner", Version: "v1", Checked: "2026-11-25", Page: "https://github.com/hetznercloud/hcloud-go"},
	{Provider: "digitalocean", Version: "v2", Checked: "2026-11-25", Page: "https://github.com/digitalocean/godo"},
	{Provider: "porkbun", Version: "v3", Checked: "2026-11-25", Page: "https://github.com/libdns/porkbun"},
	{Provider: "desec", Version: "v1", Checked: "2026-11-25", Page: legoDNS},
	{Provider: "linode", Version: "v4", Checked: "2026-11-25", Page: "https://github.com/linode/linodego"},
	{Provider: "vultr", Version: "v2", Checked: "2026-11-25", Page: "https://github.com/vultr/govultr"},
	{Provider: "dnsimple", Version: "v2", Checked: "2026-11-25", Page: legoDNS},
	{Provider: "godaddy", Version: "v1", Checked: "2026-11-25", Page: legoDNS},
	{Provider: "gandi", Version: "v5", Checked: "2026-11-25", Page: legoDNS},
	{Provider: "netlify", Version: "v1", Checked: "2026-11-25", Page: legoDNS},
	{Provider: "powerdns", Version: "v1", Checked: "2026-11-25", Page: "https://github.com/PowerDNS/pdns"},
	{Provider: "ovh", Version: "1.0", Checked: "2026-11-25", Page: legoDNS},
	{Provider: "route53", Version: "2013-04-01", Checked: "2026-11-25", Page: legoDNS},
	{Provider: "googleclouddns", Version: "v1", Checked: "2026-11-25", Page: legoDNS},
	{Provider: "azure", Version: "2018-05-01", Checked: "2026-11-25", Page: legoDNS},
}

// Used returns the versions that an install uses. chosen has the versions that settings select, by provider. A selected version
// that is not in the table gets an empty Ends.
func Used(chosen map[string]string) []Version {
	var used []Version
	for _, v := range Versions {
		named := chosen[v.Provider]
		switch {
		case named == "" && !v.Old, named == v.Version:
			used = append(used, v)
		case !v.Old && !slices.ContainsFunc(Versions, func(o Version) bool { return o.Provider == v.Provider && o.Version == named }):
			used = append(used, Version{Provider: v.Provider, Version: named, Setting: v.Setting})
		}
	}
	return used
}

// Notice is the time before the end of a version at which operators are first warned.
const Notice = 60 * 24 * time.Hour

// Left returns the time until the version ends. known is false if no end is announced.
func (v Version) Left(now time.Time) (left time.Duration, known bool) {
	ends, err := time.Parse(time.DateOnly, v.Ends)
	if err != nil {
		return 0, false
	}
	return ends.Sub(now), true
}

// EndsSoon reports whether operators must be warned that the version ends.
func (v Version) EndsSoon(now time.Time) bool {
	left, known := v.Left(now)
	return known && left < Notice
}

const maxAge = 365 * 24 * time.Hour

// Stale returns the rows whose page was last read more than a year ago.
func Stale(now time.Time) (stale []Version) {
	for _, v := range Versions {
		if read, err := time.Parse(time.DateOnly, v.Checked); err != nil || now.Sub(read) > maxAge {
			stale = append(stale, v)
		}
	}
	return stale
}
