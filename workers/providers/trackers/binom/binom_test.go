package binom_test

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/binom"
	"switchyard/workers/providers/trackers/binom/binomtest"
	"switchyard/workers/providers/trackers/moved/movedtest"
)

var update = flag.Bool("update", false, "write the expected documents and notes")

func readAll(t *testing.T, tracker []byte) trackerimport.Result {
	t.Helper()
	server := httptest.NewServer(binomtest.New(tracker))
	defer server.Close()
	result, _, err := binom.ReadAtOnce(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: binomtest.Key})
	if err != nil {
		t.Fatal(err)
	}
	return movedtest.Named(t, result)
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "everything", "lost", "again"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			movedtest.Compare(t, *update, "binomtest/testdata/"+name, readAll(t, binomtest.Fixture(name+"/in/tracker.json")))
		})
	}
}

// TestAgainHasTheKeysOfTheFirstRun: a second import finds the records of the first import under the same keys.
func TestAgainHasTheKeysOfTheFirstRun(t *testing.T) {
	t.Parallel()
	first, second := readAll(t, binomtest.Fixture("plain/in/tracker.json")), readAll(t, binomtest.Fixture("again/in/tracker.json"))
	movedtest.SameKeys(t, first, second, "offers/binom.tracker.example.2")
}

// TestLinksAreThoseOfTheAds: the result has the links that existing ads lead to, in the two forms that Binom uses.
func TestLinksAreThoseOfTheAds(t *testing.T) {
	t.Parallel()
	got := readAll(t, binomtest.Fixture("plain/in/tracker.json")).Links
	want := trackerimport.Link{Form: trackerimport.FormQuery, ID: "hJ6kdw2", Campaign: "binom.tracker.example.1"}
	php := want
	php.Form = trackerimport.FormPHP
	if len(got) != 4 || got[0] != want || got[1] != php {
		t.Error(got)
	}
}

func TestRefusalsAreToldWithoutTheKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{binomtest.Limited, "a-wrong-key-1234"} {
		server := httptest.NewServer(binomtest.New(binomtest.Fixture("plain/in/tracker.json")))
		defer server.Close()
		_, err := binom.Read(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: key}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "Binom does not accept the API key") || strings.Contains(err.Error(), key) {
			t.Error(err)
		}
	}
}

func TestABusyOrFailingTrackerIsAskedAgain(t *testing.T) {
	t.Parallel()
	fake := binomtest.New(binomtest.Fixture("plain/in/tracker.json"))
	fake.FailOnce("/public/api/v1/offer/2", http.StatusTooManyRequests)
	fake.FailOnce("/public/api/v1/campaign/1", http.StatusInternalServerError)
	server := httptest.NewServer(fake)
	defer server.Close()
	result, longest, err := binom.ReadAtOnce(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: binomtest.Key})
	if err != nil || len(result.Document[accountconfig.Campaigns]) != 2 || len(result.Document[accountconfig.Offers]) != 3 {
		t.Fatal(err, result.Document)
	}
	if longest < 2*time.Second {
		t.Errorf("the reader waited at most %s, although the tracker asked for 2 seconds", longest)
	}
}

func TestBig(t *testing.T) {
	t.Parallel()
	const campaigns, offers = 5000, 20_000
	server := httptest.NewServer(binomtest.New(binomtest.Big(campaigns, offers)))
	defer server.Close()
	result, _, err := binom.ReadAtOnce(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: binomtest.Key})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(result.Document[accountconfig.Campaigns]); n != campaigns || len(result.Links) != 2*campaigns || len(result.Notes) != 1 {
		t.Errorf("%d campaigns, %d links, notes %.3v", n, len(result.Links), result.Notes)
	}
	if n := len(result.Document[accountconfig.Offers]); n != offers {
		t.Errorf("%d offers", n)
	}
}
