package movecheck_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models/cond"
	"switchyard/models/foreign"
	"switchyard/models/movecheck"
	"switchyard/models/token"
)

func is(attribute, operator string, value any) cond.Condition {
	return cond.Condition{Attribute: attribute, Operator: operator, Value: value}
}

// TestVisitorsMeetTheConditions checks that the requests of the visitors have the values of the conditions, and that the same
// campaign always gets the same visitors.
func TestVisitorsMeetTheConditions(t *testing.T) {
	t.Parallel()
	c := movecheck.Campaign{SubParams: map[int]string{2: "zone"}, Paths: [][]cond.Condition{
		{is("country", "equals", []any{"CH", "AT"}), is("sub2", "starts_with", "push-"), is("os", "equals", "iOS")},
		{is("language", "not_equals", "ru"), is("param.lp", "equals", "x'y\n")},
		{is("referrer_domain", "equals", "news.example"), is("header.X-Requested-With", "contains", "app"), is("header.Host", "equals", "x")},
		{is("sub7", "is_set", true)},
	}}
	read := func(a movecheck.Agent) *cond.Facts {
		f := &cond.Facts{}
		if strings.Contains(a.Name, "iPhone") {
			f.Assign("os", "iOS")
		}
		return f
	}
	list := movecheck.Visitors(c, read)
	if len(list) != movecheck.PerCampaign {
		t.Fatalf("%d visitors, want PerCampaign", len(list))
	}
	var requests strings.Builder
	for i, v := range list {
		line := v.Line(v.ID(uuid.Max, i, "ads.example/x"), "ads.example/x")
		if strings.Count(line, "\n") != 1 {
			t.Errorf("the request of a visitor has more than one line: %q", line)
		}
		requests.WriteString(line)
	}
	text := requests.String()
	for _, want := range []string{"'CH' 'ads.example/x?zone=push-1'", "lp=x%27y", "-e 'https://news.example/'", "-H 'X-Requested-With: app'", "sub_id_7=1", "'AT'", "'ru,en;q=0.8'"} {
		if !strings.Contains(text, want) {
			t.Errorf("no request has %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Host: ") {
		t.Error("the Host header was set, although it belongs to the request itself")
	}
	if list[5].Agent.Name != "Safari, iPhone" {
		t.Errorf("the visitor for the first path has the agent %s, want Safari, iPhone", list[5].Agent.Name)
	}
	if again := movecheck.Visitors(c, read); fmt.Sprint(again) != fmt.Sprint(list) {
		t.Error("a second call makes other visitors for the same campaign")
	}
	if few := movecheck.Visitors(movecheck.Campaign{}, read); len(few) != movecheck.PerCampaign {
		t.Errorf("a campaign without conditions has %d visitors, want PerCampaign", len(few))
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		foreign.FormPath: "a.example/x%2Fy", foreign.FormQuery: "a.example/click?key=x%2Fy", foreign.FormPHP: "a.example/click.php?key=x%2Fy",
		foreign.FormGo: "a.example/go/x%2Fy", foreign.FormCF: "a.example/cf/r/x%2Fy",
	} {
		if got := movecheck.Address("a.example", form, "x/y"); got != want {
			t.Errorf("a link of the form %s has the address %s, want %s", form, got, want)
		}
	}
	v := movecheck.Visitor{Params: []movecheck.Pair{{Name: "a b", Value: "c&d"}}}
	if got := v.URL("a.example/click?key=1"); got != "a.example/click?key=1&a+b=c%26d" {
		t.Errorf("the visitor requests %s, want the parameter to be escaped and appended", got)
	}
}

func TestAnswersAreRead(t *testing.T) {
	t.Parallel()
	v := movecheck.Visitor{}
	id := v.ID(uuid.Max, 3, "a.example/x")
	asked, list, unread, err := movecheck.ReadAnswers("\ufeff# asked 1764201234\r\n\n" + id + " DE 302 https://o.example/a b\r\n" + id + " - 000 \n" +
		"other\n" + id + " - x\n" + strings.Replace(id, ".4.", ".21.", 1) + " - 200\n" + id + " - 302 https://o.example/" + strings.Repeat("x", 4000) + "\n")
	if err != nil || unread != 4 || len(list) != 2 || asked.Unix() != 1764201234 {
		t.Fatalf("asked at %v, %d lines not read, answers %+v, error %v", asked, unread, list, err)
	}
	if a := list[0]; a.Campaign != uuid.Max || a.Visitor != 3 || a.Told != "DE" || a.Status != 302 || a.Location != "https://o.example/a b" {
		t.Errorf("the first answer is read as %+v", a)
	}
	if a := list[1]; a.Told != "" || a.Status != 0 || a.Location != "" {
		t.Errorf("the answer with the status 000 is read as %+v", a)
	}
	if _, _, _, err := movecheck.ReadAnswers(strings.Repeat(id+" - 200\n", movecheck.MaxLines+1)); err == nil {
		t.Error("more than MaxLines lines are read without an error")
	}
}

// TestCompare checks that addresses are compared without the values of their tokens.
func TestCompare(t *testing.T) {
	t.Parallel()
	to := func(url string) movecheck.Place { return movecheck.Place{URL: token.Compile(url)} }
	offer := to("https://Offer.example/go?s={clickid}&c={country}&fixed=1&x=a-{sub1}-b")
	const same = "https://offer.example:443/go?x=a-zone%2D9-b&fixed=1&c=DE&s=abc#top"
	paged, nowhere := offer, movecheck.Place{Status: 404}
	paged.ByPage = true
	network := movecheck.Place{URL: token.Compile("https://offer.example"), ClickParam: "sub"}
	for name, c := range map[string]struct {
		places   []movecheck.Place
		unsure   bool
		status   int
		location string
		want     string
	}{
		"other values of tokens":     {[]movecheck.Place{offer}, false, 302, same, "same "},
		"empty values of tokens":     {[]movecheck.Place{offer}, false, 302, "https://offer.example/go?s=&c=&fixed=1&x=a--b", "same "},
		"a token in the path":        {[]movecheck.Place{to("https://o.example/{country}/x/{sub1}")}, false, 301, "https://o.example/DE/x/", "same "},
		"one of several":             {[]movecheck.Place{to("https://b.example/"), offer}, false, 302, same, "dice "},
		"an unknown attribute":       {[]movecheck.Place{offer}, true, 302, same, "unsure attribute"},
		"another, though unsure":     {[]movecheck.Place{offer, nowhere}, true, 302, "https://c.example/", "differs address"},
		"another host":               {[]movecheck.Place{offer}, false, 302, strings.Replace(same, "offer", "other", 1), "differs address"},
		"another path":               {[]movecheck.Place{offer}, false, 302, strings.Replace(same, "/go", "/gone", 1), "differs address"},
		"http":                       {[]movecheck.Place{to("https://o.example/")}, false, 302, "http://o.example/", "differs address"},
		"another fixed parameter":    {[]movecheck.Place{offer}, false, 302, strings.Replace(same, "fixed=1", "fixed=2", 1), "differs parameters"},
		"one parameter less":         {[]movecheck.Place{offer}, false, 302, strings.Replace(same, "fixed=1&", "", 1), "differs parameters"},
		"one parameter more":         {[]movecheck.Place{offer}, false, 302, strings.Replace(same, "fixed=1", "fixed=1&aff=7", 1), "differs parameters"},
		"the network's click id":     {[]movecheck.Place{network}, false, 302, "https://offer.example/?sub=123", "same "},
		"no click id of a network":   {[]movecheck.Place{network}, false, 302, "https://offer.example", "differs parameters"},
		"a page on both sides":       {[]movecheck.Place{paged}, false, 200, "", "unsure page"},
		"a redirect for a page":      {[]movecheck.Place{paged}, false, 302, same, "same "},
		"a page for a redirect":      {[]movecheck.Place{offer}, false, 200, "", "differs answer"},
		"nowhere on both sides":      {[]movecheck.Place{nowhere}, false, 404, "", "same "},
		"nowhere at the old tracker": {[]movecheck.Place{offer}, false, 404, "", "differs answer"},
		"nowhere at this service":    {[]movecheck.Place{nowhere}, false, 302, same, "differs answer"},
		"no answer":                  {[]movecheck.Place{offer}, false, 0, "", "missing "},
		"too many requests":          {[]movecheck.Place{offer}, false, 429, "", "missing "},
		"a failure":                  {[]movecheck.Place{offer}, false, 502, "", "missing "},
		"to https of the same link":  {[]movecheck.Place{offer}, false, 301, "https://ads.example/abc/?x=1", "unsure itself"},
	} {
		result, reason := movecheck.Compare(c.places, !c.unsure, "ads.example/abc?sub1=x", movecheck.Answer{Status: c.status, Location: c.location})
		if got := result + " " + reason; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
