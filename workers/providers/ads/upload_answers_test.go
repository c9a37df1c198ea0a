package ads

import (
	"strings"
	"testing"
)

// TestRecordedAnswers reads refusals of platforms in the form that adstest/source.md shows.
func TestRecordedAnswers(t *testing.T) {
	t.Parallel()
	type outcome struct {
		refused, event, stop bool
		at                   map[int]string // a part of the reason of each refused event
		text                 string         // a part of the text of the refusal
	}
	for name, c := range map[string]struct {
		fault  func(status int, body []byte) *fault
		status int
		body   string
		want   outcome
	}{
		"Google, a destination": {
			googleFault, 400, `{"error":{"code":400,"message":"There was a problem with the request.","status":"INVALID_ARGUMENT","details":[
			{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_ARGUMENT","domain":"datamanager.googleapis.com"},
			{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"destinations.destinations[0].product_destination_id",
				"description":"Conversion action ID is not valid.","reason":"INVALID_CONVERSION_ACTION_ID"}]}]}}`,
			outcome{stop: true, text: "INVALID_CONVERSION_ACTION_ID"},
		},
		"Google, an event": {
			googleFault, 400, `{"error":{"code":400,"message":"There was a problem with the request.","status":"INVALID_ARGUMENT","details":[
			{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"events.events[3].event_timestamp",
				"description":"Required field is missing.","reason":"REQUIRED_FIELD_MISSING"}]}]}}`,
			outcome{event: true, at: map[int]string{3: "REQUIRED_FIELD_MISSING"}},
		},
		"Google, the project": {
			googleFault, 403, `{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED","details":[
			{"@type":"type.googleapis.com/google.ads.googleads.v26.errors.GoogleAdsFailure","errors":[{"errorCode":
				{"authorizationError":"CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION"},"message":"words"}],"requestId":"q"}]}}`,
			outcome{text: "its operator has to help"},
		},
		"Meta": {metaFault, 400, `{"error":{"message":"Message describing the error","type":"OAuthException","code":190,"error_subcode":460,
			"error_user_title":"A title","error_user_msg":"A message","fbtrace_id":"EJplcsCHuLu"}}`, outcome{refused: true, text: "A message"}},
		"TikTok, an event": {
			tiktokFault, 200, `{"code":40002,"message":"Batch.0.properties.contents.0.content_id: Not a valid string"}`,
			outcome{event: true, at: map[int]string{0: "Not a valid string"}},
		},
		"TikTok, the pixel": {
			tiktokFault, 200, `{"code":40001,"message":"No permission to operate pixel code: BU35. You must be an admin or operator of this advertiser account."}`,
			outcome{refused: true, text: "No permission"},
		},
		"Microsoft": {
			microsoftFault, 400, `{"TrackingId":"t","Type":"AdApiFaultDetail","Errors":[{"Code":105,"ErrorCode":"InvalidCredentials","Message":"words","Detail":null}]}`,
			outcome{refused: true, text: "InvalidCredentials"},
		},
		"UET": {
			uetFault, 400, `{"eventsReceived":0,"error":{"code":"ValidationError","message":"words","details":[
			{"index":1,"propertyName":"userData","attemptedValue":null,"errorMessage":"Second failed"}]},"traceId":"t"}`,
			outcome{event: true, at: map[int]string{1: "Second failed"}},
		},
	} {
		f := c.fault(c.status, []byte(c.body))
		if f == nil || f.refused != c.want.refused || f.event != c.want.event || f.stop != c.want.stop || !strings.Contains(f.text, c.want.text) {
			t.Errorf("%s: the refusal is read as %+v, want %+v", name, f, c.want)
			continue
		}
		for n, part := range c.want.at {
			if !strings.Contains(f.at[n], part) || len(f.at) != len(c.want.at) {
				t.Errorf("%s: the reasons of the events are %v, want %v", name, f.at, c.want.at)
			}
		}
	}
}
