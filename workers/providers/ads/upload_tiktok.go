package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
)

// tiktokUploads sends conversions to TikTok by the events API 2.0 (POST /event/track/). TikTok recognizes a conversion by event
// and event_id, and can neither change nor retract it. Failures come with status 200 and a code that is not 0. A request with a
// test event code may have only one event. Unverified: that refusals with code 40000 or 40002 concern events in all cases, and
// that events may be 7 days old.
var tiktokUploads = uploads{
	base: "https://business-api.tiktok.com", maxEvents: 50, maxAge: 7 * 24 * time.Hour,
	click: func(e Event) string { return e.param("ttclid") }, clicks: "ttclid",
	headers: func(u *uploading, h map[string]string) { h["Access-Token"] = u.c["access_token"] }, secret: "access_token",
	singleBy: "test_event_code",
	send:     tiktokSend,
	fault:    tiktokFault, faultIn200: true,
}

// tiktokPartly is TikTok's code when only some events of a request were accepted.
const tiktokPartly = 20001

var (
	tiktokBusy = []int{40100, 40132}        // too many requests
	tiktokBad  = []int{40000, 40002, 40062} // invalid parameters; personal data that is not hashed
	// tiktokRefused are the codes about the token, the app, the pixel and their permissions.
	tiktokRefused = []int{
		40001, 40003, 40101, 40102, 40103, 40104, 40105, 40106, 40107, 40113, 40114, 40117, 40118, 40119, 40124, 40125, 40130, 40131,
		40300, 40301, 40302, 40309,
	}
)

// tiktokPlace matches the place of an event in a refusal, such as Batch.0.properties.value.
var tiktokPlace = regexp.MustCompile(`(?i)\b(?:batch|data)[.\[](\d{1,4})\b`)

// tiktokEvent returns an event in TikTok's form. City, region and country are left out, because TikTok accepts them only unhashed.
func tiktokEvent(u *uploading, e Event) map[string]any {
	user := map[string]any{"ttclid": e.param("ttclid"), "external_id": hashed(e.Click)}
	fill(user, map[string]string{
		"ip": e.IP, "user_agent": e.UserAgent, "ttp": cmp.Or(e.param("ttp"), e.param("_ttp")), "email": e.Keys.Email, "phone": e.Keys.Phone,
		"first_name": e.Keys.FirstName, "last_name": e.Keys.LastName, "zip_code": e.Keys.Zip,
	})
	out := map[string]any{
		"event": cmp.Or(u.action, "Purchase"), "event_time": e.Time.Unix(), "event_id": e.ID, "user": user,
		"properties": map[string]any{"value": e.amount(), "currency": e.Currency, "order_id": e.ID},
	}
	page := map[string]any{}
	if fill(page, map[string]string{"url": e.Page, "referrer": e.Referrer}); e.Page != "" {
		out["page"] = page
	}
	return out
}

func tiktokSend(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		list[i] = tiktokEvent(u, e)
	}
	body := map[string]any{"event_source": "web", "event_source_id": u.c["pixel_code"], "data": list}
	fill(body, map[string]string{"test_event_code": u.c["test_event_code"]})
	var answer struct {
		Code    int    `json:"code"`
		Request string `json:"request_id"`
		Data    struct {
			Failed []struct {
				Place int    `json:"order_in_batch"`
				Text  string `json:"error_message"`
			} `json:"failed_events"`
		} `json:"data"`
	}
	if err := u.post(ctx, u.API, "/open_api/v1.3/event/track/", body, &answer); err != nil {
		return nil, err
	}
	out := accepted(events, "request "+answer.Request)
	for _, f := range answer.Data.Failed {
		if f.Place >= 0 && f.Place < len(out) {
			out[f.Place] = Verdict{Result: models.UploadRejected, Reason: cmp.Or(f.Text, "refused")}
		}
	}
	return out, nil
}

func tiktokFault(status int, body []byte) *fault {
	var answer struct {
		Code *int            `json:"code"`
		Text string          `json:"message"`
		Data json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(body, &answer) // an answer of another form: the status is used
	if answer.Code == nil {
		if status/100 == 2 {
			return nil
		}
		return &fault{text: strconv.Itoa(status), refused: status == http.StatusUnauthorized || status == http.StatusForbidden}
	}
	code := *answer.Code
	if status/100 == 2 && (code == 0 || code == tiktokPartly && strings.Contains(string(answer.Data), "failed_events")) {
		return nil
	}
	f := &fault{text: fmt.Sprintf("code %d: %s", code, answer.Text)}
	switch {
	case slices.Contains(tiktokBusy, code):
		f.after = uploadPause
	case slices.Contains(tiktokBad, code):
		f.event, f.at = true, map[int]string{}
		for _, place := range tiktokPlace.FindAllStringSubmatch(answer.Text, -1) {
			n, _ := strconv.Atoi(place[1])
			f.at[n] = f.text
		}
	case slices.Contains(tiktokRefused, code):
		f.refused = true
	}
	return f
}
