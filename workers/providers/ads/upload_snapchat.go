package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/workers/providers/rest"
)

// snapchatUploads sends conversions to Snapchat by the Conversions API v3: developers.snap.com/api/marketing-api/Conversions-API.
// Snapchat recognizes a conversion by event_name and event_id, and refuses a whole request because of one event. It can neither
// change nor retract a conversion. In shadow mode, events go to the path /events/validate, which counts nothing. The token is a
// parameter of the address. A refusal can contain a number named "event". What it counts is not known, so it is
// not used.
var snapchatUploads = uploads{
	base: "https://tr.snapchat.com", maxEvents: 1000, maxAge: 37 * 24 * time.Hour,
	click: snapchatClick, clicks: "ScCid",
	whyUnfit:  snapchatUnfit,
	secret:    "conversions_token",
	send:      snapchatSend,
	validates: true,
	fault:     snapchatFault, faultIn200: true,
}

func snapchatClick(e Event) string { return cmp.Or(e.param("ScCid"), e.param("sccid")) }

// snapchatUnfit says which of the required values an event lacks, or returns "".
func snapchatUnfit(e Event) string {
	switch {
	case e.Page == "":
		return noPage
	case e.Keys.Email == "" && e.Keys.Phone == "" && (e.IP == "" || e.UserAgent == ""):
		return "it has neither the visitor's whole IP address and user agent nor an e-mail address or a phone number"
	}
	return ""
}

func snapchatSend(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		user := filled(map[string]string{
			"sc_click_id": snapchatClick(e), "external_id": hashed(e.Click), "client_ip_address": e.IP, "client_user_agent": e.UserAgent,
		})
		addKeys(user, e.Keys)
		list[i] = map[string]any{
			"event_name": cmp.Or(u.action, "PURCHASE"), "event_time": e.Time.Unix(), "event_id": e.ID, "action_source": "WEB",
			"event_source_url": e.Page, "user_data": user,
			"custom_data": map[string]any{"value": e.amount(), "currency": e.Currency, "order_id": e.ID},
		}
	}
	path := "/v3/" + url.PathEscape(u.c["pixel_id"]) + "/events"
	if u.shadow {
		path += "/validate"
	}
	var answer struct {
		Status string `json:"status"`
		Reason string `json:"reason"`
	}
	err := u.post(ctx, u.API, path+"?"+url.Values{"access_token": {u.c["conversions_token"]}}.Encode(), map[string]any{"data": list}, &answer)
	switch {
	case err != nil:
		return nil, err
	case answer.Status == "":
		return nil, rest.ErrForm
	}
	return accepted(events, answer.Reason), nil
}

// snapchatToken finds the words of a refusal of the token, which may come with status 400.
var snapchatToken = regexp.MustCompile(`(?i)access[ _]token|invalid token`)

func snapchatFault(status int, body []byte) *fault {
	type details struct {
		Codes []string `json:"codes"`
		Words []string `json:"error_msgs"`
	}
	var answer struct {
		Status string  `json:"status"`
		Reason string  `json:"reason"`
		Errors details `json:"errors"`
		Logs   []struct {
			Status string  `json:"status"`
			Errors details `json:"errors"`
		} `json:"event_logs"`
	}
	_ = json.Unmarshal(body, &answer) // an answer of another form: the status is used
	words := slices.Concat(answer.Errors.Words, answer.Errors.Codes)
	for _, log := range answer.Logs {
		words = slices.Concat(words, log.Errors.Words, log.Errors.Codes)
	}
	text := strings.Trim(answer.Reason+"; "+strings.Join(words, "; "), "; ")
	switch {
	case status/100 == 2 && (answer.Status == "" || strings.EqualFold(answer.Status, "VALID")):
		return nil
	case status == http.StatusTooManyRequests:
		return &fault{text: text, after: uploadPause}
	case status == http.StatusUnauthorized, status == http.StatusForbidden, snapchatToken.MatchString(text):
		return &fault{text: cmp.Or(text, strconv.Itoa(status)), refused: true}
	}
	return &fault{text: cmp.Or(text, strconv.Itoa(status)), event: status < http.StatusInternalServerError && len(words) > 0}
}
