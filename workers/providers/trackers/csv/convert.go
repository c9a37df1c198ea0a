package csv

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/moved"
)

type reader struct {
	*moved.Book
	// ids has the ids of records, by kind and by the text with which other tables refer to a record: its id or its name.
	ids map[accountconfig.Kind]map[string]string
}

func convert(name string, offers, campaigns, links []row) trackerimport.Result {
	if name == "" {
		name = "tables"
	}
	r := &reader{moved.New("csv", name), map[accountconfig.Kind]map[string]string{}}
	for _, kind := range accountconfig.Kinds {
		r.ids[kind] = map[string]string{}
	}
	r.Tokens = map[string]string{}
	for _, o := range offers {
		r.offer(o)
	}
	r.campaigns(campaigns)
	for _, l := range links {
		r.link(l)
	}
	r.RemoveLinks()
	return r.Result()
}

var plainID = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,59}$`)

// idOf returns the text if it can be a part of a key, else a hash of it.
func idOf(text string) string {
	if plainID.MatchString(text) {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// begin makes the record that a line describes. Without an id, the name is the id. ok is false without both, or if an earlier
// line has the same id.
func (r *reader) begin(kind accountconfig.Kind, l row) (it *moved.Item, ok bool) {
	name := l.get("name")
	id := l.get("id")
	if id == "" {
		id = name
	}
	if r.Ref(kind, idOf(id)) != nil || id == "" {
		text := fmt.Sprintf("Line %d was left out, because an earlier line has the id or name %q.", l.line, models.Shortened(id, 60))
		if id == "" {
			text = fmt.Sprintf("Line %d was left out, because it has no name.", l.line)
		}
		r.Out.Note(trackerimport.Refused, kind, trackerimport.Key("csv", "line", strconv.Itoa(l.line)), name, text)
		return nil, false
	}
	it = r.Item(kind, idOf(id), name)
	for _, word := range []string{id, name} {
		if word = strings.ToLower(word); r.ids[kind][word] == "" {
			r.ids[kind][word] = it.ID
		}
	}
	r.Group(it, l.get("group"))
	r.Tags(it, words(l.get("tags")))
	r.Country(it, words(l.get("country")))
	limit := moved.MaxNotes
	if kind == accountconfig.Campaigns {
		limit = moved.MaxCampaignNotes
	}
	r.Text(it, "notes", "notes", l.get("notes"), limit)
	return it, true
}

// words divides a field with several values.
func words(field string) (out []string) {
	for _, w := range strings.FieldsFunc(field, func(c rune) bool { return c == '|' || c == ',' || c == ';' }) {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// named returns the key of a network or source that has only a name in the tables. It adds the record when the name first
// occurs.
func (r *reader) named(kind accountconfig.Kind, name string) string {
	id := idOf(strings.ToLower(name))
	if ref := r.Ref(kind, id); ref != nil {
		return ref.Key
	}
	it := r.Item(kind, id, name)
	r.Put(it)
	return it.Key
}

func (r *reader) offer(l row) {
	it, ok := r.begin(accountconfig.Offers, l)
	if !ok {
		return
	}
	if n := l.get("network"); n != "" {
		it.M["network"] = r.named(accountconfig.Networks, n)
	}
	r.Address(it, "url", l.get("url"), false)
	r.Amount(it, "payout", l.get("payout"), l.get("currency"))
	if c := l.get("daily_cap"); c != "" {
		it.M["daily_cap"] = json.Number(c)
		if _, err := strconv.Atoi(c); err != nil {
			r.Refuse(it, fmt.Sprintf("The daily_cap %q is not a whole number.", models.Shortened(c, 30)))
		}
	}
	switch strings.ToLower(l.get("status")) {
	case "", "active":
	case "paused":
		it.M["is_active"] = false
	default:
		r.Refuse(it, fmt.Sprintf("The status %q is neither active nor paused.", models.Shortened(l.get("status"), 30)))
	}
	r.Put(it)
}

func (r *reader) campaigns(rows []row) {
	var drafts []moved.Draft
	for _, l := range rows {
		it, ok := r.begin(accountconfig.Campaigns, l)
		if !ok {
			continue
		}
		if d := l.get("domain"); d != "" {
			domain, host := r.Domain(d, d)
			if host != "" && !r.Out.Has(domain.Kind, domain.Key) {
				r.Put(domain)
			}
		}
		if alias := l.get("alias"); alias != "" {
			r.Link(it, l.get("domain"), alias, trackerimport.FormPath)
		} else {
			r.Link(it, l.get("domain"), it.ID)
		}
		if s := l.get("source"); s != "" {
			it.M["source"] = r.named(accountconfig.Sources, s)
		}
		if m := strings.ToLower(l.get("cost_model")); m != "" {
			it.M["cost_model"] = m
		}
		r.Amount(it, "cost_value", l.get("cost"), l.get("currency"))
		if s := strings.ToLower(l.get("status")); s != "" {
			it.M["status"] = s
		}
		drafts = append(drafts, moved.Draft{Item: it, Paths: r.path(it, l)})
	}
	r.Campaigns(drafts)
}

// path returns the only path of a campaign. It leads to the campaign's offers and address.
func (r *reader) path(it *moved.Item, l row) []moved.Path {
	path := moved.Path{Name: "Offers"}
	for _, part := range strings.Split(l.get("offers"), "|") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, weight := part, ""
		id := r.ids[accountconfig.Offers][strings.ToLower(part)]
		if at := strings.LastIndexByte(part, ':'); id == "" && at > 0 { // name:weight
			name, weight = strings.TrimSpace(part[:at]), strings.TrimSpace(part[at+1:])
			id = r.ids[accountconfig.Offers][strings.ToLower(name)]
			if w, err := strconv.ParseFloat(weight, 64); err != nil || !(w >= 0) {
				r.Refuse(it, fmt.Sprintf("The weight of %q is not a number of at least 0.", models.Shortened(part, 60)))
			}
		}
		if id == "" {
			id = idOf(name)
		}
		path.Onward = append(path.Onward, moved.Share{Kind: accountconfig.Offers, ID: id, Name: name, Weight: weight})
	}
	if u := l.get("url"); u != "" {
		path.Onward = append(path.Onward, moved.Share{Kind: accountconfig.Offers, URL: u})
	}
	if len(path.Onward) == 0 {
		return nil
	}
	return []moved.Path{path}
}

func (r *reader) link(l row) {
	refuse := func(text string) {
		key := trackerimport.Key("csv", "link", strconv.Itoa(l.line))
		r.Out.Note(trackerimport.Refused, accountconfig.Campaigns, key, l.get("link"), fmt.Sprintf("Line %d of the links: %s", l.line, text))
	}
	id := r.ids[accountconfig.Campaigns][strings.ToLower(l.get("campaign"))]
	ref := r.Ref(accountconfig.Campaigns, id)
	if ref == nil || ref.Refused {
		refuse(fmt.Sprintf("there is no campaign %q.", models.Shortened(l.get("campaign"), 60)))
		return
	}
	link, ok := linkOf(l.get("link"))
	if !ok {
		refuse("the link must be a host name followed by /ALIAS, /click?key=..., /click.php?key=..., /go/ID or /cf/r/ID.")
		return
	}
	link.Campaign = ref.Key
	if slices.ContainsFunc(r.Out.Links, func(o trackerimport.Link) bool {
		return o.Domain == link.Domain && o.Form == link.Form && o.ID == link.ID && o.Campaign != link.Campaign
	}) {
		refuse("the link leads to another campaign already.")
		return
	}
	r.Out.Links = append(r.Out.Links, link)
}

func linkOf(address string) (link trackerimport.Link, ok bool) {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return link, false
	}
	if link.Domain, ok = models.HostOf(u.Host); !ok {
		return link, false
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	key := u.Query().Get("key")
	switch {
	case len(parts) == 1 && parts[0] == "click" && key != "":
		link.Form, link.ID = trackerimport.FormQuery, key
	case len(parts) == 1 && parts[0] == "click.php" && key != "":
		link.Form, link.ID = trackerimport.FormPHP, key
	case len(parts) == 2 && parts[0] == "go":
		link.Form, link.ID = trackerimport.FormGo, parts[1]
	case len(parts) == 3 && parts[0] == "cf" && parts[1] == "r":
		link.Form, link.ID = trackerimport.FormCF, parts[2]
	case len(parts) == 1 && parts[0] != "":
		link.Form, link.ID = trackerimport.FormPath, parts[0]
	}
	return link, link.ID != ""
}
