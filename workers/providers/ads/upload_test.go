package ads_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest/resttest"
)

// A test's conversions happen some seconds after uploadAt, unless the test changes their times. uploadNow is the present time.
var (
	uploadAt  = time.Date(2026, 11, 1, 12, 32, 45, 0, time.UTC)
	uploadNow = uploadAt.Add(time.Hour)
)

// uploader is a platform under test.
type uploader struct {
	*testing.T

	name     string
	provider string
	can      adstest.UploadPlatform
	clicks   bool // use Google's older API
	uploads  *adstest.Uploads
	client   *ads.Uploader
	waits    []time.Duration
	waited   func()
	limit    time.Duration
	event    func(id, click string) ads.Event
}

// eachUploader runs a test for every platform.
func eachUploader(t *testing.T, test func(*uploader)) {
	t.Helper()
	for _, name := range append(adstest.UploadPlatforms(), "google_ads by clicks", "microsoft_ads by uet") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := &uploader{T: t, name: name, uploads: &adstest.Uploads{}, limit: time.Minute}
			var by string
			u.provider, by, _ = strings.Cut(name, " by ")
			u.clicks, u.can = by == "clicks", adstest.UploadPlatformOf(u.provider)
			if by == "uet" {
				u.can = adstest.UET
			}
			server := adstest.ServeUploads(t, u.uploads)
			u.client = ads.NewUploader(ads.UploadOptions{GoogleClicks: u.clicks, Options: ads.Options{DeveloperToken: "canary-developer-Zq7", Options: platform.Options{
				Egress: egresstest.Client(t, server, egress.Options{MaxBody: 1 << 20}), URL: server.URL,
				Now: func() time.Time { return uploadNow },
				Wait: func(_ context.Context, d time.Duration) error {
					if u.waits = append(u.waits, d); u.waited != nil {
						u.waited()
					}
					return nil
				},
				Timeout: func() time.Duration { return u.limit },
			}}})
			u.event = func(id, click string) ads.Event {
				return ads.Event{
					ID: id, Action: models.UploadNew, Time: uploadAt.Add(time.Duration(len(click)) * time.Second), ChangedAt: uploadAt.Add(time.Minute),
					Value: decimal.RequireFromString("12.50"), Currency: "EUR", Click: "c" + id, Clicked: uploadAt.Add(-time.Hour),
					Query: "utm=1&" + u.can.Click + "=" + click, IP: "203.0.113.9", UserAgent: "Mozilla/5.0",
					Page: "https://lander.example/page?a=1", Referrer: "https://social.example/",
				}
			}
			test(u)
		})
	}
}

// signedIn implements ads.Tokens for a sign-in at the fakes.
type signedIn struct {
	uploads *adstest.Uploads
	held    string
	renewed int
}

func (k *signedIn) Token(context.Context) (string, error) { return k.held, nil }

func (k *signedIn) Renew(_ context.Context, refused string) (string, error) {
	if refused != k.held {
		return "", errors.New("another token was refused")
	}
	k.renewed++
	k.held = k.uploads.SignedIn()
	return k.held, nil
}

// shadowMode is the argument of open for a connection whose events the platform does not count.
const shadowMode = true

// open opens a connection.
func (u *uploader) open(shadow bool) (*ads.Upload, *signedIn) {
	u.Helper()
	k := &signedIn{uploads: u.uploads, held: u.uploads.SignedIn()}
	up, err := u.client.Open(u.provider, "key", u.can.Credentials, k, u.can.Action, shadow)
	if err != nil {
		u.Fatal(err)
	}
	return up, k
}

// send sends events and returns the results in one line.
func (u *uploader) send(up *ads.Upload, events ...ads.Event) (string, []ads.Verdict) {
	u.Helper()
	list, err := up.Send(u.Context(), events)
	if err != nil {
		u.Fatal(err)
	}
	var words []string
	for _, v := range list {
		if words = append(words, v.Result); strings.Contains(v.Reason, "canary") {
			u.Errorf("a credential is in %q", v.Reason)
		}
	}
	return strings.Join(words, " "), list
}

