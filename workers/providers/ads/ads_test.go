package ads_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
	"switchyard/workers/providers/rest/resttest"
)

// first and last are the first and the last day of the tests' spend. On the first day, the clocks in New York go back.
var (
	first = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	last  = first.AddDate(0, 0, 6)
)

// fakes returns the platforms that have a fake. The custom endpoint has its own test.
func fakes(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, p := range models.SourceProviders {
		if p.Cost && p.Name != models.CustomCost {
			names = append(names, p.Name)
		}
	}
	if have := slices.Sorted(maps.Keys(adstest.Fakes)); !slices.Equal(have, slices.Sorted(slices.Values(names))) {
		t.Fatalf("the fakes are %v, but the providers are %v", have, names)
	}
	return names
}

type suite struct {
	*testing.T
	name      string
	fake      adstest.Fake
	platforms *adstest.Platforms
	client    *ads.Client
	waits     []time.Duration
	onWait    func()
	limit     time.Duration
}

func newSuite(t *testing.T, name string) *suite {
	t.Helper()
	s := &suite{T: t, name: name, fake: adstest.Fakes[name], platforms: &adstest.Platforms{}, limit: time.Minute}
	server := adstest.Serve(t, s.platforms)
	s.client = ads.New(ads.Options{DeveloperToken: adstest.DeveloperToken, Options: platform.Options{
		Egress: egresstest.Client(t, server, egress.Options{MaxBody: 32 << 20}), URL: server.URL,
		Now: func() time.Time { return last.Add(20 * time.Hour) },
		Wait: func(_ context.Context, d time.Duration) error {
			if s.waits = append(s.waits, d); s.onWait != nil {
				s.onWait()
			}
			return nil
		},
		Timeout: func() time.Duration { return s.limit },
	}})
	return s
}

// open opens a connection with the fake's credentials.
func (s *suite) open(change map[string]string) *ads.Connection {
	s.Helper()
	return s.openAs(ads.Account{Tokens: s.platforms}, change)
}

func (s *suite) openAs(a ads.Account, change map[string]string) *ads.Connection {
	s.Helper()
	a.Provider, a.Key, a.Credentials = s.name, "s1", s.fake.Credentials()
	maps.Copy(a.Credentials, change)
	c, err := s.client.Open(a)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

func (s *suite) read(c *ads.Connection) []ads.Spend {
	s.Helper()
	got, err := c.Spend(s.Context(), first, last)
	if err != nil {
		s.Fatal(err)
	}
	return got
}

func rows(n int) []adstest.Row {
	out := make([]adstest.Row, n)
	for i := range out {
		out[i] = adstest.Row{
			Day: first.AddDate(0, 0, i%7).Format(time.DateOnly), Campaign: strconv.Itoa(1680018437245000 + i/7), Name: fmt.Sprint("Brand, ", i/7),
			Spend: fmt.Sprintf("%d.25", i%9), Clicks: i % 5, Impressions: i % 1000,
		}
	}
	return out
}

// TestPlatforms runs the suite for each platform against a fake of its API.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	for _, name := range fakes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for part, test := range map[string]func(*suite){
				"pages": (*suite).pages, "days": (*suite).days, "failures": (*suite).failures, "slow": (*suite).slow, "credentials": (*suite).credentials,
				"refusal": (*suite).refusal, "tokens": (*suite).tokens, "quoted": (*suite).quoted, "bare": (*suite).bare, "twice": (*suite).twice,
				"account": (*suite).account,
			} {
				t.Run(part, func(t *testing.T) { test(newSuite(t, name)) })
			}
		})
	}
}

// pages: all rows of all pages are read, each with the fields that the platform reports.
func (s *suite) pages() {
	if got := s.read(s.open(nil)); len(got) != 0 {
		s.Fatalf("a range without rows: %v", got)
	}
	want := rows(2003) // more than one page on each platform that has pages
	s.platforms.Set(want...)
	c := s.open(nil)
	got := s.read(c)
	if len(got) != len(want) {
		s.Fatalf("read %d of %d rows", len(got), len(want))
	}
	if used := c.Used(); s.fake.Paged && used.Pages < 2 || used.Requests < used.Pages {
		s.Errorf("the session counts %+v", used)
	}
	by := map[string]ads.Spend{}
	for _, r := range got {
		by[r.Day+r.Campaign] = r
	}
	for _, w := range want {
		r := by[w.Day+w.Campaign]
		if !r.Amount.Equal(decimal.RequireFromString(w.Spend)) || r.Clicks == nil || *r.Clicks != int64(w.Clicks) ||
			r.Impressions == nil || *r.Impressions != int64(w.Impressions) || r.Name != "" && r.Name != w.Name {
			s.Fatalf("row %+v, want %+v", r, w)
		}
		if !s.fake.Plain && r.Currency != adstest.Currency {
			s.Fatalf("row %+v is not in %s", r, adstest.Currency)
		}
	}
}

