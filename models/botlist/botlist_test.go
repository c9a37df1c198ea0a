package botlist_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/botlist"
	"switchyard/models/cond"
)

func entry(listType, attribute, operator string, values ...string) *models.BotEntry {
	return &models.BotEntry{
		Owned: models.Owned{ID: models.NewClickID()}, ListType: listType, Attribute: attribute, Operator: operator, Value: values,
	}
}

func place(i int) string { return fmt.Sprint("line ", i+1) }

func judge(l *botlist.Lists, c models.Click) (uuid.UUID, bool) {
	var f cond.Facts
	f.SetClick(&c)
	return l.Judge(&f, c.IP, c.CampaignID)
}

func TestEachAttributeAndOperator(t *testing.T) {
	t.Parallel()
	visitor := models.Click{Visitor: models.Visitor{
		IP: netip.MustParseAddr("192.0.2.77"), ASN: 3320, Country: "DE", ISP: "Deutsche Telekom AG",
		UserAgent: "Mozilla/5.0 EvilScraper/2.1", Referrer: "https://spam.example/page",
	}}
	visitor.Subs[2] = "Zone-17"
	other := models.Click{Visitor: models.Visitor{
		IP: netip.MustParseAddr("2001:db8::1"), ASN: 15169, Country: "US", ISP: "Google", UserAgent: "Mozilla/5.0", Referrer: "",
	}}
	for _, tt := range []struct {
		attribute, operator string
		values              []string
	}{
		{"ip", "equals", []string{"192.0.2.77"}},
		{"ip", "equals", []string{"198.51.100.1", "::ffff:192.0.2.77"}},
		{"ip", "in_cidr", []string{"192.0.2.0/24"}},
		{"ip", "contains", []string{"192.0.2."}},
		{"ip", "regex", []string{`^192\.0\.2\.7\d$`}},
		{"ip_range", "equals", []string{"192.0.2.70-192.0.2.80"}},
		{"ip_range", "in_cidr", []string{"192.0.2.64/26"}},
		{"asn", "equals", []string{"AS3320"}},
		{"asn", "equals", []string{"3320"}},
		{"country", "equals", []string{"de"}},
		{"country", "equals", []string{"FR", "Germany"}},
		{"isp", "equals", []string{"deutsche telekom ag"}},
		{"isp", "contains", []string{"telekom"}},
		{"user_agent", "contains", []string{"evilscraper", "other"}},
		{"user_agent", "regex", []string{`scraper/\d`}},
		{"referrer", "contains", []string{"SPAM.example"}},
		{"referrer", "equals", []string{"https://spam.example/page"}},
		{"sub3", "equals", []string{"zone-17"}},
		{"sub3", "regex", []string{"^zone-1"}},
	} {
		e := entry(models.BotDeny, tt.attribute, tt.operator, tt.values...)
		if err := botlist.Check(e, place); err != nil {
			t.Errorf("the entry %s %s %v is refused: %v", tt.attribute, tt.operator, tt.values, err)
			continue
		}
		l := botlist.Compile([]*models.BotEntry{e})
		if got, allowed := judge(l, visitor); got != e.ID || allowed {
			t.Errorf("%s %s %v does not match", tt.attribute, tt.operator, tt.values)
		}
		if got, _ := judge(l, other); got != uuid.Nil {
			t.Errorf("%s %s %v matches another visitor", tt.attribute, tt.operator, tt.values)
		}
	}
}