func (u *uploader) same(got, want any) {
	u.Helper()
	if !reflect.DeepEqual(got, want) {
		u.Errorf("%v, want %v", got, want)
	}
}

func (u *uploader) received(want int) []adstest.Uploaded {
	u.Helper()
	list := u.uploads.Stored(u.provider)
	if len(list) != want {
		u.Errorf("the platform has %d conversions, want %d: %+v", len(list), want, list)
	}
	return list
}

// TestUploadsPartly: refused events are rejected, even if the platform does not name them. The others are accepted, each once.
func TestUploadsPartly(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		up, _ := u.open(!shadowMode)
		got, list := u.send(up, u.event("1", "bad-1"), u.event("2", "ok-22"), u.event("3", "ok-333"), u.event("4", "bad-4444"), u.event("5", "ok-55555"))
		if got != "rejected accepted accepted rejected accepted" || list[0].Reason == "" || list[3].Reason == "" {
			u.Errorf("%s: %+v", got, list)
		}
		for _, v := range u.received(3) {
			if v.Sent != 1 || v.Value != "12.5" || v.Currency != "EUR" {
				u.Errorf("%+v", v)
			}
		}
		u.uploads.OmitRefusedEvents()
		many := make([]ads.Event, 40)
		for i := range many {
			many[i] = u.event(fmt.Sprint("m", i), "ok-"+strings.Repeat("x", 10+i))
		}
		many[17].Query = u.can.Click + "=bad-17"
		got, _ = u.send(up, many...)
		if want := strings.Repeat("accepted ", 17) + "rejected" + strings.Repeat(" accepted", 22); got != want {
			u.Errorf("%s", got)
		}
		u.received(42)
	})
}

// TestUploadsUnfit: events that no platform could recognize or accept are not sent.
func TestUploadsUnfit(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		up, _ := u.open(!shadowMode)
		stranger, macro, old := u.event("1", "x"), u.event("2", "{{"+"click}}"), u.event("3", "xxx")
		stranger.Query = "utm=1"
		old.Time = uploadNow.AddDate(0, 0, -91)
		got, list := u.send(up, stranger, macro, old)
		if got != "skipped skipped skipped" || !strings.Contains(list[0].Reason, u.can.Click) || !strings.HasPrefix(list[2].Reason, "too old") {
			u.Errorf("%s: %+v", got, list)
		}
		if n := u.uploads.Calls(); n != 0 {
			u.Errorf("%d requests", n)
		}
	})
}

// TestUploadsAgain: the platform recognizes an event that is sent again.
func TestUploadsAgain(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		up, _ := u.open(!shadowMode)
		u.uploads.Fail(resttest.Cut, resttest.None)
		if got, _ := u.send(up, u.event("1", "one")); got != "accepted" {
			u.Error(got)
		}
		if got, list := u.send(up, u.event("1", "one"), u.event("2", "three")); got != "accepted accepted" {
			u.Errorf("%s: %+v", got, list)
		}
		if list := u.received(2); list[0].Sent+list[1].Sent != 4 {
			u.Errorf("%+v", list)
		}
	})
}

// TestUploadsChange: the value of a conversion is changed, and a conversion is retracted, if the platform supports this.
func TestUploadsChange(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		up, _ := u.open(!shadowMode)
		u.send(up, u.event("1", "one"), u.event("2", "three"))
		restated, retracted, lost := u.event("1", "one"), u.event("2", "three"), u.event("3", "unheard-of")
		restated.Action, restated.Value = models.UploadRestate, decimal.NewFromInt(7)
		retracted.Action, lost.Action = models.UploadRetract, models.UploadRetract
		got, list := u.send(up, lost, restated, retracted)
		if !u.can.Changes {
			if got != "skipped skipped skipped" || !strings.HasPrefix(list[2].Reason, "cannot be retracted") {
				u.Errorf("%s: %+v", got, list)
			}
			return
		}
		if got != "rejected accepted accepted" {
			u.Errorf("%s: %+v", got, list)
		}
		for _, v := range u.received(2) {
			if first := strings.HasPrefix(v.ID, "1") || strings.HasPrefix(v.ID, "one"); v.Retracted == first || first && v.Value != "7" {
				u.Errorf("%+v", v)
			}
		}
		if u.provider == models.GoogleAds {
			retracted.Query = "wbraid=w1"
			if got, _ := u.send(up, retracted); got != "skipped" {
				u.Errorf("a click with wbraid: %s", got)
			}
		}
	})
}

