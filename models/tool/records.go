package tool

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"switchyard/models/launchcheck"
)

const alertColumns = "id type severity kind name message do since"

var kinds = map[string]string{
	"campaign": "/campaigns", "offer": "/offers", "lander": "/landers", "source": "/traffic-sources", "network": "/networks",
	"smartlink": "/short-links", "rule": "/copilot/rules",
}

const listFigures = "clicks% conversions% revenue% cost% profit% roi%"

func recordTools() []Tool {
	id := need(Param{Name: "id", Type: ID, Doc: "id of the campaign, from find_records"})
	return []Tool{
		{
			Name: "find_records", Title: "Find records", Kind: Reads, Repeatable: true,
			About: "Campaigns, offers, landing pages, traffic sources, networks or smartlinks by a part of their name, with their ids, states and figures of the window. A smartlink has only its total number of clicks. " +
				"Other tools take ids, never names. Reads only.",
			Params: []Param{
				need(Param{Name: "kind", Enum: []string{"campaign", "offer", "lander", "source", "network", "smartlink"}, Doc: "kind of the records"}),
				{Name: "q", Doc: "part of the name; left out: all records"},
				{Name: "status", Enum: []string{"active", "paused"}, Doc: "left out: both"},
				from, to, limit(20, 50),
			},
			Answer: []Member{many("rows", "", "id name status group_name url "+listFigures), more},
			Run:    findRecords,
		},
		{
			Name: "get_campaign", Title: "One campaign", Kind: Reads, Repeatable: true,
			About:  "Settings of a campaign, its paths in order with their conditions in words, weights and destinations, its links, its networks, its totals of the window, and the alerts about it. Reads only.",
			Params: []Param{id, from, to},
			Answer: []Member{
				one("totals", "totals of the window", figures),
				one("campaign", "", "id name status mode source_id source_name cost_model cost_value currency country group_name domain fallback_url flow_rotation bind_visitors traffic_loss_pct created_at updated_at"),
				value("flow_version", "version of the flow"), many("links", "the address for the traffic source", "url tracking_url~"),
				many("paths", "in the order in which they are tried", "id name type is_active? weight daily_cap action conditions destinations*"),
				many("networks", "", "id name status currency"), many("alerts", "", alertColumns),
			},
			Run: getCampaign,
		},
		{
			Name: "check_campaign", Title: "Check a campaign", Kind: Reads, Repeatable: true,
			About: "What is wrong with a campaign before it gets traffic, in " + strconv.Itoa(len(launchcheck.Areas)) + " areas from its link to its tag. Each finding says what the fault costs and what to do. An area that could not be " +
				"checked is unknown, which never counts as fine. The check reads the last results of the workers and opens no address. Reads only.",
			Params: []Param{id},
			Answer: []Member{
				value("state", "the worst of all: ok, warning, unknown or problem"), value("problems", "number of problems"), value("unknown", "number of unknown findings"), value("warnings", "number of warnings"),
				many("findings", "problems first", "check state code message costs do mend kind record_id name path field value at"),
				many("areas", "", "check state left_off looked_at"),
			},
			Run: checkCampaign,
		},
		{
			Name: "list_changes", Title: "Changes of a campaign", Kind: Reads, Repeatable: true,
			About:  "Who or what changed a campaign in the window and when, newest first, with its figures by day before and after. Use it first when profit falls. Reads only.",
			Params: []Param{id, from, to, limit(30, 100)},
			Answer: []Member{
				many("days", "figures by day, UTC", "bucket clicks conversions revenue cost profit"),
				many("rows", "", "at by who operation kind record title fields* undone_at id"), more,
			},
			Run: listChanges,
		},
		{
			Name: "list_alerts", Title: "Alerts", Kind: Reads, Repeatable: true,
			About:  "What needs attention now, since when, and what to do. Reads only.",
			Answer: []Member{value("count", "number of alerts"), value("open_suggestions", ""), value("unmatched_postbacks", ""), many("alerts", "", alertColumns+" url"), many("services", "state of the checks that the service runs", "name status message")},
			Run: func(ctx context.Context, c *Call) (Values, error) {
				a, err := c.get(ctx, "/alerts", nil)
				return Values{"count": a["count"], "open_suggestions": a["openSuggestions"], "unmatched_postbacks": a["unmatchedPostbacks"], "alerts": a["alerts"], "services": a["services"]}, err
			},
		},
		{
			Name: "list_suggestions", Title: "Suggestions", Kind: Reads, Repeatable: true,
			About: "What the Copilot suggests because of the figures, with evidence and confidence; open proposals; and the last changes that can be taken back. Reads only. " +
				"A suggestion without an action is advice for a person.",
			Answer: []Member{
				value("total", "number of open suggestions"), many("suggestions", "", "id kind title detail campaign_id campaign op confidence sample method advice_only?"),
				many("proposals", "", "id title reason status created_at expires_at"), many("changes", "undo_change takes them back", "id title status created_at undone_at proposal_id"),
			},
			Run: listSuggestions,
		},
	}
}