func TestAllowGoesFirstAndCampaignsApart(t *testing.T) {
	t.Parallel()
	c := models.Click{CampaignID: uuid.New(), Visitor: models.Visitor{IP: netip.MustParseAddr("192.0.2.7")}}
	deny, allow := entry(models.BotDeny, "ip", "in_cidr", "192.0.2.0/24"), entry(models.BotAllow, "ip", "equals", "192.0.2.7")
	if got, allowed := judge(botlist.Compile([]*models.BotEntry{deny, allow}), c); got != allow.ID || !allowed {
		t.Errorf("the entry %v decides, want the allow entry %v", got, allow.ID)
	}
	deny.CampaignID = uuid.NullUUID{UUID: c.CampaignID, Valid: true}
	one := botlist.Compile([]*models.BotEntry{deny})
	if got, _ := judge(one, c); got != deny.ID {
		t.Error("an entry of the campaign does not match")
	}
	c.CampaignID = uuid.New()
	if got, _ := judge(one, c); got != uuid.Nil {
		t.Error("an entry matches a visitor of another campaign")
	}
	if got, _ := judge(nil, c); got != uuid.Nil {
		t.Error("an account without lists matches")
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	many := make([]string, models.MaxBotValues+1)
	for i := range many {
		many[i] = fmt.Sprint("v", i)
	}
	for _, tt := range []struct {
		attribute, operator string
		values              []string
		code                string
	}{
		{"country", "in_cidr", []string{"10.0.0.0/8"}, "invalid_operator"},
		{"sub1", "equals", []string{" ", ""}, "value_required"},
		{"sub1", "equals", nil, "value_required"},
		{"ip", "equals", []string{"300.1.1.1"}, "invalid_input"},
		{"ip", "equals", []string{"10.0.0.0/8"}, "invalid_input"},
		{"ip_range", "equals", []string{"10.0.0.9-10.0.0.1"}, "invalid_input"},
		{"asn", "equals", []string{"Telekom"}, "invalid_input"},
		{"country", "equals", []string{"Atlantis"}, "invalid_input"},
		{"user_agent", "regex", []string{"("}, "invalid_regex"},
		{"user_agent", "regex", []string{"(a{1,200}){1,200}"}, "invalid_regex"},
		{"sub1", "equals", []string{strings.Repeat("x", models.MaxBotValue+1)}, "invalid_input"},
		{"sub1", "equals", many, "invalid_input"},
	} {
		err := botlist.Check(entry(models.BotDeny, tt.attribute, tt.operator, tt.values...), place)
		if e, ok := models.AsError(err); !ok || e.Code != tt.code {
			t.Errorf("%s %s %.60v: %v, want %s", tt.attribute, tt.operator, tt.values, err, tt.code)
		}
	}
}

func hundredThousand() *botlist.Lists {
	var list []*models.BotEntry
	for i := range 10 {
		e := entry(models.BotDeny, "ip_range", "in_cidr")
		for j := range models.MaxBotValues {
			e.Value = append(e.Value, fmt.Sprintf("%d.%d.%d.0/25", 11+i, j>>8, j&255))
		}
		list = append(list, e)
	}
	return botlist.Compile(list)
}

func TestJudgingAllocatesNothing(t *testing.T) {
	l := hundredThousand()
	c := models.Click{Visitor: models.Visitor{IP: netip.MustParseAddr("12.1.2.3"), UserAgent: "Mozilla/5.0"}}
	var f cond.Facts
	f.SetClick(&c)
	if id, _ := l.Judge(&f, c.IP, c.CampaignID); id == uuid.Nil {
		t.Error("an address in the lists does not match")
	}
	if n := testing.AllocsPerRun(100, func() { l.Judge(&f, c.IP, c.CampaignID) }); n != 0 {
		t.Errorf("Judge makes %v allocations, want none", n)
	}
}

func BenchmarkJudge(b *testing.B) {
	l := hundredThousand()
	c := models.Click{Visitor: models.Visitor{IP: netip.MustParseAddr("81.2.69.142"), UserAgent: "Mozilla/5.0"}}
	var f cond.Facts
	f.SetClick(&c)
	for b.Loop() {
		l.Judge(&f, c.IP, c.CampaignID)
	}
}

// TestWrongValuesAreNamed checks that an error names the place at which a wrong value was sent, even if blank and repeated values
// were left out.
func TestWrongValuesAreNamed(t *testing.T) {
	t.Parallel()
	heavy := "[a-z]{40}x[0-9]{40}"
	for _, tt := range []struct {
		attribute, operator string
		values              []string
		want                string
	}{
		{"ip", "equals", []string{"", "192.0.2.1", "192.0.2.1", " ", "300.1.1.1"}, `line 5: "300.1.1.1" is not an address`},
		{"asn", "equals", []string{"3320", "AS3320", "", "Telekom"}, `line 4: "Telekom" is not the number`},
		{"country", "equals", []string{"DE", "us", "Atlantis"}, `line 3: `},
		{"user_agent", "regex", []string{"good", "", "(", "also["}, `line 3: the pattern "(" cannot be used`},
		{"user_agent", "regex", []string{"good", "(a{1,200}){1,200}"}, `line 2: the pattern "(a{1,200}){1,200}" cannot be used`},
		{"user_agent", "regex", []string{"good", heavy + "1", heavy + "2", heavy + "3", heavy + "4"}, `too complex together with those before it`},
		{"sub1", "equals", []string{"", strings.Repeat("x", models.MaxBotValue+1)}, `line 2: a value has at most`},
	} {
		err := botlist.Check(entry(models.BotDeny, tt.attribute, tt.operator, tt.values...), place)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s %.60v: %v, want %s", tt.attribute, tt.operator, tt.values, err, tt.want)
		}
	}
	many := make([]string, 10*cond.MaxItems)
	for i := range many {
		many[i] = fmt.Sprint("bot", i)
	}
	many[len(many)-2] = "(" // a condition holds at most cond.MaxItems values, so this value is in a later condition
	want := fmt.Sprintf("line %d: ", len(many)-1)
	if err := botlist.Check(entry(models.BotDeny, "user_agent", "regex", many...), place); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestTooBroad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		attribute, operator string
		values              []string
		want                bool
	}{
		{"ip_range", "in_cidr", []string{"0.0.0.0/0"}, true},
		{"ip", "in_cidr", []string{"1.2.3.4", "0.0.0.0/2", "64.0.0.0-127.255.255.255"}, true},
		{"ip", "in_cidr", []string{"::/0"}, true},
		{"ip", "in_cidr", []string{"2000::/4"}, true},
		{"ip_range", "in_cidr", []string{"10.0.0.0/8", "192.0.2.0/24", "2001::/16", "fc00::/7"}, false},
		{"ip", "contains", []string{"."}, false},
		{"ip", "regex", []string{"."}, true},
		{"user_agent", "contains", []string{"Mozilla"}, true},
		{"user_agent", "contains", []string{"chrome", "safari", "firefox"}, true},
		{"user_agent", "contains", []string{"EvilBot", "Firefox/"}, false},
		{"user_agent", "regex", []string{"^"}, true},
		{"user_agent", "regex", []string{"evil|bad"}, false},
		{"referrer", "regex", []string{".*"}, true},
		{"referrer", "contains", []string{"http"}, false},
		{"sub1", "regex", []string{"."}, true},
		{"sub1", "regex", []string{`^\w+-\d$`}, false},
		{"isp", "regex", []string{"x*"}, true},
		{"country", "equals", []string{"DE", "US"}, false},
	} {
		e := entry(models.BotDeny, tt.attribute, tt.operator, tt.values...)
		if err := botlist.Check(e, place); err != nil {
			t.Error(err)
		}
		if got := botlist.TooBroad(e); (got != "") != tt.want {
			t.Errorf("%s %s %v: too broad because %q, want a reason: %v", tt.attribute, tt.operator, tt.values, got, tt.want)
		}
	}
}
