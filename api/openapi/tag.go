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
	{`trk('signup', {…})`, "the same as `trk('goal', 'signup', {…})`; `lead` and `purchase` work in the same way"},
	{`trk('view')`, "reports a view of the present page; the tag does this itself when the path changes"},
	{`trk('click', {slot: 1})`, "reports a click on a slot; the tag does this itself for links with `data-trk-slot`"},
	{`trk('identify', {external_id})`, "sends your own id of this visitor"},
	{`trk('consent')`, "the visitor agrees: events that waited for the consent are stored and sent"},
	{`trk('consent', false)`, "the visitor refuses: everything that was stored in the browser is deleted"},
	{`trk.clickId()`, "the id of the click that brought the visitor, or an empty text"},
	{`trk.ready(f)`, "calls f once the tag has looked for the click; while the tag is not loaded yet, call `trk('ready', f)`"},
}

// tagField describes a field of a page event.
type tagField struct {
	Name, Doc string
	schema    object
}

var tagFields = []tagField{
	{"id", "id of the event; an event that is sent again with the same id is stored once", object{"type": "string", "minLength": 1, "maxLength": tag.MaxID}},
	{
		"name", "`" + models.EventView + "`, `" + models.EventClick + "`, `" + models.EventIdentify + "`, or the key of a goal",
		object{"type": "string", "pattern": models.GoalKeyForm},
	},
	{"at", "when the event happened, in milliseconds, by the same clock as `now`", object{"type": "number"}},
	{"url", "host and path of the page; they decide which site the event belongs to and which page goal it reaches", object{"type": "string"}},
	{"ref", "host and path of the previous page", object{"type": "string"}},
	{"click", "the click id that the page knows", object{"type": "string"}},
	{"from", "where the page found the click id", object{"type": "string", "enum": []string{"", "url", "cookie", "local"}}},
	{"ad", "an ad platform's click id with its parameter, such as `gclid=XYZ`", object{"type": "string"}},
	{"value", "what the event is worth", object{"type": "number"}},
	{"currency", "currency of the value. If it is left out, the goal's currency applies, or else the site's", object{"type": "string"}},
	{"order_id", "your id of the order; a goal that counts per order counts each order id once", object{"type": "string"}},
	{"items", "what was ordered", object{"type": "array", "items": object{"type": "object", "properties": object{
		"sku": object{"type": "string"}, "name": object{"type": "string"}, "price": object{"type": "number"},
		"quantity": object{"type": "number"},
	}}}},
	{"slot", "for a click: the slot that was clicked", object{"type": "number"}},
	{"external_id", "for `" + models.EventIdentify + "`: your own id of the visitor", object{"type": "string"}},
	{"tz", "for a view: the browser's minutes east of UTC", object{"type": "number"}},
	{"screen", "for a view: width x height", object{"type": "string"}},
	{"user", userDoc + "; see Personal data", userSchema()},
	{"consent", consentDoc, consentSchema},
	{"webdriver", "for a view: whether a program controls the browser", object{"type": "boolean"}},
}

var tagAddresses = []address{
	{
		http.MethodGet, "/t.js", "loadTag", "page of your own", "the page tag", nil,
		object{"200": object{"description": "the script", "content": object{
			"text/javascript": object{"schema": object{"type": "string"}},
		}}},
		nil,
	},
	{
		http.MethodPost, "/t/event", "sendPageEvents", "page tag", "reports what visitors did on a page", nil,
		object{
			"200": object{"description": "at least one event is stored; the answer lists the refused events and the personal data that are not kept"},
			"204": object{"description": "all events are stored"},
			"400": object{"description": "bad_body, no_events, invalid_event, bad_key, invalid_value: no event is stored"},
			"404": object{"description": "unknown_site_key, or no_site if the account has no active site"},
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
		"a link that the page tag hides from people. If the visitor of a click follows it, the click counts as a bot's",
		[]object{textParam("path", "click", "the click that led to the page")},
		object{"204": object{"description": "always, even if the click does not exist"}},
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
