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

// uetUploads sends conversions to Microsoft's UET Conversions API:
// learn.microsoft.com/advertising/guides/uet-conversion-api-integration. It needs no sign-in, only the token of a UET tag, which
// Microsoft issues to some accounts. It recognizes a conversion by eventId and eventName, and can neither change nor retract it.
// It names the places of refused events and accepts the other events. No name of an error code is verified.
var uetUploads = uploads{
	base: "https://capi.uet.microsoft.com", maxEvents: 1000, maxAge: 7 * 24 * time.Hour,
	click: func(e Event) string { return e.param("msclkid") }, clicks: "msclkid",
	needs:  func(u *uploading) string { return u.missing(models.UETTag, models.UETToken) },
	secret: models.UETToken,
	send:   uetSend,
	fault:  uetFault,
}

// uetAnswer is the answer to a request with events.
type uetAnswer struct {
	Trace string `json:"traceId"`
	Error struct {
		Code    string `json:"code"`
		Text    string `json:"message"`
		Details []struct {
			Index    int    `json:"index"`
			Property string `json:"propertyName"`
			Text     string `json:"errorMessage"`
			Code     string `json:"errorCode"`
			Warning  bool   `json:"isWarning"` // the event is accepted nevertheless
		} `json:"details"`
	} `json:"error"`
}

// refused returns the reason of each refused event by its index in the request.
func (a uetAnswer) refused() map[int]string {
	out := map[int]string{}
	for _, d := range a.Error.Details {
		if !d.Warning && out[d.Index] == "" {
			out[d.Index] = strings.TrimSpace(fmt.Sprintf("%s %s: %s", d.Code, d.Property, d.Text))
		}
	}
	return out
}

func uetSend(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		user := map[string]any{"msclkid": e.param("msclkid")}
		fill(user, map[string]string{
			"clientIpAddress": e.IP, "clientUserAgent": e.UserAgent, "em": e.Keys.Email, "ph": e.Keys.Phone,
		})
		list[i] = map[string]any{
			"eventType": "custom", "eventName": cmp.Or(u.action, "purchase"), "eventId": e.ID, "eventTime": e.Time.Unix(), "userData": user,
			"customData": map[string]any{"value": e.amount(), "currency": e.Currency, "transactionId": e.ID},
		}
		fill(list[i], map[string]string{
			"eventSourceUrl": e.Page, "referrerUrl": e.Referrer, "adStorageConsent": map[string]string{"granted": "G", "denied": "D"}[u.c["consent"]],
		})
	}
	var answer uetAnswer
	err := u.post(ctx, u.API, "/v1/"+u.c[models.UETTag]+"/events", map[string]any{
		"data": list, "continueOnValidationError": true, "dataProvider": "SWITCHYARD",
	}, &answer)
	if err != nil {
		return nil, err
	}
	out := accepted(events, strings.TrimSpace("trace "+answer.Trace))
	for n, reason := range answer.refused() {
		if n >= 0 && n < len(out) {
			out[n] = Verdict{Result: models.UploadRejected, Reason: reason}
		}
	}
	return out, nil
}

// uetFault reads a refusal of a whole request.
func uetFault(status int, body []byte) *fault {
	var answer uetAnswer
	_ = json.Unmarshal(body, &answer) // an answer of another form: the status is used
	f := &fault{
		text:    strings.TrimSpace(strconv.Itoa(status) + " " + answer.Error.Code + " " + answer.Error.Text),
		refused: status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound, at: answer.refused(),
	}
	f.event = status == http.StatusBadRequest && len(f.at) > 0
	return f
}
