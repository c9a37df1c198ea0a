package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	switchyard "switchyard/api/clients/go"
)

// dimensionOf maps a word such as campaign to its dimension. If the values of the dimension are records, --filter
// accepts their names, and kind is the kind of these records.
var dimensionOf = map[string]struct{ dimension, kind string }{
	"campaign": {"campaign_id", "campaigns"}, "offer": {"offer_id", "offers"}, "lander": {"lander_id", "landers"},
	"source": {"source_id", "sources"}, "network": {"network_id", "networks"}, "path": {"stream_id", ""}, "device": {"device_type", ""},
}

func dimension(word string) string { return cmp.Or(dimensionOf[word].dimension, word) }

var daysAgo = regexp.MustCompile(`^-(\d{1,4})d$`)

// day returns the date of a word such as today, yesterday or -7d, in UTC as the API counts. It returns any other text unchanged.
func (e *env) day(word string) string {
	back := map[string]string{"today": "0", "yesterday": "1"}[word]
	if m := daysAgo.FindStringSubmatch(word); m != nil {
		back = m[1]
	}
	n, err := strconv.Atoi(back)
	if err != nil {
		return word
	}
	return e.now().UTC().AddDate(0, 0, -n).Format("2006-01-02")
}

func (e *env) window(from, to string) (first, last string, err error) {
	if from, to = e.day(from), e.day(to); to != "" && from == "" {
		return "", "", fmt.Errorf("--to needs --from")
	}
	return from, to, nil
}

// figureFlags are the flags of report and compare.
type figureFlags struct {
	By        string   `default:"campaign" help:"Up to five dimensions, such as country,offer: campaign, path, offer, lander, source, network, device, or a dimension of the API."`
	Filter    []string `sep:"none" help:"Only a value of a dimension, such as source=Push or country!=DE. A record is given by its name or its id. Repeat the flag for more."`
	Figures   []string `default:"clicks,conversions,cost,revenue,profit,roi" help:"Figures of the table."`
	Sort      string   `help:"Figure or dimension to sort by; a minus in front sorts descending: --sort=-profit."`
	Having    string   `help:"Only groups with these figures, such as profit<0,cost>=10."`
	MinClicks int      `help:"Only groups with at least this many clicks."`
	Limit     int      `default:"100" help:"Maximum number of rows."`
	TZ        string   `name:"tz" help:"Time zone of the days and hours, such as Europe/Berlin."`
}

func (f *figureFlags) query(ctx context.Context, c *switchyard.Client) (url.Values, error) {
	by := strings.Split(f.By, ",")
	for i := range by {
		by[i] = dimension(strings.TrimSpace(by[i]))
	}
	q := url.Values{"dimension": {strings.Join(by, ",")}, "limit": {strconv.Itoa(f.Limit)}}
	sort, descending := strings.CutPrefix(f.Sort, "-")
	if sort = dimension(sort); descending {
		sort = "-" + sort
	}
	for name, value := range map[string]string{"sort": sort, "having": f.Having, "tz": f.TZ} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.MinClicks > 0 {
		q.Set("min_clicks", strconv.Itoa(f.MinClicks))
	}
	for _, text := range f.Filter {
		word, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--filter %s: write dimension=value or dimension!=value", text)
		}
		word, except := strings.CutSuffix(word, "!")
		if named := dimensionOf[word]; named.kind != "" && value != "" {
			k, err := kindOf(named.kind)
			if err != nil {
				return nil, err
			}
			r, err := k.find(ctx, c, value)
			if err != nil {
				return nil, err
			}
			value = cell(r["id"])
		}
		q.Add(map[bool]string{true: "x.", false: "f."}[except]+dimension(word), value)
	}
	return q, nil
}

// performance is the part of the report that a table needs.
type performance struct {
	Dimensions []string                     `json:"dimensions"`
	Labels     map[string]map[string]string `json:"labels"`
	Rows       []record                     `json:"rows"`
	Totals     record                       `json:"totals"`
	Truncated  bool                         `json:"truncated"`
}

func fetchReport(ctx context.Context, c *switchyard.Client, q url.Values) (raw json.RawMessage, p performance, err error) {
	if err = c.Do(ctx, http.MethodGet, "/api/v1/reports/performance", q, nil, &raw); err == nil {
		err = decode(raw, &p)
	}
	return raw, p, err
}

