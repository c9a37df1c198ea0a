package ads

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
)

// tiktokUploads sends conversions to TikTok by the events API 2.0 (POST /event/track/). TikTok recognizes a conversion by
// event and event_id, and can neither change nor retract it. Failures come with status 200 and a code that is not 0. The codes
// and most member names are taken from third-party clients. Unverified: that code 20001 with data.failed_events means a
// request that is accepted in part, that other refusals name the places of events, that 40105 means a bad token, and that
// events may be 7 days old.
var tiktokUploads = uploads{
	base: "https://business-api.tiktok.com", most: 50, oldest: 7 * 24 * time.Hour,
	click: func(e Event) string { return e.param("ttclid") }, clicks: "ttclid",
	lacks: func(u *uploading) string { return u.missing("access_token", "pixel_code") },
	head:  func(u *uploading, h map[string]string) { h["Access-Token"] = u.c["access_token"] }, secret: "access_token",
	send:  tiktokSend,
	tries: func(*uploading) bool { return false },
	fault: tiktokFault,
}

const (
	tiktokPartly = 20001
	tiktokBad    = 40002
	tiktokBusy   = 40100
	tiktokPause  = time.Minute
)

func tiktokSend(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		user := map[string]any{"ttclid": e.param("ttclid"), "external_id": hashed(e.Click)}
		for name, value := range map[string]string{"ip": e.IP, "user_agent": e.UserAgent} {
			if value != "" {
				user[name] = value
			}
		}
		list[i] = map[string]any{
			"event": cmp.Or(u.action, "CompletePayment"), "event_time": e.Time.Unix(), "event_id": e.ID, "user": user,
			"properties": map[string]any{"value": e.amount(), "currency": e.Currency, "order_id": e.ID},
		}
	}
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
	err := u.post(ctx, u.API, "/open_api/v1.3/event/track/", map[string]any{
		"event_source": "web", "event_source_id": u.c["pixel_code"], "data": list,
	}, &answer)
	if err != nil {
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
	case code == tiktokBusy:
		f.after = tiktokPause
	case code == tiktokBad:
		f.event = true
		if n, ok := indexIn(answer.Text, "data"); ok {
			f.at = map[int]string{n: f.text}
		}
	case code > 40000 && code < 41000: // codes about the credentials and their permissions
		f.refused = true
	}
	return f
}
