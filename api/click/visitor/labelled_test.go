package visitor

import (
	"crypto/tls"
	"net/http"
	"os"
	"testing"

	"switchyard/models/bot"
	"switchyard/models/bot/bottest"
)

// floors maps each kind of program to the smallest share of its requests that the detector must call a bot at the default
// threshold.
var floors = map[string]float64{
	"ai_crawler": 0.93, "crawler": 0.90, "forged_browser": 0.90, "forged_crawler": 1, "head": 1, "headless": 0.61,
	"library": 0.98, "monitor": 0.85, "prefetch": 1, "preview": 0.90, "scanner": 0.80,
}

// TestLabelledSet runs the detector on requests of real browsers and real programs. The detector must call no person a
// bot, and must find, of each kind of program, at least the share in floors.
func TestLabelledSet(t *testing.T) {
	t.Parallel()
	list, err := bottest.Read(os.DirFS("../../../" + bottest.Dir))
	if err != nil {
		t.Fatal(err)
	}
	ids, people := map[string]bool{}, 0
	for _, r := range list {
		if ids[r.ID] {
			t.Errorf("two requests have the id %s", r.ID)
		}
		if ids[r.ID] = true; !r.Bot {
			people++
		}
	}
	if len(ids) < 2000 || people < 1000 {
		t.Fatalf("the list has %d requests, %d of them of people, want at least 2000 and 1000", len(ids), people)
	}
	d := newTestDescriber(t, Options{})
	tally := bottest.Judge(list, func(r bottest.Request) bool { return judge(t, d, r) })
	for _, k := range tally.Kinds {
		if floor, listed := floors[k.Name]; k.Bot != listed {
			t.Errorf("%s: has a floor: %v, is a kind of programs: %v", k.Name, listed, k.Bot)
		} else if k.Share() < floor {
			t.Errorf("%s: %d of %d are found, want at least the share %.2f", k.Name, k.Called, k.Sent, floor)
		}
	}
	t.Logf("precision %.4f, recall %.4f: %+v", tally.Precision(), tally.Recall(), tally.Kinds)
}

// TestLabelledDevices compares the description of devices with the labels of the set. The system and its major version must be
// right, and for iOS the whole version. Television boxes, television sticks and tablets often look like phones, so the type of a few
// devices may be wrong.
func TestLabelledDevices(t *testing.T) {
	t.Parallel()
	list, err := bottest.Read(os.DirFS("../../../" + bottest.Dir))
	if err != nil {
		t.Fatal(err)
	}
	const floor = 0.92
	labelled, right := 0, 0
	for _, r := range list {
		if r.Device == "" {
			continue
		}
		labelled++
		a := classify(clean(header(r.Headers, "User-Agent"), MaxUserAgent))
		if a.os != r.OS || leadingInt(a.osVersion) != leadingInt(r.OSVersion) || r.OS == "iOS" && a.osVersion != r.OSVersion {
			t.Errorf("%s: %s %s, want %s %s: %q", r.ID, a.os, a.osVersion, r.OS, r.OSVersion, r.Headers["User-Agent"])
		}
		if a.device == r.Device {
			right++
		}
		if a.browser == "" {
			t.Errorf("%s: no browser: %q", r.ID, r.Headers["User-Agent"])
		}
	}
	if labelled < 400 || float64(right) < floor*float64(labelled) {
		t.Errorf("the type of %d of %d devices is right, want at least 400 devices and the share %.2f of them", right, labelled, floor)
	}
	t.Logf("%d of %d types of devices are right", right, labelled)
}

// judge reports whether the detector calls the sender of a request a bot. It first stores the user agent in the cache with the
// result of the search for rare crawlers, so that the budget of the slow parsers does not matter.
func judge(t *testing.T, d *Describer, r bottest.Request) bool {
	t.Helper()
	if userAgent := clean(header(r.Headers, "User-Agent"), MaxUserAgent); userAgent != "" {
		a := classify(userAgent)
		if a.complete = true; a.kind == human && isRareCrawler(userAgent, a) {
			a = &agent{kind: crawler, device: Bot, complete: true}
		}
		d.agents.known.Set(userAgent, a)
	}
	req := &http.Request{Method: r.Method, Header: r.Headers, RemoteAddr: "81.2.69.142:40000"}
	if r.Scheme == "https" {
		req.TLS = &tls.ConnectionState{}
	}
	var got Description
	d.Describe(req, nil, &got)
	score, isBot, _ := bot.Score(got.Signals, bot.Settings{})
	if isBot && !r.Bot {
		t.Errorf("%s, a %s, scores %d by %v: %q", r.ID, r.Kind, score, got.Signals.Reasons(), r.Headers)
	}
	return isBot
}
