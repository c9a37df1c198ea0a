package tool

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
)

// Text returns the answer as a compact text. A list of records becomes a line with its length, and CSV with a line of names. A
// single record becomes one line. Any other value becomes one line, or none if it is empty. The notice is left out. The text takes
// about a third of the tokens of JSON.
func (a Answer) Text() string {
	var b strings.Builder
	for _, f := range a.record {
		switch v := f.value.(type) {
		case []record:
			fmt.Fprintf(&b, "%s: %d\n", f.name, len(v))
			writeRows(&b, v)
		case record:
			fmt.Fprintf(&b, "%s:", f.name)
			for _, c := range v {
				if t := cell(c.value); t != "" {
					fmt.Fprintf(&b, " %s=%s;", c.name, t)
				}
			}
			b.WriteByte('\n')
		default:
			if t := cell(v); t != "" && f.name != "notice" {
				fmt.Fprintf(&b, "%s: %s\n", f.name, t)
			}
		}
	}
	return b.String()
}

// Columns that are empty in all records are left out.
func writeRows(b *strings.Builder, rows []record) {
	var names []string
	cells := make([]map[string]string, len(rows))
	filled := map[string]bool{}
	for i, r := range rows {
		cells[i] = map[string]string{}
		for _, f := range r {
			t := cell(f.value)
			cells[i][f.name] = t
			if t != "" && !filled[f.name] {
				filled[f.name] = true
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	for _, r := range rows {
		for _, f := range r {
			if filled[f.name] {
				names, filled[f.name] = append(names, f.name), false
			}
		}
	}
	w := csv.NewWriter(b)
	_ = w.Write(names)
	for _, c := range cells {
		line := make([]string, len(names))
		for i, name := range names {
			line[i] = c[name]
		}
		_ = w.Write(line)
	}
	w.Flush()
}

func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.Join(strings.Fields(v), " ")
	case []any:
		if len(v) == 0 {
			return ""
		}
	case object:
		if len(v) == 0 {
			return ""
		}
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}
