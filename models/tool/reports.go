package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/measure"
)

var (
	from = Param{Name: "from", Doc: "first day, YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS, UTC; default 6 days before today"}
	to   = Param{Name: "to", Doc: "last day, included, YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS, UTC; default today"}
	tz   = Param{Name: "tz", Doc: "IANA time zone of dates and hours in the rows; default UTC"}
)

func filtersOf(dimensions []string) Param {
	return Param{Name: "filters", Type: Filters, Doc: "only clicks whose dimension has the value; take values from list_values. Dimensions: " + strings.Join(dimensions, ", ")}
}

func limit(def, most int) Param {
	return Param{Name: "limit", Type: Whole, Min: 1, Max: most, Doc: "maximum number of rows; default " + strconv.Itoa(def)}
}

func checkDimensions(a Args, dimensions []string) error {
	names := []string{}
	if d := a.Text("dimension"); d != "" {
		names = strings.Split(d, ",")
	}
	filters, _ := a.filters("filters")
	for _, f := range filters {
		names = append(names, f.Dimension)
	}
	for _, name := range names {
		if !slices.Contains(dimensions, strings.TrimSpace(name)) {
			return models.Invalid("invalid", "a dimension must be one of: %s", strings.Join(dimensions, ", "))
		}
	}
	return nil
}

func reportQuery(c *Call, dimensions []string, names ...string) (url.Values, error) {
	if err := checkDimensions(c.Args, dimensions); err != nil {
		return nil, err
	}
	q := c.Args.query(names...)
	filters, _ := c.Args.filters("filters")
	for _, f := range filters {
		q.Add("f."+f.Dimension, f.Value)
	}
	return q, nil
}

const openDays = "conversions of recent clicks may still arrive; figures of the last days may rise"

func accountTools(dimensions []string) []Tool {
	return []Tool{
		{
			Name: "whoami", Title: "Account and rights", Kind: Reads, Repeatable: true,
			About: "Tells which account the key belongs to, its currency, time zone and plan, and whether the key may change anything. " +
				"Call it first. Reads only.",
			Answer: []Member{
				value("account", "name of the account"), value("currency", "currency of all amounts"), value("timezone", "time zone of the account; reports use UTC unless tz is sent"),
				value("plan", ""), value("plan_status", ""), value("key", "full or read_only"), value("may_change?", "whether tools that change something are offered"),
			},
			Run: func(ctx context.Context, c *Call) (Values, error) {
				settings, err := c.get(ctx, "/settings", nil)
				if err != nil {
					return nil, err
				}
				plan, err := c.get(ctx, "/plan", nil)
				key := models.ScopeFull
				if c.ReadOnly {
					key = models.ScopeReadOnly
				}
				return Values{
					"account": settings["organizationName"], "currency": settings["currency"], "timezone": settings["timezone"],
					"plan": plan["plan"], "plan_status": plan["status"], "key": key, "may_change": !c.ReadOnly,
				}, err
			},
		},
		{
			Name: "account_overview", Title: "Account overview", Kind: Reads, Repeatable: true,
			About: "Totals of the window with their change in percent from the window before, the campaigns whose profit changed most, and open alerts. " +
				"Use it for a morning check. Reads only; counts as three calls of the key.",
			Params: []Param{from, to, tz, filtersOf(dimensions)},
			Answer: []Member{
				one("totals", "", figures), one("changes_percent", "changes from the window before it, which has as many days", figures),
				value("note", ""),
				many("movers", "campaigns by the change of their profit, the largest change first", "id name profit profit_before change clicks cost revenue"),
				many("alerts", "what needs attention now", alertColumns), more,
			},
			Run: func(ctx context.Context, c *Call) (Values, error) { return overview(ctx, c, dimensions) },
		},
	}
}

func overview(ctx context.Context, c *Call, dimensions []string) (Values, error) {
	q, err := reportQuery(c, dimensions, "from", "to", "tz")
	if err != nil {
		return nil, err
	}
	totals, err := c.get(ctx, "/stats/overview", q)
	if err != nil {
		return nil, err
	}
	report, err := c.get(ctx, "/reports/performance", q, "dimension", "campaign_id", "compare", "previous", "limit", "1000")
	if err != nil {
		return nil, err
	}
	alerts, err := c.get(ctx, "/alerts", nil)
	if err != nil {
		return nil, err
	}
	rows := list(report, "rows")
	names, _ := at(report, "labels.campaign_id").(object)
	movers := make([]object, 0, len(rows))
	for _, r := range rows {
		now, before := number(r["profit"]), number(at(r, "compare.profit"))
		id := text(at(r, "dims.campaign_id"))
		movers = append(movers, object{
			"id": id, "name": names[id], "profit": r["profit"], "profit_before": at(r, "compare.profit"), "change": now.Sub(before).String(),
			"clicks": r["clicks"], "cost": r["cost"], "revenue": r["revenue"],
		})
	}
	slices.SortStableFunc(movers, func(a, b object) int { return number(b["change"]).Abs().Cmp(number(a["change"]).Abs()) })
	return Values{
		"totals": totals, "changes_percent": totals["changes"], "note": openDays, "movers": movers[:min(len(movers), 10)],
		"alerts": list(alerts, "alerts"), "more": report["truncated"] == true || len(movers) > 10,
	}, nil
}

