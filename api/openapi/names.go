package openapi

import (
	"net/http"
	"strings"

	"switchyard/api/route"
)

// named holds the names of operations whose name does not follow from method and path.
var named = map[string]string{
	"GET /openapi.json":                          "getDescription",
	"GET /campaigns/{id}/stats":                  "getCampaignStats",
	"DELETE /campaigns/{id}/stats":               "deleteCampaignStats",
	"GET /campaigns/{id}/funnel":                 "getCampaignFunnel",
	"PATCH /campaigns/{id}/flow":                 "updateCampaignPath",
	"GET /campaigns/activity":                    "getCampaignActivity",
	"GET /campaigns/arrivals":                    "getCampaignArrivals",
	"POST /alerts/channels":                      "addAlertChannel",
	"PATCH /alerts/channels":                     "updateAlertChannel",
	"POST /alerts/channels/confirm":              "confirmAlertChannel",
	"POST /copilot/rules/replay":                 "replayCopilotRule",
	"POST /corrections/conversions":              "correctConversions",
	"POST /corrections/cost":                     "correctCost",
	"POST /domains":                              "createDomains",
	"POST /domains/{id}/certificate":             "requestDomainCertificate",
	"DELETE /domains/{id}/certificate":           "releaseDomainCertificate",
	"GET /logs/clicks":                           "listClicks",
	"GET /logs/clicks/{clickId}":                 "getClick",
	"GET /logs/conversions":                      "listConversions",
	"GET /logs/smartlink-clicks":                 "listSmartlinkClicks",
	"GET /logs/repeat-ips":                       "listRepeatIPs",
	"POST /logs/postbacks/replay":                "replayPostbacks",
	"PATCH /short-links":                         "updateSmartlink",
	"DELETE /short-links/{id}/stats":             "deleteSmartlinkStats",
	"POST /network-templates":                    "saveNetworkTemplates",
	"POST /campaigns/{id}/test-click":            "testCampaign",
	"POST /networks/{id}/test-postback":          "testNetwork",
	"POST /networks/import":                      "importNetwork",
	"GET /networks/{id}/template":                "exportNetwork",
	"POST /traffic-sources/import":               "importTrafficSource",
	"GET /traffic-sources/{id}/template":         "exportTrafficSource",
	"GET /traffic-sources/{id}/integration":      "getSourceIntegration",
	"PUT /traffic-sources/{id}/integration":      "saveSourceIntegration",
	"POST /traffic-sources/{id}/integration":     "runSourceIntegration",
	"DELETE /traffic-sources/{id}/integration":   "deleteSourceIntegration",
	"GET /networks/{id}/integration":             "getNetworkIntegration",
	"PUT /networks/{id}/integration":             "saveNetworkIntegration",
	"DELETE /networks/{id}/integration":          "deleteNetworkIntegration",
	"POST /networks/{id}/integration/sync":       "syncNetwork",
	"POST /networks/{id}/integration/test":       "testNetworkIntegration",
	"PATCH /settings":                            "updateSettings",
	"GET /plan":                                  "getPlan",
	"GET /plan/usage":                            "getPlanUsage",
	"GET /reports/exports/{id}":                  "downloadReportExport",
	"GET /reports/orphaned":                      "getOrphanedReport",
	"DELETE /reports/orphaned":                   "deleteOrphaned",
	"GET /reports/performance":                   "getPerformanceReport",
	"GET /reports/trends":                        "getTrendsReport",
	"GET /reports/values":                        "listDimensionValues",
	"GET /stats/breakdown":                       "getSourceBreakdown",
	"GET /stats/hourly":                          "getHourlyStats",
	"GET /stats/live":                            "getLiveVisitors",
	"GET /stats/overview":                        "getOverview",
	"GET /stats/timeseries":                      "getTimeseries",
	"POST /tools/check-links":                    "checkLink",
	"GET /tools/routing":                         "listRouting",
	"POST /tools/simulate":                       "simulate",
	"GET /webhooks/deliveries":                   "listWebhookDeliveries",
	"POST /webhooks/deliveries/redeliver":        "redeliverWebhook",
	"POST /webhooks/deliveries/redeliver-failed": "redeliverFailedWebhooks",
}

// verbs are the last parts of paths that name an action.
var verbs = []string{"clone", "verify", "point", "replay", "redeliver", "rotate", "test"}

// operationID returns the name that an operation has in generated clients, such as listCampaigns, createCampaign or cloneCampaign.
func operationID(row route.Route) string {
	if name, ok := named[row.Method+" "+row.Path]; ok {
		return name
	}
	parts := strings.Split(strings.Trim(row.Path, "/"), "/")
	last := parts[len(parts)-1]
	for _, verb := range verbs {
		if last == verb {
			return verb + nouns(parts[:len(parts)-1], true)
		}
	}
	one := strings.HasPrefix(last, "{")
	switch row.Method {
	case http.MethodGet:
		if one || !row.Page && !strings.HasSuffix(last, "s") {
			return "get" + nouns(parts, true)
		}
		return "list" + nouns(parts, false)
	case http.MethodPost:
		return "create" + nouns(parts, true)
	case http.MethodPut:
		return "replace" + nouns(parts, true)
	case http.MethodPatch:
		return "update" + nouns(parts, true)
	}
	return "delete" + nouns(parts, true)
}

// nouns joins the parts of a path in upper camel case. All parts except the last are put in the singular, and with one the last part
// too. Parameters in braces and the parts logs and tools are left out.
func nouns(parts []string, one bool) string {
	var words []string
	for _, part := range parts {
		if !strings.HasPrefix(part, "{") && part != "logs" && part != "tools" {
			words = append(words, strings.Replace(part, "short-links", "smartlinks", 1))
		}
	}
	var out strings.Builder
	for i, word := range words {
		if one || i < len(words)-1 {
			word = strings.TrimSuffix(word, "s")
		}
		for piece := range strings.SplitSeq(word, "-") {
			out.WriteString(strings.ToUpper(piece[:1]) + piece[1:])
		}
	}
	return out.String()
}
