package ads_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/workers/providers/ads/adstest"
)

// hashes has a different value for each key except Street.
var hashes = matchkey.Keys{
	Email: strings.Repeat("a", 64), Phone: strings.Repeat("b", 64), FirstName: strings.Repeat("c", 64), LastName: strings.Repeat("d", 64),
	City: strings.Repeat("e", 64), Region: strings.Repeat("f", 64), Zip: strings.Repeat("1", 64), Country: strings.Repeat("2", 64),
}

// matched has, by the name of an uploader, the fields that the platform must get for an event with the keys in hashes.
var matched = map[string]func() document{
	models.Meta: func() document {
		out := document{}
		for name, hash := range map[string]string{
			"em": hashes.Email, "ph": hashes.Phone, "fn": hashes.FirstName, "ln": hashes.LastName, "ct": hashes.City, "st": hashes.Region,
			"zp": hashes.Zip, "country": hashes.Country,
		} {
			out[name] = []any{hash}
		}
		return document{"user_data": out, "event_source_url": "https://lander.example/page?a=1", "referrer_url": "https://social.example/"}
	},
	"tiktok": func() document {
		return document{
			"user": document{
				"email": hashes.Email, "phone": hashes.Phone, "first_name": hashes.FirstName, "last_name": hashes.LastName, "zip_code": hashes.Zip,
				"ttp": "cookie-1", "ip": "203.0.113.9", "user_agent": "Mozilla/5.0",
			},
			"page": document{"url": "https://lander.example/page?a=1", "referrer": "https://social.example/"}, "event": "Purchase",
		}
	},
	"microsoft_ads by uet": func() document {
		return document{
			"userData": document{
				"em": hashes.Email, "ph": hashes.Phone, "clientIpAddress": "203.0.113.9", "clientUserAgent": "Mozilla/5.0", "msclkid": "one",
			},
			"eventSourceUrl": "https://lander.example/page?a=1", "referrerUrl": "https://social.example/", "eventType": "custom",
		}
	},
	models.MicrosoftAds: func() document {
		return document{"HashedEmailAddress": hashes.Email, "HashedPhoneNumber": hashes.Phone}
	},
}

type document = map[string]any

// part returns the members of `got` that `want` has too, at every depth.
func part(got, want document) document {
	out := document{}
	for name, value := range want {
		gotInner, isObject := got[name].(document)
		if wantInner, wanted := value.(document); isObject && wanted {
			out[name] = part(gotInner, wantInner)
		} else if got[name] != nil {
			out[name] = got[name]
		}
	}
	return out
}

// TestUploadsMatching: platforms get the page, its referrer and the hashed personal data that they take.
func TestUploadsMatching(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		want := matched[u.name]
		if want == nil {
			return
		}
		up, _ := u.open(!shadowMode)
		known, unknown := u.event("1", "one"), u.event("2", "two")
		known.Keys = hashes
		known.Query += "&ttp=cookie-1"
		if got, list := u.send(up, known, unknown); got != "accepted accepted" {
			u.Fatalf("%s: %+v", got, list)
		}
		list := u.received(2)
		u.same(part(list[0].Fields, want()), want())
		for _, hash := range []string{hashes.Email, hashes.Phone, hashes.Zip} {
			if strings.Contains(fmt.Sprint(list[1].Fields), hash) {
				u.Errorf("%v", list[1].Fields)
			}
		}
	})
}

// TestMetaUnfit: an event without a user agent or a page is not sent, because Meta requires both for web pages.
func TestMetaUnfit(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		if u.provider != models.Meta {
			return
		}
		up, _ := u.open(!shadowMode)
		agentless, pageless := u.event("1", "one"), u.event("2", "two")
		agentless.UserAgent, pageless.Page = "", ""
		got, list := u.send(up, agentless, pageless, u.event("3", "three"))
		if got != "skipped skipped accepted" || !strings.Contains(list[0].Reason, "user agent") || !strings.Contains(list[1].Reason, "landing page") ||
			u.uploads.Calls() != 1 {
			u.Errorf("%s, %+v, %d requests", got, list, u.uploads.Calls())
		}
	})
}

// TestUETConsent: Microsoft gets the account's statement about its visitors' consent, and the name of the event.
func TestUETConsent(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		if u.name != "microsoft_ads by uet" {
			return
		}
		for stated, want := range map[string]any{"": nil, "granted": "G", "denied": "D"} {
			credentials := maps.Clone(adstest.UETTokens)
			credentials["consent"] = stated
			up, err := u.client.Open(u.provider, "key", credentials, nil, "", !shadowMode)
			if err != nil {
				u.Fatal(err)
			}
			id := "one-" + stated
			if got, list := u.send(up, u.event(id, id)); got != models.UploadAccepted {
				u.Errorf("%s: %+v", got, list)
			}
			for _, v := range u.uploads.Stored(u.provider) {
				if v.ID == id && (v.Fields["adStorageConsent"] != want || v.Fields["eventName"] != "purchase") {
					u.Errorf("%q: %v", stated, v.Fields)
				}
			}
		}
	})
}

// TestTikTokPlace: if a refusal names an event, this event is rejected and the others are sent once more.
func TestTikTokPlace(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		if u.provider != "tiktok" {
			return
		}
		up, _ := u.open(!shadowMode)
		got, list := u.send(up, u.event("1", "one"), u.event("2", "two"), u.event("3", "form-3"), u.event("4", "four"), u.event("5", "five"))
		if got != "accepted accepted rejected accepted accepted" || !strings.Contains(list[2].Reason, "Batch.2.user.ttclid") || u.uploads.Calls() != 2 {
			u.Errorf("%s after %d requests: %+v", got, u.uploads.Calls(), list)
		}
	})
}

// TestTikTokTest: with a test event code each request has one event and the code.
func TestTikTokTest(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		if u.provider != "tiktok" {
			return
		}
		credentials := maps.Clone(adstest.UploadTokens[u.provider])
		credentials["test_event_code"] = "TEST123"
		up, err := u.client.Open(u.provider, "key", credentials, nil, "", !shadowMode)
		if err != nil {
			u.Fatal(err)
		}
		if got, list := u.send(up, u.event("1", "one"), u.event("2", "two")); got != "accepted accepted" || up.MaxEvents() != 1 || u.uploads.Calls() != 2 {
			u.Errorf("%s after %d requests: %+v", got, u.uploads.Calls(), list)
		}
	})
}
