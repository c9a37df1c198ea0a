package tool

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/copilot"
)

// Cooldown is the time after a change by an assistant in which the same record is not changed again.
const Cooldown = time.Hour

const limits = " Needs a full key. A key makes at most as many changes in 24 hours as the account's settings allow, by default 50. A record is changed at most once in an hour."

var (
	campaignID = Param{Name: "campaign_id", Type: ID, Doc: "id of a campaign"}
	dryRun     = Param{Name: "dry_run", Type: Flag, Doc: "default true: the answer only says what would change. Send false to make the change"}
)

func changeTools() []Tool {
	return []Tool{
		{
			Name: "set_active", Title: "Pause or resume", Kind: Changes, Repeatable: true,
			About: "Pauses or resumes a campaign, a path, an offer, a landing page, a source, a network, a smartlink or a rule of the Copilot. Routing changes at once. " +
				"Recorded data does not change, and the opposite call reverts the change. A path without the minimum sample is not paused: the error is then too_early." + limits,
			Params: []Param{
				need(Param{Name: "kind", Enum: []string{"campaign", "path", "offer", "lander", "source", "network", "smartlink", "rule"}, Doc: "kind of the record"}),
				need(Param{Name: "id", Type: ID, Doc: "id of the record"}), need(Param{Name: "active", Type: Flag, Doc: "true resumes, false pauses"}),
				{Name: "campaign_id", Type: ID, Doc: "for a path: id of its campaign"},
			},
			Answer: []Member{value("kind", ""), value("id", ""), value("active?", "its state now")},
			Run:    setActive,
		},
		{
			Name: "create_campaign_from", Title: "Copy a campaign", Kind: Changes,
			About: "Makes paused copies of a campaign with its flow, one for each name, each with a link of its own. Nothing runs until someone resumes a copy. Dry run by default. " +
				"The same call within 24 hours makes no second copy." + limits,
			Params: []Param{
				need(campaignID), need(Param{Name: "names", Type: Texts, Doc: "names of the copies, at most 20"}),
				{Name: "countries", Type: Texts, Doc: "the country label of each copy, two letters, in the order of the names"},
				dryRun,
			},
			Answer: []Member{value("dry_run?", ""), value("from", "name of the copied campaign"), many("campaigns", "", "id name status country url error")},
			Run:    createFrom,
		},
		{
			Name: "record_cost", Title: "Record cost", Kind: Changes, Destructive: true,
			About: "Sets the cost of the clicks of a campaign, a source or both on days of the account's time zone: an amount for all clicks together, or a price for each click. It replaces the recorded " +
				"cost; a person can undo this for 30 days in the dashboard, under Costs set by people. Dry run by default: the answer has the cost before and after." + limits,
			Params: []Param{
				need(Param{Name: "from", Doc: "first day, YYYY-MM-DD"}), need(Param{Name: "to", Doc: "last day, included, YYYY-MM-DD; at most 92 days"}),
				campaignID,
				{Name: "source_id", Type: ID, Doc: "id of a traffic source"},
				{Name: "amount", Type: Number, Doc: "cost of all clicks together; send either amount or cpc"},
				{Name: "cpc", Type: Number, Doc: "cost of each click"},
				{Name: "currency", Doc: "three letters; default: the account's currency"},
				dryRun,
			},
			Answer: []Member{value("dry_run?", ""), value("before", "cost before the change"), value("after", "cost after the change"), value("clicks", ""), value("change_id", ""), many("days", "", "day campaign_id campaign_name clicks before after")},
			Run:    recordCost,
		},
		{
			Name: "correct_conversion", Title: "Correct a conversion", Kind: Changes, Destructive: true,
			About: "Records or revises one conversion of a click, like a postback: traffic sources and webhooks are notified. The change is listed among the corrections. Dry run by default." + limits,
			Params: []Param{
				need(Param{Name: "click_id", Doc: "id of the click"}), need(Param{Name: "status", Enum: []string{"approved", "pending", "rejected", "chargeback"}, Doc: "new status of the conversion"}),
				{Name: "conversion_id", Doc: "the network's id of the conversion"},
				{Name: "payout", Type: Number, Doc: "left out: a recorded payout stays, and a new conversion gets the offer's payout"},
				{Name: "currency", Doc: "currency of the payout, three letters"},
				dryRun,
			},
			Answer: []Member{value("dry_run?", ""), value("accepted", "number of accepted rows"), value("refused", "number of refused rows"), many("outcomes", "", "click_id conversion_id status payout currency counts result accepted? reason note")},
			Run:    correctConversion,
		},
	}
}

