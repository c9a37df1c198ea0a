package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"switchyard/models/bot"
)

// bounds maps signals to the limits that their texts must mention.
var bounds = map[bot.Signals][]any{
	bot.FastClick: {bot.FastBound.Seconds()}, bot.ClickFlood: {bot.FloodBound}, bot.CampaignFlood: {bot.FloodBound},
	bot.RepeatClick: {bot.RepeatBound, bot.RepeatWindow.Hours()},
	bot.NoJS:        {bot.TagWait.Seconds(), bot.TaggedBound, bot.TaggedWindow.Hours()},
}

func TestTable(t *testing.T) {
	t.Parallel()
	for i, row := range slices.Collect(bot.All()) {
		if row.Bit != 1<<i {
			t.Errorf("%s is in row %d but has the bits %b, want bit %d", row.Reason, i, row.Bit, i)
		}
		for _, bound := range bounds[row.Bit] {
			if text := row.Meaning + row.Found; !strings.Contains(text, fmt.Sprint(bound, " ")) {
				t.Errorf("the text of %s does not mention its limit %v: %s", row.Reason, bound, text)
			}
		}
		if found, ok := bot.ByReason(row.Reason); !ok || found.Bit != row.Bit {
			t.Errorf("%s is not found by its name", row.Reason)
		}
	}
	// Stored clicks contain these bits.
	for signal, bit := range map[bot.Signals]int{
		bot.DenyList: 0, bot.Headless: 6, bot.Datacenter: 12,
		bot.FewHeaders: 18, bot.NoJS: 24, bot.ForgedBrowser: 25, bot.Allowed: 62,
	} {
		if signal != 1<<bit {
			t.Errorf("signal %b is not bit %d", signal, bit)
		}
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	all := make([]string, 0, 30)
	for _, row := range slices.Collect(bot.All()) {
		all = append(all, row.Reason)
	}
	tests := []struct {
		name     string
		fired    bot.Signals
		settings bot.Settings
		score    int
		isBot    bool
		reason   string
	}{
		{"no signal", 0, bot.Settings{}, 0, false, ""},
		{"the weights add up", bot.Datacenter | bot.NoAcceptLanguage, bot.Settings{}, 70, true, "datacenter"},
		{"under the threshold", bot.Datacenter, bot.Settings{}, 45, false, "datacenter"},
		{"the account's own threshold", bot.Datacenter, bot.NewSettings(45, nil), 45, true, "datacenter"},
		{"a threshold of 1 counts as 20", bot.RepeatClick, bot.NewSettings(1, nil), 20, true, "repeat_click"},
		{"a threshold of 400 counts as 95", bot.HTTPLibrary, bot.NewSettings(400, nil), 90, false, "http_library"},
		{"two signals of the same flood count once", bot.ClickFlood | bot.CampaignFlood, bot.Settings{}, 50, false, "click_flood"},
		{"a flood and another signal", bot.ClickFlood | bot.CampaignFlood | bot.FewHeaders, bot.Settings{}, 75, true, "click_flood"},
		{"the flood that is not disabled counts", bot.ClickFlood | bot.CampaignFlood, bot.NewSettings(0, []string{"click_flood"}), 40, false, "campaign_flood"},
		{"the score is at most 100", bot.DeclaredBot | bot.Honeypot, bot.Settings{}, 100, true, "declared_bot"},
		{"an allow entry sets the score to 0", bot.Allowed | bot.DenyList | bot.DeclaredBot, bot.Settings{}, 0, false, ""},
		{
			"a disabled signal does not count", bot.Datacenter | bot.TorExit, bot.NewSettings(0, []string{"tor_exit", "no_such"}), 45, false,
			"datacenter",
		},
		{"declared_bot cannot be disabled", bot.DeclaredBot | bot.HTTPLibrary, bot.NewSettings(0, all), 100, true, "declared_bot"},
		{"deny_list cannot be disabled", bot.DenyList, bot.NewSettings(0, all), 100, true, "deny_list"},
		{"bits of a later version", 1<<40 | bot.TorExit, bot.Settings{}, 60, true, "tor_exit"},
	}
	for _, tt := range tests {
		score, isBot, reason := bot.Score(tt.fired, tt.settings)
		if score != tt.score || isBot != tt.isBot || reason != tt.reason {
			t.Errorf("%s: got %d %v %q, want %d %v %q", tt.name, score, isBot, reason, tt.score, tt.isBot, tt.reason)
		}
	}
	if got := bot.NewSettings(0, all).Disabled.Reasons(); slices.Contains(got, "deny_list") || len(got) != len(all)-2 {
		t.Errorf("the disabled signals are %v, want all except deny_list and declared_bot", got)
	}
	if got := (bot.RepeatClick | bot.TorExit).Reasons(); !slices.Equal(got, []string{"tor_exit", "repeat_click"}) {
		t.Errorf("the reasons are %v, want the heaviest first: tor_exit, repeat_click", got)
	}
}
