package networks_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/networks"
	"switchyard/workers/providers/networks/networkstest"
	"switchyard/workers/providers/rest/resttest"
)

// present is the time of the tests' clients.
var present = day.AddDate(0, 0, 20)

// lateOrders returns orders that were made 200 days ago and approved at the given times.
func (s *suite) lateOrders(times ...time.Time) []networkstest.Order {
	out := s.orders(len(times))
	for i, at := range times {
		out[i].At, out[i].Status, out[i].Decided, out[i].Payout = present.AddDate(0, 0, -200), models.StatusApproved, at, "12.5"
	}
	return out
}

func ids(list []networks.Order) []string {
	var out []string
	for _, o := range list {
		out = append(out, o.ID)
	}
	slices.Sort(out)
	return out
}

// TestChanges runs a suite for each platform whose orders can be requested by the date of a change.
func TestChanges(t *testing.T) {
	t.Parallel()
	names := networks.Feeds()
	if want := []string{"admitad", "awin", "cj", "ebay", "impact", "partnerize", "rakuten"}; !slices.Equal(names, want) {
		t.Fatalf("%v have requests by the date of a change, want %v", names, want)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for part, test := range map[string]func(*suite){
				"late": (*suite).lateDecision, "periods": (*suite).periods, "many": (*suite).manyChanges, "failures": (*suite).failedChanges,
				"zone": (*suite).changesInZone,
			} {
				t.Run(part, func(t *testing.T) { test(newSuite(t, name)) })
			}
		})
	}
}

// lateDecision: a decision about an order that is 200 days old is read, without a request for the days of the order. A decision
// shortly before the requested time is read again.
func (s *suite) lateDecision() {
	since := present.Add(-3 * time.Hour)
	s.platforms.Set(s.lateOrders(present.Add(-time.Hour), since.Add(-time.Hour), since.AddDate(0, 0, -3))...)
	got, until, err := s.open(nil).Changes(s.Context(), since, networks.MaxOrders)
	if err != nil || !slices.Equal(ids(got), []string{"T00000", "T00001"}) || !until.Equal(present) {
		s.Fatalf("%+v, %v, %v", got, until, err)
	}
	for _, o := range got {
		if o.Status != models.StatusApproved || o.Payout != "12.5" && !o.StatusOnly || o.StatusOnly != (s.name == "cj") {
			s.Errorf("%+v", o)
		}
	}
	if got, err := s.open(nil).Orders(s.Context(), present.AddDate(0, 0, -44), present, networks.MaxOrders); err != nil || len(got) != 0 {
		s.Errorf("reading by the date of the order, which is too old, returns %+v, %v", got, err)
	}
}

// periods: 200 days are read in several periods, or in one period if the platform answers only for the last 30 days. The requests
// are of a form that the platform allows. Together the periods have every decision for which the platform answers.
func (s *suite) periods() {
	var times []time.Time
	for d := range 200 {
		times = append(times, present.AddDate(0, 0, -200+d).Add(time.Hour))
	}
	s.platforms.Set(s.lateOrders(times...)...)
	found := map[string]bool{}
	since, c, n := present.AddDate(0, 0, -200), s.open(nil), 0
	for ; since.Before(present); n++ {
		got, until, err := c.Changes(s.Context(), since, networks.MaxOrders)
		if err != nil || !until.After(since) || n > 20 {
			s.Fatalf("period %d from %v: until %v, %v", n, since, until, err)
		}
		for _, o := range got {
			found[o.ID] = true
		}
		since = until
	}
	want := 200
	if s.name == "rakuten" {
		want = 30 // the platform answers only for the last 30 days
	}
	if len(found) != want || (n > 1) != (want == 200) {
		s.Errorf("%d decisions in %d periods, want %d", len(found), n, want)
	}
}

// manyChanges: if a period has too many decisions, a shorter period is read, and the next calls read the rest. If more decisions
// than allowed have the same time, the error is ErrTooMany.
func (s *suite) manyChanges() {
	times := make([]time.Time, 40)
	for i := range times {
		times[i] = present.Add(-time.Duration(40-i) * 12 * time.Hour)
	}
	s.platforms.Set(s.lateOrders(times...)...)
	found := map[string]bool{}
	const most = 10
	for since, c, n := present.AddDate(0, 0, -25), s.open(nil), 0; since.Before(present); n++ {
		got, until, err := c.Changes(s.Context(), since, most)
		if err != nil || len(got) > most || !until.After(since) || n > 30 {
			s.Fatalf("period %d from %v: %d decisions until %v, %v", n, since, len(got), until, err)
		}
		for _, o := range got {
			found[o.ID] = true
		}
		since = until
	}
	if len(found) != len(times) {
		s.Errorf("%d decisions of %d", len(found), len(times))
	}
	s.platforms.Set(s.lateOrders(slices.Repeat([]time.Time{present.Add(-time.Minute)}, most+1)...)...)
	if _, _, err := s.open(nil).Changes(s.Context(), present.Add(-time.Hour), most); !errors.Is(err, networks.ErrTooMany) {
		s.Error(err)
	}
}

// failedChanges: a refusal of the platform is an error.
func (s *suite) failedChanges() {
	s.platforms.Fail(resttest.Refusal)
	if _, _, err := s.open(nil).Changes(s.Context(), present.Add(-time.Hour), networks.MaxOrders); err == nil {
		s.Error("no error")
	}
}

