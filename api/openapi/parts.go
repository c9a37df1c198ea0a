package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"switchyard/db"
)

// allWebhooks is the name of the part that holds all webhook events.
const allWebhooks = "webhooks"

// parts is a document split into parts.
type parts struct {
	index      []byte // the page that lists the operations
	head       map[string]json.RawMessage
	components map[string]map[string]json.RawMessage // by kind and name
	items      map[string]item                       // by the operation's id
}

// item is an operation, or all webhook events, and its place in the document. key is a member of the document, such as paths.
type item struct {
	key, path string
	members   map[string]json.RawMessage
}

// splitDocument splits a document into parts and makes the page that lists them.
func splitDocument(text []byte) (*parts, error) {
	var doc struct {
		Paths, Webhooks map[string]map[string]json.RawMessage
		Components      map[string]map[string]json.RawMessage
		Tags            []struct{ Name string }
	}
	p := &parts{items: map[string]item{}}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("openapi: parts: %w", err)
	}
	if err := json.Unmarshal(text, &p.head); err != nil {
		return nil, fmt.Errorf("openapi: parts: %w", err)
	}
	for _, name := range []string{"paths", "webhooks", "components", "tags"} {
		delete(p.head, name)
	}
	p.components = doc.Components
	groups := db.Map(doc.Tags, func(tag struct{ Name string }) *listedGroup { return &listedGroup{Name: tag.Name} })
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		if err := p.split(path, doc.Paths[path], groups); err != nil {
			return nil, err
		}
	}
	events := map[string]json.RawMessage{}
	for name, methods := range doc.Webhooks {
		raw, err := json.Marshal(methods)
		if err != nil {
			return nil, fmt.Errorf("openapi: parts: %w", err)
		}
		events[name] = raw
	}
	p.items[allWebhooks] = item{key: "webhooks", members: events}
	var err error
	p.index, err = indexPage(groups)
	return p, err
}

// split adds the operations of a path.
func (p *parts) split(path string, members map[string]json.RawMessage, groups []*listedGroup) error {
	for _, method := range slices.Sorted(maps.Keys(members)) {
		raw := members[method]
		if method == "servers" {
			continue
		}
		var op struct {
			OperationID, Summary string
			Tags                 []string
		}
		if err := json.Unmarshal(raw, &op); err != nil {
			return fmt.Errorf("openapi: parts: %s %s: %w", method, path, err)
		}
		operation := map[string]json.RawMessage{method: raw}
		if servers, ok := members["servers"]; ok {
			operation["servers"] = servers
		}
		p.items[op.OperationID] = item{"paths", path, operation}
		i := slices.IndexFunc(groups, func(g *listedGroup) bool { return g.Name == op.Tags[0] })
		groups[i].Operations = append(groups[i].Operations, listed{
			op.OperationID, strings.ToUpper(method), path, op.Summary,
		})
	}
	return nil
}

// document returns the document of a single operation, or of all events for the name allWebhooks.
func (p *parts) document(name string) ([]byte, bool) {
	found, ok := p.items[name]
	if !ok {
		return nil, false
	}
	out := map[string]any{}
	for key, raw := range p.head {
		out[key] = raw
	}
	var content any = found.members
	if found.path != "" {
		content = map[string]any{found.path: found.members}
	}
	out[found.key] = content
	out["components"] = p.needed(found.members)
	text, err := json.Marshal(out)
	return text, err == nil
}

var reference = regexp.MustCompile(`"#/components/([a-z]+)/([^"]+)"`)

// needed returns the security schemes, and the components to which an operation refers, directly or through other components.
func (p *parts) needed(members map[string]json.RawMessage) map[string]map[string]json.RawMessage {
	out := map[string]map[string]json.RawMessage{"securitySchemes": p.components["securitySchemes"]}
	unread := slices.Collect(maps.Values(members))
	for len(unread) > 0 {
		last := unread[len(unread)-1]
		unread = unread[:len(unread)-1]
		for _, ref := range reference.FindAllSubmatch(last, -1) {
			kind, name := string(ref[1]), string(ref[2])
			if _, has := out[kind][name]; has {
				continue
			}
			if out[kind] == nil {
				out[kind] = map[string]json.RawMessage{}
			}
			out[kind][name] = p.components[kind][name]
			unread = append(unread, p.components[kind][name])
		}
	}
	return out
}
