package movedtest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
)

// Named replaces the address of a fake by tracker.example in a result.
func Named(tb testing.TB, result trackerimport.Result) (out trackerimport.Result) {
	tb.Helper()
	const fake, host = "127.0.0.1", "tracker.example"
	text, err := result.Document.YAML()
	if err != nil {
		tb.Fatal(err)
	}
	if out.Document, err = accountconfig.Parse([]byte(strings.ReplaceAll(string(text), fake, host))); err != nil {
		tb.Fatal(err)
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

// Compare compares a result with want.yaml and want-notes.json in folder or, with update, writes them. It also runs Decodes.
func Compare(t *testing.T, update bool, folder string, result trackerimport.Result) {
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
		path := filepath.Join(folder, file)
		if update {
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
			t.Errorf("%s differs; run with -update and read what changes. Now:\n%.3000s", path, got)
		}
	}
	Decodes(t, result)
}

// keys finds the ids of records by their keys.
type keys accountconfig.Document

func (k keys) ID(kind accountconfig.Kind, key string) (uuid.UUID, bool) {
	_, ok := k[kind][key]
	return ID(kind, key), ok
}

func (k keys) Key(accountconfig.Kind, uuid.UUID) (string, bool) { return "", false }

// ID returns the id that a record has in the tests.
func ID(kind accountconfig.Kind, key string) uuid.UUID {
	return uuid.NewSHA1(uuid.Nil, []byte(string(kind)+"/"+key))
}

// Campaign reads a campaign of a result.
func Campaign(tb testing.TB, result trackerimport.Result, key string) accountconfig.Campaign {
	tb.Helper()
	m := result.Document[accountconfig.Campaigns][key]
	c, err := accountconfig.CampaignCodec(models.Account{Currency: "USD"}).Decode(key, m, keys(result.Document))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// Decodes checks that every record can be decoded, that keys are valid and names are unique, and that notes and links agree with the
// records.
func Decodes(tb testing.TB, result trackerimport.Result) {
	tb.Helper()
	ids := keys(result.Document)
	decode := map[accountconfig.Kind]func(string, accountconfig.Members) error{
		accountconfig.Domains:   with(accountconfig.DomainCodec, ids),
		accountconfig.Networks:  with(accountconfig.NetworkCodec, ids),
		accountconfig.Sources:   with(accountconfig.SourceCodec, ids),
		accountconfig.Landers:   with(accountconfig.LanderCodec, ids),
		accountconfig.Offers:    with(accountconfig.OfferCodec, ids),
		accountconfig.Flows:     with(accountconfig.FlowCodec, ids),
		accountconfig.Campaigns: with(accountconfig.CampaignCodec(models.Account{Currency: "USD"}), ids),
	}
	for kind, list := range result.Document {
		names := map[any]bool{}
		for key, m := range list {
			if err := decode[kind](key, m); err != nil {
				tb.Error(err)
			}
			if !accountconfig.ValidKey(key) || m["name"] != nil && names[m["name"]] {
				tb.Errorf("%s %s: the key is not valid, or the name appears twice: %v", kind, key, m["name"])
			}
			names[m["name"]] = true
		}
	}
	for _, n := range result.Notes {
		if _, in := result.Document[n.Kind][n.Key]; in == (n.Severity == trackerimport.Refused) && n.Kind != "" {
			tb.Errorf("the note %q is about %s %s; this record is in the document: %t, want %t", n.Severity, n.Kind, n.Key, in, !in)
		}
	}
	for _, l := range result.Links {
		if _, ok := result.Document[accountconfig.Campaigns][l.Campaign]; !ok {
			tb.Errorf("the link %s leads to %s, which does not exist", l.ID, l.Campaign)
		}
	}
}

func with[R any](c *accountconfig.Codec[R], ids accountconfig.IDs) func(string, accountconfig.Members) error {
	return func(key string, m accountconfig.Members) error {
		_, err := c.Decode(key, m, ids)
		return err
	}
}

// SameKeys checks that a second run has the same keys, except the deleted ones.
func SameKeys(tb testing.TB, first, second trackerimport.Result, deleted ...string) {
	tb.Helper()
	gone := map[string]bool{}
	for _, key := range deleted {
		gone[key] = true
	}
	for kind, list := range first.Document {
		for key := range list {
			if _, again := second.Document[kind][key]; again == gone[string(kind)+"/"+key] {
				tb.Errorf("%s %s is in the second document: %t, want %t", kind, key, again, !again)
			}
		}
		for key := range second.Document[kind] {
			if _, known := list[key]; !known {
				tb.Errorf("%s %s is new", kind, key)
			}
		}
	}
}