// An absent figure is 0.
func number(v any) decimal.Decimal {
	d, _ := decimal.NewFromString(text(v))
	return d
}

func reportTools(dimensions []string) []Tool {
	list := strings.Join(dimensions, ", ")
	dimension := Param{Name: "dimension", Doc: "up to five dimensions, separated by commas, out of: " + list + "; default campaign_id"}
	filters := filtersOf(dimensions)
	return []Tool{
		{
			Name: "run_report", Title: "Report", Kind: Reads, Repeatable: true,
			About: "Figures grouped by up to five dimensions, with a row of totals. Amounts are in the account's currency, percentages without the % sign. " +
				"Reads only. Returns at most 100 rows and says how many were left off: use filters, min_clicks or having to get fewer.",
			Params: []Param{
				from, to, tz, dimension, filters, limit(25, 100),
				{Name: "sort", Doc: "a figure or a dimension, a minus in front for the largest first, such as -clicks or profit; default -clicks"},
				{Name: "min_clicks", Type: Whole, Max: 1_000_000_000, Doc: "only groups with at least this many clicks"},
				{Name: "having", Doc: "only groups whose figures meet all conditions, such as profit<0,cost>=10"},
			},
			Answer: []Member{
				one("totals", "of all rows", figures), value("tz", ""), one("range", "", "from to"), value("note", ""),
				many("rows", "", "dims{ names{ "+figures), more,
			},
			Run: func(ctx context.Context, c *Call) (Values, error) { return runReport(ctx, c, dimensions) },
		},
		comparing(dimensions, dimension, filters),
		{
			Name: "get_trend", Title: "Trend", Kind: Reads, Repeatable: true,
			About: "The main figures over time, in order, with the totals of the window. Reads only. Choose a larger bucket, or fewer days, if rows were left off.",
			Params: []Param{
				from, to, tz, filters,
				{Name: "bucket", Enum: []string{"month", "day", "weekday", "hour", "weekday_hour"}, Doc: "default day"},
			},
			Answer: []Member{one("totals", "", figures), value("bucket", ""), value("tz", ""), value("note", ""), many("rows", "", "bucket start "+trendFigures)},
			Run: func(ctx context.Context, c *Call) (Values, error) {
				q, err := reportQuery(c, dimensions, "from", "to", "tz")
				if err != nil {
					return nil, err
				}
				totals, err := c.get(ctx, "/stats/overview", q)
				if err != nil {
					return nil, err
				}
				a, err := c.get(ctx, "/reports/trends", q, "bucket", c.Args.Text("bucket"))
				return Values{"totals": totals, "bucket": a["bucket"], "tz": a["tz"], "note": openDays, "rows": a["rows"]}, err
			},
		},
		{
			Name: "list_values", Title: "Values of a dimension", Kind: Reads, Repeatable: true,
			About:  "The values that a dimension took in the window, most clicks first, with the names of ids. Use it before you filter. Reads only.",
			Params: []Param{need(Param{Name: "dimension", Enum: dimensions, Doc: "the dimension"}), from, to, tz, filters, limit(50, 200)},
			Answer: []Member{value("dimension", ""), many("values", "", "value name clicks bot_clicks"), more},
			Run:    func(ctx context.Context, c *Call) (Values, error) { return listValues(ctx, c, dimensions) },
		},
	}
}

// trendFigures are only a few figures, so that the days of two months fit into an answer.
const trendFigures = "clicks% unique_clicks% conversions% cost% revenue% profit% roi% cr% epc%"

// readRows is the maximum number of rows that a tool reads from the API.
const readRows = 1000

func runReport(ctx context.Context, c *Call, dimensions []string) (Values, error) {
	q, err := reportQuery(c, dimensions, "from", "to", "tz", "dimension", "sort", "min_clicks", "having")
	if err != nil {
		return nil, err
	}
	a, err := c.get(ctx, "/reports/performance", q, "limit", strconv.Itoa(readRows))
	if err != nil {
		return nil, err
	}
	rows := list(a, "rows")
	for _, r := range rows {
		r["names"] = namesIn(r, a)
	}
	return Values{"totals": a["totals"], "tz": a["tz"], "range": a["range"], "note": openDays, "more": a["truncated"], "rows": limitRows(rows, c.Args.whole("limit", 25))}, nil
}

type kept struct {
	rows []object
	left int // number of rows that were left off
}

