package ads_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/models/template"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/rest/resttest"
)

// keys are the hashed personal data of the tests.
var keys = matchkey.Keys{
	Email: strings.Repeat("e", 64), Phone: strings.Repeat("a1", 32), FirstName: strings.Repeat("f", 64), LastName: strings.Repeat("b", 64),
	City: strings.Repeat("c", 64), Region: strings.Repeat("d", 64), Zip: strings.Repeat("9", 64), Country: strings.Repeat("0c", 32),
}

// externalID is the SHA-256 of the click id of the tests' first conversion, "c1".
const externalID = "d0f631ca1ddba8db3bcfcb9e057cdc98d0379f1bee00e75a545147a27dadd982"

// TestUploadBodies: the request has exactly the fields that the platform documents.
func TestUploadBodies(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		if u.can.Body == "" {
			return
		}
		up, _ := u.open(!shadowMode)
		e := u.event("1", "one")
		e.Keys = keys
		want := strings.NewReplacer(
			"EXTERNAL", externalID, "EMAIL", keys.Email, "PHONE", keys.Phone, "FIRST", keys.FirstName, "LAST", keys.LastName, "CITY", keys.City,
			"REGION", keys.Region, "ZIP", keys.Zip, "COUNTRY", keys.Country, "PAGE", e.Page,
		).Replace(u.can.Body)
		if got, list := u.send(up, e); got != models.UploadAccepted {
			u.Fatalf("%s: %+v", got, list)
		}
		if got := compact(u.T, u.uploads.Body(u.provider)); got != compact(u.T, []byte(want)) {
			u.Errorf("sent\n%s, want\n%s", got, compact(u.T, []byte(want)))
		}
	})
}

// TestUploadClicks: the source template of a platform stores the click id in the parameter that uploads read.
func TestUploadClicks(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		if s, ok := template.FindSource(u.provider); ok && s.ExternalIDParam != "" && s.ExternalIDParam != u.can.Click {
			u.Errorf("%s: the template's parameter is %s, but uploads read %s", u.provider, s.ExternalIDParam, u.can.Click)
		}
	})
}

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestUploadsUnknown: a conversion that lacks data which the platform needs is not sent, and the verdict says what is missing.
func TestUploadsUnknown(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		missing := map[string]string{models.Snapchat: "landing page", models.Pinterest: "IP address"}[u.provider]
		if missing == "" {
			return
		}
		up, _ := u.open(!shadowMode)
		known, pageless, partly := u.event("1", "one"), u.event("2", "two"), u.event("3", "three")
		known.IP, known.Keys.Email = "", keys.Email
		pageless.Page, pageless.IP = "", ""
		partly.IP = ""
		got, list := u.send(up, known, pageless, partly)
		if got != "accepted skipped skipped" || !strings.Contains(list[1].Reason, missing) || !strings.Contains(list[2].Reason, "IP address") {
			u.Errorf("%s: %+v", got, list)
		}
		u.received(1)
	})
}

// TestUploadsToken: the error says that an unknown token is refused, and no event is rejected because of it.
func TestUploadsToken(t *testing.T) {
	t.Parallel()
	eachUploader(t, func(u *uploader) {
		p, _ := models.SourceProviderNamed(u.provider)
		credentials := maps.Clone(adstest.UploadTokens[u.provider])
		for _, f := range p.Fields {
			if f.Secret && f.ForConversions {
				credentials[f.Name] = "another-canary-token"
			}
		}
		if maps.Equal(credentials, adstest.UploadTokens[u.provider]) {
			return
		}
		for _, shadow := range []bool{false, u.can.Validates} {
			up, err := u.client.Open(u.provider, "key", credentials, nil, "", shadow)
			if err != nil {
				u.Fatal(err)
			}
			list, err := up.Send(u.Context(), []ads.Event{u.event("1", "one"), u.event("2", "two")})
			if e, ok := errors.AsType[*ads.UploadError](err); !ok || !e.Refused || strings.Contains(err.Error(), "canary") || list[0].Result != "" {
				u.Errorf("%v, %+v", err, list)
			}
		}
		u.uploads.Fail(resttest.Busy)
		up, _ := u.open(u.can.Validates)
		if _, err := up.Send(u.Context(), []ads.Event{u.event("1", "one")}); err == nil {
			u.Error("a busy platform gives no error")
		}
		u.received(0)
	})
}
