// Package bottest reads the labelled requests in models/bot/testdata: from browsers of real people, and from programs. Detectors
// are measured with them. The service does not contain this package.
package bottest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/textproto"
	"slices"
)

// Dir is the directory of the labelled requests, relative to the root of the repository.
const Dir = "models/bot/testdata"

// The origins of a request or a header set. README.md in the directory describes them.
const (
	Recorded  = "recorded"
	Published = "published"
	Composed  = "composed"
)

// Request is a request with its label.
type Request struct {
	ID      string
	Kind    string
	Bot     bool
	Origin  string
	Method  string
	Scheme  string
	Address string // the sender's IP address if the label depends on it; otherwise empty
	Headers map[string][]string
	// Device, OS and OSVersion describe the sender's device. They are empty if unknown.
	Device, OS, OSVersion string
}

// headerSet is a line of headers.jsonl: the headers that a browser or another program sends, in order. Where a value is {}, each
// request has its own value.
type headerSet struct {
	Set     string      `json:"set"`
	Origin  string      `json:"origin"`
	From    string      `json:"from"`
	Headers [][2]string `json:"headers"` // each item is a name and a value
}

// line is a line of requests.jsonl. Values are the values for {} in its header set, in order.
type line struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind"`
	Bot     bool     `json:"bot"`
	Origin  string   `json:"origin"`
	Set     string   `json:"set"`
	Method  string   `json:"method"` // empty: GET
	Scheme  string   `json:"scheme"` // empty: https
	Address string   `json:"address"`
	Values  []string `json:"values"`
	Device  string   `json:"device"`
	OS      string   `json:"os"`
	Version string   `json:"os_version"`
}

const open = "{}"

// Read reads all labelled requests from their directory.
func Read(dir fs.FS) ([]Request, error) {
	sets := map[string]headerSet{}
	err := each(dir, "headers.jsonl", func(s headerSet) error {
		if _, taken := sets[s.Set]; taken || !isOrigin(s.Origin) || s.From == "" {
			return fmt.Errorf("header set %q occurs twice, has an unknown origin or lacks the field from", s.Set)
		}
		sets[s.Set] = s
		return nil
	})
	if err != nil {
		return nil, err
	}
	var list []Request
	err = each(dir, "requests.jsonl", func(l line) error {
		set, known := sets[l.Set]
		if !known || !isOrigin(l.Origin) {
			return fmt.Errorf("request %s: unknown header set %q or origin %q", l.ID, l.Set, l.Origin)
		}
		r, err := l.request(set)
		list = append(list, r)
		return err
	})
	return list, err
}

func isOrigin(s string) bool { return slices.Contains([]string{Recorded, Published, Composed}, s) }

func (l line) request(set headerSet) (Request, error) {
	r := Request{
		ID: l.ID, Kind: l.Kind, Bot: l.Bot, Origin: l.Origin, Method: l.Method, Scheme: l.Scheme, Address: l.Address,
		Headers: map[string][]string{}, Device: l.Device, OS: l.OS, OSVersion: l.Version,
	}
	if r.Method == "" {
		r.Method = "GET"
	}
	if r.Scheme == "" {
		r.Scheme = "https"
	}
	rest := l.Values
	for _, h := range set.Headers {
		name, value := textproto.CanonicalMIMEHeaderKey(h[0]), h[1]
		if value == open {
			if len(rest) == 0 {
				return r, fmt.Errorf("request %s: header set %s asks for more values", l.ID, l.Set)
			}
			value, rest = rest[0], rest[1:]
		}
		r.Headers[name] = append(r.Headers[name], value)
	}
	if len(rest) > 0 {
		return r, fmt.Errorf("request %s: header set %s asks for fewer values", l.ID, l.Set)
	}
	return r, nil
}

func each[T any](dir fs.FS, name string, fn func(T) error) (err error) {
	file, err := dir.Open(name)
	if err != nil {
		return fmt.Errorf("labelled: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for lines := bufio.NewScanner(file); ; {
		if !lines.Scan() {
			return lines.Err()
		}
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return fmt.Errorf("labelled: %s: %w", name, err)
		}
		if err := fn(row); err != nil {
			return fmt.Errorf("labelled: %s: %w", name, err)
		}
	}
}
