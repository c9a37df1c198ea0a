package bottest_test

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"switchyard/models/bot"
	"switchyard/models/bot/bottest"
)

var update = flag.Bool("update", false, "write bot.Browsers again")

// TestBrowsers checks that bot.Browsers are the user agents of the labelled set that come from people, without text browsers.
func TestBrowsers(t *testing.T) {
	t.Parallel()
	set, err := bottest.Read(os.DirFS("../testdata"))
	if err != nil {
		t.Fatal(err)
	}
	agents := map[string]bool{}
	for _, r := range set {
		if agent := r.Headers["User-Agent"]; !r.Bot && r.Kind != "text_browser" && len(agent) == 1 {
			agents[agent[0]] = true
		}
	}
	want := slices.Sorted(maps.Keys(agents))
	if *update {
		if err := os.WriteFile("../browsers.txt", []byte(strings.Join(want, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	const fewest = 500 // the set has more browsers than this
	if len(want) < fewest || !slices.Equal(bot.Browsers(), want) {
		t.Errorf("bot.Browsers has %d user agents, want the %d of the set: run this test with -update", len(bot.Browsers()), len(want))
	}
}
