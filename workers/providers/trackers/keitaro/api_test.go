package keitaro_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/keitaro"
	"switchyard/workers/providers/trackers/keitaro/keitarotest"
)

func TestRefusalsAreToldWithoutTheKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, key, want string
		fail            int
	}{
		{"a wrong key", "a-wrong-key-1234", "Keitaro does not accept the API key: Access denied for ***", 0},
		{"a key without rights", keitarotest.Limited, "Keitaro does not accept the API key: Access denied", 0},
		{"an edition without the API", keitarotest.Key, "this edition of Keitaro has no Admin API: upload a dump of its database: Admin API is not available in that edition", http.StatusPaymentRequired},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := keitarotest.New(keitarotest.Fixture("plain/in/tracker.json"))
			if tt.fail > 0 {
				fake.FailOnce("/affiliate_networks", tt.fail)
			}
			server := httptest.NewServer(fake)
			defer server.Close()
			_, err := keitaro.Read(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: tt.key}, nil)
			if err == nil || err.Error() != tt.want || strings.Contains(err.Error(), tt.key) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if n := len(fake.Requests()); n != 1 {
				t.Errorf("the reader sent %d requests after the refusal, want none", n-1)
			}
		})
	}
}

func TestABusyOrFailingTrackerIsAskedAgain(t *testing.T) {
	t.Parallel()
	fake := keitarotest.New(keitarotest.Fixture("plain/in/tracker.json"))
	fake.FailOnce("/offers", http.StatusTooManyRequests)
	fake.FailOnce("/campaigns/1/streams", http.StatusInternalServerError)
	server := httptest.NewServer(fake)
	defer server.Close()
	access := trackers.Access{URL: server.URL + "/admin/?object=x", Key: keitarotest.Key}
	result, longest, err := keitaro.ReadAtOnce(context.Background(), server.Client(), access)
	if err != nil || len(result.Document[accountconfig.Campaigns]) != 2 {
		t.Fatal(err, result.Document)
	}
	if longest < 2*time.Second {
		t.Errorf("the reader waited at most %s, although the tracker asked for 2 seconds", longest)
	}
}

// TestATrackerThatIsNotThereIsNamed: if the address has no Admin API of Keitaro, the error says so.
func TestATrackerThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := keitaro.Read(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: "k"}, nil)
	if err == nil || err.Error() != "there is no Admin API of Keitaro at this address" {
		t.Error(err)
	}
	if _, err = keitaro.Read(context.Background(), server.Client(), trackers.Access{URL: "ftp://x"}, nil); err == nil {
		t.Error("the address ftp://x was accepted")
	}
}

// TestProgressIsTold: the reader reports its progress for each kind of records.
func TestProgressIsTold(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(keitarotest.New(keitarotest.Fixture("plain/in/tracker.json")))
	defer server.Close()
	var told []string
	_, err := keitaro.Read(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: keitarotest.Key}, func(what string, done, of int) {
		if done > of {
			t.Errorf("%s: %d of %d", what, done, of)
		}
		told = append(told, what)
	})
	if err != nil || len(told) < 8 || told[len(told)-1] != "campaigns" {
		t.Error(err, told)
	}
}

// TestAgainHasTheKeysOfTheFirstRun: in a second run, records have the keys of the first run, even if they were renamed. Only the
// offer 3 is missing, because it was deleted in between.
func TestAgainHasTheKeysOfTheFirstRun(t *testing.T) {
	t.Parallel()
	first, second := readAPI(t, keitarotest.Fixture("plain/in/tracker.json")), readAPI(t, keitarotest.Fixture("again/in/tracker.json"))
	for kind, list := range first.Document {
		for key := range list {
			_, again := second.Document[kind][key]
			if deleted := kind == accountconfig.Offers && strings.HasSuffix(key, ".3"); again == deleted {
				t.Errorf("%s %s is in the second document: %t, want %t", kind, key, again, !again)
			}
		}
		for key := range second.Document[kind] {
			if _, known := list[key]; !known {
				t.Errorf("%s %s is new", kind, key)
			}
		}
	}
}

