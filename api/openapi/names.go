package openapi

import (
	"net/http"
	"slices"
	"strings"

	"switchyard/api/route"
)

// named holds the names of operations whose name does not follow from method and path.
var named = map[string]string{
	"GET /openapi.json":                          "getDescription",
	"GET /campaigns/{id}/stats":                  "getCampaignStats",
	"DELETE /campaigns/{id}/stats":               "deleteCampaignStats",
	"PATCH /campaigns/{id}/flow":                 "updateCampaignPath",
	"GET /campaigns/arrivals":                    "getCampaignArrivals",
	"POST /alerts/channels":                      "addAlertChannel",
	"GET /config/checks/curl":                    "getConfigCheckScript",
	"POST /config/checks/compare":                "compareConfigChecks",
	"POST /corrections/conversions":              "correctConversions",
	"POST /corrections/cost":                     "correctCost",
	"POST /corrections/cost/set":                 "setCost",
	"GET /corrections/cost/changes":              "listCostChanges",
	"POST /corrections/cost/changes/{id}/undo":   "undoCost",
	"POST /domains":                              "createDomains",
	"POST /domains/{id}/certificate":             "requestDomainCertificate",
	"DELETE /domains/{id}/certificate":           "releaseDomainCertificate",
	"GET /logs/repeat-ips":                       "listRepeatIPs",
	"POST /logs/postbacks/replay":                "replayPostbacks",
	"POST /logs/postbacks/redeliver-failed":      "redeliverFailedPostbacks",
	"DELETE /short-links/{id}/stats":             "deleteSmartlinkStats",
	"POST /network-templates":                    "saveNetworkTemplates",
	"POST /campaigns/{id}/test-click":            "testCampaign",
	"POST /networks/{id}/test-postback":          "testNetwork",
	"GET /networks/{id}/template":                "exportNetwork",
	"GET /traffic-sources/{id}/subs":             "listSourceSubs",
	"GET /traffic-sources/{id}/template":         "exportTrafficSource",
	"GET /traffic-sources/{id}/integration":      "getSourceIntegration",
	"PUT /traffic-sources/{id}/integration":      "saveSourceIntegration",
	"POST /traffic-sources/{id}/integration":     "runSourceIntegration",
	"DELETE /traffic-sources/{id}/integration":   "deleteSourceIntegration",
	"PUT /networks/{id}/integration":             "saveNetworkIntegration",
	"POST /networks/{id}/integration/sync":       "syncNetwork",
	"PATCH /settings":                            "updateSettings",
	"GET /old-tracker":                           "findOldTracker",
	"PUT /old-tracker":                           "updateOldTracker",
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
	"POST /webhooks/deliveries/redeliver":        "redeliverWebhook",
	"POST /webhooks/deliveries/redeliver-failed": "redeliverFailedWebhooks",
}

// verbs are words that name an action at the end of a path.
var verbs = []string{"clone", "verify", "point", "replay", "redeliver", "rotate", "test", "import", "confirm", "simulate"}

// operationID returns the name that an operation has in generated clients, such as listCampaigns, createCampaign or cloneCampaign.
func operationID(row route.Route) string {
	if name, ok := named[row.Method+" "+row.Path]; ok {
		return name
	}
	parts := strings.Split(strings.Trim(row.Path, "/"), "/")
	last := parts[len(parts)-1]
	if slices.Contains(verbs, last) {
		return last + nouns(parts[:len(parts)-1], true)
	}
	isRecord := strings.HasPrefix(last, "{")
	switch row.Method {
	case http.MethodGet:
		if isRecord || !row.Page && !strings.HasSuffix(last, "s") {
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

// nouns joins the parts of a path in upper camel case, except parameters, logs and tools.
func nouns(parts []string, singular bool) string {
	var words []string
	for _, part := range parts {
		if !strings.HasPrefix(part, "{") && part != "logs" && part != "tools" {
			words = append(words, strings.Replace(part, "short-links", "smartlinks", 1))
		}
	}
	var out strings.Builder
	for i, word := range words {
		if singular || i < len(words)-1 {
			word = strings.TrimSuffix(word, "s")
		}
		for piece := range strings.SplitSeq(word, "-") {
			out.WriteString(strings.ToUpper(piece[:1]) + piece[1:])
		}
	}
	return out.String()
}