// TestUploadsShadow: events that are sent in shadow mode do not count.
func TestUploadsShadow(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		up, _ := u.open(shadowMode)
		taken := u.event("3", "three")
		taken.Action = models.UploadRetract
		got, list := u.send(up, u.event("1", "bad-one"), u.event("2", "two"), taken)
		if tries := u.can.Validates; tries && !strings.Contains(list[0].Reason, "refuses it") || tries != (u.uploads.Uncounted() == 1) {
			u.Errorf("in shadow mode, the platform checked %d events without counting them: %+v", u.uploads.Uncounted(), list)
		}
		if !u.can.Changes {
			got = strings.Replace(got, "skipped", "shadow", 1)
		}
		if got != "shadow shadow shadow" {
			u.Errorf("%s: %+v", got, list)
		}
		u.received(0)
	})
}

// TestGoogleWhole: if an error concerns the whole request, no event is accepted. If the install may not use the older API, the
// events are sent through the newer one.
func TestGoogleWhole(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		if !u.clicks {
			return
		}
		up, _ := u.open(!shadowMode)
		u.uploads.RefuseRequests("CUSTOMER_NOT_ACCEPTED_CUSTOMER_DATA_TERMS")
		list, err := up.Send(u.Context(), []ads.Event{u.event("1", "one")})
		if e, ok := errors.AsType[*ads.UploadError](err); !ok || e.Refused || !e.Stop || list[0].Result != "" || !strings.Contains(err.Error(), "DATA_TERMS") {
			u.Errorf("%v, %+v", err, list)
		}
		u.received(0)
		u.uploads.RefuseRequests("CUSTOMER_NOT_ALLOWLISTED_FOR_THIS_FEATURE")
		if got, list := u.send(up, u.event("1", "one")); got != models.UploadAccepted || list[0].Request == "" {
			u.Errorf("%s: %+v", got, list)
		}
		u.received(1)
	})
}

// TestGoogleConsent: Google gets the account's statement about its visitors' consent, if there is one.
func TestGoogleConsent(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		if u.provider != models.GoogleAds {
			return
		}
		prefix := "CONSENT_"
		if u.clicks {
			prefix = ""
		}
		for stated, want := range map[string]string{"": "", "granted": prefix + "GRANTED", "denied": prefix + "DENIED"} {
			credentials := maps.Clone(adstest.UploadTokens[u.provider])
			credentials["consent"] = stated
			up, err := u.client.Open(u.provider, "key", credentials, &signedIn{uploads: u.uploads, held: u.uploads.SignedIn()}, "987654321", false)
			if err != nil {
				u.Fatal(err)
			}
			id := "one-" + stated
			if got, list := u.send(up, u.event(id, id)); got != models.UploadAccepted {
				u.Errorf("%s: %+v", got, list)
			}
			for _, v := range u.uploads.Stored(u.provider) {
				if v.ID == id && v.Consent != want {
					u.Errorf("%q: %q", stated, v.Consent)
				}
			}
		}
		u.received(3)
	})
}

// TestMetaShadow: no event is sent to Meta in shadow mode, because Meta counts test events like all others.
func TestMetaShadow(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		if u.provider != models.Meta {
			return
		}
		credentials := maps.Clone(adstest.UploadTokens[u.provider])
		credentials["test_event_code"] = "TEST123"
		up, err := u.client.Open(u.provider, "key", credentials, nil, "", true)
		if err != nil {
			u.Fatal(err)
		}
		if got, list := u.send(up, u.event("1", "one")); got != models.UploadShadow || u.uploads.Calls() != 0 {
			u.Errorf("%s, %+v, %d requests", got, list, u.uploads.Calls())
		}
		u.received(0)
	})
}

