package bottest_test

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"switchyard/models/bot/bottest"
)

const oneSet = `{"set":"s","origin":"recorded","from":"a program","headers":[["user-agent","{}"],["Accept","*/*"],["accept","text/html"]]}`

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ headers, requests, wrong string }{
		"good":            {oneSet, `{"id":"a","kind":"k","bot":true,"origin":"composed","set":"s","scheme":"http","address":"203.0.113.1","values":["x/1"],"device":"tv","os":"Tizen","os_version":"9"}`, ""},
		"no such set":     {oneSet, `{"id":"a","origin":"recorded","set":"t","values":["x"]}`, `header set "t"`},
		"no such origin":  {oneSet, `{"id":"a","origin":"rumour","set":"s","values":["x"]}`, `origin "rumour"`},
		"too few values":  {oneSet, `{"id":"a","origin":"recorded","set":"s"}`, "asks for more values"},
		"too many values": {oneSet, `{"id":"a","origin":"recorded","set":"s","values":["x","y"]}`, "asks for fewer values"},
		"a set twice":     {oneSet + "\n" + oneSet, "", "twice"},
		"no JSON":         {oneSet, "id: a", "requests.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := bottest.Read(fstest.MapFS{
				"headers.jsonl": {Data: []byte(c.headers)}, "requests.jsonl": {Data: []byte(c.requests)},
			})
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("error %v, want %q", err, c.wrong)
				}
				return
			}
			want := []bottest.Request{{
				ID: "a", Kind: "k", Bot: true, Origin: bottest.Composed, Method: "GET", Scheme: "http", Address: "203.0.113.1",
				Headers: map[string][]string{"User-Agent": {"x/1"}, "Accept": {"*/*", "text/html"}},
				Device:  "tv", OS: "Tizen", OSVersion: "9",
			}}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("Read returns %+v and the error %v, want %+v", got, err, want)
			}
		})
	}
	if _, err := bottest.Read(fstest.MapFS{}); err == nil {
		t.Error("a missing set is read without an error")
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	// The detector calls a request a bot if its method is "called".
	set := []bottest.Request{
		{Kind: "phone", Method: "called"},
		{Kind: "phone"},
		{Kind: "phone"},
		{Kind: "library", Bot: true, Method: "called"},
		{Kind: "library", Bot: true, Method: "called"},
		{Kind: "library", Bot: true, Method: "called"},
		{Kind: "library", Bot: true},
	}
	got := bottest.Judge(set, func(r bottest.Request) bool { return r.Method == "called" })
	if got.Found != 3 || got.Missed != 1 || got.Wrong != 1 || got.Spared != 2 {
		t.Errorf("the tally is %+v, want 3 found, 1 missed, 1 wrong and 2 spared", got)
	}
	if got.Precision() != 0.75 || got.Recall() != 0.75 {
		t.Errorf("the precision is %v and the recall %v, want 0.75 for both", got.Precision(), got.Recall())
	}
	if k := got.Kind("library"); !k.Bot || k.Called != 3 || k.Sent != 4 || k.Share() != 0.75 {
		t.Errorf("the tally of the kind library is %+v, want 3 of 4 programs called bots", k)
	}
	if k := got.Kind("none"); k != (bottest.Kind{}) {
		t.Errorf("the tally of an unknown kind is %+v, want zero", k)
	}
	if none := bottest.Judge(nil, nil); none.Precision() != 0 || none.Recall() != 0 {
		t.Errorf("without requests, the tally %+v has a precision or a recall, want 0", none)
	}
}
