package accountconfig

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"switchyard/models"
	"switchyard/models/flow"
)

// Members that contain other objects. In the API, a campaign's paths are called "streams".
const (
	pathsMember   = "paths"
	streamsMember = "streams"
	goalsMember   = "goals"
)

// toBody replaces the keys in a record of a document by ids. err is the first problem that it finds.
type toBody struct {
	kind Kind
	ids  IDs
	err  *Problem
}

func (t *toBody) problem(path, format string, args ...any) {
	if t.err == nil {
		t.err = &Problem{Path: path, Text: fmt.Sprintf(format, args...)}
	}
}

func (t *toBody) record(m Members, refs []ref) Members {
	out := make(Members, len(m))
	for name, v := range m {
		out[name] = v
	}
	for _, r := range refs {
		t.reference(out, "", r)
	}
	if list, ok := out[pathsMember].([]any); ok {
		out[pathsMember] = t.list(list, pathsMember, t.path)
	}
	if t.kind == Campaigns {
		if _, ok := out[streamsMember]; ok {
			t.problem(streamsMember, "in a document, this member is called paths")
		}
		if paths, ok := out[pathsMember]; ok {
			out[streamsMember] = paths
			delete(out, pathsMember)
		}
	}
	return out
}

func (t *toBody) references(object Members, r ref) {
	if _, ok := object[r.idMember]; ok {
		t.problem(r.idMember, "a document has no ids: list in %s the key of each %s", r.member, r.kind.Noun())
	}
	v, ok := object[r.member]
	if !ok {
		return
	}
	delete(object, r.member)
	list, isList := v.([]any)
	if !isList && v != nil {
		t.problem(r.member, "must be a list of keys")
		return
	}
	ids := make([]any, len(list))
	for i, key := range list {
		one := Members{r.member: key}
		t.reference(one, "", ref{member: r.member, idMember: r.idMember, kind: r.kind})
		if ids[i] = one[r.idMember]; ids[i] == nil {
			t.problem(r.member, "must be a list of keys")
		}
	}
	object[r.idMember] = ids
}

func (t *toBody) reference(object Members, path string, r ref) {
	if r.isList {
		t.references(object, r)
		return
	}
	if _, ok := object[r.idMember]; ok && r.idMember != r.member {
		t.problem(path+r.idMember, "a document has no ids: set %s to the key of the %s", r.member, r.kind.Noun())
	}
	v, ok := object[r.member]
	if !ok {
		return
	}
	delete(object, r.member)
	if v == nil || v == "" {
		return
	}
	key, isText := v.(string)
	if !isText {
		t.problem(path+r.member, "must be the key of a %s", r.kind.Noun())
		return
	}
	id, found := t.ids.ID(r.kind, key)
	if !found {
		t.problem(path+r.member, "there is no %s with the key %q", r.kind.Noun(), models.Shortened(key, MaxKey))
	}
	object[r.idMember] = id.String()
}

// list returns a copy of a list in which each object is changed. Other items stay as they are: the checks of the body refuse them.
func (t *toBody) list(list []any, path string, change func(Members, string)) []any {
	out := make([]any, len(list))
	for i, item := range list {
		out[i] = item
		if object, ok := item.(map[string]any); ok {
			copied := make(Members, len(object))
			for name, v := range object {
				copied[name] = v
			}
			change(copied, path+"["+strconv.Itoa(i)+"].")
			out[i] = copied
		}
	}
	return out
}

func (t *toBody) path(p Members, path string) {
	t.reference(p, path, ref{member: "campaign", idMember: "campaign_id", kind: Campaigns})
	if _, ok := p["id"]; ok {
		t.problem(path+"id", "a document has no ids: a path is known by its name")
	}
	if list, ok := p["destinations"].([]any); ok {
		p["destinations"] = t.list(list, path+"destinations", t.destination)
	}
	if list, ok := p["rules"].([]any); ok {
		p["rules"] = t.list(list, path+"rules", func(r Members, path string) {
			t.reference(r, path, ref{member: "rule", idMember: "rule_id", kind: Rules})
		})
	}
}