// flat returns a row in which each dimension is a member, with the name of the record if it has one.
func (p *performance) flat(row record) record {
	out := record{}
	for name, value := range row {
		if name != "dims" && name != "compare" && name != "changes" {
			out[name] = value
		}
	}
	dims, _ := row["dims"].(map[string]any)
	for _, d := range p.Dimensions {
		value := cell(dims[d])
		out[d] = cmp.Or(p.Labels[d][value], value, "not known")
	}
	return out
}

// reportCmd shows a report.
type reportCmd struct {
	figureFlags
	From string `help:"First day: a date, today, yesterday or -7d (default -6d)."`
	To   string `help:"Last day (default today)."`
}

// Run implements the command.
func (c *reportCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	q, err := c.query(ctx, client)
	if err != nil {
		return err
	}
	from, to, err := e.window(c.From, c.To)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"from": from, "to": to} {
		if value != "" {
			q.Set(name, value)
		}
	}
	raw, p, err := fetchReport(ctx, client, q)
	if err != nil {
		return err
	}
	if e.Output == "json" || e.Output == "yaml" {
		return e.printRaw(raw)
	}
	rows := []record{}
	for _, r := range p.Rows {
		rows = append(rows, p.flat(r))
	}
	if e.Output == "csv" {
		columns := slices.Clone(p.Dimensions)
		for _, name := range sortedKeys(p.Totals) {
			if name != "compare" && name != "changes" {
				columns = append(columns, name)
			}
		}
		return e.printCSV(rows, columns)
	}
	total := record{p.Dimensions[0]: "Total"}
	for name, value := range p.Totals {
		total[name] = value
	}
	if p.Truncated {
		_, _ = fmt.Fprintf(e.stderr, "There are more rows than %d: --limit shows more.\n", c.Limit)
	}
	return e.printTable(append(rows, total), append(slices.Clone(p.Dimensions), c.Figures...))
}

func (e *env) printRaw(raw json.RawMessage) error {
	var v any
	if err := decode(raw, &v); err != nil {
		return err
	}
	return e.printValue(v)
}

// compareCmd shows the figures of two periods next to each other.
type compareCmd struct {
	figureFlags
	A string `default:"today" help:"Period to show: a day, or the first and the last day as in -7d..-1d."`
	B string `default:"yesterday" help:"Period to compare with."`
}

// Run implements the command.
func (c *compareCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	q, err := c.query(ctx, client)
	if err != nil {
		return err
	}
	span := func(text string) (string, string) {
		from, to, two := strings.Cut(text, "..")
		if !two {
			to = from
		}
		return e.day(from), e.day(to)
	}
	from, to := span(c.A)
	q.Set("from", from)
	q.Set("to", to)
	from, to = span(c.B)
	q.Set("compare", from+".."+to)
	raw, p, err := fetchReport(ctx, client, q)
	if err != nil {
		return err
	}
	if e.Output == "json" || e.Output == "yaml" {
		return e.printRaw(raw)
	}
	columns := slices.Clone(p.Dimensions)
	for _, f := range c.Figures {
		columns = append(columns, f, f+"_before", f+"_change")
	}
	rows := []record{}
	for _, r := range p.Rows {
		rows = append(rows, paired(p.flat(r), r, c.Figures))
	}
	if e.Output == "csv" {
		return e.printCSV(rows, columns)
	}
	return e.printTable(append(rows, paired(record{p.Dimensions[0]: "Total"}, p.Totals, c.Figures)), columns)
}

// paired adds each figure of both periods, and the change in percent, to the row `out`.
func paired(out, row record, names []string) record {
	before, _ := row["compare"].(map[string]any)
	for _, f := range names {
		out[f], out[f+"_before"], out[f+"_change"] = row[f], before[f], ""
		is, err := strconv.ParseFloat(cell(row[f]), 64)
		was, failed := strconv.ParseFloat(cell(before[f]), 64)
		if err == nil && failed == nil && was != 0 {
			out[f+"_change"] = fmt.Sprintf("%+.1f%%", 100*(is-was)/max(was, -was))
		}
	}
	return out
}