// TestUploadsFail: a request that fails for a while is sent again. If it fails each time, Send returns an error. The error has the
// pause that the platform asks for, if there is one.
func TestUploadsFail(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		up, _ := u.open(!shadowMode)
		u.uploads.Fail(resttest.Down, resttest.Down, resttest.None)
		if got, _ := u.send(up, u.event("1", "one")); got != "accepted" || len(u.waits) != 2 {
			u.Errorf("%s after %v", got, u.waits)
		}
		for _, fault := range []resttest.Fault{resttest.Busy, resttest.Down, resttest.Echo} {
			u.uploads.Fail(fault)
			list, err := up.Send(u.Context(), []ads.Event{u.event("9", "nine")})
			e, ok := errors.AsType[*ads.UploadError](err)
			if !ok || strings.Contains(err.Error(), "canary") || list[0].Result != "" {
				u.Fatalf("fault %d: %v, %+v", fault, err, list)
			}
			if got := models.RequestOf(err); got != resttest.RequestID || strings.Contains(err.Error(), got) {
				u.Errorf("fault %d: the error %q has the request id %q", fault, err, got)
			}
			if busy := fault == resttest.Busy; busy != (e.After > 0) {
				u.Errorf("fault %d: the error asks for a wait of %v", fault, e.After)
			}
		}
		u.received(1)
	})
}

// TestUploadsSlow: if an answer comes too late, the events are sent again, and the platform recognizes them.
func TestUploadsSlow(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		up, _ := u.open(!shadowMode)
		u.uploads.Fail(resttest.Slow)
		u.limit = 20 * time.Millisecond
		list, err := up.Send(u.Context(), []ads.Event{u.event("1", "one")})
		if e, ok := errors.AsType[*ads.UploadError](err); !ok || e.Refused || strings.Contains(err.Error(), "canary") || list[0].Result != "" {
			u.Fatalf("%v, %+v", err, list)
		}
		u.waits, u.waited = nil, func() {
			u.uploads.Fail(resttest.None)
			u.limit = time.Minute
		}
		if got, _ := u.send(up, u.event("1", "one")); got != "accepted" || len(u.waits) != 1 {
			u.Errorf("%s after %v", got, u.waits)
		}
		u.received(1)
	})
}

// TestUploadsExpired: an expired token of a sign-in is replaced once. With an expired token of another kind, Send returns
// an error.
func TestUploadsExpired(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		up, k := u.open(!shadowMode)
		u.uploads.Fail(resttest.Expired, resttest.None)
		list, err := up.Send(u.Context(), []ads.Event{u.event("1", "one")})
		if u.can.SignIn {
			if err != nil || list[0].Result != models.UploadAccepted || k.renewed != 1 {
				u.Errorf("%v, %+v, renewed %d times", err, list, k.renewed)
			}
			return
		}
		if e, ok := errors.AsType[*ads.UploadError](err); !ok || !e.Refused || strings.Contains(err.Error(), "canary") {
			u.Errorf("%v", err)
		}
	})
}

// TestUploadsLacks: if the connection lacks a field, Send returns an error and sends nothing. Google's older API can
// refuse a conversion as too early. The conversion is sent again after six hours.
func TestUploadsLacks(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		up, err := u.client.Open(u.provider, "key", nil, nil, "1", false)
		if err != nil {
			u.Fatal(err)
		}
		_, err = up.Send(u.Context(), []ads.Event{u.event("1", "one")})
		if e, ok := errors.AsType[*ads.UploadError](err); !ok || !e.Refused || u.uploads.Calls() != 0 {
			u.Errorf("%v after %d requests", err, u.uploads.Calls())
		}
		if u.clicks {
			soon, _ := u.open(!shadowMode)
			if got, list := u.send(soon, u.event("1", "soon-1")); got != "pending" || list[0].After != 6*time.Hour {
				u.Errorf("%s: %+v", got, list)
			}
		}
	})
}
