package tool

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"switchyard/models"
)

const clickColumns = "click_id at campaign_id campaign_name stream_id stream_name lander_id lander_name offer_id offer_name source_id source_name network_id network_name " +
	"domain arrival cost currency revenue is_unique? is_bot? bot_score bot_reason crawler country region city language device_type device_brand os browser " +
	"connection_type isp proxy_kind keyword referrer_domain passed_reason passed_stream_name destination subs{"

const stepColumns = "campaign path path_id via taken? reason conditions"

func clickTools() []Tool {
	source := Param{Name: "source_id", Type: ID, Doc: "id of a traffic source; send either source_id or network_id"}
	network := Param{Name: "network_id", Type: ID, Doc: "id of a network"}
	return []Tool{
		{
			Name: "explain_click", Title: "One click explained", Kind: Reads, Repeatable: true,
			About: "Everything about one click: when and how it arrived, signs of a bot, the path that took it and why each other path was passed over, its landing page and offer, " +
				"the postbacks that named it, and its conversions. Send its click_id, or send the id that the traffic source gave it as external_id. Reads only; addresses and user agents of visitors are never shown.",
			Params: []Param{
				{Name: "click_id", Doc: "the click's own id"},
				{Name: "external_id", Doc: "instead of click_id: the traffic source's id of the click; if several clicks have it, the newest is explained"},
				from, to,
			},
			Answer: []Member{
				one("click", "", clickColumns), one("decision", "how the path was chosen", "path via"), value("bot_signals*", ""),
				value("flow_changed?", "the present flow differs from the flow that routed the click"),
				many("paths", "each path that was tried, in order, by the present flow", stepColumns),
				many("hops", "where the visitor was sent", "at kind destination lander_id offer_id slot"),
				many("conversions", "", "id conversion_id status original_status payout currency goal source recorded_at amount_reason time_reason"),
				many("postbacks", "received and sent for this click", "at direction result reason network_name source"),
				value("others*", "further clicks with this external id"),
			},
			Run: explainClick,
		},
		{
			Name: "explain_conversion_gap", Title: "Their figures and ours", Kind: Reads, Repeatable: true,
			About: "Why the figures of a traffic source or a network differ from ours: their figures and ours by day, the causes of the difference with their size, what stays unexplained, " +
				"and what became of the postbacks of the window. Give source_id or network_id. Reads only. Their figures come from a connection or a file; basis is empty if nothing is stored.",
			Params: []Param{source, network, from, to, tz},
			Answer: []Member{
				value("basis", "where their figures come from"), one("total", "", "theirs{ ours{ difference{ unexplained{"),
				many("causes", "", "cause reason clicks conversions money"), value("currency", ""), value("their_currency", ""),
				many("received", "postbacks received in the window, by what became of them", postbackCounts),
				many("sent", "postbacks sent to the traffic source, by what became of them", postbackCounts),
				many("days", "", "day campaign_name theirs{ ours{ difference{"), more,
			},
			Run: explainGap,
		},
		{
			Name: "list_unmatched_postbacks", Title: "Unmatched postbacks", Kind: Reads, Repeatable: true,
			About:  "Postbacks of the window that match no click, by network and reason, and the newest of them with the names of their parameters. Reads only. Values of parameters are not shown.",
			Params: []Param{network, from, to, limit(20, 50)},
			Answer: []Member{
				many("reasons", "", "network_id network_name reason count"), many("rows", "newest first", "id at network_id network_name reason parameters*"), more,
			},
			Run: listUnmatched,
		},
		{
			Name: "simulate_visitor", Title: "Simulate a visitor", Kind: Reads, Repeatable: true,
			About: "Where a described visitor of a campaign would go, and why each other path was passed over. Nothing is recorded and no visitor is sent anywhere. Reads only.",
			Params: []Param{
				need(Param{Name: "campaign_id", Type: ID, Doc: "id of the campaign"}),
				{Name: "visitor", Type: Visitor, Doc: "attributes with their values, such as country DE, device_type mobile, os iOS, browser Safari, language de, sub1 x, param.NAME x"},
				{Name: "click_id", Doc: "take the visitor, the time and the random choices from this recorded click"},
				{Name: "draws", Type: Whole, Min: 1, Max: 1000, Doc: "number of such visitors; they are counted by where they go; default 100"},
			},
			Answer: []Member{
				one("decision", "", "via campaign_id path_id path action transition lander_id offer_id url recorded?"), many("paths", "each path that was tried, in order", stepColumns),
				many("distribution", "", "path path_id lander_id offer_id via count"),
			},
			Run: simulate,
		},
	}
}

