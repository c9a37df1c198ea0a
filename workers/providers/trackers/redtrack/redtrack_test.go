package redtrack_test

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/moved/movedtest"
	"switchyard/workers/providers/trackers/redtrack"
	"switchyard/workers/providers/trackers/redtrack/redtracktest"
)

var update = flag.Bool("update", false, "write the expected documents and notes")

func readAll(t *testing.T, tracker []byte) trackerimport.Result {
	t.Helper()
	server := httptest.NewServer(redtracktest.New(tracker))
	defer server.Close()
	result, _, err := redtrack.ReadAtOnce(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: redtracktest.Key})
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
			movedtest.Compare(t, *update, "redtracktest/testdata/"+name, readAll(t, redtracktest.Fixture(name+"/in/tracker.json")))
		})
	}
}

// TestAgainHasTheKeysOfTheFirstRun: the second import has all keys of the first one, except the key of an offer that was deleted.
func TestAgainHasTheKeysOfTheFirstRun(t *testing.T) {
	t.Parallel()
	first, second := readAll(t, redtracktest.Fixture("plain/in/tracker.json")), readAll(t, redtracktest.Fixture("again/in/tracker.json"))
	movedtest.SameKeys(t, first, second, "offers/redtrack.tracker.example."+redtracktest.ID(4, 2))
}

// TestLinksAreThoseOfTheAds: the path of a link is the campaign's id, which becomes the alias.
func TestLinksAreThoseOfTheAds(t *testing.T) {
	t.Parallel()
	id := redtracktest.ID(5, 1)
	result := readAll(t, redtracktest.Fixture("plain/in/tracker.json"))
	want := trackerimport.Link{Form: trackerimport.FormPath, ID: id, Campaign: "redtrack.tracker.example." + id}
	if got := result.Links; len(got) != 2 || got[0] != want || result.Document[accountconfig.Campaigns][want.Campaign]["alias"] != id {
		t.Error(got)
	}
}

func TestRefusalsAreToldWithoutTheKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{redtracktest.Limited, "a wrong&key+1234"} {
		server := httptest.NewServer(redtracktest.New(redtracktest.Fixture("plain/in/tracker.json")))
		defer server.Close()
		_, err := redtrack.Read(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: key}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "RedTrack does not accept the API key") || strings.Contains(err.Error(), key) {
			t.Error(err)
		}
	}
}

func TestATrackerThatDoesNotAnswerIsToldWithoutTheKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	access := trackers.Access{URL: server.URL, Key: redtracktest.Key}
	_, _, err := redtrack.ReadAtOnce(context.Background(), http.DefaultClient, access)
	if err == nil || strings.Contains(err.Error(), redtracktest.Key) || strings.Contains(err.Error(), url.QueryEscape(redtracktest.Key)) {
		t.Error(err)
	}
}

func TestABusyOrFailingTrackerIsAskedAgain(t *testing.T) {
	t.Parallel()
	fake := redtracktest.New(redtracktest.Fixture("plain/in/tracker.json"))
	fake.FailOnce("/offers", http.StatusTooManyRequests)
	fake.FailOnce("/campaigns/"+redtracktest.ID(5, 1), http.StatusInternalServerError)
	server := httptest.NewServer(fake)
	defer server.Close()
	result, longest, err := redtrack.ReadAtOnce(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: redtracktest.Key})
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
	server := httptest.NewServer(redtracktest.New(redtracktest.Big(campaigns, offers)))
	defer server.Close()
	result, _, err := redtrack.ReadAtOnce(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: redtracktest.Key})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(result.Document[accountconfig.Campaigns]); n != campaigns || len(result.Links) != campaigns || len(result.Notes) != 1 {
		t.Errorf("%d campaigns, %d links, notes %.3v", n, len(result.Links), result.Notes)
	}
	if n := len(result.Document[accountconfig.Offers]); n != offers {
		t.Errorf("%d offers", n)
	}
}
