package accountconfig

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"switchyard/models"
)

// The operations of a plan.
const (
	OpCreate  = "create"
	OpChange  = "change"
	OpSame    = "same"
	OpDelete  = "delete"
	OpArchive = "archive" // instead of OpDelete for a campaign that has clicks
	OpRefused = "refused"
)

// Ops lists the operations.
var Ops = []string{OpCreate, OpChange, OpSame, OpDelete, OpArchive, OpRefused}

// Current describes everything that an account has set up at a moment.
type Current struct {
	Account models.Account
	Records Document
	Removed map[Kind]map[string]bool // deactivated records to which live records still refer
	Clicked map[string]bool          // keys of the campaigns that have clicks
	Shared  bool                     // the install has a shared link domain
	Room    map[Kind]int             // how many more records the account's subscription allows; a kind without a limit is missing
}

// Prune says which records a plan deletes: the records of a group or with a tag, except the records of the document.
type Prune struct {
	Group string `json:"group" trim:"true" maxLength:"255" doc:"delete the records of this group that the document lacks"`
	Tag   string `json:"tag" trim:"true" maxLength:"64" doc:"delete the records with this tag that the document lacks"`
}

func (p Prune) has(m Members) bool {
	group, _ := m["group_name"].(string)
	tags, _ := m["tags"].([]any)
	return p.Group != "" && strings.EqualFold(group, p.Group) || p.Tag != "" && slices.ContainsFunc(tags, func(t any) bool {
		text, _ := t.(string)
		return strings.EqualFold(text, p.Tag)
	})
}

// FieldChange is a change of a member of a record.
type FieldChange struct {
	Path string `json:"path" doc:"the member that changes, such as paths[Germans].weight"`
	Was  any    `json:"was" is:"json" doc:"the value before; null: not set, or the default"`
	Is   any    `json:"is" is:"json" doc:"the value after; null: not set, or the default"`
}

// Item describes what a plan does with one record.
type Item struct {
	Kind     Kind          `json:"kind"`
	Key      string        `json:"key"`
	Name     string        `json:"name"`
	Op       string        `json:"op" enum:"create,change,same,delete,archive,refused"`
	Fields   []FieldChange `json:"fields" doc:"the members that change, at most 200"`
	Errors   []string      `json:"errors" doc:"why the record is refused"`
	Warnings []string      `json:"warnings"`
	Before   Members       `json:"-"` // nil: the record is new
	After    Members       `json:"-"` // nil: the record is deleted, or its key or a member is invalid
}

func (i *Item) refuse(format string, args ...any) {
	i.Op = OpRefused
	i.Errors = append(i.Errors, fmt.Sprintf(format, args...))
}

// MakePlan returns the items that bring an account to the state that a document describes, in the order in which they are carried
// out. Other records do not change, unless they are within the scope of prune.
func MakePlan(now Current, want Document, prune Prune) []Item {
	p := planner{now: now, want: want, asked: map[place][]place{}, items: map[place]*Item{}}
	var list []*Item
	for _, kind := range Kinds {
		for _, key := range slices.Sorted(maps.Keys(want[kind])) {
			item := p.item(kind, key, want[kind][key])
			p.items[place{kind, key}] = item
			list = append(list, item)
		}
	}
	p.checkNames(list)
	p.checkFlows(list)
	p.checkRoom(list)
	p.checkActing(list)
	p.refuseUsers()
	out := make([]Item, 0, len(list))
	for _, item := range list {
		out = append(out, *item)
	}
	return append(out, p.pruned(prune)...)
}

type place struct {
	kind Kind
	key  string
}

func (p place) String() string { return string(p.kind) + "." + p.key }

type planner struct {
	now   Current
	want  Document
	asked map[place][]place // the records to which a record of the document refers
	items map[place]*Item
	decoded
}

