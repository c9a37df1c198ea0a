package click

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.yaml.in/yaml/v3"

	"switchyard/models"
)

// fieldDir holds whole messages as networks, shops and ad platforms send them. Its README describes the format.
const fieldDir = "testdata/field"

// fieldEntry is one message of the corpus, the settings under which it arrives, and the record that it must give.
type fieldEntry struct {
	name    string // path below fieldDir
	message string
	want    map[string]string
	set     fieldSettings
	click   uuid.UUID // the click that {click} stands for
	network uuid.UUID
	link    string // alias of the campaign that {link} stands for
	fault   error  // why the network of the entry could not be made
}

// fieldSettings are the settings of an entry. In a file, their names are in lower case.
type fieldSettings struct {
	From     string              // where the format of the message is documented
	Network  string              // name of the network's template; "own" is a network without a template
	Params   map[string]string   // the network's own parameters, by field; added to the parameters of the template
	Statuses map[string][]string // the network's own words, by status
	Secret   string
	Scheme   string        // the scheme of the network's notifications, see models/notification
	Sign     string        // the key with which the sender signs the message; empty: the message is not signed
	Age      time.Duration // the age of the signature

	Source     string   // for a link: key of the traffic source's template; for a file of spend: the source that the call names
	Cost       string   // the source's parameter of the cost, if it has no template
	ExternalID string   `yaml:"external_id"` // the source's parameter of its own click id, if it has no template
	Tokens     []string // the source's other parameters, if it has no template
	Currency   string   // the campaign's currency

	Rows    string // what the rows of a file are: conversions or spend
	Charset string // the charset in which the body or the file is sent; the corpus itself is UTF-8
	Bom     bool   // the body or the file begins with a byte order mark
	Lines   string // how lines end: lf, crlf, cr
}

func fieldEntries(t *testing.T) (list []*fieldEntry) {
	t.Helper()
	err := filepath.WalkDir(fieldDir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".txt" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		e, err := parseFieldEntry(string(text))
		if err != nil {
			t.Errorf("the entry %s cannot be read: %v", name, err)
			return nil
		}
		e.name, err = filepath.Rel(fieldDir, name)
		list = append(list, e)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// parseFieldEntry reads the three parts of an entry: settings, message and record.
func parseFieldEntry(text string) (*fieldEntry, error) {
	parts := strings.SplitN(text, "\n---\n", 3)
	if len(parts) != 3 {
		return nil, fmt.Errorf("it has %d parts, not settings, message and record", len(parts))
	}
	e := &fieldEntry{message: parts[1], want: map[string]string{}}
	settings := yaml.NewDecoder(strings.NewReader(parts[0]))
	settings.KnownFields(true)
	if err := settings.Decode(&e.set); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	var record yaml.Node
	if err := yaml.Unmarshal([]byte(parts[2]), &record); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if e.set.From == "" {
		return nil, fmt.Errorf("the setting \"from\" is missing")
	}
	flatten(&record, "", e.want)
	return e, nil
}

// flatten adds the scalars below a node to a map, each under its path.
func flatten(n *yaml.Node, path string, into map[string]string) {
	if n.Kind == yaml.ScalarNode {
		into[path] = n.Value
		return
	}
	for i, child := range n.Content {
		prefix := strings.TrimPrefix(path+".", ".")
		switch {
		case n.Kind == yaml.DocumentNode:
			flatten(child, path, into)
		case n.Kind == yaml.SequenceNode:
			flatten(child, prefix+strconv.Itoa(i+1), into)
		case i%2 == 1: // a value of a mapping, after its name
			flatten(child, prefix+n.Content[i-1].Value, into)
		}
	}
}

// record holds the values that the code has read from a message, by field.
type record map[string]string

func (r record) set(name, value string) {
	if value != "" {
		r[name] = value
	}
}

// compareRecords returns a line for each field in which a record differs. If the field is a reason, it is enough that it contains
// the wanted text.
func compareRecords(want, got record) (faults []string) {
	fields := maps.Clone(want)
	maps.Copy(fields, got)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		equal := want[name] == got[name]
		if name == "reason" || strings.HasSuffix(name, ".refused") || strings.HasPrefix(name, "skipped.") {
			equal = want[name] != "" && strings.Contains(got[name], want[name])
		}
		if !equal {
			faults = append(faults, fmt.Sprintf("%s is %q, want %q", name, got[name], want[name]))
		}
	}
	return faults
}

func (r record) setTime(name string, at time.Time) {
	if !at.IsZero() {
		r[name] = at.UTC().Format(time.RFC3339Nano)
	}
}

func (r record) setSubs(subs [models.Subs]string) {
	for i, value := range subs {
		r.set("sub"+strconv.Itoa(i+1), value)
	}
}