// days: only spend of the requested days is read, both days included.
func (s *suite) days() {
	list := rows(5)
	for i, day := range []string{"2026-10-31", "2026-11-01", "2026-11-01", "2026-11-02", "2026-11-03"} {
		list[i].Day, list[i].Campaign = day, strconv.Itoa(i)
	}
	s.platforms.Set(list...)
	got, err := s.open(nil).Spend(s.Context(), first, first.AddDate(0, 0, 1))
	if err != nil || len(got) != 3 {
		s.Fatalf("the spend of two days: %+v, %v", got, err)
	}
	for _, r := range got {
		if i := slices.IndexFunc(list, func(l adstest.Row) bool { return l.Campaign == r.Campaign }); list[i].Day != r.Day {
			s.Errorf("%+v, want %+v", r, list[i])
		}
	}
	if got, err = s.open(nil).Spend(s.Context(), first.AddDate(0, 0, -60), first.AddDate(0, 0, 60)); err != nil || len(got) != 5 {
		s.Errorf("the spend of several months: %+v, %v", got, err)
	}
}

// failures: the connection waits out a temporary failure. The error of a permanent failure contains no credentials.
func (s *suite) failures() {
	s.platforms.Set(rows(7)...)
	for _, faults := range [][]resttest.Fault{
		{resttest.Busy, resttest.None}, {resttest.Swamped, resttest.None}, {resttest.Down, resttest.Cut, resttest.None},
	} {
		s.waits = nil
		s.platforms.Fail(faults...)
		if got := s.read(s.open(nil)); len(got) != 7 {
			s.Errorf("after %v: %d rows", faults, len(got))
		}
		if len(s.waits) < len(faults)-1 || faults[0] == resttest.Busy && s.waits[0] != 7*time.Second { // Busy asks for seven seconds
			s.Errorf("after %v: waits %v", faults, s.waits)
		}
	}
	for _, f := range []resttest.Fault{
		resttest.Busy, resttest.Down, resttest.Cut, resttest.Elsewhere, resttest.Echo, resttest.Strange,
	} {
		s.platforms.Fail(f)
		c := s.open(nil)
		_, read := c.Spend(s.Context(), first, last)
		for what, err := range map[string]error{"test": c.Test(s.Context()), "spend": read} {
			if err == nil && f == resttest.Strange && s.name == "propellerads" && what == "test" { // its test reads only the status
				continue
			}
			if err == nil || strings.Contains(err.Error(), "canary") {
				s.Errorf("fault %d: %s: %v", f, what, err)
			}
			if errors.Is(err, rest.ErrBusy) != (f == resttest.Busy) {
				s.Errorf("fault %d: the error of %s is %v", f, what, err)
			}
		}
	}
}

// slow: an answer that takes longer than the timeout is requested again. An answer that never comes is an error.
func (s *suite) slow() {
	s.platforms.Set(rows(7)...)
	s.platforms.Fail(resttest.Slow)
	s.limit = 20 * time.Millisecond
	c := s.open(nil)
	_, read := c.Spend(s.Context(), first, last)
	for what, err := range map[string]error{"test": c.Test(s.Context()), "read": read} {
		if err == nil || !strings.Contains(err.Error(), "no complete answer in time") || errors.Is(err, rest.ErrBusy) || errors.Is(err, rest.ErrRefused) {
			s.Errorf("%s: %v", what, err)
		}
	}
	if len(s.waits) < 2 {
		s.Errorf("waits %v", s.waits)
	}
	s.waits, s.onWait = nil, func() {
		s.platforms.Fail(resttest.None)
		s.limit = time.Minute
	}
	if got, err := c.Spend(s.Context(), first, last); err != nil || len(got) != 7 || len(s.waits) == 0 { // some platforms also wait for other reasons
		s.Errorf("after a slow answer: %d rows, %v, waits %v", len(got), err, s.waits)
	}
}

// credentials: correct credentials pass the test. Each wrong secret is refused, and the error does not repeat it.
func (s *suite) credentials() {
	if err := s.open(nil).Test(s.Context()); err != nil {
		s.Fatal(err)
	}
	p, _ := models.SourceProviderNamed(s.name)
	for _, f := range p.Fields {
		if !f.Secret || !f.ForCost {
			continue
		}
		err := s.open(map[string]string{f.Name: "wrong-Zq7"}).Test(s.Context())
		if !errors.Is(err, rest.ErrRefused) || strings.Contains(err.Error(), "Zq7") {
			s.Errorf("with a wrong %s: %v", f.Name, err)
		}
	}
	if missing := p.MissingForCost(s.fake.Credentials()); len(missing) != 0 || len(p.MissingForCost(nil)) == 0 {
		s.Errorf("the fake's credentials lack %v", missing)
	}
}