// item compares a record of the document with the same record of the account.
func (p *planner) item(kind Kind, key string, m Members) *Item {
	item := &Item{Kind: kind, Key: key, Name: nameOf(m, key), Before: p.now.Records[kind][key]}
	if err := checkKey(kind, key); err != nil {
		item.refuse("%s", problemOf(err).Text)
		return item
	}
	ids := &asking{known: p.known}
	after, err := p.canonical(kind, key, m, ids)
	p.asked[place{kind, key}] = ids.asked
	if err != nil {
		problem := problemOf(err)
		item.refuse("%s", strings.TrimPrefix(problem.Path+": "+problem.Text, ": "))
		return item
	}
	retainGenerated(kind, m, after, item.Before)
	item.After = after
	switch {
	case item.Before == nil:
		item.Op = OpCreate
	case p.now.Removed[kind][key] && !reflect.DeepEqual(item.Before, after):
		item.refuse("the record was deleted here: restore it first")
	default:
		item.Op, item.Fields = OpSame, differences(item.Before, after)
		if len(item.Fields) > 0 {
			item.Op = OpChange
		}
	}
	return item
}

// retainGenerated retains the present value of a generated member, such as an alias, that the document leaves out. A new record
// gets its value when the record is saved.
func retainGenerated(kind Kind, sent, after, before Members) {
	names := map[Kind][]string{Campaigns: {"alias"}, Sources: {"subs"}}[kind]
	for _, name := range names {
		if _, ok := sent[name]; !ok {
			delete(after, name)
			if before[name] != nil {
				after[name] = before[name]
			}
		}
	}
}

func checkKey(kind Kind, key string) error {
	if kind == Domains {
		if host, ok := models.HostOf(key); !ok || host != key {
			return models.Invalid("invalid_domain", "the key of a domain is its host, in lower case and in the form that DNS uses")
		}
		return nil
	}
	if kind == BotDetection && key != SettingsKey {
		return models.Invalid("invalid_input", "the only record of this kind has the key %s", SettingsKey)
	}
	if !ValidKey(key) {
		return models.Invalid("invalid_input", "a key has 1 to %d characters (a-z, 0-9, dot, _ and -) and begins with a letter or digit", MaxKey)
	}
	return nil
}

func nameOf(m Members, key string) string {
	if name, ok := m["name"].(string); ok && strings.TrimSpace(name) != "" {
		return models.Shortened(strings.TrimSpace(name), 255)
	}
	return key
}

func (p *planner) known(at place) bool {
	_, has := p.now.Records[at.kind][at.key]
	_, wanted := p.want[at.kind][at.key]
	return has || wanted || at.kind == Domains && at.key == SharedDomain && p.now.Shared
}

// checkNames refuses records with a name, an alias or a slug that another record has.
func (p *planner) checkNames(list []*Item) {
	taken := map[string]place{}
	for _, kind := range Kinds {
		for key, m := range p.now.Records[kind] {
			if at := (place{kind, key}); p.items[at] == nil && !p.now.Removed[kind][key] {
				for _, name := range uniqueNames(kind, m) {
					taken[name] = at
				}
			}
		}
	}
	for _, item := range list {
		if item.After == nil {
			continue
		}
		for _, name := range uniqueNames(item.Kind, item.After) {
			other, ok := taken[name]
			if ok && item.Op != OpRefused {
				item.refuse("%s has the same name, alias or slug", other)
			}
			if !ok {
				taken[name] = place{item.Kind, item.Key}
			}
		}
	}
}

func uniqueNames(kind Kind, m Members) (names []string) {
	text := func(member string) string { t, _ := m[member].(string); return t }
	if name := text("name"); name != "" {
		group := ""
		if kind == Sites {
			group = text("kind")
		}
		names = append(names, fmt.Sprint("name", kind, group, "/", strings.ToLower(name)))
	}
	if alias := cmp.Or(text("alias"), text("slug")); alias != "" {
		names = append(names, "address "+text("domain")+"/"+alias)
	}
	return names
}

func (p *planner) checkRoom(list []*Item) {
	used := map[Kind]int{}
	for _, item := range list {
		if item.Op != OpCreate {
			continue
		}
		room := roomOf(item.Kind)
		used[room]++
		if limit, ok := p.now.Room[room]; ok && used[room] > limit {
			item.refuse("the record exceeds the plan %q, which allows only %d more", p.now.Account.Plan, limit)
		}
	}
}