func findRecords(ctx context.Context, c *Call) (Values, error) {
	kind := c.Args.Text("kind")
	q := c.Args.query("q", "status")
	if kind != "smartlink" { // the list of smartlinks takes no window
		q = c.Args.query("q", "status", "from", "to")
	}
	a, err := c.get(ctx, kinds[kind], q, "limit", strconv.Itoa(c.Args.whole("limit", 20)))
	return Values{"rows": a["rows"], "more": a["next_cursor"] != nil}, err
}

func getCampaign(ctx context.Context, c *Call) (Values, error) {
	id := c.Args.Text("id")
	a, err := c.get(ctx, "/campaigns/"+id, nil)
	if err != nil {
		return nil, err
	}
	totals, err := c.get(ctx, "/stats/overview", c.Args.query("from", "to"), "f.campaign_id", id)
	if err != nil {
		return nil, err
	}
	alerts, err := c.get(ctx, "/alerts", nil)
	if err != nil {
		return nil, err
	}
	about := slices.DeleteFunc(list(alerts, "alerts"), func(o object) bool { return !strings.Contains(text(o["id"]), id) })
	paths := list(a, "streams")
	for _, p := range paths {
		p["type"], p["conditions"] = p["stream_type"], conditions(p)
	}
	return Values{
		"totals": totals, "campaign": a["campaign"], "flow_version": a["version"], "links": at(a, "campaign.links"), "paths": paths,
		"networks": a["networks"], "alerts": about,
	}, nil
}

func checkCampaign(ctx context.Context, c *Call) (Values, error) {
	a, err := c.get(ctx, "/campaigns/"+c.Args.Text("id")+"/check", nil)
	if err != nil {
		return nil, err
	}
	var findings []object
	for _, area := range list(a, "checks") {
		for _, f := range list(area, "findings") {
			f["check"], f["kind"], f["record_id"], f["name"] = area["check"], at(f, "where.kind"), at(f, "where.id"), at(f, "where.name")
			f["path"], f["field"] = at(f, "where.path_name"), at(f, "where.field")
			findings = append(findings, f)
		}
	}
	slices.SortStableFunc(findings, func(a, b object) int {
		return slices.Index(launchcheck.States, text(b["state"])) - slices.Index(launchcheck.States, text(a["state"])) // the worst first
	})
	return Values{
		"state": a["state"], "problems": a["problems"], "unknown": a["unknown"], "warnings": a["warnings"], "findings": findings, "areas": a["checks"],
	}, nil
}

func conditions(path object) string {
	var parts []string
	for _, r := range list(path, "rules") {
		parts = append(parts, "rule “"+text(r["name"])+"”")
	}
	for _, f := range list(path, "filters") {
		parts = append(parts, condition(f))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " "+text(path["logic"])+" ")
}

// condition returns a condition in words, such as: country in DE, AT.
func condition(f object) string {
	words := []string{text(f["attribute"]), strings.ReplaceAll(text(f["operator"]), "_", " ")}
	switch v := f["value"].(type) {
	case []any:
		var values []string
		for _, item := range v {
			values = append(values, text(item))
		}
		words = append(words, strings.Join(values, ", "))
	default:
		words = append(words, text(v))
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

func listChanges(ctx context.Context, c *Call) (Values, error) {
	id := c.Args.Text("id")
	a, err := c.get(ctx, "/campaigns/"+id+"/changes", c.Args.query("from", "to"), "limit", strconv.Itoa(c.Args.whole("limit", 30)))
	if err != nil {
		return nil, err
	}
	days, err := c.get(ctx, "/reports/trends", c.Args.query("from", "to"), "f.campaign_id", id)
	return Values{"rows": a["rows"], "days": days["rows"], "more": a["next_cursor"] != nil}, err
}

func listSuggestions(ctx context.Context, c *Call) (Values, error) {
	a, err := c.get(ctx, "/copilot", nil)
	if err != nil {
		return nil, err
	}
	suggestions := list(a, "suggestions")
	for _, s := range suggestions {
		s["op"], s["confidence"] = at(s, "action.op"), at(s, "evidence.confidence")
		s["sample"], s["method"] = at(s, "evidence.sample"), at(s, "evidence.method")
	}
	proposals := slices.DeleteFunc(list(a, "proposals"), func(p object) bool { return p["status"] != "open" })
	return Values{"total": a["total"], "suggestions": suggestions, "proposals": proposals, "changes": a["changes"]}, nil
}
