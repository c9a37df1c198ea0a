package openapi

import (
	"maps"
	"net/http"
	"strconv"
	"strings"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/postback"
)

// address describes an address at which tracking domains answer.
type address struct {
	Method, Path string
	ID           string // the operation's id
	Who          string // who sends requests to the address
	Doc          string
	params       []object // parameters of the path come before parameters of the query
	answers      object
	body         object // the schema of the request body; nil: no body
}

// trackingServer is the server of the addresses in the document.
var trackingServer = object{
	"url": "https://{domain}", "description": "a tracking domain",
	"variables": object{"domain": object{
		"default": "links.example.com", "description": "the shared link domain, or a domain of the account",
	}},
}

// textParam describes a text parameter in the path, the query or a header.
func textParam(in, name, doc string) object {
	return object{
		"name": name, "in": in, "required": in == "path", "description": doc, "schema": object{"type": "string"},
	}
}

func redirectAnswers() object {
	return object{
		"302": object{"description": "the visitor is sent on", "headers": object{
			"Location": object{"schema": object{"type": "string"}, "description": "the address to which the visitor is sent"},
		}},
		"404": object{"description": "no address was found to which the visitor can be sent"},
		"503": object{"description": "the browser loaded the link ahead of a click; it requests the link again when its user clicks"},
	}
}

// addresses lists the addresses of tracking domains that are in the document. api/click answers at them.
var addresses = append(linkAddresses, tagAddresses...)

var linkAddresses = []address{
	{
		http.MethodGet, "/{slug}", "followLink", "visitor",
		"a tracking link, by the campaign's alias, or a smartlink, by its slug; the parameters are those that the traffic source names",
		[]object{textParam("path", "slug", "alias of a campaign, or slug of a smartlink")},
		redirectAnswers(), nil,
	},
	{
		http.MethodGet, "/out", "clickOut", "visitor of a landing page", "sends the visitor to an offer of the first slot",
		[]object{textParam("query", "clickid", "the click that led to the page; needed if the browser does not send the click's cookie")},
		redirectAnswers(), nil,
	},
	{
		http.MethodGet, "/out/{slot}", "clickOutSlot", "visitor of a landing page", "sends the visitor to an offer of a slot",
		[]object{
			{"name": "slot", "in": "path", "required": true, "description": "the click slot", "schema": object{
				"type": "integer", "minimum": 1, "maximum": flow.MaxSlot,
			}},
			textParam("query", "clickid", "the click that led to the page; needed if the browser does not send the click's cookie"),
		},
		redirectAnswers(), nil,
	},
	{http.MethodGet, "/postback", "sendPostback", "shop", "reports a conversion", postbackParams(), postbackAnswers(), nil},
	{
		http.MethodGet, "/postback/{id}", "sendNetworkPostback", "affiliate network",
		"reports a conversion, which is read with the settings of a network; POST with a form or a JSON object does the same",
		append([]object{textParam("path", "id", "id of the network")}, postbackParams()...), postbackAnswers(), nil,
	},
	{
		http.MethodGet, "/pixel.gif", "loadPixel", "visitor of a shop", "reports a conversion from the visitor's own browser",
		postbackParams(),
		object{"200": object{
			"description": "a transparent image", "content": object{"image/gif": object{"schema": object{"type": "string"}}},
		}},
		nil,
	},
	{
		http.MethodPost, "/t/goal", "sendGoals", "server of a shop",
		"reports goals that visitors have reached, one or a list of at most 1,000",
		[]object{
			textParam("header", "X-Site-Key", "the account's siteKey, if the message is signed"),
			textParam("header", "X-Signature", "hex HMAC-SHA256 of the body with the goal secret as the key; a message without it needs Authorization: Bearer with the secret"),
		},
		goalAnswers(),
		object{"oneOf": []any{goalSchema, object{"type": "array", "maxItems": 1000, "items": goalSchema}}},
	},
	{
		http.MethodGet, "/lp/verify", "verifyVisitor", "protected landing page", "asks whether a visitor came through a tracking link",
		[]object{
			textParam("query", "key", "the lp_key of the page's address, for mode signed"),
			textParam("query", "clickid", "the clickid of the page's address, for mode click"),
			textParam("query", "lander", "the page's id"), textParam("query", "ip", "the visitor's address, if the page's server asks"),
			textParam("query", "ua", "the visitor's user agent, if the page's server asks"),
		},
		object{"200": object{"description": "whether the page may be shown", "content": jsonContent(object{
			"type": "object", "required": []string{"data"}, "properties": object{"data": object{
				"type": "object", "required": []string{"allowed", "reason", "fallback_url"}, "properties": object{
					"allowed": object{"type": "boolean"}, "reason": object{"type": "string"},
					"fallback_url": object{"type": []string{"string", "null"}, "description": "the address to which visitors who are not allowed to see the page are sent"},
				},
			}},
		})}},
		nil,
	},
}

