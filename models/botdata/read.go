package botdata

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/cond"
)

// List holds the entries of one kind from one or several files.
type List struct {
	Kind    Kind
	Dated   time.Time // date of the oldest file
	Entries []string  // entries in canonical form, each once
	// Force accepts entries even if they would classify people as bots. Overruled holds the errors that it overruled, at most
	// maxReported.
	Force     bool
	Overruled []error
	entrySet  map[string]bool
}

// NewList returns an empty list.
func NewList(k Kind) *List { return &List{Kind: k, entrySet: map[string]bool{}} }

// maxReported is the maximum number of wrong entries in a file that are reported one by one, and of errors in Overruled.
const maxReported = 10

// Read adds the entries of a file to the list. The file is text with one entry in each line and comments after #, or JSON in the
// form that large clouds and crawler-user-agents publish. dated is the date of the file, unless the JSON contains one. The error
// names the file and the first wrong entries. After an error, the list must not be used.
func (l *List) Read(name string, content []byte, dated time.Time) error {
	if len(content) > MaxFile {
		return fmt.Errorf("%s: a file has at most %d MB", name, MaxFile>>20)
	}
	for _, mark := range []string{"\ufeff", "\u200b"} { // published files contain these characters
		content = bytes.ReplaceAll(content, []byte(mark), nil)
	}
	r := reader{list: l, file: name}
	if text := bytes.TrimSpace(content); len(text) > 0 && (text[0] == '{' || text[0] == '[' && l.Kind == Crawler) {
		dated = r.json(text, dated)
	} else {
		r.text(string(content))
	}
	if r.wrong > len(r.reported) {
		r.reported = append(r.reported, fmt.Errorf("%s: %d more", name, r.wrong-len(r.reported)))
	}
	limit := kinds[l.Kind].limit
	switch {
	case r.wrong > 0 || len(r.reported) > 0: // the list as a whole is checked only if the file has no wrong entries
	case len(l.Entries) > limit:
		r.reported = append(r.reported, fmt.Errorf("%s: a list of kind %s has at most %d entries", name, l.Kind, limit))
	case r.seen == 0:
		r.reported = append(r.reported, fmt.Errorf("%s: there are no entries", name))
	case l.Kind == Crawler:
		r.reported = appendError(r.reported, name, checkPatterns(l.Entries))
	default:
		if err := l.guardList(); !l.accepts(name, err) {
			r.reported = appendError(r.reported, name, err)
		}
	}
	if l.Dated.IsZero() || dated.Before(l.Dated) {
		l.Dated = dated.UTC()
	}
	return errors.Join(r.reported...)
}

func appendError(list []error, name string, err error) []error {
	if err == nil {
		return list
	}
	return append(list, fmt.Errorf("%s: %w", name, err))
}

type reader struct {
	list     *List
	file     string
	seen     int // number of entries, including wrong and repeated entries
	wrong    int
	reported []error
}

// add adds an entry to the list, or reports it as wrong. at is the place in the file.
func (r *reader) add(at, entry string) {
	r.seen++
	if len(r.list.Entries) > kinds[r.list.Kind].limit {
		return // Read reports this as an error at the end
	}
	entry, err := r.list.Kind.clean(entry)
	if !r.list.accepts(r.file+":"+at, err) {
		if r.wrong++; len(r.reported) < maxReported {
			r.reported = append(r.reported, fmt.Errorf("%s:%s: %w", r.file, at, err))
		}
		return
	}
	if !r.list.entrySet[entry] {
		r.list.entrySet[entry] = true
		r.list.Entries = append(r.list.Entries, entry)
	}
}

func (r *reader) text(content string) {
	n := 0
	for line := range strings.Lines(content) {
		n++
		if line = strings.TrimSpace(uncomment(line, r.list.Kind)); line != "" {
			r.add(strconv.Itoa(n), line)
		}
	}
}

// uncomment returns a line without its comment. In lists of networks and domains, ; begins a comment too. In a list of patterns,
// only a whole line is a comment, because # can be part of a pattern.
func uncomment(line string, k Kind) string {
	if k == Crawler {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			return ""
		}
		return line
	}
	if i := strings.IndexAny(line, "#;"); i >= 0 {
		return line[:i]
	}
	return line
}

