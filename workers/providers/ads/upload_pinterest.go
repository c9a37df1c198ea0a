package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"switchyard/models"
)

// pinterestUploads sends conversions to Pinterest by POST /ad_accounts/{id}/events of the API v5. Pinterest recognizes a
// conversion by event_id, and can neither change nor retract it. The answer has a status for each event, in the same order.
// In shadow mode, test=true keeps events from being counted. Unverified: that the details of an answer 422 have the
// same list of events, and how old a conversion may be.
var pinterestUploads = uploads{
	base: "https://api.pinterest.com/v5", maxEvents: 1000, maxAge: 90 * 24 * time.Hour,
	click: func(e Event) string { return e.param("epik") }, clicks: "epik",
	whyUnfit:  pinterestUnfit,
	secret:    "conversions_token",
	send:      pinterestSend,
	validates: true,
	fault:     pinterestFault,
}

func pinterestUnfit(e Event) string {
	if e.Keys.Email == "" && (e.IP == "" || e.UserAgent == "") {
		return "it has neither the visitor's whole IP address and user agent nor an e-mail address"
	}
	return ""
}

type pinterestEvents struct {
	Events []struct {
		Status  string `json:"status"`
		Error   string `json:"error_message"`
		Warning string `json:"warning_message"`
	} `json:"events"`
}

func pinterestSend(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		user := filled(map[string]string{"click_id": e.param("epik"), "client_ip_address": e.IP, "client_user_agent": e.UserAgent})
		user["external_id"] = []any{hashed(e.Click)}
		addKeys(user, e.Keys)
		list[i] = map[string]any{
			"event_name": cmp.Or(u.action, "checkout"), "action_source": "web", "event_time": e.Time.Unix(), "event_id": e.ID, "user_data": user,
			"custom_data": map[string]any{"value": e.Value.String(), "currency": e.Currency, "order_id": e.ID},
		}
		if e.Page != "" {
			list[i]["event_source_url"] = e.Page
		}
	}
	path := "/ad_accounts/" + url.PathEscape(u.c["ad_account_id"]) + "/events"
	if u.shadow {
		path += "?test=true"
	}
	var answer pinterestEvents
	err := u.post(ctx, u.API, path, map[string]any{"data": list}, &answer)
	out := answer.verdicts()
	if f, ok := asFault(err); ok && len(f.verdicts) > 0 {
		out, err = f.verdicts, nil
	}
	switch {
	case err != nil:
		return nil, err
	case len(out) != len(events):
		return nil, &UploadError{text: fmt.Sprintf("the platform answered for %d of %d events", len(out), len(events))}
	}
	return out, nil
}

func (p pinterestEvents) verdicts() []Verdict {
	out := make([]Verdict, len(p.Events))
	for i, v := range p.Events {
		out[i] = Verdict{Result: models.UploadAccepted, Reason: v.Warning}
		if v.Status != "processed" {
			out[i] = Verdict{Result: models.UploadRejected, Reason: cmp.Or(v.Error, "refused")}
		}
	}
	return out
}

const pinterestBad = 4196 // code of a request that is not valid

func pinterestFault(status int, body []byte) *fault {
	var answer struct {
		Code    int             `json:"code"`
		Text    string          `json:"message"`
		Details pinterestEvents `json:"details"`
	}
	_ = json.Unmarshal(body, &answer) // an answer of another form: the status is used
	f := statusFault(status, answer.Text)
	if status == http.StatusUnprocessableEntity || answer.Code == pinterestBad && !f.refused && f.after == 0 {
		f.event, f.verdicts = true, answer.Details.verdicts()
	}
	return f
}
