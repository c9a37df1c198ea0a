package ads_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/ads/adstest"
)

// eachGoogle runs a test for both of Google's APIs.
func eachGoogle(t *testing.T, test func(*uploader)) {
	t.Helper()
	eachUploader(t, func(u *uploader) {
		if u.provider == models.GoogleAds {
			test(u)
		}
	})
}

func (u *uploader) openAction(action string, shadow bool) *ads.Upload {
	u.Helper()
	up, err := u.client.Open(u.provider, "key", adstest.UploadTokens[u.provider], &signedIn{uploads: u.uploads, held: u.uploads.SignedIn()}, action, shadow)
	if err != nil {
		u.Fatal(err)
	}
	return up
}

func (u *uploader) refusal(up *ads.Upload, e ads.Event) *ads.UploadError {
	u.Helper()
	list, err := up.Send(u.Context(), []ads.Event{e})
	failure, ok := errors.AsType[*ads.UploadError](err)
	if !ok || list[0].Result != "" || strings.Contains(failure.Error(), "canary") {
		u.Fatalf("%v: %+v", err, list)
	}
	return failure
}

// TestGoogleOwner: conversions are sent to the customer (an account of Google Ads) that owns the conversion action. This can be a
// manager of the connected account.
func TestGoogleOwner(t *testing.T) {
	t.Parallel()
	eachGoogle(t, func(u *uploader) {
		up := u.openAction(adstest.GoogleShared, !shadowMode)
		if got, list := u.send(up, u.event("1", "one")); got != models.UploadAccepted {
			u.Fatalf("%s: %+v", got, list)
		}
		if list := u.received(1); !u.clicks && list[0].To != "9999999999" {
			u.Errorf("sent to %q", list[0].To)
		}
	})
}

// TestGoogleDestination: a refusal of the destination concerns every event, so the error asks for a stop and says what to do.
func TestGoogleDestination(t *testing.T) {
	t.Parallel()
	eachGoogle(t, func(u *uploader) {
		if u.clicks {
			return
		}
		for _, shadow := range []bool{false, true} {
			e := u.refusal(u.openAction("555666777", shadow), u.event("1", "one"))
			if !e.Stop || e.After != 0 || !strings.Contains(e.Error(), "INVALID_CONVERSION_ACTION_ID") || !strings.Contains(e.Error(), "choose the action again") {
				u.Errorf("%+v: %v", e, e)
			}
			if got := models.RequestOf(e); got != "dm-request-1" {
				u.Errorf("the error has the request id %q, want dm-request-1", got)
			}
		}
		u.uploads.RefuseTerms()
		event := u.event("1", "one")
		event.Keys = matchkey.Keys{Email: strings.Repeat("a", 64)}
		if e := u.refusal(u.openAction("987654321", !shadowMode), event); !e.Stop || !strings.Contains(e.Error(), "TERMS_NOT_SIGNED") {
			u.Errorf("%+v: %v", e, e)
		}
		u.received(0)
	})
}

// TestGoogleSetting: the error asks for a stop if the conversion action or the customer does not exist, and not after other
// refusals.
func TestGoogleSetting(t *testing.T) {
	t.Parallel()
	eachGoogle(t, func(u *uploader) {
		if !u.clicks {
			return
		}
		e := u.refusal(u.openAction("111", !shadowMode), u.event("1", "one"))
		if !e.Stop || e.Refused || !strings.Contains(e.Error(), "NO_CONVERSION_ACTION_FOUND") {
			u.Errorf("%+v: %v", e, e)
		}
		up, _ := u.open(!shadowMode)
		u.uploads.RefuseRequests("TRANSIENT_ERROR")
		if e := u.refusal(up, u.event("1", "one")); e.Stop || e.Refused {
			u.Errorf("%+v: %v", e, e)
		}
		u.uploads.RefuseRequests("")
		u.uploads.RefuseProject("UNSUPPORTED_VERSION")
		if e := u.refusal(up, u.event("1", "one")); e.Stop || e.Refused || e.After < time.Minute || !strings.Contains(e.Error(), "operator") {
			u.Errorf("%+v: %v", e, e)
		}
		u.uploads.RefuseProject("INVALID_CUSTOMER_ID")
		if e := u.refusal(up, u.event("1", "one")); !e.Stop || e.Refused {
			u.Errorf("%+v: %v", e, e)
		}
		u.received(0)
	})
}

// TestGoogleProject: a refusal of the install's project is not a refusal of the account's sign-in. A
// refusal because of a missing scope is a refusal of the sign-in.
func TestGoogleProject(t *testing.T) {
	t.Parallel()
	eachGoogle(t, func(u *uploader) {
		up, _ := u.open(!shadowMode)
		for _, reason := range []string{"CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION", "SERVICE_DISABLED"} {
			u.uploads.RefuseProject(reason)
			e := u.refusal(up, u.event("1", "one"))
			if e.Refused || e.Stop || e.After < time.Minute || !strings.Contains(e.Error(), reason) || !strings.Contains(e.Error(), "operator") {
				u.Errorf("%s: %+v: %v", reason, e, e)
			}
		}
		u.uploads.RefuseProject("ACCESS_TOKEN_SCOPE_INSUFFICIENT")
		if e := u.refusal(up, u.event("1", "one")); !e.Refused || !strings.Contains(e.Error(), "sign in again") {
			u.Errorf("%+v: %v", e, e)
		}
	})
}

// TestGoogleAdjustScope: a retraction is skipped if the token lacks the scope of the Google Ads API.
func TestGoogleAdjustScope(t *testing.T) {
	t.Parallel()
	eachGoogle(t, func(u *uploader) {
		up, _ := u.open(!shadowMode)
		u.send(up, u.event("1", "one"))
		u.uploads.RefuseProject("ACCESS_TOKEN_SCOPE_INSUFFICIENT")
		e := u.event("1", "one")
		e.Action = models.UploadRetract
		if got, list := u.send(up, e); got != models.UploadSkipped || !strings.Contains(list[0].Reason, "sign in again") {
			u.Errorf("%s: %+v", got, list)
		}
	})
}

// TestGoogleMatching: Google gets the hashed e-mail and phone number. Data Manager also gets the device, but the IP address only
// if the country allows it.
func TestGoogleMatching(t *testing.T) {
	t.Parallel()
	eachGoogle(t, func(u *uploader) {
		up, _ := u.open(!shadowMode)
		known := matchkey.Keys{Email: strings.Repeat("a", 64), Phone: strings.Repeat("b", 64), FirstName: strings.Repeat("c", 64)}
		for country, want := range map[string]bool{"US": true, "DE": false, "GB": false, "": false} {
			e := u.event("at-"+country, "one"+country)
			e.Country, e.Keys = country, known
			if got, list := u.send(up, e); got != models.UploadAccepted {
				u.Fatalf("%s: %+v", got, list)
			}
			for _, v := range u.uploads.Stored(u.provider) {
				if v.ID != e.ID {
					continue
				}
				if u.clicks {
					u.same(v.Fields["userIdentifiers"], []any{map[string]any{"hashedEmail": known.Email}, map[string]any{"hashedPhoneNumber": known.Phone}})
					continue
				}
				u.same(v.Fields["userData"], map[string]any{"userIdentifiers": []any{
					map[string]any{"emailAddress": known.Email}, map[string]any{"phoneNumber": known.Phone},
				}})
				device := map[string]any{"userAgent": "Mozilla/5.0"}
				if want {
					maps.Copy(device, map[string]any{"ipAddress": "203.0.113.9"})
				}
				u.same(v.Fields["eventDeviceInfo"], device)
			}
		}
	})
}
