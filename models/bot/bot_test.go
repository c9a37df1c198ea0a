package bot_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/uuid"

	"switchyard/models/bot"
	"switchyard/models/cond"
)

func TestTable(t *testing.T) {
	t.Parallel()
	for i, row := range bot.Table() {
		if row.Bit != 1<<i {
			t.Errorf("%s has bit %b, its row is %d", row.Reason, row.Bit, i)
		}
		if found, ok := bot.ByReason(row.Reason); !ok || found.Bit != row.Bit {
			t.Errorf("%s is not found by its name", row.Reason)
		}
	}
	// Stored clicks hold these bits: they must never move.
	for signal, bit := range map[bot.Signals]int{
		bot.DenyList: 0, bot.Headless: 6, bot.Datacenter: 12,
		bot.FewHeaders: 18, bot.NoJS: 24, bot.Allowed: 62,
	} {
		if signal != 1<<bit {
			t.Errorf("signal %b is not bit %d", signal, bit)
		}
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	all := make([]string, 0, 30)
	for _, row := range bot.Table() {
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
		{"nothing", 0, bot.Settings{}, 0, false, ""},
		{"sum", bot.Datacenter | bot.NoAcceptLanguage, bot.Settings{}, 70, true, "datacenter"},
		{"under the threshold", bot.Datacenter, bot.Settings{}, 45, false, "datacenter"},
		{"own threshold", bot.Datacenter, bot.NewSettings(45, nil), 45, true, "datacenter"},
		{"threshold held to 20", bot.RepeatClick, bot.NewSettings(1, nil), 20, true, "repeat_click"},
		{"threshold held to 95", bot.HTTPLibrary, bot.NewSettings(400, nil), 90, false, "http_library"},
		{"capped", bot.DeclaredBot | bot.Honeypot, bot.Settings{}, 100, true, "declared_bot"},
		{"allow wins", bot.Allowed | bot.DenyList | bot.DeclaredBot, bot.Settings{}, 0, false, ""},
		{
			"disabled", bot.Datacenter | bot.TorExit, bot.NewSettings(0, []string{"tor_exit", "no_such"}), 45, false,
			"datacenter",
		},
		{"cannot be disabled", bot.DeclaredBot | bot.HTTPLibrary, bot.NewSettings(0, all), 100, true, "declared_bot"},
		{"deny cannot be disabled", bot.DenyList, bot.NewSettings(0, all), 100, true, "deny_list"},
		{"bits of a later version", 1<<40 | bot.TorExit, bot.Settings{}, 60, true, "tor_exit"},
	}
	for _, tt := range tests {
		score, isBot, reason := bot.Score(tt.fired, tt.settings)
		if score != tt.score || isBot != tt.isBot || reason != tt.reason {
			t.Errorf("%s: got %d %v %q, want %d %v %q", tt.name, score, isBot, reason, tt.score, tt.isBot, tt.reason)
		}
	}
	if got := bot.NewSettings(0, all).DisabledReasons(); slices.Contains(got, "deny_list") || len(got) != len(all)-2 {
		t.Errorf("disabled: %v", got)
	}
	if got := (bot.RepeatClick | bot.TorExit).Reasons(); !slices.Equal(got, []string{"tor_exit", "repeat_click"}) {
		t.Errorf("reasons: %v", got)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	campaign := uuid.New()
	entries := []bot.Entry{
		{Type: bot.Allow, Attribute: "ip", Operator: "equals", Value: "198.51.100.9"},
		{Type: bot.Deny, Attribute: "user_agent", Operator: "contains", Value: []any{"EvilBrowser"}},
		{Type: bot.Deny, Attribute: "sub3", Operator: "regex", Value: "^bad[0-9]+$", CampaignID: campaign},
		{Type: bot.Deny, Attribute: "asn", Operator: "equals", Value: "AS64500"},
	}
	for i := range 3000 {
		entries = append(entries, bot.Entry{
			Type: bot.Deny, Attribute: "ip_range", Operator: "equals",
			Value: fmt.Sprintf("198.%d.%d.0/24", 51+i/256, i%256),
		})
	}
	list, err := bot.Compile(entries)
	if err != nil {
		t.Fatal(err)
	}
	facts := func(ip, agent, sub3 string, asn int64) *cond.Facts {
		f := &cond.Facts{}
		f.SetIP(netip.MustParseAddr(ip))
		f.SetText(cond.Named("user_agent"), agent)
		f.SetText(cond.Named("sub3"), sub3)
		f.SetInt(cond.ASN, asn)
		return f
	}
	tests := []struct {
		facts    *cond.Facts
		campaign uuid.UUID
		want     bot.Signals
	}{
		{facts("203.0.113.1", "Firefox", "", 1), campaign, 0},
		{facts("198.51.100.9", "Firefox", "", 1), campaign, bot.Allowed | bot.DenyList},
		{facts("198.60.7.200", "Firefox", "", 1), campaign, bot.DenyList},
		{facts("::ffff:198.60.7.200", "Firefox", "", 1), campaign, bot.DenyList},
		{facts("203.0.113.1", "x evilbrowser/1", "", 1), campaign, bot.DenyList},
		{facts("203.0.113.1", "Firefox", "BAD7", 1), campaign, bot.DenyList},
		{facts("203.0.113.1", "Firefox", "BAD7", 1), uuid.New(), 0},
		{facts("203.0.113.1", "Firefox", "", 64500), uuid.New(), bot.DenyList},
	}
	for i, tt := range tests {
		if got := list.Match(tt.facts, tt.campaign); got != tt.want {
			t.Errorf("%d: got %b, want %b", i, got, tt.want)
		}
	}
	if got := (*bot.List)(nil).Match(tests[1].facts, campaign); got != 0 {
		t.Errorf("no list matched: %b", got)
	}
}

func TestEntryValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		entry bot.Entry
		want  cond.Reason
	}{
		{bot.Entry{Attribute: "browser", Operator: "equals", Value: "x"}, cond.UnknownAttribute},
		{bot.Entry{Attribute: "isp", Operator: "starts_with", Value: "x"}, cond.UnknownOperator},
		{bot.Entry{Attribute: "isp", Operator: "in_cidr", Value: "10.0.0.0/8"}, cond.UnknownOperator},
		{bot.Entry{Attribute: "isp", Operator: "regex", Value: "("}, cond.BadRegex},
		{bot.Entry{Attribute: "isp", Operator: "equals", Value: []any{" "}}, cond.NoValue},
		{bot.Entry{Attribute: "ip_range", Operator: "equals", Value: "10.0.0.0/40"}, cond.BadValue},
		{bot.Entry{Attribute: "ip_range", Operator: "equals", Value: "10.0.0.1-10.0.0.9"}, 0},
	}
	for _, tt := range tests {
		var reason cond.Reason
		if err, ok := errors.AsType[*cond.Error](tt.entry.Validate()); ok {
			reason = err.Reason
		}
		if reason != tt.want {
			t.Errorf("%+v: reason %d, want %d", tt.entry, reason, tt.want)
		}
	}
}