// checkActing refuses new and changed rules that are active and act on campaigns, if the account's subscription allows only alerts. A
// rule that only alerts has no member action, because alert is the default.
func (p *planner) checkActing(list []*Item) {
	if p.now.Account.Allowances().OneClick {
		return
	}
	for _, item := range list {
		action, _ := item.After["action"].(string)
		if item.Kind == CopilotRules && action != "" && (item.Op == OpCreate || item.Op == OpChange) && item.After["is_active"] != false {
			item.refuse("the plan %q allows only rules with the action alert", p.now.Account.Plan)
		}
	}
}

// roomOf returns the kind whose allowance a record uses. Sources and networks share an allowance.
func roomOf(kind Kind) Kind {
	if kind == Sources {
		return Networks
	}
	return kind
}

// refuseUsers refuses each record that refers to a refused new record, directly or through other new records.
func (p *planner) refuseUsers() {
	for again := true; again; {
		again = false
		for at, item := range p.items {
			if item.Op == OpRefused {
				continue
			}
			for _, used := range p.asked[at] {
				if other := p.items[used]; other != nil && other.Op == OpRefused && other.Before == nil {
					item.refuse("%s, to which the record refers, is refused", used)
					again = true
					break
				}
			}
		}
	}
}

// pruned returns the items that remove records. A record comes before the records to which it refers.
func (p *planner) pruned(prune Prune) (list []Item) {
	for _, kind := range slices.Backward(Kinds) {
		for _, key := range slices.Sorted(maps.Keys(p.now.Records[kind])) {
			m := p.now.Records[kind][key]
			if p.items[place{kind, key}] != nil || p.now.Removed[kind][key] || !prune.has(m) {
				continue
			}
			item := Item{Kind: kind, Key: key, Name: nameOf(m, key), Op: OpDelete, Before: m}
			if kind == Campaigns && p.now.Clicked[key] {
				item.Op, item.After = OpArchive, maps.Clone(m)
				item.After["status"] = models.CampaignArchived
			}
			list = append(list, item)
		}
	}
	return list
}

const maxFields = 200

// differences returns the members that differ. Objects in a list are matched by name, if they have names.
func differences(was, is Members) []FieldChange {
	var list []FieldChange
	compare("", was, is, &list)
	slices.SortStableFunc(list, func(a, b FieldChange) int { return cmp.Compare(a.Path, b.Path) })
	return list[:min(len(list), maxFields)]
}

func compare(path string, was, is any, list *[]FieldChange) {
	if Equal(was, is) {
		return
	}
	before, ok1 := was.(map[string]any)
	after, ok2 := is.(map[string]any)
	if ok1 && ok2 {
		for _, name := range slices.Sorted(maps.Keys(union(before, after))) {
			compare(strings.TrimPrefix(path+"."+name, "."), before[name], after[name], list)
		}
		return
	}
	before, order1 := byNames(was)
	after, order2 := byNames(is)
	if before != nil && after != nil {
		for _, name := range slices.Sorted(maps.Keys(union(before, after))) {
			compare(path+"["+name+"]", before[name], after[name], list)
		}
		if !slices.Equal(order1, order2) && len(order1) == len(order2) {
			*list = append(*list, FieldChange{path, order1, order2})
		}
		return
	}
	*list = append(*list, FieldChange{path, was, is})
}

// Equal reports whether two values of a document are the same.
func Equal(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

func union(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// byNames returns the objects of a list by their names, and the names in the order of the list. It returns nil if the value is
// not a list or is empty, if an item has no name, or if a name occurs twice.
func byNames(v any) (map[string]any, []string) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, nil
	}
	out, order := make(map[string]any, len(list)), make([]string, 0, len(list))
	for _, item := range list {
		object, _ := item.(map[string]any)
		name, ok := object["name"].(string)
		if _, twice := out[name]; !ok || twice {
			return nil, nil
		}
		out[name], order = item, append(order, name)
	}
	return out, order
}