func postbackParams() (out []object) {
	for _, f := range postback.Fields() {
		p := textParam("query", f.Params[0], f.Doc)
		if f.Name == "status" {
			p["description"] = f.Doc + "; " + strings.Join([]string{
				models.StatusApproved, models.StatusPending, models.StatusRejected, models.StatusChargeback,
			}, ", ")
		}
		out = append(out, p)
	}
	out = append(out, personalParams()...)
	return append(out, textParam("query", "return", "the text with which an accepted postback is answered, in place of JSON: at most "+
		strconv.Itoa(postback.MaxAnswer)+" printable ASCII characters without < and >"))
}

func postbackAnswers() object {
	content := jsonContent(enveloped(object{"type": "object", "properties": object{"result": object{"type": "string"}}}))
	content["text/plain"] = object{"schema": object{"type": "string", "description": "the parameter return, or the network's answer_text"}}
	return object{"200": object{"description": "the postback is stored; GET /logs/postbacks has its result", "content": content}}
}

var goalSchema = object{
	"type": "object", "required": []string{"click_id", "goal"}, "properties": object{
		"click_id": object{"type": "string", "description": "id of the visitor's click; the click need not be stored yet"},
		"goal":     object{"type": "string", "description": "key of an active goal"},
		"order_id": object{"type": "string", "description": "required by a goal that counts per_order; each order id counts once"},
		"value":    object{"type": "number", "minimum": 0, "description": "for a goal whose valueMode is from_event"},
		"currency": object{"type": "string", "description": "three letters; if it is left out, the currency of the goal or else of the site counts"},
		"time":     object{"type": "string", "description": "ISO 8601 or seconds since 1970; if it is left out, older than 30 days or in the future, the present time counts"},
		"event_id": object{"type": "string", "description": "your own id of the event; an event that is sent again with this id counts once. Without an id, an identical object counts once"},
		"site":     object{"type": "string", "format": "uuid", "description": "id of the site; if it is left out, the first active site that has the goal"},
		"user":     userSchema(), "consent": consentSchema,
		"items": object{"type": "array", "description": "products of the order, at most 100", "items": object{
			"type": "object", "properties": object{
				"sku": object{"type": "string"}, "name": object{"type": "string"}, "price": object{"type": "number"},
				"quantity": object{"type": "integer"},
			},
		}},
	},
}

func goalAnswers() object {
	count, word := object{"type": "integer"}, object{"type": []string{"string", "null"}}
	return object{
		"200": object{"description": "the result of each goal, in the order of the list", "content": jsonContent(enveloped(object{
			"type": "object", "properties": object{
				"accepted": count, "refused": count, "results": object{"type": "array", "items": object{
					"type": "object", "properties": object{
						"result": object{"type": "string", "enum": []string{"accepted", "refused"}}, "code": word, "message": word,
						"not_kept": notKeptSchema(),
					},
				}},
			},
		}))},
		"400": object{"description": "bad_body, no_goals, or the code of a goal that was sent alone: bad_goal, invalid_click_id, " +
			"unknown_goal, no_order_id, invalid_order_id, invalid_value, invalid_currency, invalid_time"},
		"401": object{"description": "wrong_secret"},
		"413": object{"description": "too_large: more than 1 MiB or 1,000 goals"},
		"429": object{"description": "rate_limited: no goal is accepted; send all again"},
		"503": object{"description": "unavailable: no goal is accepted; send all again"},
	}
}

const trackingGroup = "Tracking domains"

// addTracking adds the addresses of tracking domains to the paths, with their examples.
func addTracking(paths object) {
	for _, a := range addresses {
		e := exampleOf(a.Method, a.Path)
		params := db.Map(a.params, func(p object) object { return parameterExample(maps.Clone(p), e.Query, e.Path) })
		op := object{
			"operationId": a.ID, "summary": a.Doc, "description": descriptions()[a.Method+" "+a.Path] + " Called by: " + a.Who + ". See /docs/tracking.",
			"tags": []string{trackingGroup}, "security": []any{}, "parameters": params, "responses": a.responses(e),
		}
		if a.body != nil {
			body := object{"required": true, "content": jsonContent(a.body)}
			withExample(body, e.Body)
			op["requestBody"] = body
		}
		paths[a.Path] = object{"servers": []any{trackingServer}, strings.ToLower(a.Method): op}
	}
}

func (a address) responses(e Example) object {
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
		content := maps.Clone(answer["content"].(object))
		content["application/json"] = object{"schema": content["application/json"].(object)["schema"], "example": e.Answer}
		answer["content"] = content
	}
	out[strconv.Itoa(e.Status)] = answer
	return out
}
