package reporting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/openapi"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/difference"
	"switchyard/models/measure"
)

// exports returns the routes of /reports/exports.
func exports(d Deps) []route.Route {
	const group, path = "Reports", "/reports/exports"
	return []route.Route{
		route.New("GET", path, group, "saved report files", route.Handle(d.listExports)).WithPage(),
		route.New("POST", path, group, "make a CSV file with the data of the window", route.HandleBody(d.createExport),
			route.Codes("400 invalid_kind invalid_dimension invalid_bucket invalid_id too_large too_many", "404 not_found", "409 busy")).
			WithWindow().WithOptionalBody().Asks().Creates().Awaits(exportJob.Answer()),
		route.New("DELETE", path, group, "delete a saved report file", route.Handle(deleteExport), answer.IDCodes).WithQuery(answer.QueryID...),
		route.New("GET", path+"/{id}", group, "download a saved report file", route.Handle(downloadExport),
			answer.IDCodes).WithShare(route.Downloads),
	}
}

// ExportBody is the body of POST /reports/exports.
type ExportBody struct {
	Kind      string              `json:"kind" bad:"invalid_kind" default:"performance" enum:"performance,trends,clicks,conversions,smartlink-clicks,difference"`
	Dimension string              `json:"dimension" bad:"invalid_dimension" doc:"performance: up to 5 dimensions, separated by commas; default: campaign_id"`
	Filters   []ExportFilter      `json:"filters" bad:"invalid_dimension" doc:"performance, trends: up to 12 filters, which have together up to 100 values"`
	Having    string              `json:"having" bad:"invalid_input" maxLength:"500" doc:"performance: only groups whose figures meet every condition, such as profit<0,cost>=10; see GET /reports/performance"`
	Sort      string              `json:"sort" bad:"invalid_input" maxLength:"40" doc:"performance: the order of the rows, as in GET /reports/performance; default: -clicks"`
	MinClicks int                 `json:"min_clicks" bad:"invalid_input" min:"0" max:"2147483647" doc:"performance: as in GET /reports/performance"`
	Compare   string              `json:"compare" bad:"invalid_input" doc:"performance: previous or FROM..TO, as in GET /reports/performance. The file then also has the groups that only the other window has. All figures are those of the window of the file, not of the other window"`
	Columns   []string            `json:"columns" bad:"invalid_input" maxItems:"30" doc:"performance, trends: the figures of a row by their names in answers, in this order; default: all figures. Amounts and percentages have up to 6 decimals"`
	Formulas  string              `json:"formulas" bad:"invalid_input" maxLength:"520" doc:"performance, trends: up to 5 more columns, separated by commas: formulas of figures, numbers, + - * / and parentheses, such as profit/conversions"`
	Headings  []string            `json:"headings" bad:"invalid_input" maxItems:"40" doc:"performance: a file for people, with these headings: one for each of dimension, columns and formulas, in this order. Names stand in place of ids, amounts have 2 decimals, prices of a click 3, percentages 1 or 2. If headings is sent, columns is required"`
	TZ        string              `json:"tz" doc:"performance, trends, difference: IANA time zone of days and buckets; default UTC"`
	Bucket    string              `json:"bucket" bad:"invalid_bucket" enum:"month,day,weekday,hour,weekday_hour" doc:"trends; default: day"`
	Link      bind.Opt[uuid.UUID] `json:"link" bad:"invalid_id" doc:"smartlink-clicks: only this smartlink"`
	SourceID  bind.Opt[uuid.UUID] `json:"source_id" bad:"invalid_id" doc:"difference: the traffic source to compare with; send either source_id or network_id"`
	NetworkID bind.Opt[uuid.UUID] `json:"network_id" bad:"invalid_id" doc:"difference: the network to compare with; send either source_id or network_id"`
	TheirTZ   string              `json:"their_tz" doc:"difference: IANA time zone of the days that the traffic source or network reports; default: the connection's time zone, or UTC"`
	SubNames  bool                `json:"sub_names" doc:"performance, clicks: the heading of a sub-parameter has its name, such as zone (sub1), if all traffic sources give it the same name"`
	Name      string              `json:"name" bad:"invalid_input" trim:"true" maxLength:"255"`
}

// ExportFilter selects the rows that have a value of a dimension, or one of several values.
type ExportFilter struct {
	Dimension string          `json:"dimension" bad:"invalid_dimension"`
	Value     json.RawMessage `json:"value" is:"texts" doc:"a text, or a list of texts: a row needs one of them"`
	Not       bool            `json:"not" bad:"invalid_dimension" doc:"true: select the rows that have other values"`
}

