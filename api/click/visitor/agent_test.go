package visitor

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type expectedAgent struct {
	UserAgent  string `json:"user_agent"`
	DeviceType string `json:"device_type"`
	OS         string `json:"os"`
	Browser    string `json:"browser"`
	Bot        string `json:"bot"`
}

func readJSON[T any](tb testing.TB, path string) (rows []T) {
	tb.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		tb.Fatal(err)
	}
	return rows
}

func realAgents(tb testing.TB) []expectedAgent {
	tb.Helper()
	rows := readJSON[expectedAgent](tb, "../../../ops/visitors/useragents.json")
	if len(rows) < 220 {
		tb.Fatalf("the file has %d user agents, want at least 220", len(rows))
	}
	return rows
}

// TestRealAgents compares the reviewed expectations with the description by markers alone, and then with the complete one. Under
// load only the markers describe a visitor, so they must give the same device type, system, browser and kind of bot. Only the
// complete description may name a browser that the markers do not know.
func TestRealAgents(t *testing.T) {
	t.Parallel()
	parser, err := slowParser()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range realAgents(t) {
		t.Run(want.UserAgent, func(t *testing.T) {
			t.Parallel()
			a := classify(want.UserAgent)
			checkAgent(t, "markers", a, want)
			parser.complete(want.UserAgent, a)
			checkAgent(t, "complete", a, want)
		})
	}
}

var kindNames = [...]string{
	crawler: "crawler", linkPreview: "link_preview", aiCrawler: "ai_crawler", httpLibrary: "http_library", headless: "headless",
	empty: "empty",
}

func checkAgent(t *testing.T, how string, a *agent, want expectedAgent) {
	t.Helper()
	got := expectedAgent{want.UserAgent, a.device, a.os, a.browser, kindNames[a.kind]}
	if want.Browser == "" && want.Bot == "" && how == "complete" {
		got.Browser = "" // the parsers may add a name that the markers do not know
	}
	if got != want {
		t.Errorf("%s:\n got %+v\nwant %+v", how, got, want)
	}
	if a.impossible {
		t.Errorf("%s: a real user agent is called impossible", how)
	}
}

func TestAgentDetails(t *testing.T) {
	t.Parallel()
	parser, err := slowParser()
	if err != nil {
		t.Fatal(err)
	}
	const android, webkit = "Mozilla/5.0 (Linux; Android ", ") AppleWebKit/537.36 (KHTML, like Gecko) "
	for _, c := range []struct{ ua, brand, model, os, osVersion, browser, version string }{
		{
			android + "13; SM-S918B" + webkit + "Chrome/112.0.0.0 Mobile Safari/537.36",
			"Samsung", "SM-S918B", "Android", "13", "Chrome", "112.0.0.0",
		},
		{
			android + "10; K" + webkit + "Chrome/120.0.0.0 Mobile Safari/537.36",
			"", "", "Android", "10", "Chrome", "120.0.0.0",
		},
		{
			android + "13; Pixel 7" + webkit + "Chrome/116.0.0.0 Mobile Safari/537.36",
			"Google", "Pixel 7", "Android", "13", "Chrome", "116.0.0.0",
		},
		{
			android + "10; VOG-L29" + webkit + "Chrome/99.0.4844.88 Mobile Safari/537.36",
			"Huawei", "VOG-L29", "Android", "10", "Chrome", "99.0.4844.88",
		},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/17.2 Mobile/15E148 Safari/604.1", "Apple", "iPhone", "iOS", "17.2", "Safari", "17.2"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/17.2 Safari/605.1.15", "Apple", "Mac", "macOS", "10.15.7", "Safari", "17.2"},
		{
			"Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; AS; rv:11.0) like Gecko",
			"", "", "Windows", "7", "Internet Explorer", "11.0",
		},
	} {
		a := classify(c.ua)
		parser.complete(c.ua, a)
		got := []string{a.brand, a.model, a.os, a.osVersion, a.browser, a.browserVersion}
		want := []string{c.brand, c.model, c.os, c.osVersion, c.browser, c.version}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s\n got %q\nwant %q", c.ua, got, want)
		}
	}
}

