package keitaro_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/keitaro"
	"switchyard/workers/providers/trackers/keitaro/keitarotest"
)

func readDump(t *testing.T, dump []byte) trackerimport.Result {
	t.Helper()
	result, err := keitaro.ReadDump(context.Background(), bytes.NewReader(dump), host, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func zipped(t *testing.T, dump []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(dump); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestFixturesOfDumps(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dump-new", "dump-old"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dump := keitarotest.Fixture(name + "/in/dump.sql")
			plain := readDump(t, dump)
			compare(t, name, plain)
			compare(t, name, readDump(t, zipped(t, dump)))
		})
	}
}

// TestDumpsHaveTheKeysOfTheAPI: a record gets the same key from a dump as from the API. So an import from the one changes the
// records that were imported from the other.
func TestDumpsHaveTheKeysOfTheAPI(t *testing.T) {
	t.Parallel()
	api, dump := readAPI(t, keitarotest.Fixture("plain/in/tracker.json")), readDump(t, keitarotest.Fixture("dump-new/in/dump.sql"))
	for _, kind := range []accountconfig.Kind{accountconfig.Campaigns, accountconfig.Offers, accountconfig.Landers, accountconfig.Networks} {
		if key := trackerimport.Key("keitaro", host, "1"); dump.Document[kind][key]["name"] != api.Document[kind][key]["name"] {
			t.Errorf("%s %s is %v and %v", kind, key, api.Document[kind][key], dump.Document[kind][key])
		}
	}
}

// lines is a dump with many rows of clicks, generated while it is read.
type lines struct {
	head, line, tail string
	times            int
	rest             string
}

func (l *lines) Read(p []byte) (int, error) {
	if l.rest == "" {
		switch {
		case l.head != "":
			l.rest, l.head = l.head, ""
		case l.times > 0:
			l.rest, l.times = l.line, l.times-1
		case l.tail != "":
			l.rest, l.tail = l.tail, ""
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func TestTablesOfClicksAreSkipped(t *testing.T) {
	t.Parallel()
	click := "INSERT INTO `keitaro_clicks` VALUES " + strings.Repeat(`(1,'it\'s; ('',"x'),`, 5000) + "(2,NULL);\n"
	dump := &lines{head: "-- MySQL dump\n", line: click, times: 300, tail: string(keitarotest.Fixture("dump-new/in/dump.sql"))}
	result, err := keitaro.ReadDump(context.Background(), dump, host, nil)
	if err != nil || len(result.Document[accountconfig.Campaigns]) != 3 {
		t.Fatal(err, len(result.Document[accountconfig.Campaigns]))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = keitaro.ReadDump(ctx, &lines{line: click, times: 1 << 30}, host, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the reader does not stop when its context ends: %v", err)
	}
}

func TestHostileDumpsAreErrors(t *testing.T) {
	t.Parallel()
	const table = "CREATE TABLE `keitaro_campaigns` (`id` int, `name` text, `parameters` text);\nINSERT INTO `keitaro_campaigns` VALUES "
	for _, dump := range []string{
		"", "hello", "PK\x03\x04", "\x1f\x8b\x08", "\x1f\x8bnot gzip at all", "INSERT", "INSERT INTO `keitaro_campaigns` VALUES (1,2,3);",
		"CREATE TABLE `keitaro_campaigns` (`id` int", table, table + "(1,'a", table + "(1,'a','b'", table + "(1,'a');", table + "(1,'a','b','c');",
		table + "(((((", table + "(,,);", table + "(1 2,3,4);", table + "(0xzz,1,2);", table + "();",
		table + `(1,'a','a:1:{i:0;s:99999999:"x";}');`, table + `(1,'a','a:-1:{}');`, table + `(1,'a','O:8:"stdClass":1:{s:1:"a";R:1;}');`,
		table + `(1,'a','` + strings.Repeat("a:1:{i:0;", 100_000) + `');`,
		"CREATE TABLE `keitaro_campaigns` (" + strings.Repeat("`a` int,", 1000) + "`b` int);",
	} {
		result, err := keitaro.ReadDump(context.Background(), strings.NewReader(dump), host, nil)
		if err == nil {
			t.Errorf("%.80q was read: %v", dump, result.Document)
		}
	}
}

func TestPHPValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`N;`: `null`, `b:1;`: `true`, `i:-5;`: `-5`, `d:0.1;`: `0.1`, `s:4:"a";b";`: `"a\";b"`, `s:4:"да";`: `"да"`,
		`a:2:{i:0;s:1:"a";i:1;i:2;}`: `["a",2]`, `a:1:{s:1:"k";a:0:{}}`: `{"k":[]}`, `a:2:{i:0;i:1;i:5;i:2;}`: `{"0":1,"5":2}`,
		`O:8:"stdClass":1:{s:1:"a";N;}`: `{"a":null}`,
		``:                              "", `a:1:{i:0;i:1;`: "", `s:9:"a";`: "", `i:x;`: "", `d:NAN;`: "", `r:1;`: "", `a:1:{a:0:{}i:1;}`: "", `i:1;i:2;`: "",
		`C:3:"Foo":2:{xx}`: "",
	} {
		v, err := keitaro.FromPHP(text)
		got, _ := json.Marshal(v)
		if err != nil {
			got = nil
		}
		if string(got) != want {
			t.Errorf("%s is %s, want %s (%v)", text, got, want, err)
		}
	}
}

func FuzzDump(f *testing.F) {
	f.Add(keitarotest.Fixture("dump-old/in/dump.sql"))
	f.Add(keitarotest.Fixture("dump-new/in/dump.sql"))
	f.Add([]byte("CREATE TABLE `keitaro_offers` (`id` int, `country` text);INSERT INTO keitaro.keitaro_offers (`id`,country) VALUES (1,'a:1:{i:0;s:2:\"DE\";}');"))
	f.Fuzz(func(t *testing.T, dump []byte) {
		result, err := keitaro.ReadDump(context.Background(), bytes.NewReader(dump), host, nil)
		if err != nil {
			return
		}
		text, err := result.Document.YAML()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := accountconfig.Parse(text)
		if err != nil {
			t.Fatalf("the document cannot be read: %v\n%s", err, text)
		}
		decodes(t, trackerimport.Result{Document: doc, Notes: result.Notes, Links: result.Links})
	})
}

func FuzzPHP(f *testing.F) {
	f.Add(`a:2:{i:0;s:1:"a";s:1:"b";O:8:"stdClass":0:{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := keitaro.FromPHP(text); err == nil {
			if _, err := json.Marshal(v); err != nil {
				t.Error(fmt.Errorf("%q: %w", text, err))
			}
		}
	})
}