// values parses a value or a list of values. Numbers and booleans are read as texts.
func (f ExportFilter) values() ([]string, error) {
	bad := models.Invalid("invalid_dimension", "a filter needs a value: a text or a list of texts")
	dec := json.NewDecoder(bytes.NewReader(f.Value))
	dec.UseNumber()
	var v any
	if len(f.Value) == 0 || dec.Decode(&v) != nil {
		return nil, bad
	}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	out := make([]string, len(list))
	for i, item := range list {
		switch item.(type) {
		case string, json.Number, bool:
			out[i] = fmt.Sprint(item)
		default:
			return nil, bad
		}
		if utf8.RuneCountInString(out[i]) > report.MaxFilterLen {
			return nil, models.Invalid("invalid_dimension", "the value of a filter has at most %d characters", report.MaxFilterLen)
		}
		var err error
		if out[i], err = report.FilterValue(f.Dimension, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// args returns the job's arguments from the fields that the kind of file uses.
func (b ExportBody) args(w bind.Window) (jobs.ExportArgs, error) {
	a := jobs.ExportArgs{Kind: b.Kind, Name: b.Name, Link: b.Link.Value, SubNames: b.SubNames}
	a.From, a.To = w.From, w.End()
	if a.Name == "" {
		a.Name = fmt.Sprintf("%s %s to %s", a.Kind, w.From.Format("2006-01-02"), w.To.Format("2006-01-02"))
	}
	var err error
	switch a.Kind {
	case models.ExportPerformance, models.ExportTrends:
		err = b.figures(&a, w)
	case models.ExportDifference:
		a.Compare, err = b.difference(w)
	case models.ExportSmartlinks:
		if b.Link.Given() && a.Link == uuid.Nil {
			err = models.Invalid("invalid_id", "link must be the id of a smartlink")
		}
	}
	return a, err
}

func (b ExportBody) difference(w bind.Window) (difference.Args, error) {
	kind, id := difference.OfSource, b.SourceID.Value
	if b.NetworkID.Given() {
		kind, id = difference.OfNetwork, b.NetworkID.Value
	}
	if id == uuid.Nil || b.SourceID.Given() && b.NetworkID.Given() {
		return difference.Args{}, models.Invalid("invalid_id", "a file of differences needs either source_id or network_id")
	}
	return differenceArgs(kind, id, w, b.TZ, b.TheirTZ)
}

// checkCounterparts returns not_found if the body names a traffic source or a network that the account does not have.
func (b ExportBody) checkCounterparts(c *route.Call) error {
	if b.SourceID.Given() {
		if err := checkCounterpart(c, difference.OfSource, b.SourceID.Value); err != nil {
			return err
		}
	}
	if b.NetworkID.Given() {
		return checkCounterpart(c, difference.OfNetwork, b.NetworkID.Value)
	}
	return nil
}

func (b ExportBody) figures(a *jobs.ExportArgs, w bind.Window) (err error) {
	if a.Filters, err = b.filters(); err != nil {
		return err
	}
	zone, err := report.Zone(b.TZ)
	if err != nil {
		return err
	}
	a.TZ = zone.String()
	for i, name := range b.Columns {
		if measure.Find(name) == nil || slices.Contains(b.Columns[:i], name) {
			return models.Invalid("invalid_input", "columns[%d] is not a figure of reports, or is listed twice", i)
		}
	}
	formulas, _, err := measure.ParseExpressions(b.Formulas)
	if err != nil {
		return models.Invalid("invalid_input", "formulas: %s", err)
	}
	a.Columns, a.Formulas = b.Columns, b.Formulas
	if a.Kind == models.ExportTrends {
		a.Bucket, err = bucketOf(b.Bucket)
		return err
	}
	if a.Dimensions, err = dimensionsOf(b.Dimension); err != nil {
		return err
	}
	if a.Having, err = report.ParseHaving(b.Having); err != nil {
		return err
	}
	if len(a.Dimensions) > report.MaxDimensions {
		return models.Invalid("invalid_dimension", "at most %d dimensions", report.MaxDimensions)
	}
	if err = report.CheckSort(b.Sort, a.Dimensions); err != nil {
		return err
	}
	if a.ReportArgs.Compare, err = parseCompare(b.Compare, w, a.TZ); err != nil {
		return err
	}
	a.Sort, a.MinClicks, a.Headings = b.Sort, b.MinClicks, b.Headings
	return b.checkHeadings(len(a.Dimensions) + len(b.Columns) + len(formulas))
}

// maxHeading is the maximum number of characters of a heading.
const maxHeading = 200

func (b ExportBody) checkHeadings(columns int) error {
	if len(b.Headings) == 0 {
		return nil
	}
	if len(b.Columns) == 0 || len(b.Headings) != columns {
		return models.Invalid("invalid_input", "with headings, columns is required, and each dimension, column and formula needs a heading: "+
			"%d headings are needed, and %d were sent", columns, len(b.Headings))
	}
	for i, text := range b.Headings {
		if utf8.RuneCountInString(text) > maxHeading {
			return models.Invalid("invalid_input", "headings[%d] has more than %d characters", i, maxHeading)
		}
	}
	return nil
}

// filters parses the filters. It merges filters with the same dimension and the same Not into one.
func (b ExportBody) filters() (out []models.ReportFilter, err error) {
	n := 0
	for _, f := range b.Filters {
		if err := checkDimension(f.Dimension); err != nil {
			return nil, err
		}
		values, err := f.values()
		if err != nil {
			return nil, err
		}
		n += len(values)
		same := func(g models.ReportFilter) bool { return g.Dimension == f.Dimension && g.Not == f.Not }
		if at := slices.IndexFunc(out, same); at >= 0 {
			out[at].Values = append(out[at].Values, values...)
			continue
		}
		out = append(out, models.ReportFilter{Dimension: f.Dimension, Values: values, Not: f.Not})
	}
	return out, checkFilters(len(b.Filters), n)
}

// ExportAnswer is a report file.
type ExportAnswer struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	RowCount    int64     `json:"row_count" doc:"number of rows, not counting the header"`
	ByteSize    int64     `json:"byte_size"`
	CreatedAt   string    `json:"created_at"`
	DownloadURL string    `json:"download_url" doc:"a download needs the API key, as every call does"`
}

func exportAnswer(x models.Export, baseURL string) ExportAnswer {
	return ExportAnswer{
		ID: x.ID, Name: x.Name, RowCount: x.RowCount, ByteSize: x.ByteSize, CreatedAt: answer.Stamp(x.CreatedAt),
		DownloadURL: baseURL + openapi.Prefix + "/reports/exports/" + x.ID.String(),
	}
}

var exportJob = slow.New(jobs.MakeExport, func(a jobs.ExportAnswer) ExportAnswer {
	return exportAnswer(a.Export, a.BaseURL)
})

func (d Deps) createExport(c *route.Call, b ExportBody) (ExportAnswer, error) {
	args, err := b.args(c.Window)
	if err == nil {
		err = b.checkCounterparts(c)
	}
	if err != nil {
		return ExportAnswer{}, err
	}
	switch args.Kind {
	case models.ExportClicks:
		clamped, end := clampToHistory(c)
		args.From, args.To = clamped.From, end
	case models.ExportSmartlinks:
		if err := checkSmartlink(c, args.Link); err != nil {
			return ExportAnswer{}, err
		}
	}
	args.BaseURL = d.BaseURL
	return exportJob.Start(c, d.Jobs, args, func(tx *store.Store, _ uuid.UUID) error {
		return tx.Exports().Reserve(c.Context(), c.Account.ID, jobs.MakeExport.Kind())
	})
}

// ExportRow is a report file in the list.
type ExportRow struct {
	ExportAnswer
	Kind      string `json:"kind"`
	ExpiresAt string `json:"expires_at"`
}

// ExportList is a page of report files.
type ExportList struct {
	Rows       []ExportRow `json:"rows" doc:"newest first"`
	NextCursor *string     `json:"next_cursor" doc:"null at the end"`
}

func (d Deps) listExports(c *route.Call) (ExportList, error) {
	files, next, err := c.Store.Exports().List(c.Context(), c.Account.ID, c.Page)
	return ExportList{answer.Each(files, func(x models.Export) ExportRow {
		return ExportRow{exportAnswer(x, d.BaseURL), x.Kind, answer.Stamp(x.CreatedAt.AddDate(0, 0, models.ExportDays))}
	}), answer.Cursor(next)}, err
}

func deleteExport(c *route.Call) (answer.DeletedAnswer, error) {
	return answer.Deleted(c.ID), c.Store.Exports().Delete(c.Context(), c.Account.ID, c.ID)
}

func downloadExport(c *route.Call) (route.File, error) {
	x, write, err := c.Store.Exports().Open(c.Context(), c.Account.ID, c.ID)
	return route.File{Name: fileName(x.Name), Type: "text/csv; charset=utf-8", Size: x.ByteSize, Write: write}, err
}

// fileName returns a file name with .csv that operating systems accept.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, name)
	return strings.TrimSuffix(strings.TrimLeft(name, "."), ".csv") + ".csv"
}