// changesInZone: a platform that counts in its own time zone gets the period in that time zone.
func (s *suite) changesInZone() {
	p, _ := models.NetworkProviderNamed(s.name)
	if !slices.ContainsFunc(p.Fields, func(f models.CredentialField) bool { return f.Zone }) {
		return
	}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		s.Fatal(err)
	}
	s.platforms.SetZone(zone)
	since := present.Add(-3 * time.Hour)
	// Changes begins to read 48 hours before the given time, so the second decision must not be read.
	s.platforms.Set(s.lateOrders(present.Add(-time.Minute), since.Add(-49*time.Hour))...)
	got, _, err := s.open(map[string]string{"timezone": "America/New_York"}).Changes(s.Context(), since, networks.MaxOrders)
	if err != nil || !slices.Equal(ids(got), []string{"T00000"}) {
		s.Errorf("%+v, %v", got, err)
	}
}

// TestEarlyReversal: if an action is reversed before it locks, Impact reports this as an update.
func TestEarlyReversal(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "impact")
	list := s.lateOrders(present.AddDate(0, 0, 30), present.AddDate(0, 0, 30))
	list[0].Status, list[0].Amended, list[1].Amended = models.StatusRejected, present.Add(-time.Hour), present.Add(-time.Hour)
	s.platforms.Set(list...)
	got, _, err := s.open(nil).Changes(t.Context(), present.Add(-3*time.Hour), networks.MaxOrders)
	if err != nil || len(got) != 1 || got[0].ID != "T00000" || got[0].Status != models.StatusRejected || !got[0].StatusOnly ||
		got[0].Payout != "" || got[0].Click != list[0].Click {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAmendedAmount: Awin reports changed amounts and decisions by different dates, and both are read.
func TestAmendedAmount(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "awin")
	list := s.lateOrders(time.Time{}, present.Add(-time.Hour))
	list[0].Amended, list[0].Status = present.Add(-time.Hour), models.StatusPending
	s.platforms.Set(list...)
	got, _, err := s.open(nil).Changes(t.Context(), present.Add(-3*time.Hour), networks.MaxOrders)
	if err != nil || !slices.Equal(ids(got), []string{"T00000", "T00001"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLateCorrection: CJ's corrections have posting dates of their own, and locked commissions have locking dates. A commission
// that locks has no amount here, because a correction may have changed it.
func TestLateCorrection(t *testing.T) {
	t.Parallel()
	s := newSuite(t, "cj")
	list := s.lateOrders(present.Add(-time.Hour), time.Time{})
	list[0].TakenBack = "2"
	list[1].At, list[1].TakenBack = present.Add(-time.Hour), "2.5"
	s.platforms.Set(list...)
	got, _, err := s.open(nil).Changes(t.Context(), present.Add(-3*time.Hour), networks.MaxOrders)
	if err != nil || len(got) != 2 || !got[0].StatusOnly || got[0].Payout != "" || got[1].StatusOnly || got[1].Payout != "10" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestChangeParameters checks the parameters that name the date of a change, and their form.
func TestChangeParameters(t *testing.T) {
	t.Parallel()
	const from = "2026-11-18T21:00:00Z"
	for name, want := range map[string][]string{
		"admitad":    {"status_updated_start=18.11.2026 21:00:00 status_updated_end=21.11.2026 00:00:00 date_start="},
		"awin":       {"dateType=validation startDate=2026-11-18T21:00:00 endDate=2026-11-20T23:59:59", "dateType=amendment startDate=2026-11-18T21:00:00 endDate=2026-11-20T23:59:59"},
		"partnerize": {"date_type=last_updated start_date=" + from + " end_date=2026-11-20T23:59:59Z"},
		"ebay":       {"STATUS=ALL START_DATE=2026-11-18 END_DATE=2026-11-20 date_type=update_date"},
		"impact":     {"StartDate=" + from + " EndDate=2026-11-20T23:59:59Z State=REVERSED", "LockingDateStart=" + from + " LockingDateEnd=2026-11-20T23:59:59Z ActionDateStart="},
		"rakuten":    {"process_date_start=2026-11-18 21:00:00 process_date_end=2026-11-20 23:59:59 transaction_date_start="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			platforms := &networkstest.Platforms{}
			var got []string
			answer := platforms.Handler()
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if n := len(got); n < len(want) && r.Method == http.MethodGet {
					got = append(got, parameters(r, want[n]))
				}
				answer.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			c, err := networks.New(networks.Options{
				URL: server.URL, Egress: egresstest.Client(t, server, egress.Options{}), Now: func() time.Time { return present },
			}).Open(name, "n1", networkstest.Fakes[name].Credentials())
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := c.Changes(t.Context(), present.Add(-3*time.Hour), networks.MaxOrders); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, want %q, %v", got, want, err)
			}
		})
	}
}

// parameterName finds the names in a text such as a=1 b=2.
var parameterName = regexp.MustCompile(`(\w+)=`)

// parameters returns the parameters of a request whose names occur in the given text, in the order of the text.
func parameters(r *http.Request, form string) string {
	var out []string
	for _, m := range parameterName.FindAllStringSubmatch(form, -1) {
		out = append(out, m[1]+"="+r.URL.Query().Get(m[1]))
	}
	return strings.Join(out, " ")
}