func limitRows(rows []object, most int) kept {
	n := min(len(rows), most)
	return kept{rows[:n], len(rows) - n}
}

func namesIn(row, report object) object {
	names := object{}
	dims, _ := row["dims"].(object)
	for d, v := range dims {
		labels, _ := at(report, "labels."+d).(object)
		if name, ok := labels[text(v)]; ok {
			names[d] = name
		}
	}
	return names
}

func listValues(ctx context.Context, c *Call, dimensions []string) (Values, error) {
	q, err := reportQuery(c, dimensions, "from", "to", "tz", "dimension")
	if err != nil {
		return nil, err
	}
	most := c.Args.whole("limit", 50)
	a, err := c.get(ctx, "/reports/values", q, "limit", strconv.Itoa(most+1))
	if err != nil {
		return nil, err
	}
	labels, _ := a["labels"].(object)
	rows := list(a, "values")
	for _, r := range rows {
		r["name"] = labels[text(r["value"])]
	}
	return Values{"dimension": a["dimension"], "values": rows[:min(len(rows), most)], "more": len(rows) > most}, nil
}

func comparing(dimensions []string, dimension, filters Param) Tool {
	return Tool{
		Name: "compare_periods", Title: "Two periods compared", Kind: Reads, Repeatable: true,
		About: "Compares two windows by a dimension: what rose and what fell, the largest difference first, with its share of the whole difference. Also says whether " +
			"the change of the conversion rate is more than chance (an exact test; too_early below 20 conversions). Use it to find out why profit fell. Reads only.",
		Params: []Param{
			from, to, tz, dimension, filters, limit(25, 100),
			{Name: "compare", Doc: "the other window, FROM..TO, UTC; default previous: as many days before"},
			{Name: "figure", Enum: measure.Names(measure.Every), Doc: "the figure that is compared; default profit"},
		},
		Answer: []Member{
			value("figure", ""), one("range", "", "from to"), one("compare_range", "", "from to"), one("totals", "", compareColumns),
			value("note", ""), many("rows", "", "dims{ names{ "+compareColumns), more,
		},
		Run: func(ctx context.Context, c *Call) (Values, error) { return comparePeriods(ctx, c, dimensions) },
	}
}

const compareColumns = "now before difference share_percent clicks clicks_before conversions conversions_before rate_change p_value"

func comparePeriods(ctx context.Context, c *Call, dimensions []string) (Values, error) {
	q, err := reportQuery(c, dimensions, "from", "to", "tz", "dimension")
	if err != nil {
		return nil, err
	}
	figure := cmp.Or(c.Args.Text("figure"), "profit")
	a, err := c.get(ctx, "/reports/performance", q, "compare", cmp.Or(c.Args.Text("compare"), "previous"), "limit", strconv.Itoa(readRows))
	if err != nil {
		return nil, err
	}
	totals := orEmpty(a["totals"])
	whole := difference(totals, figure)
	rows := list(a, "rows")
	for _, r := range rows {
		r["names"] = namesIn(r, a)
		compareRow(r, figure, whole)
	}
	compareRow(totals, figure, whole)
	slices.SortStableFunc(rows, func(a, b object) int { return number(b["difference"]).Abs().Cmp(number(a["difference"]).Abs()) })
	return Values{
		"figure": figure, "range": a["range"], "compare_range": a["compare_range"], "totals": totals, "note": openDays, "more": a["truncated"],
		"rows": limitRows(rows, c.Args.whole("limit", 25)),
	}, nil
}

func orEmpty(v any) object {
	if o, ok := v.(object); ok && o != nil {
		return o
	}
	return object{}
}

func difference(r object, figure string) decimal.Decimal {
	return number(r[figure]).Sub(number(at(r, "compare."+figure)))
}

func compareRow(r object, figure string, whole decimal.Decimal) {
	d := difference(r, figure)
	r["now"], r["before"], r["difference"] = r[figure], at(r, "compare."+figure), d.String()
	r["share_percent"] = nil
	if f := measure.Find(figure); f != nil && !f.IsRatio() && !whole.IsZero() {
		r["share_percent"] = d.Div(whole).Mul(decimal.NewFromInt(100)).Round(1).String()
	}
	r["clicks_before"], r["conversions_before"] = at(r, "compare.clicks"), at(r, "compare.conversions")
	now := copilot.Rate{Clicks: number(r["clicks"]).IntPart(), Conversions: number(r["conversions"]).IntPart()}
	before := copilot.Rate{Clicks: number(r["clicks_before"]).IntPart(), Conversions: number(r["conversions_before"]).IntPart()}
	p, state := copilot.CompareRates(now, before)
	r["rate_change"], r["p_value"] = state, nil
	if state != copilot.TooEarly {
		r["p_value"] = json.Number(strconv.FormatFloat(p, 'g', 3, 64))
	}
}