func TestBig(t *testing.T) {
	t.Parallel()
	const campaigns, offers = 5000, 20_000
	server := httptest.NewServer(keitarotest.New(keitarotest.Big(campaigns, offers)))
	defer server.Close()
	result, _, err := keitaro.ReadAtOnce(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: keitarotest.Key})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(result.Document[accountconfig.Campaigns]); n != campaigns {
		t.Errorf("%d campaigns", n)
	}
	if n := len(result.Document[accountconfig.Offers]); n != offers {
		t.Errorf("%d offers", n)
	}
	if len(result.Links) != campaigns || result.Links[0].Form != trackerimport.FormPath || len(result.Notes) != 1 {
		t.Errorf("%d links, notes %v", len(result.Links), result.Notes)
	}
}

func TestMacrosInOurWords(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://a.example/?a={subid}&b={_sub_id_2}&c={SUB_ID_3}":          "https://a.example/?a={subid}&b={_sub_id_2}&c={SUB_ID_3}",
		"https://a.example/?a={landing_id}&b={ts_id}&c={operator}":         "https://a.example/?a={lander_id}&b={source_id}&c={mobile_operator}",
		"https://a.example/?a={_visitor_code}&b={datetime}":                "https://a.example/?a={_visitor_id}&b={date:Y-m-d H:i:s}",
		"https://a.example/?a=$subid&b=$keyword&c=$unknown&d=$5":           "https://a.example/?a={subid}&b={keyword}&c=$unknown&d=$5",
		"https://a.example/?a={creative_id}&b={ad_campaign_id}&c={source}": "https://a.example/?a={sub9}&b={param.camp}&c={source}",
		"https://a.example/?a={date:d.m.Y}&b={random:1,9}&c={sample:a|b}":  "https://a.example/?a={date:d.m.Y}&b={random:1,9}&c={sample:a|b}",
		"https://a.example/?a={from_file:x}&b={unheard_of}":                "https://a.example/?a={from_file:x}&b={unheard_of}",
	} {
		if got := keitaro.Address(raw); got != want {
			t.Errorf("%s\nis   %s\nwant %s", raw, got, want)
		}
	}
}

// TestStrangeAnswersDoNoHarm: whatever a server answers, the reader returns an error or a document that can be decoded.
func TestStrangeAnswersDoNoHarm(t *testing.T) {
	t.Parallel()
	const stream = `{"id":1,"campaign_id":1,"name":"S","schema":"landings","offers":[{"offer_id":1,"share":1}],"filters":[{"name":%s,"mode":"accept","payload":%s}]}`
	answers := []string{
		`null`, `{}`, `[]`, `""`, `"x"`, `7`, `[null]`, `[[]]`, `[7]`, `["x"]`, `[{"id":{}}]`, `[{"id":[1]}]`, `{"0":{"id":1}}`, `<html>`, ``,
		`[{"id":1,"name":null,"parameters":[null,1,"x",{}],"postbacks":"","country":{"a":{}},"action_payload":{"url":[]},"state":1}]`,
		`[{"id":1,"name":"A","url":"https://a.example/","alias":"a/b?c","cost_value":"1e999999999","payout_value":"1e-99999","parameters":{"sub_id_1":null}}]`,
		`[{"id":"99999999999999999999","name":"\u0000","alias":"\ud800","cookies_ttl":"-1","postbacks":{"3":{"url":"x"}}}]`,
	}
	for _, name := range []string{"country", "os_version", "ip", "limit", "interval", "schedule", "parameter", "uniqueness", "user_agent", "sub_id_99"} {
		for _, payload := range []string{`null`, `[null]`, `[[[[[[[["x"]]]]]]]]`, `{}`, `{"":""}`, `""`, `"x"`, `7`, `["*"]`, `["**","/","//","/(/","a*b*"]`, `["1.*","*.1","999.*"]`, `{"per_day":"-5","from":[],"days":["x"],"hours":["25"],"intervals":[null,7]}`} {
			answers = append(answers, "["+fmt.Sprintf(stream, strconv.Quote(name), payload)+"]")
		}
	}
	read := 0
	for _, answer := range answers {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text := answer
			if strings.HasSuffix(r.URL.Path, "/botlist") {
				text = `{"value": "0.0.0.0/0\n*\n1.*.2"}`
			}
			_, _ = w.Write([]byte(text))
		}))
		result, _, err := keitaro.ReadAtOnce(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: "k"})
		server.Close()
		if err == nil {
			decodes(t, result)
			read++
		}
	}
	if read < len(answers)/2 {
		t.Errorf("only %d of %d answers were read", read, len(answers))
	}
}
