package keitaro_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/keitaro"
	"switchyard/workers/providers/trackers/keitaro/keitarotest"
)

var update = flag.Bool("update", false, "write the expected documents and notes")

// host is the host of the tracker of the dumps. It replaces the host of the fake tracker in results of the API.
const host = "tracker.example"

func readAPI(t *testing.T, tracker []byte) trackerimport.Result {
	t.Helper()
	server := httptest.NewServer(keitarotest.New(tracker))
	defer server.Close()
	result, _, err := keitaro.ReadAtOnce(context.Background(), server.Client(), trackers.Access{URL: server.URL, Key: keitarotest.Key})
	if err != nil {
		t.Fatal(err)
	}
	return named(t, result, "127.0.0.1")
}

func named(t *testing.T, result trackerimport.Result, fake string) (out trackerimport.Result) {
	t.Helper()
	text, err := result.Document.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if out.Document, err = accountconfig.Parse([]byte(strings.ReplaceAll(string(text), fake, host))); err != nil {
		t.Fatal(err)
	}
	for _, n := range result.Notes {
		n.Key, n.Text = strings.ReplaceAll(n.Key, fake, host), strings.ReplaceAll(n.Text, fake, host)
		out.Notes = append(out.Notes, n)
	}
	for _, l := range result.Links {
		l.Campaign = strings.ReplaceAll(l.Campaign, fake, host)
		out.Links = append(out.Links, l)
	}
	return out
}

// compare compares a result with the files of a fixture.
func compare(t *testing.T, name string, result trackerimport.Result) {
	t.Helper()
	document, err := result.Document.YAML()
	if err != nil {
		t.Fatal(err)
	}
	var notes bytes.Buffer
	enc := json.NewEncoder(&notes)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(result.Notes); err != nil {
		t.Fatal(err)
	}
	for file, got := range map[string][]byte{"want.yaml": document, "want-notes.json": notes.Bytes()} {
		path := filepath.Join("keitarotest", "testdata", name, file)
		if *update {
			if err := os.WriteFile(path, got, 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s/%s differs; run with -update and read what changes. Now:\n%.3000s", name, file, got)
		}
	}
	decodes(t, result)
}

// keys finds the ids of records by their keys. The id is a hash of the key.
type keys accountconfig.Document

func (k keys) ID(kind accountconfig.Kind, key string) (uuid.UUID, bool) {
	_, ok := k[kind][key]
	return uuid.NewSHA1(uuid.Nil, []byte(string(kind)+"/"+key)), ok
}

func (k keys) Key(accountconfig.Kind, uuid.UUID) (string, bool) { return "", false }

// decodes checks that every record can be applied and that keys, names, notes and links agree.
func decodes(t *testing.T, result trackerimport.Result) {
	t.Helper()
	ids := keys(result.Document)
	campaigns := accountconfig.CampaignCodec(models.Account{Currency: "USD"})
	decode := map[accountconfig.Kind]func(string, accountconfig.Members) error{
		accountconfig.Domains:   with(accountconfig.DomainCodec, ids),
		accountconfig.Networks:  with(accountconfig.NetworkCodec, ids),
		accountconfig.Sources:   with(accountconfig.SourceCodec, ids),
		accountconfig.Landers:   with(accountconfig.LanderCodec, ids),
		accountconfig.Offers:    with(accountconfig.OfferCodec, ids),
		accountconfig.Campaigns: with(campaigns, ids),
		accountconfig.BotLists:  with(accountconfig.BotListCodec, ids),
	}
	for kind, list := range result.Document {
		names := map[any]bool{}
		for key, m := range list {
			if err := decode[kind](key, m); err != nil {
				t.Error(err)
			}
			if !accountconfig.ValidKey(key) || m["name"] != nil && names[m["name"]] {
				t.Errorf("%s %s: the key is not valid, or the name appears twice: %v", kind, key, m["name"])
			}
			names[m["name"]] = true
		}
	}
	for _, n := range result.Notes {
		if _, in := result.Document[n.Kind][n.Key]; in == (n.Severity == trackerimport.Refused) && n.Kind != "" {
			t.Errorf("the note %q is about %s %s; this record is in the document: %t, want %t", n.Severity, n.Kind, n.Key, in, !in)
		}
	}
	for _, l := range result.Links {
		if _, ok := result.Document[accountconfig.Campaigns][l.Campaign]; !ok {
			t.Errorf("the link %s leads to %s, which does not exist", l.ID, l.Campaign)
		}
	}
}

func with[R any](c *accountconfig.Codec[R], ids accountconfig.IDs) func(string, accountconfig.Members) error {
	return func(key string, m accountconfig.Members) error {
		_, err := c.Decode(key, m, ids)
		return err
	}
}

func TestFixturesOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "everything", "lost", "again"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, name, readAPI(t, keitarotest.Fixture(name+"/in/tracker.json")))
		})
	}
}