// SimulatePath is the API path of the simulator. It is the only POST of tools that read: it records nothing, and every key may call it.
const SimulatePath = "/tools/simulate"

const postbackCounts = "result reason count"

func explainClick(ctx context.Context, c *Call) (Values, error) {
	id, others := c.Args.Text("click_id"), []string{}
	if ext := c.Args.Text("external_id"); id == "" && ext != "" {
		found, err := c.get(ctx, "/logs/clicks", c.Args.query("from", "to"), "external_id", ext, "limit", "10")
		if err != nil {
			return nil, err
		}
		for _, r := range list(found, "rows") {
			others = append(others, text(r["click_id"]))
		}
		if len(others) == 0 {
			return nil, models.NotFound("click with this id of the source in the window")
		}
		id, others = others[0], others[1:]
	}
	if _, err := models.ParseClickID(id); err != nil {
		return nil, models.Invalid("invalid", "send click_id with the id of a click, or send external_id instead")
	}
	a, err := c.get(ctx, "/logs/clicks/"+id, nil, "trace", "1")
	if err != nil {
		return nil, err
	}
	click := orEmpty(a["click"])
	click["subs"] = subsOf(click)
	var postbacks []object
	day, _, _ := strings.Cut(text(click["at"]), "T")
	for _, direction := range []string{"in", "out"} {
		p, err := c.get(ctx, "/logs/postbacks", nil, "click_id", id, "direction", direction, "limit", "20", "from", day)
		if err != nil {
			return nil, err
		}
		postbacks = append(postbacks, list(p, "rows")...)
	}
	return Values{
		"click": click, "decision": a["decision"], "bot_signals": at(a, "visitor.bot_signals"), "flow_changed": at(a, "trace.flow_changed"),
		"paths": steps(at(a, "trace")), "hops": a["hops"], "conversions": a["conversions"], "postbacks": postbacks, "others": others,
	}, nil
}

func subsOf(click object) object {
	out := object{}
	for name, v := range click {
		if n, isSub := strings.CutPrefix(name, "sub"); isSub && text(v) != "" {
			if _, err := strconv.Atoi(n); err == nil {
				out[name] = v
			}
		}
	}
	return out
}

// steps returns the paths that a decision tried, in all campaigns through which the visitor passed. For a campaign
// that blocks a value of the visitor, the first entry has the reason "blocked" and the value instead of a path.
func steps(trace any) (out []object) {
	for _, stage := range list(trace, "campaigns") {
		if blocked, ok := stage["blocked"].(object); ok {
			out = append(out, object{"campaign": stage["campaign"], "reason": "blocked", "conditions": text(blocked["dimension"]) + " is " + text(blocked["value"])})
		}
		for _, s := range list(stage, "steps") {
			s["campaign"], s["conditions"] = stage["campaign"], findings(s)
			out = append(out, s)
		}
	}
	return out
}

func findings(step object) string {
	var parts []string
	for _, u := range list(step, "units") {
		for _, f := range list(u, "conditions") {
			met := "not met"
			if f["matched"] == true {
				met = "met"
			}
			parts = append(parts, condition(f)+": "+met+", the visitor has "+cmp.Or(text(f["seen"]), "nothing"))
		}
	}
	return strings.Join(parts, "; ")
}

