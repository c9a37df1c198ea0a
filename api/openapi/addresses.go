package openapi

import (
	"maps"
	"net/http"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/postback"
)

// address is one of those that tracking domains answer.
type address struct {
	Method, Path string
	ID           string // of the operation
	Who, Doc     string
	params       []object // of the path first
	answers      object
}

// trackingServer stands for the domains of links.
var trackingServer = object{
	"url": "https://{domain}", "description": "a tracking domain",
	"variables": object{"domain": object{
		"default": "links.example.com", "description": "the shared link domain, or a domain of the account",
	}},
}

func text(in, name, doc string) object {
	return object{
		"name": name, "in": in, "required": in == "path", "description": doc, "schema": object{"type": "string"},
	}
}

func onward() object {
	return object{
		"302": object{"description": "the visitor is sent on", "headers": object{
			"Location": object{"schema": object{"type": "string"}, "description": "where to"},
		}},
		"404": object{"description": "there is no such link, and no fallback"},
	}
}

// addresses are those of tracking domains, as api/click answers them.
var addresses = []address{
	{
		http.MethodGet, "/{slug}", "followLink", "visitor",
		"a tracking link, by the campaign's alias, or a smartlink, by its slug; the parameters are those that the traffic source names",
		[]object{text("path", "slug", "alias of a campaign, or slug of a smartlink")},
		onward(),
	},
	{
		http.MethodGet, "/out", "clickOut", "visitor of a landing page", "goes on to an offer of the first slot",
		[]object{text("query", "clickid", "the click that led to the page, where its cookie is not sent")},
		onward(),
	},
	{
		http.MethodGet, "/out/{slot}", "clickOutSlot", "visitor of a landing page", "goes on to an offer of a slot",
		[]object{
			{"name": "slot", "in": "path", "required": true, "description": "the click slot", "schema": object{
				"type": "integer", "minimum": 1, "maximum": flow.MaxSlot,
			}},
			text("query", "clickid", "the click that led to the page, where its cookie is not sent"),
		},
		onward(),
	},
	{http.MethodGet, "/postback", "sendPostback", "shop", "reports a conversion", postbackParams(), postbackAnswers()},
	{
		http.MethodGet, "/postback/{id}", "sendNetworkPostback", "affiliate network",
		"reports a conversion, by the settings of a network; POST with a form or a JSON object does the same",
		append([]object{text("path", "id", "of the network")}, postbackParams()...), postbackAnswers(),
	},
	{
		http.MethodGet, "/pixel.gif", "loadPixel", "visitor of a shop", "reports a conversion from the visitor's own browser",
		postbackParams(),
		object{"200": object{
			"description": "a transparent image", "content": object{"image/gif": object{"schema": object{"type": "string"}}},
		}},
	},
	{
		http.MethodGet, "/lp/verify", "verifyVisitor", "protected landing page", "asks whether a visitor came through a tracking link",
		[]object{
			text("query", "key", "mode signed: the lp_key of the page's address"), text("query", "clickid", "mode click: the clickid of the page's address"),
			text("query", "lander", "the page's id"), text("query", "ip", "of the visitor, when a server asks"),
			text("query", "ua", "of the visitor, when a server asks"),
		},
		object{"200": object{"description": "whether the page may be shown", "content": jsonContent(object{
			"type": "object", "required": []string{"data"}, "properties": object{"data": object{
				"type": "object", "required": []string{"allowed", "reason", "fallback_url"}, "properties": object{
					"allowed": object{"type": "boolean"}, "reason": object{"type": "string"},
					"fallback_url": object{"type": []string{"string", "null"}, "description": "where everybody else goes"},
				},
			}},
		})}},
	},
}

func postbackParams() (out []object) {
	for _, f := range postback.Fields() {
		p := text("query", f.Params[0], f.Doc)
		if f.Name == "status" {
			p["description"] = f.Doc + "; " + strings.Join([]string{
				models.StatusApproved, models.StatusPending, models.StatusRejected, models.StatusChargeback,
			}, ", ")
		}
		out = append(out, p)
	}
	return out
}

func postbackAnswers() object {
	return object{"200": object{"description": "it is kept; what became of it is in GET /logs/postbacks", "content": jsonContent(object{
		"type": "object", "required": []string{"data", "error"}, "properties": object{
			"data": object{"type": "object", "properties": object{"result": object{"type": "string"}}}, "error": object{"type": "null"},
		},
	})}}
}

const trackingGroup = "Tracking domains"

// addTracking adds the addresses of tracking domains to the paths, with their examples.
func addTracking(paths object) {
	for _, a := range addresses {
		e := exampleOf(a.Method, a.Path)
		params := []object{}
		for _, p := range a.params {
			params = append(params, parameterExample(maps.Clone(p), e.Query, e.Path))
		}
		paths[a.Path] = object{
			"servers": []any{trackingServer},
			strings.ToLower(a.Method): object{
				"operationId": a.ID, "summary": a.Doc, "description": descriptions()[a.Method+" "+a.Path] + " Called by: " + a.Who + ". See /docs/tracking.",
				"tags": []string{trackingGroup}, "security": []any{}, "parameters": params, "responses": a.shown(e),
			},
		}
	}
}

// shown are the answers of an address, one of them with the example.
func (a address) shown(e Example) object {
	out := maps.Clone(a.answers)
	answer, ok := out[strconv.Itoa(e.Status)].(object)
	if !ok {
		return out
	}
	answer = maps.Clone(answer)
	if e.Location != "" {
		location := maps.Clone(answer["headers"].(object)["Location"].(object))
		location["example"] = e.Location
		answer["headers"] = object{"Location": location}
	}
	if e.Answer != nil {
		answer["content"] = object{"application/json": object{
			"schema": answer["content"].(object)["application/json"].(object)["schema"], "example": e.Answer,
		}}
	}
	out[strconv.Itoa(e.Status)] = answer
	return out
}
