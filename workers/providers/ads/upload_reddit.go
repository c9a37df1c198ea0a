package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/providers/rest"
)

// redditUploads sends conversions to Reddit by the Conversions API v3: ads-api.reddit.com/docs/v3. Reddit recognizes a conversion
// by its type and conversion_id, and refuses a whole request because of some events, which it names. It can neither change nor
// retract a conversion. There is no trial mode.
var redditUploads = uploads{
	base: "https://ads-api.reddit.com/api/v3", maxEvents: 1000, maxAge: 7 * 24 * time.Hour,
	click: func(e Event) string { return e.param("rdt_cid") }, clicks: "rdt_cid",
	secret:  "conversions_token",
	headers: func(_ *uploading, h map[string]string) { h["User-Agent"] = models.RedditAgent },
	send:    redditSend,
	fault:   redditFault,
}

// redditTypes are Reddit's own types of conversions. Any other name is sent as a custom type.
var redditTypes = []string{"PAGE_VISIT", "VIEW_CONTENT", "SEARCH", "ADD_TO_CART", "ADD_TO_WISHLIST", "LEAD", "PURCHASE", "SIGN_UP"}

// redditMaxName is the maximum length of the name of a custom type, in characters.
const redditMaxName = 64

func redditType(action string) map[string]any {
	name := cmp.Or(strings.ToUpper(action), "PURCHASE")
	if slices.Contains(redditTypes, name) {
		return map[string]any{"tracking_type": name}
	}
	return map[string]any{"tracking_type": "CUSTOM", "custom_event_name": models.Cut(action, redditMaxName)}
}

func redditSend(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		list[i] = filled(map[string]string{"click_id": e.param("rdt_cid"), "event_source_url": e.Page})
		list[i]["event_at"], list[i]["action_source"], list[i]["type"] = e.Time.UnixMilli(), "WEBSITE", redditType(u.action)
		list[i]["user"] = filled(map[string]string{
			"email": e.Keys.Email, "phone_number": e.Keys.Phone, "external_id": hashed(e.Click), "ip_address": e.IP, "user_agent": e.UserAgent,
		})
		list[i]["metadata"] = map[string]any{"conversion_id": e.ID, "value": e.amount(), "currency": e.Currency}
	}
	var answer struct {
		Data *struct {
			Message string `json:"message"`
		} `json:"data"`
	}
	path := "/pixels/" + url.PathEscape(u.c["pixel_id"]) + "/conversion_events"
	err := u.post(ctx, u.API, path, map[string]any{"data": map[string]any{"events": list}}, &answer)
	switch {
	case err != nil:
		return nil, err
	case answer.Data == nil:
		return nil, rest.ErrForm
	}
	return accepted(events, answer.Data.Message), nil
}

func redditFault(status int, body []byte) *fault {
	var answer struct {
		Error struct {
			Text   string `json:"message"`
			Fields []struct {
				Field string `json:"field"`
				Text  string `json:"message"`
			} `json:"fields"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &answer) // an answer of another form: the status is used
	f := statusFault(status, answer.Error.Text)
	switch status {
	case http.StatusNotFound: // the pixel is not known
		f.refused = true
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		f.at = map[int]string{}
		for _, v := range answer.Error.Fields {
			if n, ok := indexIn(v.Field, "events"); ok {
				f.at[n] = strings.TrimPrefix(f.at[n]+"; "+v.Text, "; ")
			}
		}
		f.event = len(f.at) > 0 || strings.Contains(f.text, "invalid conversion events")
	}
	return f
}
