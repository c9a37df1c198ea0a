package ads

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
)

// microsoftUploads sends conversions to Microsoft Advertising by ApplyOfflineConversions (REST v13). Microsoft recognizes a
// conversion by click, goal and time, and ignores it if it is sent again. Later changes are sent by
// ApplyOfflineConversionAdjustments. A successful answer may list refused items. The first item's error may have no Index.
// Unverified: the numbers of the error codes, so the words are read instead.
var microsoftUploads = uploads{
	base: "https://campaign.api.bingads.microsoft.com", maxEvents: 1000, maxAge: 90 * 24 * time.Hour,
	click: func(e Event) string { return e.param("msclkid") }, clicks: "msclkid",
	needs: func(u *uploading) string {
		switch {
		case u.action == "":
			return "the connection has no conversion_action"
		case u.o.DeveloperToken == "" && u.o.URL == "":
			return "this install has no developer token of Microsoft Advertising"
		}
		return u.missing("account_id", "customer_id")
	},
	headers: func(u *uploading, h map[string]string) {
		h["DeveloperToken"], h["CustomerId"], h["CustomerAccountId"] = u.o.DeveloperToken, u.c["customer_id"], u.c["account_id"]
	},
	send: func(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
		return u.microsoft(ctx, "OfflineConversions", events, func(e Event) map[string]any {
			v := map[string]any{"ConversionValue": e.amount(), "ConversionCurrencyCode": e.Currency}
			fill(v, map[string]string{"HashedEmailAddress": e.Keys.Email, "HashedPhoneNumber": e.Keys.Phone})
			return v
		})
	},
	change: func(ctx context.Context, u *uploading, events []Event) ([]Verdict, error) {
		return u.microsoft(ctx, "OfflineConversionAdjustments", events, func(e Event) map[string]any {
			a := map[string]any{"AdjustmentType": "Retract", "AdjustmentTime": microsoftTime(e.ChangedAt)}
			if e.Action == models.UploadRestate {
				a["AdjustmentType"], a["AdjustmentValue"], a["AdjustmentCurrencyCode"] = "Restate", e.amount(), e.Currency
			}
			return a
		})
	},
	fault: microsoftFault,
}

func microsoftTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// microsoft sends conversions or changes of conversions. Each item has the click, the goal and the time of an event, and the fields
// that the last argument returns for it.
func (u *uploading) microsoft(ctx context.Context, what string, events []Event, with func(e Event) map[string]any) ([]Verdict, error) {
	list := make([]map[string]any, len(events))
	for i, e := range events {
		list[i] = with(e)
		list[i]["MicrosoftClickId"], list[i]["ConversionName"] = e.param("msclkid"), u.action
		list[i]["ConversionTime"] = microsoftTime(e.Time)
	}
	var answer struct {
		Partial []*struct {
			Index int    `json:"Index"`
			Code  any    `json:"Code"`
			Name  string `json:"ErrorCode"`
			Text  string `json:"Message"`
		} `json:"PartialErrors"`
	}
	err := u.post(ctx, u.API, "/CampaignManagement/v13/"+what+"/Apply", map[string]any{what: list}, &answer)
	if err != nil {
		return nil, err
	}
	out := accepted(events, "")
	for _, e := range answer.Partial {
		if e != nil && e.Index >= 0 && e.Index < len(out) {
			out[e.Index] = Verdict{Result: models.UploadRejected, Reason: fmt.Sprintf("%s %v: %s", e.Name, e.Code, e.Text)}
		}
	}
	return out, nil
}

// microsoftPause is how long Microsoft asks to wait after too many calls.
const microsoftPause = time.Minute

func microsoftFault(status int, body []byte) *fault {
	type entry struct {
		Code any    `json:"Code"`
		Name string `json:"ErrorCode"`
		Text string `json:"Message"`
	}
	var answer struct {
		Errors    []entry `json:"Errors"`
		Batch     []entry `json:"BatchErrors"`
		Operation []entry `json:"OperationErrors"`
	}
	_ = json.Unmarshal(body, &answer) // an answer of another form: the status is used
	f := &fault{refused: status == http.StatusForbidden, expired: status == http.StatusUnauthorized}
	words := []string{strconv.Itoa(status)}
	for _, e := range append(append(answer.Errors, answer.Batch...), answer.Operation...) {
		words = append(words, fmt.Sprintf("%s %v: %s", e.Name, e.Code, e.Text))
		switch e.Name {
		case "AuthenticationTokenExpired":
			f.expired = true
		case "InvalidCredentials", "UserIsNotAuthorized":
			f.refused = true
		case "CallRateExceeded", "ConcurrentRequestOverLimit":
			f.after = microsoftPause
		}
	}
	f.text = strings.Join(words, "; ")
	return f
}