func (t *toBody) destination(d Members, path string) {
	if _, ok := d["id"]; ok {
		t.problem(path+"id", "a document has no ids: write the destination's key into offer or lander")
	}
	if d["offer"] != nil && d["lander"] != nil {
		t.problem(path+"offer", "a destination is an offer or a landing page, not both")
	}
	for _, r := range destinationRefs {
		if _, ok := d[r.member]; ok {
			t.reference(d, path, r)
		}
	}
}

var destinationRefs = []ref{{member: "offer", idMember: "id", kind: Offers}, {member: "lander", idMember: "id", kind: Landers}}

type fromBody struct{ ids IDs }

func (f fromBody) record(m Members, refs []ref) {
	for _, r := range refs {
		f.reference(m, r)
	}
	if streams, ok := m[streamsMember]; ok {
		m[pathsMember] = streams
		delete(m, streamsMember)
	}
	goals, _ := m[goalsMember].(map[string]any)
	for _, item := range goals {
		g, _ := item.(map[string]any)
		removeEqual(g, newGoal)
	}
	list, _ := m[pathsMember].([]any)
	for _, item := range list {
		if p, ok := item.(map[string]any); ok {
			f.path(p)
		}
	}
}

// reference replaces the id of a record by its key. It reports whether the record is known. For a list of ids it always returns true.
func (f fromBody) reference(object Members, r ref) bool {
	if r.isList {
		f.references(object, r)
		return true
	}
	text, _ := object[r.idMember].(string)
	id, _ := models.ParseID(text)
	key, ok := f.ids.Key(r.kind, id)
	if ok || r.member != "offer" { // a destination that is not an offer may be a landing page
		delete(object, r.idMember)
	}
	if ok {
		object[r.member] = key
	}
	return ok
}

// references replaces the ids in a list by keys. The list limits a record, for example to some campaigns. An empty list would
// remove that limit, so the record is switched off if none of its ids is known.
func (f fromBody) references(object Members, r ref) {
	ids, _ := object[r.idMember].([]any)
	delete(object, r.idMember)
	keys := []any{}
	for _, v := range ids {
		text, _ := v.(string)
		id, _ := models.ParseID(text)
		if key, ok := f.ids.Key(r.kind, id); ok {
			keys = append(keys, key)
		}
	}
	if object[r.member] = keys; len(keys) == 0 && len(ids) > 0 {
		object["is_active"] = false
	}
}

// newPath has the members of a path in which everything has its default.
var newPath = func() Members {
	m, err := membersOf(flow.NewPath())
	if err != nil {
		panic("accountconfig: " + err.Error()) // cannot happen: the path is empty
	}
	return m
}()

func (f fromBody) path(p Members) {
	delete(p, "id")
	f.reference(p, ref{member: "campaign", idMember: "campaign_id", kind: Campaigns})
	rules, _ := p["rules"].([]any)
	for _, item := range rules {
		r, _ := item.(map[string]any)
		f.reference(r, ref{member: "rule", idMember: "rule_id", kind: Rules})
		removeEqual(r, Members{"logic": "and"})
	}
	destinations, _ := p["destinations"].([]any)
	for _, item := range destinations {
		d, _ := item.(map[string]any)
		if !f.reference(d, destinationRefs[0]) {
			f.reference(d, destinationRefs[1])
		}
		removeEqual(d, Members{"weight": json.Number("100")})
	}
	preset := make(Members, len(newPath))
	for name, v := range newPath {
		if name != "name" && name != "action" {
			preset[name] = v
		}
	}
	removeEqual(p, preset)
}

func removeEqual(m, preset Members) {
	for name, v := range m {
		def, ok := preset[name]
		inner, isObject := v.(map[string]any)
		defaults, hasDefaults := def.(map[string]any)
		if isObject && hasDefaults {
			removeEqual(inner, defaults)
		}
		if list, isList := v.([]any); isList && len(list) == 0 || ok && (reflect.DeepEqual(v, def) || hasDefaults && len(inner) == 0) {
			delete(m, name)
		}
	}
}