func TestImpossibleAgents(t *testing.T) {
	t.Parallel()
	for _, ua := range []string{
		"Mozilla/5.0 (Windows NT 5.1) AppleWebKit/534.30 (KHTML, like Gecko) Chrome/12.0.742.112 Safari/534.30",
		"Mozilla/5.0 (X11; Linux x86_64; rv:2.0) Gecko/20100101 Firefox/4.0",
		"Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1)",
		"Mozilla/5.0 (X11; Linux x86_64; Trident/7.0; rv:11.0) like Gecko",
	} {
		if !classify(ua).impossible {
			t.Errorf("not impossible: %s", ua)
		}
	}
}

func newTestCache(t *testing.T, size int, complete func(string, *agent)) *agentCache {
	t.Helper()
	c := newAgentCache(size, complete)
	t.Cleanup(c.close)
	return c
}

// TestFloodSparesTheParser checks that no request parses without budget.
func TestFloodSparesTheParser(t *testing.T) {
	t.Parallel()
	var parses atomic.Int32
	parsed := make(chan string, 1)
	c := newTestCache(t, 1000, func(ua string, a *agent) {
		parses.Add(1)
		a.brand = "Completed"
		parsed <- ua
	})
	c.budget.left, c.budget.share = 0, 0
	for i := range 500 {
		a := c.find(fmt.Sprintf("Mozilla/5.0 (Linux; Android 13; X%d) Chrome/120.0.0.0 Mobile Safari/537.36", i))
		if a.device != Mobile || a.os != "Android" || a.browser != "Chrome" || a.complete {
			t.Fatalf("a new user agent over budget is described as %+v, want the description by markers only", a)
		}
	}
	if n := parses.Load(); n != 0 {
		t.Fatalf("%d user agents were parsed over budget, want none", n)
	}
	const repeatedAgent = "Mozilla/5.0 (Linux; Android 13; X499) Chrome/120.0.0.0 Mobile Safari/537.36"
	c.find(repeatedAgent)
	if ua := <-parsed; ua != repeatedAgent {
		t.Fatalf("the worker completed %q, want the user agent that came twice", ua)
	}
	c.close()
	if a := c.find(repeatedAgent); !a.complete || a.brand != "Completed" {
		t.Fatalf("after the worker has completed the agent, it is %+v, want it complete with the brand Completed", a)
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	b := newBudget(0.1, 100*time.Millisecond)
	if !b.acquire() {
		t.Fatal("a full budget granted no time")
	}
	if b.acquire() {
		t.Fatal("the budget was acquired twice at the same time")
	}
	b.spend(200 * time.Millisecond)
	if b.acquire() {
		t.Fatal("an overdrawn budget granted time")
	}
	b.since = b.since.Add(-2 * time.Second)
	if !b.acquire() {
		t.Fatal("two seconds after it was overdrawn by 0.1 s, the budget granted no time")
	}
	if b.left < 90*time.Millisecond || b.left > 100*time.Millisecond {
		t.Fatalf("the budget has %v left, want the burst of 100 ms at most", b.left)
	}
}

// TestConcurrentMisses: a user agent is parsed once while it is cached, however many requests ask for it at the same time. The
// cache is too small for all user agents of the test, so a few repeated parses are allowed.
func TestConcurrentMisses(t *testing.T) {
	t.Parallel()
	var parses sync.Map
	c := newTestCache(t, 64, func(ua string, _ *agent) {
		n, _ := parses.LoadOrStore(ua, new(atomic.Int32))
		n.(*atomic.Int32).Add(1)
	})
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			for i := range 200 {
				c.find(fmt.Sprintf("agent %d", (i*7+g)%100))
				c.find("the same")
			}
		})
	}
	all.Wait()
	if n, ok := parses.Load("the same"); ok && n.(*atomic.Int32).Load() > 3 {
		t.Errorf("the same user agent was parsed %d times, want at most 3", n.(*atomic.Int32).Load())
	}
}

func TestEmptyAgent(t *testing.T) {
	t.Parallel()
	c := newTestCache(t, 8, func(string, *agent) { t.Error("the parser ran for an empty user agent") })
	if a := c.find(""); a.kind != empty || a.device != Unknown {
		t.Errorf("an empty user agent is described as %+v", a)
	}
}
