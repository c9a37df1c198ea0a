// Package csv reads offers, campaigns and links from tables, for trackers that have no reader of their own. The first line names the
// columns. Fields are separated by commas, semicolons or tabs.
package csv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/models/trackerimport"
)

// The limits of the tables.
const (
	maxBytes = 32 << 20
	maxRows  = 100_000
)

// Tables has the texts of three tables. Each text may be nil.
type Tables struct {
	// Name stands for the tracker that the tables come from. A second import with the same name changes the first one's records.
	Name                     string
	Offers, Campaigns, Links io.Reader
}

type row struct {
	line   int
	fields map[string]string
}

func (r row) get(column string) string { return strings.TrimSpace(r.fields[column]) }

type columns struct {
	name     string
	required []string
	optional []string
}

var (
	offerColumns = columns{
		"offers",
		[]string{"name", "url"},
		[]string{"id", "network", "payout", "currency", "country", "daily_cap", "group", "tags", "notes", "status"},
	}
	campaignColumns = columns{
		"campaigns",
		[]string{"name"},
		[]string{"id", "alias", "domain", "source", "cost_model", "cost", "currency", "offers", "url", "country", "group", "tags", "notes", "status"},
	}
	linkColumns = columns{"links", []string{"link", "campaign"}, nil}
)

// Read reads the tables. An error names the table, and the line if a line cannot be read.
func Read(t Tables) (trackerimport.Result, error) {
	var offers, campaigns, links []row
	for _, one := range []struct {
		from io.Reader
		c    columns
		into *[]row
	}{{t.Offers, offerColumns, &offers}, {t.Campaigns, campaignColumns, &campaigns}, {t.Links, linkColumns, &links}} {
		if one.from == nil {
			continue
		}
		rows, err := rowsOf(one.from, one.c)
		if err != nil {
			return trackerimport.Result{}, fmt.Errorf("the table of %s: %w", one.c.name, err)
		}
		*one.into = rows
	}
	return convert(t.Name, offers, campaigns, links), nil
}

func rowsOf(from io.Reader, c columns) (out []row, err error) {
	raw, err := io.ReadAll(io.LimitReader(from, maxBytes+1))
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", err)
	case len(raw) > maxBytes:
		return nil, fmt.Errorf("it has more than %d MB", maxBytes>>20)
	case !utf8.Valid(raw):
		return nil, errors.New("it is not UTF-8: save it as CSV UTF-8")
	}
	reader := csv.NewReader(bytes.NewReader(raw))
	reader.Comma = divider(raw)
	header, err := reader.Read()
	if err != nil {
		return nil, errors.New("it has no line with the names of its columns")
	}
	if err := c.check(header); err != nil {
		return nil, err
	}
	for {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, explain(err)
		}
		if len(out) == maxRows {
			return nil, fmt.Errorf("it has more than %d lines", maxRows)
		}
		line, _ := reader.FieldPos(0)
		r := row{line, map[string]string{}}
		for i, name := range header {
			r.fields[column(name)] = fields[i]
		}
		out = append(out, r)
	}
}

func explain(err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("line %d cannot be read: %w", p.Line, p.Err)
	}
	return err
}

// divider returns the character that separates the names of the columns.
func divider(raw []byte) rune {
	first, _, _ := bytes.Cut(raw, []byte("\n"))
	best := ','
	for _, r := range ";\t" {
		if bytes.Count(first, []byte(string(r))) > bytes.Count(first, []byte(string(best))) {
			best = r
		}
	}
	return best
}

func column(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "_")
}

// check refuses unknown and repeated names of columns, and missing required columns.
func (c columns) check(header []string) error {
	seen := map[string]bool{}
	all := slices.Concat(c.required, c.optional)
	for _, name := range header {
		name = column(name)
		switch {
		case !slices.Contains(all, name):
			return fmt.Errorf("no column is called %q; the columns are %s", models.Shortened(name, 40), strings.Join(all, ", "))
		case seen[name]:
			return fmt.Errorf("the column %s appears twice", name)
		}
		seen[name] = true
	}
	for _, name := range c.required {
		if !seen[name] {
			return fmt.Errorf("the column %s is missing", name)
		}
	}
	return nil
}
