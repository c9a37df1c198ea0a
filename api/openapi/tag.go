package openapi

import (
	"net/http"

	"switchyard/api/click/tag"
	"switchyard/models"
)

// tagCall describes a call that a page may make to the page tag.
type tagCall struct{ Call, Doc string }

var tagCalls = []tagCall{
	{`trk('goal', 'key', {value, currency, order_id, items})`, "reaches the goal of that key"},
	{`trk('goal', 'key', {user: {email, phone}, consent: 'granted'})`, "the same with personal data of the visitor, see [Personal data](#personal-data); any event can have them"},
	{`trk('signup', {…})`, "the same as `trk('goal', 'signup', {…})`; likewise `lead` and `purchase`"},
	{`trk('view')`, "tells a view of what the page shows now; the tag does so by itself whenever the path changes"},
	{`trk('click', {slot: 1})`, "tells a click on a slot; the tag does so by itself for links with `data-trk-slot`"},
	{`trk('identify', {external_id})`, "tells what you call this visitor"},
	{`trk('consent')`, "the visitor agrees: what waited is stored and sent"},
	{`trk('consent', false)`, "the visitor refuses: everything that was stored in the browser is deleted"},
	{`trk.clickId()`, "the id of the click that brought the visitor, or an empty text"},
	{`trk.ready(f)`, "calls f once the tag has looked for the click; before it is loaded, `trk('ready', f)`"},
}

// tagField describes a field of a page event.
type tagField struct {
	Name, Doc string
	schema    object
}

var tagFields = []tagField{
	{"id", "the event's own; what is sent again with the same id is stored once", object{"type": "string", "minLength": 1, "maxLength": tag.MaxID}},
	{
		"name", "`" + models.EventView + "`, `" + models.EventClick + "`, `" + models.EventIdentify + "`, or the key of a goal",
		object{"type": "string", "pattern": models.GoalKeyForm},
	},
	{"at", "when it happened, in milliseconds, by the clock of `now`", object{"type": "number"}},
	{"url", "host and path of the page; which site it is of, and which page goal it reaches", object{"type": "string"}},
	{"ref", "host and path of the page before", object{"type": "string"}},
	{"click", "the click id that the page knows", object{"type": "string"}},
	{"from", "where the page has it from", object{"type": "string", "enum": []string{"", "url", "cookie", "local"}}},
	{"ad", "click of an ad platform, such as `gclid=XYZ`", object{"type": "string"}},
	{"value", "what it is worth", object{"type": "number"}},
	{"currency", "of the value; else that of the goal or of the site", object{"type": "string"}},
	{"order_id", "your id of the order; a goal that counts per order counts each once", object{"type": "string"}},
	{"items", "what was ordered", object{"type": "array", "items": object{"type": "object", "properties": object{
		"sku": object{"type": "string"}, "name": object{"type": "string"}, "price": object{"type": "number"},
		"quantity": object{"type": "number"},
	}}}},
	{"slot", "that was clicked", object{"type": "number"}},
	{"external_id", "of `" + models.EventIdentify + "`", object{"type": "string"}},
	{"tz", "of a view: the browser's minutes east of UTC", object{"type": "number"}},
	{"screen", "of a view: width x height", object{"type": "string"}},
	{"user", userDoc + "; see Personal data", userSchema()},
	{"consent", consentDoc, consentSchema},
	{"webdriver", "of a view: whether a program drives the browser", object{"type": "boolean"}},
}

// tagAddresses lists the addresses of the page tag.
var tagAddresses = []address{
	{
		http.MethodGet, "/t.js", "loadTag", "page of your own", "the page tag", nil,
		object{"200": object{"description": "the script", "content": object{
			"text/javascript": object{"schema": object{"type": "string"}},
		}}},
		nil,
	},
	{
		http.MethodPost, "/t/event", "sendPageEvents", "page tag", "tells what visitors did on a page", nil,
		object{
			"200": object{"description": "some events are stored, the others are none, or some personal data are not kept"},
			"204": object{"description": "all events are stored"},
			"400": object{"description": "bad_body, no_events, invalid_event, bad_key, invalid_value: no event is stored"},
			"404": object{"description": "unknown_site_key, or no_site: the account has no active site"},
			"413": object{"description": "too_large"},
			"429": object{"description": "rate_limited: send it again later"},
			"503": object{"description": "unavailable: send it again later"},
		},
		object{"type": "object", "required": []string{"site", "events"}, "properties": object{
			"site":   object{"type": "string", "description": "the account's site key"},
			"now":    object{"type": "number", "description": "the sender's time, in milliseconds"},
			"events": object{"type": "array", "minItems": 1, "maxItems": tag.MaxEvents, "items": tagEvent()},
		}},
	},
	{
		http.MethodGet, "/t/h/{click}", "followHiddenLink", "program",
		"a link that the page tag hides from people: whoever follows it makes the click a bot's",
		[]object{textParam("path", "click", "the click that led to the page")},
		object{"204": object{"description": "always, also for a click that there is not"}},
		nil,
	},
}

func tagEvent() object {
	fields := object{}
	for _, f := range tagFields {
		f.schema["description"] = f.Doc
		fields[f.Name] = f.schema
	}
	return object{"type": "object", "required": []string{"id", "name"}, "properties": fields}
}
