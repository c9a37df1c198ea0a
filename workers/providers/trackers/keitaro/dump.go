package keitaro

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"switchyard/models"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
)

// ReadDump reads the settings in a dump of Keitaro's database by mysqldump, plain or compressed by gzip. host is the name of the
// tracker's host. The records get the same keys as when Read reads them from this host. Tables of clicks are skipped.
func ReadDump(ctx context.Context, r io.Reader, host string, progress trackers.Progress) (trackerimport.Result, error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	_, host, err := trackers.Base(host)
	if err != nil {
		return trackerimport.Result{}, err
	}
	in, err := unzipped(r)
	if err != nil {
		return trackerimport.Result{}, err
	}
	d := dump{rows: map[string][]members{}, progress: progress}
	s := &sqlReader{in: in, check: ctx.Err, row: d.row, wanted: func(table string) bool {
		return slices.Contains(tables, nameOf(table))
	}}
	if err := s.read(); err != nil {
		return trackerimport.Result{}, fmt.Errorf("keitaro: read the dump: %w", err)
	}
	if len(d.rows["campaigns"])+len(d.rows["offers"])+len(d.rows["landings"]) == 0 {
		return trackerimport.Result{}, errors.New("the dump has no campaigns, offers or landing pages of Keitaro")
	}
	tracker, err := d.install(host)
	if err != nil {
		return trackerimport.Result{}, err
	}
	result := tracker.result()
	result.Note(trackerimport.Changed, "", "", "", "The bot list is not in a dump. Copy it from the old tracker's settings.")
	return result, nil
}

// tables are the tables that are read, without the prefix keitaro_. They hold no passwords and no keys.
var tables = []string{
	"groups", "affiliate_networks", "traffic_sources", "ref_sources", "domains", "offers", "landings", "campaigns", "campaign_postbacks",
	"streams", "stream_filters", "stream_landing_associations", "stream_offer_associations", "triggers",
}

func nameOf(table string) string {
	table = strings.ToLower(table)
	if _, name, ok := strings.Cut(table, "keitaro_"); ok {
		return name
	}
	return table
}

type dump struct {
	rows     map[string][]members
	progress trackers.Progress
}

// renamed are the names of columns that differ between versions of Keitaro.
var renamed = map[string]map[string]string{
	"stream_landing_associations": {"weight": "share", "percentage": "share"},
	"stream_offer_associations":   {"weight": "share", "percentage": "share"},
	"campaigns":                   {"source_id": "traffic_source_id", "campaign_type": "type"},
	"streams":                     {"chance": "weight", "redirect_type": "action_type", "url": "action_payload"},
	"affiliate_networks":          {"offers_param": "offer_param"},
}

// structured are the columns that hold a list or an object.
var structured = []string{"parameters", "postback_statuses", "statuses", "payload", "country"}

func (d *dump) row(table string, columns []string, values []value) error {
	table = nameOf(table)
	if table == "ref_sources" && !slices.Contains(columns, "name") {
		return nil // then it has values of clicks, and no sources
	}
	row := members{}
	for i, v := range values {
		name := columns[i]
		if to := renamed[table][name]; to != "" && !slices.Contains(columns, to) {
			name = to
		}
		if v.isNull {
			continue
		}
		row[name] = models.Storable(v.text)
		if slices.Contains(structured, name) {
			content, err := structure(v.text)
			if err != nil {
				return fmt.Errorf("the column %s of %s: %w", name, table, err)
			}
			row[name] = content
		}
	}
	d.rows[table] = append(d.rows[table], row)
	d.progress(table, len(d.rows[table]), 0)
	return nil
}

// structure reads a list or an object: JSON, or the form of PHP in old versions of Keitaro.
func structure(text string) (any, error) {
	text = strings.TrimSpace(text)
	if looksSerialised(text) {
		return fromPHP(text)
	}
	if text != "" && strings.ContainsRune(`{["`, rune(text[0])) {
		var v any
		dec := json.NewDecoder(bytes.NewReader([]byte(text)))
		dec.UseNumber()
		if err := dec.Decode(&v); err == nil {
			return v, nil
		}
	}
	return text, nil
}

func records[T any](to *list[T], rows []members) error {
	raw, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("a row has another form than expected: %w", err)
	}
	return nil
}

// byWeight adds the column "type", which says how a campaign rotates its streams. Old versions of Keitaro have the column "rotation"
// instead.
func byWeight(row members) members {
	if row["type"] == nil {
		row["type"] = "position"
		if rotation, _ := row["rotation"].(string); slices.Contains([]string{"1", "weight", "probability"}, strings.ToLower(rotation)) {
			row["type"] = "weight"
		}
	}
	return row
}

func (d *dump) install(host string) (*install, error) {
	in := &install{Host: host}
	var postbacks list[s2s]
	var streams list[stream]
	var filters list[filter]
	var landings, offers list[share]
	var triggers list[struct {
		StreamID text `json:"stream_id"`
	}]
	sources := d.rows["traffic_sources"]
	if len(sources) == 0 {
		sources = d.rows["ref_sources"]
	}
	for _, row := range d.rows["campaigns"] {
		byWeight(row)
	}
	err := errors.Join(
		records(&in.Groups, d.rows["groups"]), records(&in.Networks, d.rows["affiliate_networks"]), records(&in.Sources, sources),
		records(&in.Domains, d.rows["domains"]), records(&in.Offers, d.rows["offers"]), records(&in.Landings, d.rows["landings"]),
		records(&in.Campaign, d.rows["campaigns"]), records(&postbacks, d.rows["campaign_postbacks"]), records(&streams, d.rows["streams"]),
		records(&filters, d.rows["stream_filters"]), records(&landings, d.rows["stream_landing_associations"]),
		records(&offers, d.rows["stream_offer_associations"]), records(&triggers, d.rows["triggers"]),
	)
	if err != nil {
		return nil, err
	}
	byID := map[text]*stream{}
	for i := range streams {
		byID[streams[i].ID] = &streams[i]
	}
	none := &stream{} // for rows that are left over from deleted streams
	of := func(id text) *stream {
		if s := byID[id]; s != nil {
			return s
		}
		return none
	}
	for _, f := range filters {
		s := of(f.StreamID)
		s.Filters = append(s.Filters, f)
	}
	for _, l := range landings {
		s := of(l.StreamID)
		s.Landings = append(s.Landings, l)
	}
	for _, o := range offers {
		s := of(o.StreamID)
		s.Offers = append(s.Offers, o)
	}
	for _, t := range triggers {
		s := of(t.StreamID)
		s.Triggers = append(s.Triggers, trigger{})
	}
	byCampaign := map[text]*campaign{}
	for i := range in.Campaign {
		byCampaign[in.Campaign[i].ID] = &in.Campaign[i]
	}
	for i := range streams {
		if c := byCampaign[streams[i].CampaignID]; c != nil {
			c.streams = append(c.streams, streams[i])
		}
	}
	for _, p := range postbacks {
		if c := byCampaign[p.CampaignID]; c != nil {
			c.Postbacks = append(c.Postbacks, p)
		}
	}
	return in, nil
}
