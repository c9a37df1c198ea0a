package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"go.yaml.in/yaml/v3"
)

// record is a JSON object of an answer or a request. Numbers of an answer stay as they were received.
type record = map[string]any

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// decode reads JSON and keeps numbers as they are written.
func decode(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
}

// print writes rows in the form that the user has chosen. columns are the columns of a table.
func (e *env) print(rows []record, columns []string) error {
	switch e.Output {
	case "json", "yaml":
		return e.printValue(rows)
	case "csv":
		return e.printCSV(rows, allColumns(rows))
	}
	return e.printTable(rows, columns)
}

// printOne writes one record in the form that the user has chosen. A table has a line for each field that is not empty.
func (e *env) printOne(r record) error {
	switch e.Output {
	case "json", "yaml":
		return e.printValue(r)
	case "csv":
		return e.printCSV([]record{r}, allColumns([]record{r}))
	}
	w := tabwriter.NewWriter(e.stdout, 0, 4, 2, ' ', 0)
	for _, name := range sortedKeys(r) {
		if text := cell(r[name]); text != "" {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", name, text)
		}
	}
	return w.Flush()
}

func (e *env) printValue(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	if e.Output == "yaml" {
		return e.printYAML(b.Bytes())
	}
	_, err := e.stdout.Write(b.Bytes())
	return err
}

// printYAML writes JSON as YAML. It changes only the style of the text, so numbers stay exact.
func (e *env) printYAML(raw []byte) error {
	var node yaml.Node
	if err := yaml.Unmarshal(raw, &node); err != nil {
		return err
	}
	var plain func(*yaml.Node)
	plain = func(n *yaml.Node) {
		if n.Style = 0; n.Kind == yaml.SequenceNode && len(n.Content) == 0 || n.Kind == yaml.MappingNode && len(n.Content) == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, c := range n.Content {
			plain(c)
		}
	}
	plain(&node)
	enc := yaml.NewEncoder(e.stdout)
	enc.SetIndent(2)
	if err := enc.Encode(&node); err != nil {
		return err
	}
	return enc.Close()
}

// allColumns returns the names of all members: name, id and status first, then the others in alphabetical order.
func allColumns(rows []record) []string {
	names := map[string]bool{}
	for _, r := range rows {
		for name := range r {
			names[name] = true
		}
	}
	var out []string
	for _, first := range []string{"name", "id", "status"} {
		if names[first] {
			out = append(out, first)
			delete(names, first)
		}
	}
	return append(out, sortedKeys(names)...)
}

func (e *env) printCSV(rows []record, columns []string) error {
	w := csv.NewWriter(e.stdout)
	if err := w.Write(columns); err != nil {
		return err
	}
	for _, r := range rows {
		if err := w.Write(cells(r, columns)); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func (e *env) printTable(rows []record, columns []string) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(e.stderr, "There is nothing to list.")
		return err
	}
	w := tabwriter.NewWriter(e.stdout, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, strings.ToUpper(strings.Join(columns, "\t")))
	for _, r := range rows {
		list := cells(r, columns)
		for i, text := range list {
			if runes := []rune(text); len(runes) > 60 {
				list[i] = string(runes[:59]) + "…"
			}
		}
		_, _ = fmt.Fprintln(w, strings.Join(list, "\t"))
	}
	return w.Flush()
}

func cells(r record, columns []string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = cell(r[c])
	}
	return out
}

// cell returns a value as one line, without control characters, which could change what a terminal shows.
func cell(v any) string {
	var text string
	switch v := v.(type) {
	case nil:
	case string:
		text = v
	case map[string]any, []any:
		raw, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		text = string(raw)
		if text == "[]" || text == "{}" {
			text = ""
		}
	default:
		text = fmt.Sprint(v)
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}