func noteAndTestTools() []Tool {
	return []Tool{
		{
			Name: "add_note", Title: "Write a note", Kind: Changes,
			About:  "Puts a note on the time line of charts, such as: paused path B, because it lost 40 EUR. Figures and routing do not change; people can delete the note." + limits,
			Params: []Param{need(Param{Name: "text", Doc: "at most 500 characters"}), {Name: "at", Doc: "YYYY-MM-DD HH:MM:SS, UTC; default now"}, campaignID},
			Answer: []Member{value("id", ""), value("at", ""), value("text", ""), value("campaign_id", "")},
			Run: func(ctx context.Context, c *Call) (Values, error) {
				body := map[string]any{"text": c.Args.Text("text")}
				for _, name := range []string{"at", "campaign_id"} {
					if v := c.Args.Text(name); v != "" {
						body[name] = v
					}
				}
				if err := c.reserve(ctx, ""); err != nil {
					return nil, err
				}
				a, err := c.post(ctx, "/notes", body)
				return Values{"id": a["id"], "at": a["at"], "text": a["text"], "campaign_id": a["campaign_id"]}, err
			},
		},
		{
			Name: "request_test_postback", Title: "Test a postback", Kind: Tries, Repeatable: true,
			About: "The address that a network must call, and what the service would do with such a call, step by step. Nothing is recorded or sent. Needs a full key.",
			Params: []Param{
				need(Param{Name: "network_id", Type: ID, Doc: "id of the network"}),
				{Name: "click_id", Doc: "id of a recorded click; left out: the network's newest click"},
				{Name: "payout", Doc: "as the network writes it"},
				{Name: "status", Doc: "the network's own word"},
				{Name: "currency", Doc: "three letters"},
			},
			Answer: []Member{value("address~", "address for the network, with the network's macros and without its secret"), value("result", ""), value("test?", "whether the click is made up or a test"), many("steps", "", "step ok? detail")},
			Run:    testPostback,
		},
	}
}

func setActive(ctx context.Context, c *Call) (Values, error) {
	kind, id, active := c.Args.Text("kind"), c.Args.Text("id"), c.Args.Flag("active", false)
	r := Request{Method: "PATCH", Path: kinds[kind], Body: map[string]any{"id": id, "is_active": active}}
	switch kind {
	case "campaign":
		status := "paused"
		if active {
			status = "active"
		}
		r.Path, r.Body = "/campaigns/"+id, map[string]any{"status": status}
	case "path":
		of := c.Args.Text("campaign_id")
		if of == "" {
			return nil, models.Invalid("invalid", "a path needs the campaign_id of its campaign")
		}
		r.Path, r.Body = "/campaigns/"+of+"/flow", map[string]any{"path_id": id, "is_active": active}
		if err := checkPause(ctx, c, active); err != nil {
			return nil, err
		}
	}
	if err := c.reserve(ctx, id); err != nil {
		return nil, err
	}
	_, err := c.do(ctx, r)
	return Values{"kind": kind, "id": id, "active": active}, err
}

// checkPause refuses to pause a path that has not reached the minimum sample of the Copilot.
func checkPause(ctx context.Context, c *Call, active bool) error {
	if active {
		return nil
	}
	missing, err := tooEarly(ctx, c, copilot.OpPausePath, []string{c.Args.Text("id")})
	if err == nil && missing != "" {
		err = models.Conflict(copilot.TooEarly, "%s; propose_change with insist true lets a person decide", missing)
	}
	return err
}

const maxCopies = 20