// ranges has the members of the address files of Amazon (ip-ranges.json), Google (cloud.json, and the files of its crawlers), Oracle
// (public_ip_ranges.json) and Microsoft (ServiceTags).
type ranges struct {
	CreateDate  string `json:"createDate"`
	Created     string `json:"creationTime"`
	LastUpdated string `json:"last_updated_timestamp"`
	Prefixes    []struct {
		IP   string `json:"ip_prefix"`
		IPv4 string `json:"ipv4Prefix"`
		IPv6 string `json:"ipv6Prefix"`
	} `json:"prefixes"`
	IPv6 []struct {
		IP string `json:"ipv6_prefix"`
	} `json:"ipv6_prefixes"`
	Regions []struct {
		CIDRs []struct {
			CIDR string `json:"cidr"`
		} `json:"cidrs"`
	} `json:"regions"`
	Values []struct {
		Properties struct {
			Prefixes []string `json:"addressPrefixes"`
		} `json:"properties"`
	} `json:"values"`
}

// json reads a JSON file. It returns the date in the file, or dated if the file has no date.
func (r *reader) json(content []byte, dated time.Time) time.Time {
	if r.list.Kind == Crawler {
		var all []struct { // the form of the file that crawler-user-agents publishes
			Pattern string `json:"pattern"`
		}
		if r.decode(content, &all) {
			for i, c := range all {
				r.add(fmt.Sprintf(" [%d].pattern", i), c.Pattern)
			}
		}
		return dated
	}
	var all ranges
	if r.list.Kind == BadReferrer {
		r.reported = append(r.reported, fmt.Errorf("%s: a list of kind %s is text, one entry in each line", r.file, r.list.Kind))
	} else if r.decode(content, &all) {
		r.ranges(&all)
	}
	for layout, text := range map[string]string{
		"2006-01-02-15-04-05": all.CreateDate, "2006-01-02T15:04:05": all.Created, "2006-01-02T15:04:05.999999": all.LastUpdated,
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return dated
}

func (r *reader) decode(content []byte, target any) bool {
	err := json.Unmarshal(content, target)
	if err != nil {
		offset := 0
		if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = int(bad.Offset)
		}
		line := 1 + bytes.Count(content[:min(offset, len(content))], []byte("\n"))
		r.reported = append(r.reported, fmt.Errorf("%s:%d: not JSON of a form that is known: %w", r.file, line, err))
	}
	return err == nil
}

func (r *reader) ranges(all *ranges) {
	for i, p := range all.Prefixes {
		for _, v := range []string{p.IP, p.IPv4, p.IPv6} {
			if v != "" {
				r.add(fmt.Sprintf(" prefixes[%d]", i), v)
			}
		}
	}
	for i, p := range all.IPv6 {
		r.add(fmt.Sprintf(" ipv6_prefixes[%d]", i), p.IP)
	}
	for i, region := range all.Regions {
		for j, c := range region.CIDRs {
			r.add(fmt.Sprintf(" regions[%d].cidrs[%d]", i, j), c.CIDR)
		}
	}
	for i, v := range all.Values {
		for j, p := range v.Properties.Prefixes {
			r.add(fmt.Sprintf(" values[%d].properties.addressPrefixes[%d]", i, j), p)
		}
	}
}

// clean returns an entry in canonical form. If the error is a guardError, it returns this form too.
func (k Kind) clean(entry string) (string, error) {
	if len(entry) > maxLine {
		return "", fmt.Errorf("%q is longer than %d bytes", short(entry), maxLine)
	}
	return kinds[k].clean(entry)
}

func cleanNetwork(entry string) (string, error) {
	r := cond.ParseRange(entry)
	if !r.IsValid() {
		return "", fmt.Errorf("%q is not an address, a network such as 192.0.2.0/24 or a range a-b", short(entry))
	}
	err := guardRange(entry, r)
	if r.From() == r.To() {
		return r.From().String(), err
	}
	if p, ok := r.Prefix(); ok {
		return p.String(), err
	}
	return r.String(), err
}

func cleanDomain(entry string) (string, error) {
	host, ok := models.HostOf(entry)
	if !ok {
		return "", fmt.Errorf("%q is not a domain", short(entry))
	}
	host = strings.TrimPrefix(host, "www.")
	return host, guardDomain(entry, host)
}

func cleanPattern(entry string) (string, error) {
	if strings.ContainsAny(entry, "\r\n") {
		return "", fmt.Errorf("%q has more than one line", short(entry))
	}
	re, err := regexp.Compile(entry)
	if err != nil {
		return "", fmt.Errorf("%q is not an RE2 pattern: %w", short(entry), err)
	}
	return entry, guardPattern(entry, re)
}

func short(entry string) string { return entry[:min(len(entry), 80)] }
