package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"switchyard/models/money"
)

// openAIUploads sends conversions to OpenAI Ads by the Conversions API: developers.openai.com/ads/conversions-api. OpenAI
// recognizes a conversion by type and id, and refuses a whole request because of one event. It can neither change nor retract a
// conversion. In shadow mode, validate_only keeps events from being stored. Unverified: the form of refusals, and that a bad event
// is refused with status 400 or 422.
var openAIUploads = uploads{
	base: "https://bzr.openai.com/v1", maxEvents: 1000, maxAge: 7 * 24 * time.Hour,
	click: func(e Event) string { return e.param("oppref") }, clicks: "oppref",
	secret:    "conversions_key",
	send:      openAISend,
	validates: true,
	fault:     openAIFault,
}

// openAIData are the kinds of data of standard events.
var openAIData = map[string]string{"order_created": "contents", "lead_created": "customer_action"}

func openAISend(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		name := cmp.Or(u.action, "order_created")
		list[i] = filled(map[string]string{"id": e.ID, "type": name, "oppref": e.param("oppref"), "source_url": e.Page})
		if e.Page != "" { // an action on the web needs the address of the page
			list[i]["action_source"] = "web"
		}
		kind, standard := openAIData[name]
		if !standard {
			kind, list[i]["type"], list[i]["custom_event_name"] = "custom", "custom", name
		}
		data := map[string]any{"type": kind}
		if minor, ok := money.Minor(e.Value, e.Currency); ok {
			data["amount"], data["currency"] = jsonNumber(minor.String()), e.Currency
		}
		list[i]["timestamp_ms"], list[i]["data"] = e.Time.UnixMilli(), data
		list[i]["user"] = filled(map[string]string{
			"email_sha256": e.Keys.Email, "external_id_sha256": hashed(e.Click), "ip_address": e.IP, "user_agent": e.UserAgent,
		})
	}
	path := "/events?" + url.Values{"pid": {u.c["pixel_id"]}}.Encode()
	var answer map[string]any
	if err := u.post(ctx, u.API, path, map[string]any{"validate_only": u.shadow, "events": list}, &answer); err != nil {
		return nil, err
	}
	return accepted(events, ""), nil
}

func openAIFault(status int, body []byte) *fault {
	var answer struct {
		Error struct {
			Text string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &answer) // an answer of another form: the status is used
	f := statusFault(status, answer.Error.Text)
	switch status {
	case http.StatusNotFound: // the pixel is not known
		f.refused = true
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		f.event = true
		if n, ok := indexIn(f.text, "events"); ok {
			f.at = map[int]string{n: f.text}
		}
	}
	return f
}
