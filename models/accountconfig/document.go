package accountconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Version is the version of documents that this package reads and writes.
const Version = 1

// The limits of a document.
const (
	MaxBytes   = 32 << 20
	MaxRecords = 100_000
	maxDepth   = 24
	maxValues  = 4_000_000
)

// Members are the members of a record in a document. A value is a text, a json.Number, a bool, nil, a []any or a map[string]any.
type Members = map[string]any

// Document contains the settings of an account, by kind and key.
type Document map[Kind]map[string]Members

// Problem is an error in a document, or a warning for its author. If Kind is empty, the problem is not about a kind or a record.
type Problem struct { //nolint:errname // it can also be a warning
	Kind Kind   `json:"kind"`
	Key  string `json:"key"`
	Path string `json:"path" doc:"the member, such as paths[0].destinations[1].offer; empty: the record as a whole"`
	Line int    `json:"line" doc:"line in the document; 0: not known"`
	Text string `json:"text"`
}

func (p Problem) Error() string {
	filled := func(parts ...string) []string {
		return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	}
	line := ""
	if p.Line > 0 {
		line = fmt.Sprint("line ", p.Line)
	}
	return strings.Join(filled(line, strings.Join(filled(string(p.Kind), p.Key, p.Path), "."), p.Text), ": ")
}

// Parse reads a document, which is YAML or JSON. Numbers keep their digits, so that no amount is rounded. The error is a Problem.
func Parse(raw []byte) (Document, error) {
	if len(raw) > MaxBytes {
		return nil, Problem{Text: fmt.Sprintf("the document may have at most %d bytes", MaxBytes)}
	}
	var root yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&root); err != nil {
		return nil, Problem{Text: "the document is neither YAML nor JSON: " + err.Error()}
	}
	if dec.Decode(new(yaml.Node)) == nil {
		return nil, Problem{Text: "the text has more than one document"}
	}
	r := reader{}
	v, err := r.value(root.Content[0], 0)
	if err != nil {
		return nil, err
	}
	top, ok := v.(map[string]any)
	if !ok {
		return nil, Problem{Line: 1, Text: "the document must be an object with version and kinds of records"}
	}
	return r.document(top, root.Content[0])
}

func (r *reader) document(top map[string]any, node *yaml.Node) (Document, error) {
	if v := top["version"]; v != json.Number(strconv.Itoa(Version)) {
		return nil, Problem{Line: 1, Text: fmt.Sprintf("version must be %d", Version)}
	}
	delete(top, "version")
	doc, records := Document{}, 0
	for _, name := range slices.Sorted(maps.Keys(top)) {
		kind := Kind(name)
		line := lineOf(node, name)
		if !kind.Known() {
			return nil, Problem{Kind: kind, Line: line, Text: "no kind of record has this name; the kinds are " + kindNames()}
		}
		list, ok := top[name].(map[string]any)
		if !ok && top[name] != nil {
			return nil, Problem{Kind: kind, Line: line, Text: "must be an object with a record for each key"}
		}
		doc[kind] = map[string]Members{}
		for key, v := range list {
			members, ok := v.(map[string]any)
			if !ok {
				return nil, Problem{Kind: kind, Key: key, Line: line, Text: "must be an object"}
			}
			doc[kind][key] = members
			records++
		}
	}
	if records > MaxRecords {
		return nil, Problem{Text: fmt.Sprintf("the document may have at most %d records", MaxRecords)}
	}
	return doc, nil
}

func kindNames() string {
	names := make([]string, len(Kinds))
	for i, k := range Kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

func lineOf(object *yaml.Node, name string) int {
	for i := 0; i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == name {
			return object.Content[i].Line
		}
	}
	return 0
}

type reader struct{ values int }

func (r *reader) value(n *yaml.Node, depth int) (any, error) {
	bad := func(text string) (any, error) { return nil, Problem{Line: n.Line, Text: text} }
	if r.values++; r.values > maxValues || depth > maxDepth {
		return bad("the document is nested too deeply, or has too many values")
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return scalar(n)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			v, err := r.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i]
			if name.Kind != yaml.ScalarNode || name.Tag == "!!merge" {
				return bad("a name must be a text, and << is not supported")
			}
			if _, twice := object[name.Value]; twice {
				return nil, Problem{Line: name.Line, Text: fmt.Sprintf("%q appears twice", name.Value)}
			}
			v, err := r.value(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			object[name.Value] = v
		}
		return object, nil
	}
	return bad("anchors and aliases (& and *) are not supported")
}

func scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return n.Value == "true" || n.Value == "True" || n.Value == "TRUE", nil
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value), nil
		}
		return nil, Problem{Line: n.Line, Text: fmt.Sprintf("%.40q is not a number that can be read exactly: write it in digits, or in quotes", n.Value)}
	case "!!str", "!!timestamp":
		return n.Value, nil
	}
	return nil, Problem{Line: n.Line, Text: fmt.Sprintf("%.40s is not supported", n.Tag)}
}

// YAML returns the document as text. Equal documents give equal texts: kinds are in the order of Kinds, records are sorted by
// key, and members as byName says.
func (d Document) YAML() ([]byte, error) {
	root := &yaml.Node{Kind: yaml.MappingNode}
	put(root, "version", scalarNode("!!int", strconv.Itoa(Version)))
	for _, kind := range Kinds {
		list := d.writtenRecords(kind)
		if len(list) == 0 {
			continue
		}
		records := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(list)) {
			put(records, key, node(list[key]))
		}
		put(root, string(kind), records)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return nil, fmt.Errorf("accountconfig: write YAML: %w", err)
	}
	return out.Bytes(), enc.Close()
}

// writtenRecords returns the records of a kind that are written to the text. It leaves out bot detection settings in which everything
// has its default.
func (d Document) writtenRecords(kind Kind) map[string]Members {
	if kind == BotDetection && len(d[kind][SettingsKey]) == 0 {
		return nil
	}
	return d[kind]
}

// MarshalJSON writes the document with its version.
func (d Document) MarshalJSON() ([]byte, error) {
	out := map[string]any{"version": Version}
	for kind := range d {
		if records := d.writtenRecords(kind); len(records) > 0 {
			out[string(kind)] = records
		}
	}
	return json.Marshal(out)
}

func put(object *yaml.Node, name string, value *yaml.Node) {
	object.Content = append(object.Content, scalarNode("!!str", name), value)
}

func scalarNode(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

func node(v any) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		object := &yaml.Node{Kind: yaml.MappingNode}
		for _, name := range slices.SortedFunc(maps.Keys(v), byName) {
			put(object, name, node(v[name]))
		}
		return object
	case []any:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v {
			list.Content = append(list.Content, node(item))
		}
		if len(list.Content) == 0 || list.Content[0].Kind == yaml.ScalarNode {
			list.Style = yaml.FlowStyle
		}
		return list
	case string:
		return scalarNode("!!str", v)
	case json.Number:
		tag := "!!int"
		if _, err := strconv.ParseInt(v.String(), 10, 64); err != nil {
			tag = "!!float"
		}
		return scalarNode(tag, v.String())
	case bool:
		return scalarNode("!!bool", strconv.FormatBool(v))
	}
	return scalarNode("!!null", "null")
}

// byName sorts the members of a record: its name comes first, and long members come last.
func byName(a, b string) int {
	rank := func(name string) int {
		switch name {
		case "name":
			return 0
		case "paths", "rules", "goals":
			return 2
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}