// refusal: the error contains the platform's own text.
func (s *suite) refusal() {
	s.platforms.Fail(resttest.Refusal)
	_, err := s.open(nil).Spend(s.Context(), first, last)
	if err == nil || !strings.Contains(err.Error(), resttest.RefusalText) || errors.Is(err, rest.ErrRefused) || errors.Is(err, rest.ErrBusy) {
		s.Error(err)
	}
}

// tokens: an expired token is renewed once, and a token that is never accepted ends the reading after a few requests.
func (s *suite) tokens() {
	s.platforms.Set(rows(700)...)
	switch {
	case s.fake.SignIn:
		if got := s.read(s.openAs(ads.Account{Tokens: adstest.Rotating{Platforms: s.platforms}}, nil)); len(got) != 700 {
			s.Errorf("%d rows", len(got))
		}
		if _, err := s.client.Open(ads.Account{Provider: s.name, Credentials: s.fake.Credentials()}); err == nil {
			s.Error("Open accepts an account without a sign-in")
		}
	case s.fake.Tokens:
		session := "canary-token-of-yesterday"
		a := ads.Account{Session: session, Remember: func(_ context.Context, got string) error { session = got; return nil }}
		if got := s.read(s.openAs(a, nil)); len(got) != 700 || s.platforms.Logins() != 1 {
			s.Errorf("%d rows after %d logins", len(got), s.platforms.Logins())
		}
		if s.name == "outbrain" { // the only platform whose token is kept between sessions
			a.Session = session
			s.read(s.openAs(a, nil))
			if s.platforms.Logins() != 1 {
				s.Errorf("%d logins although the token was stored", s.platforms.Logins())
			}
		}
	default:
		return
	}
	before := s.platforms.Calls()
	s.platforms.Fail(resttest.Expired) // every request finds its token expired
	_, err := s.open(nil).Spend(s.Context(), first, last)
	if !s.fake.SignIn && !errors.Is(err, rest.ErrRefused) || s.platforms.Calls() > before+4 {
		s.Errorf("%v after %d requests", err, s.platforms.Calls()-before)
	}
}

// quoted: if a platform writes its numbers as texts, the spend is the same.
func (s *suite) quoted() {
	s.platforms.Set(rows(1203)...)
	plain := s.read(s.open(nil))
	s.platforms.Quote()
	if got := s.read(s.open(nil)); fmt.Sprint(spendTexts(got)) != fmt.Sprint(spendTexts(plain)) {
		s.Errorf("%d rows, or the rows differ", len(got))
	}
}

func spendTexts(list []ads.Spend) []string {
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = fmt.Sprint(r.Day, " ", r.Campaign, " ", r.Amount, " ", *r.Clicks, " ", *r.Impressions)
	}
	return out
}

// bare: a row without any figure costs nothing, or is an error if the platform writes an amount into each row.
func (s *suite) bare() {
	list := rows(2)
	list[0].Bare = true
	s.platforms.Set(list...)
	if s.fake.Amounts {
		if _, err := s.open(nil).Spend(s.Context(), first, last); err == nil || !strings.Contains(err.Error(), "has no amount") {
			s.Errorf("a row without an amount: %v", err)
		}
		return
	}
	got := s.read(s.open(nil))
	i := slices.IndexFunc(got, func(r ads.Spend) bool { return r.Day == list[0].Day })
	if len(got) != 2 || i < 0 || !got[i].Amount.IsZero() || got[i].Campaign != list[0].Campaign {
		s.Fatalf("%+v", got)
	}
}

// twice: if a platform lists a row more than once, only the last one counts.
func (s *suite) twice() {
	row := rows(1)[0]
	again := row
	again.Spend = "7.5"
	s.platforms.Set(row, row, again)
	if got := s.read(s.open(nil)); len(got) != 1 || got[0].Amount.String() != "7.5" {
		s.Errorf("%+v", got)
	}
}

// account: the time zone and currency that the platform reports are available after its spend was read.
func (s *suite) account() {
	s.platforms.Set(rows(3)...)
	c := s.open(nil)
	s.read(c)
	zone := s.fake.Zone
	currency := adstest.Currency
	switch {
	case s.name == "propellerads", s.name == "revcontent": // all their amounts are in dollars
		currency = "USD"
	case s.fake.Plain:
		currency = ""
	}
	if c.Zone() != zone || c.Currency() != currency {
		s.Errorf("zone %q, currency %q", c.Zone(), c.Currency())
	}
}