func explainGap(ctx context.Context, c *Call) (Values, error) {
	source, network := c.Args.Text("source_id"), c.Args.Text("network_id")
	path := "/traffic-sources/" + source
	if (source == "") == (network == "") {
		return nil, models.Invalid("invalid", "send exactly one of source_id and network_id")
	} else if network != "" {
		path = "/networks/" + network
	}
	a, err := c.get(ctx, path+"/difference", c.Args.query("from", "to", "tz"))
	if err != nil {
		return nil, err
	}
	out := Values{
		"basis": a["basis"], "total": a["total"], "causes": at(a, "total.causes"), "currency": a["currency"], "their_currency": a["their_currency"], "days": a["rows"],
	}
	q := c.Args.query("from", "to")
	received, cut, err := countPostbacks(ctx, c, q, "direction", "in", "network", network)
	if err != nil {
		return nil, err
	}
	out["received"], out["more"] = received, cut
	if source != "" {
		sent, cut, err := countPostbacks(ctx, c, q, "direction", "out", "source", source)
		if err != nil {
			return nil, err
		}
		out["sent"], out["more"] = sent, cut || out["more"] == true
	}
	return out, nil
}

// countPostbacks counts the newest readRows postbacks of a window by result and reason, the largest count first. cut reports that
// the window may have more postbacks.
func countPostbacks(ctx context.Context, c *Call, q url.Values, more ...string) (counts []object, cut bool, err error) {
	a, err := c.get(ctx, "/logs/postbacks", q, append(more, "limit", strconv.Itoa(readRows))...)
	rows := list(a, "rows")
	return countBy(rows, "result", "reason"), len(rows) == readRows, err
}

func countBy(rows []object, names ...string) (out []object) {
	place := map[string]int{}
	counts := []int{}
	for _, r := range rows {
		values := make([]string, len(names))
		for i, name := range names {
			values[i] = text(r[name])
		}
		key := strings.Join(values, "\n")
		i, ok := place[key]
		if !ok {
			i = len(out)
			place[key] = i
			o := object{}
			for _, name := range names {
				o[name] = r[name]
			}
			out, counts = append(out, o), append(counts, 0)
		}
		counts[i]++
	}
	for i := range out {
		out[i]["count"] = counts[i]
	}
	slices.SortStableFunc(out, func(a, b object) int { return cmp.Compare(b["count"].(int), a["count"].(int)) })
	return out
}

func listUnmatched(ctx context.Context, c *Call) (Values, error) {
	a, err := c.get(ctx, "/logs/postbacks", c.Args.query("from", "to"), "direction", "in", "result", "unmatched",
		"network", c.Args.Text("network_id"), "limit", strconv.Itoa(readRows))
	if err != nil {
		return nil, err
	}
	rows := list(a, "rows")
	for _, r := range rows {
		q, _ := url.ParseQuery(text(r["query"]))
		names := []string{}
		for name := range q {
			names = append(names, name)
		}
		slices.Sort(names)
		r["parameters"] = names
	}
	return Values{
		"reasons": countBy(rows, "network_id", "network_name", "reason"), "rows": limitRows(rows, c.Args.whole("limit", 20)), "more": len(rows) == readRows,
	}, nil
}

func simulate(ctx context.Context, c *Call) (Values, error) {
	body := map[string]any{"campaign_id": c.Args.Text("campaign_id"), "draws": c.Args.whole("draws", 100)}
	if v, sent := c.Args["visitor"]; sent {
		body["visitor"] = v
	}
	if id := c.Args.Text("click_id"); id != "" {
		body["click_id"] = id
	}
	a, err := c.post(ctx, SimulatePath, body)
	return Values{"decision": a["decision"], "paths": steps(a), "distribution": a["distribution"]}, err
}
