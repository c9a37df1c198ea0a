package adstest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// TestForms: a form accepts a message in its platform's format, and names the flaws of any other message.
func TestForms(t *testing.T) {
	t.Parallel()
	hash := fmt.Sprintf("%064d", 7)
	for _, c := range []struct {
		platform, message string
		body              string
		want              []flaw
	}{
		{"meta", "Request", `{"data":[{"event_name":"Purchase","event_time":1793500000,"event_source_url":"https://a.example/","action_source":"website",
			"user_data":{"client_user_agent":"Mozilla/5.0","em":["` + hash + `"]},"custom_data":null}]}`, nil},
		{"meta", "Request", `{"data":[{"event_name":"Purchase","event_time":1.5,"action_source":"web","user_data":{"email":["x"],"em":["x"]}}]}`, []flaw{
			{"data[0].action_source", "action_source", "type"},
			{"data[0].event_time", "event_time", "type"},
			{"data[0].user_data.em[0]", "em[0]", "type"},
			{"data[0].user_data", "email", "unknown"},
			{"data[0].user_data.client_user_agent", "client_user_agent", "missing"},
			{"data[0].event_source_url", "event_source_url", "missing"},
		}},
		{"datamanager", "UserIdentifier", `{"emailAddress":"` + hash + `"}`, nil},
		{"datamanager", "UserIdentifier", `{"emailAddress":"a","phoneNumber":"b"}`, []flaw{
			{"address", "address", "missing"}, {"emailAddress", "emailAddress", "missing"}, {"phoneNumber", "phoneNumber", "missing"},
		}},
		{"datamanager", "IngestEventsRequest", `{"destinations":[],"events":{}}`, []flaw{
			{"events", "events", "type"}, {"destinations", "destinations", "missing"},
		}},
		{"tiktok", "Page", `{"referrer":"https://a.example/"}`, []flaw{{"url", "url", "missing"}}},
		{"uet", "Request", `[]`, []flaw{{"", "Request", "type"}}},
		{"uet", "Request", `{`, []flaw{{"", "", "type"}}},
	} {
		got := flaws(c.platform, c.message, []byte(c.body))
		slices.SortStableFunc(got, func(a, b flaw) int { return slices.Index(c.want, a) - slices.Index(c.want, b) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s %s:\n%v, want\n%v", c.platform, c.message, c.body, got, c.want)
		}
	}
}

// TestFormsKnown: each message has fields, and the check knows the type of each field.
func TestFormsKnown(t *testing.T) {
	t.Parallel()
	for platform, f := range readForms() {
		for message, fields := range f.messages {
			if len(fields) == 0 {
				t.Errorf("%s: %s has no field", platform, message)
			}
			for _, is := range fields {
				f.check("", is.kind, json.Number("1"))
			}
		}
	}
}