func createFrom(ctx context.Context, c *Call) (Values, error) {
	id, names, countries := c.Args.Text("campaign_id"), c.Args.texts("names"), c.Args.texts("countries")
	if len(names) == 0 || len(names) > maxCopies || len(countries) > 0 && len(countries) != len(names) {
		return nil, models.Invalid("invalid", "send 1 to %d names; countries must be left out or have as many items as names", maxCopies)
	}
	a, err := c.get(ctx, "/campaigns/"+id, nil)
	if err != nil {
		return nil, err
	}
	dry := c.Args.Flag("dry_run", true)
	var made []object
	for i, name := range names {
		change := map[string]any{"name": name}
		if len(countries) > 0 {
			change["country"] = countries[i]
		}
		o := object{"name": name, "status": "paused", "country": change["country"]}
		made = append(made, o)
		if dry {
			continue
		}
		if err := createCopy(ctx, c, id, i, o, change); err != nil {
			e, ok := models.AsError(err)
			if !ok || i == 0 {
				return nil, err
			}
			o["error"] = e.Message
			break // the answer lists the copies that were made before, and this copy with its error
		}
	}
	return Values{"dry_run": dry, "from": at(a, "campaign.name"), "campaigns": made}, nil
}

// A repeated call has the same Idempotency-Key, so it makes no second copy.
func createCopy(ctx context.Context, c *Call, id string, i int, made object, change map[string]any) error {
	if err := c.reserve(ctx, ""); err != nil {
		return err
	}
	raw, _ := json.Marshal(c.Args)
	sum := sha256.Sum256(raw)
	copied, err := c.do(ctx, Request{Method: "POST", Path: "/campaigns/" + id + "/clone", Key: "mcp-" + hex.EncodeToString(sum[:16]) + "-" + strconv.Itoa(i)})
	if err != nil {
		return err
	}
	made["id"] = copied["id"]
	named, err := c.do(ctx, Request{Method: "PATCH", Path: "/campaigns/" + text(copied["id"]), Body: change})
	if err == nil {
		made["url"] = named["url"]
	}
	return err
}

func recordCost(ctx context.Context, c *Call) (Values, error) {
	body := map[string]any{"apply": !c.Args.Flag("dry_run", true)}
	for _, name := range []string{"from", "to", "campaign_id", "source_id", "currency"} {
		if v := c.Args.Text(name); v != "" {
			body[name] = v
		}
	}
	for _, name := range []string{"amount", "cpc"} {
		if v := c.Args.Text(name); v != "" {
			body[name] = json.Number(v)
		}
	}
	if body["apply"] == true {
		if err := c.reserve(ctx, cmp.Or(c.Args.Text("campaign_id"), c.Args.Text("source_id"))); err != nil {
			return nil, err
		}
	}
	a, err := c.post(ctx, "/corrections/cost/set", body)
	return Values{"dry_run": a["dryRun"], "before": a["before"], "after": a["after"], "clicks": a["clicks"], "change_id": a["id"], "days": a["days"]}, err
}

func correctConversion(ctx context.Context, c *Call) (Values, error) {
	header, row := []string{}, []string{}
	for name, column := range map[string]string{"click_id": "click id", "status": "status", "payout": "payout", "conversion_id": "conversion id", "currency": "currency"} {
		if v := c.Args.Text(name); v != "" {
			header, row = append(header, column), append(row, v)
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.WriteAll([][]string{header, row})
	dry := c.Args.Flag("dry_run", true)
	if !dry {
		if err := c.reserve(ctx, ""); err != nil {
			return nil, err
		}
	}
	a, err := c.post(ctx, "/corrections/conversions", map[string]any{"apply": !dry, "csv": b.String()})
	return Values{"dry_run": a["dryRun"], "accepted": a["accepted"], "refused": a["refused"], "outcomes": a["outcomes"]}, err
}

func testPostback(ctx context.Context, c *Call) (Values, error) {
	body := map[string]any{}
	for _, name := range []string{"click_id", "payout", "status", "currency"} {
		if v := c.Args.Text(name); v != "" {
			body[name] = v
		}
	}
	id := c.Args.Text("network_id")
	a, err := c.post(ctx, "/networks/"+id+"/test-postback", body)
	if err != nil {
		return nil, err
	}
	out := Values{"result": a["result"], "test": a["test"], "steps": a["steps"]}
	for cursor := ""; ; {
		page, err := c.get(ctx, "/networks", nil, "limit", "500", "cursor", cursor)
		if err != nil {
			return nil, err
		}
		for _, n := range list(page, "rows") {
			if text(n["id"]) == id {
				out["address"] = n["postback_url"]
			}
		}
		if cursor = text(page["next_cursor"]); cursor == "" || out["address"] != nil {
			return out, nil
		}
	}
}

func monthAgo() string { return time.Now().UTC().AddDate(0, 0, -30).Format(time.DateOnly) }
