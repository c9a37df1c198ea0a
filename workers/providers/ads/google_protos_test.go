package ads_test

import (
	"context"
	"maps"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/models/parttest"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest/prototest"
	"switchyard/workers/providers/rest/resttest"
)

// tapped starts a server that answers with p, which also records the requests and answers. It returns options for clients of this
// server.
func tapped(t *testing.T, p *prototest.Tap) platform.Options {
	t.Helper()
	server := httptest.NewTLSServer(p)
	t.Cleanup(server.Close)
	return platform.Options{
		Egress: egresstest.Client(t, server, egress.Options{MaxBody: 32 << 20}), URL: server.URL,
		Now: func() time.Time { return uploadNow }, Wait: func(context.Context, time.Duration) error { return nil },
	}
}

// TestGoogleProtos: each request of the adapters for Google, and each answer of the fakes, has the fields and types of Google's
// protocol buffers.
func TestGoogleProtos(t *testing.T) {
	parttest.Clients.Only(t)
	t.Parallel()
	prototest.CheckGoogle(t, append(googleSpend(t), googleUploads(t)...),
		"googleAds:searchStream", "googleAds:searchStream fails", "events:ingest", "events:ingest fails", "requestStatus:retrieve",
		"uploadClickConversions", "uploadClickConversions fails", "uploadConversionAdjustments", "uploadConversionAdjustments fails")
}

func googleSpend(t *testing.T) []prototest.Exchange {
	t.Helper()
	platforms := &adstest.Platforms{}
	platforms.Set(append(rows(9), adstest.Row{Day: "2026-11-01", Campaign: "7", Name: "Bare", Spend: "0", Bare: true})...)
	p := &prototest.Tap{Fake: platforms.Handler()}
	c, err := ads.New(ads.Options{Options: tapped(t, p)}).Open(ads.Account{
		Provider: models.GoogleAds, Key: "k", Credentials: adstest.Fakes[models.GoogleAds].Credentials(), Tokens: platforms,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Test(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Spend(t.Context(), first, last); err != nil || len(got) != 10 {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	platforms.Fail(resttest.Refusal)
	if err := c.Test(t.Context()); err == nil {
		t.Fatal("the refusal was not reported as a failure")
	}
	return p.Exchanges()
}

// googleUploads sends conversions and changes by both of Google's APIs for uploads, and requests that are refused.
func googleUploads(t *testing.T) []prototest.Exchange {
	t.Helper()
	uploads := &adstest.Uploads{}
	uploads.DecideAtOnce()
	p := &prototest.Tap{Fake: uploads}
	options := ads.UploadOptions{Options: ads.Options{Options: tapped(t, p)}}
	credentials := maps.Clone(adstest.UploadTokens[models.GoogleAds])
	credentials["consent"] = "granted"
	for _, clicks := range []bool{false, true} {
		options.GoogleClicks = clicks
		tokens := &signedIn{uploads: uploads, held: uploads.SignedIn()}
		open := func(action string, shadow bool) *ads.Upload {
			up, err := ads.NewUploader(options).Open(models.GoogleAds, "key", credentials, tokens, action, shadow)
			if err != nil {
				t.Fatal(err)
			}
			return up
		}
		event := func(id, query, change string) ads.Event {
			return ads.Event{
				ID: id, Action: change, Time: uploadAt, ChangedAt: uploadAt.Add(time.Minute), Value: decimal.RequireFromString("12.50"), Currency: "EUR",
				Query: query, IP: "203.0.113.9", UserAgent: "Mozilla/5.0", Country: "US", Page: "https://lander.example/page",
				Keys: matchkey.Keys{Email: strings.Repeat("a", 64), Phone: strings.Repeat("b", 64)},
			}
		}
		bare := event("2", "gbraid=two", models.UploadNew)
		bare.Keys, bare.Country = matchkey.Keys{}, ""
		for _, shadow := range []bool{true, false} {
			list, err := open(adstest.GoogleShared, shadow).Send(t.Context(), []ads.Event{
				event("1", "gclid=one", models.UploadNew), bare, event("3", "wbraid=three", models.UploadNew), event("4", "gclid=bad-4", models.UploadNew),
			})
			if err != nil || len(list) != 4 {
				t.Fatalf("%+v, %v", list, err)
			}
			if request := list[0].Request; request != "" {
				if _, err := open(adstest.GoogleShared, false).Outcome(t.Context(), request); err != nil {
					t.Fatal(err)
				}
			}
		}
		up := open(adstest.GoogleShared, false)
		if _, err := up.Send(t.Context(), []ads.Event{event("1", "gclid=one", models.UploadRestate), event("2", "gbraid=two", models.UploadRetract)}); err != nil {
			t.Fatal(err)
		}
		for _, change := range []string{models.UploadNew, models.UploadRetract} {
			uploads.Fail(resttest.Refusal, resttest.None)
			if _, err := up.Send(t.Context(), []ads.Event{event("5", "gclid=five", change)}); err == nil {
				t.Fatal("the refusal was not reported as a failure")
			}
			uploads.Fail()
		}
		if !clicks {
			// The customer does not own this action.
			if _, err := open("555666777", false).Send(t.Context(), []ads.Event{event("6", "gclid=six", models.UploadNew)}); err == nil {
				t.Fatal("the refusal was not reported as a failure")
			}
		}
	}
	return p.Exchanges()
}
