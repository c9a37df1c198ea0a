package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	switchyard "switchyard/api/clients/go"
)

// traceCmd explains a click.
type traceCmd struct {
	Click string `arg:"" help:"Id of the click."`
}

// Run implements the command.
func (c *traceCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	if e.Output == "json" || e.Output == "yaml" {
		var raw json.RawMessage
		if err := client.Do(ctx, http.MethodGet, "/api/v1/logs/clicks/"+url.PathEscape(c.Click), url.Values{"trace": {"1"}}, nil, &raw); err != nil {
			return err
		}
		return e.printRaw(raw)
	}
	a, err := client.GetClick(ctx, c.Click, switchyard.GetClickParams{Trace: "1"})
	if err != nil {
		return err
	}
	name := func(id *string) string {
		if id == nil {
			return ""
		}
		return cell(a.Names[*id])
	}
	line := func(at, what string, about ...string) {
		about = slices.DeleteFunc(about, func(s string) bool { return cell(s) == "" })
		_, _ = fmt.Fprintf(e.stdout, "%-26s%-12s%s\n", at, what, cell(strings.Join(about, "  ")))
	}
	click := a.Click
	campaign := ""
	if click.CampaignName != nil {
		campaign = *click.CampaignName
	}
	line(click.At, "click", click.ClickID, campaign, click.Country, click.DeviceType, click.OS, click.Browser, click.BotReason)
	if a.Trace != nil {
		for _, stage := range a.Trace.Campaigns {
			e.printStage(stage)
		}
		if a.Trace.FlowChanged {
			_, _ = fmt.Fprintln(e.stdout, e.paint(33, "  The flow has changed since the click. Above is what it does now, below is what happened to the click:"))
		}
	}
	path := ""
	if a.Decision.Path != nil {
		path = *a.Decision.Path
	}
	line("", "decision", a.Decision.Via, path)
	for _, hop := range a.Hops {
		line(hop.At, hop.Kind, name(hop.LanderID), name(hop.OfferID), hop.Destination)
	}
	for _, conversion := range a.Conversions {
		line(conversion.RecordedAt, "conversion", conversion.Status, fmt.Sprint(conversion.Payout), conversion.Currency, conversion.Source)
	}
	return nil
}

// printStage prints which paths of a campaign were tried, and why a path was not taken.
func (e *env) printStage(s switchyard.RouteStage) {
	_, _ = fmt.Fprintln(e.stdout, "  campaign", cell(s.Campaign))
	for _, step := range s.Steps {
		if step.Taken {
			_, _ = fmt.Fprintln(e.stdout, "   ", e.paint(32, "taken "), cell(step.Path))
			continue
		}
		why := "its conditions do not match"
		if step.Reason != nil {
			why = *step.Reason
		}
		_, _ = fmt.Fprintln(e.stdout, "   ", e.paint(31, "passed"), cell(step.Path)+":", why)
	}
}

// tails are the logs that tail follows.
var tails = map[string]struct {
	path    string
	query   url.Values
	id      string
	columns []string
}{
	"clicks":      {"/logs/clicks", nil, "click_id", []string{"at", "click_id", "campaign_name", "country", "device_type", "os", "bot_reason", "destination"}},
	"conversions": {"/logs/conversions", nil, "id", []string{"recorded_at", "click_id", "campaign_name", "offer_name", "status", "payout", "currency"}},
	"unmatched":   {"/logs/postbacks", url.Values{"result": {"unmatched"}}, "id", []string{"at", "network_name", "reason", "query"}},
}

// tailCmd follows a log.
type tailCmd struct {
	Log   string        `arg:"" enum:"clicks,conversions,unmatched" help:"clicks, conversions or unmatched."`
	Lines int           `short:"n" default:"10" help:"Newest rows to begin with, at most 1000."`
	Every time.Duration `default:"3s" help:"Time between two calls, at least 1s."`
	Once  bool          `help:"Show the newest rows and end."`
}

// mostRows is the maximum number of rows of one call for a log.
const mostRows = 1000

// Run implements the command. Rows that were already shown are recognized by their ids.
func (c *tailCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	rows, err := c.unseen(ctx, client, mostRows, seen)
	rows = rows[len(rows)-min(max(c.Lines, 0), len(rows)):]
	for first := true; ; first = false {
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err == nil {
			err = c.print(e, rows, first)
		}
		if err != nil || c.Once {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(max(c.Every, time.Second)):
		}
		const usual = 200
		if rows, err = c.unseen(ctx, client, usual, seen); err == nil && len(rows) == usual {
			var before []record // older rows may be new too
			before, err = c.unseen(ctx, client, mostRows, seen)
			rows = append(before, rows...)
		}
	}
}

// unseen returns the newest rows of the log, oldest first. It leaves out rows that it has returned before.
func (c *tailCmd) unseen(ctx context.Context, client *switchyard.Client, limit int, seen map[string]bool) (rows []record, err error) {
	log := tails[c.Log]
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	for name, value := range log.query {
		query[name] = value
	}
	var page struct{ Rows []json.RawMessage }
	if err := client.Do(ctx, http.MethodGet, "/api/v1"+log.path, query, nil, &page); err != nil {
		return nil, err
	}
	listed := make([]string, len(page.Rows))
	for i, raw := range page.Rows {
		var r record
		if err := decode(raw, &r); err != nil {
			return nil, err
		}
		if listed[i] = cell(r[log.id]); !seen[listed[i]] {
			rows = append(rows, r)
		}
	}
	if len(seen) > 20*mostRows {
		clear(seen) // later calls list none of these old rows
	}
	for _, id := range listed {
		seen[id] = true
	}
	slices.Reverse(rows)
	return rows, nil
}

func (c *tailCmd) print(e *env, rows []record, first bool) error {
	columns := tails[c.Log].columns
	for _, r := range rows {
		switch e.Output {
		case "json":
			raw, err := json.Marshal(r)
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintln(e.stdout, string(raw))
		case "yaml":
			if err := e.printValue([]record{r}); err != nil {
				return err
			}
		case "csv":
			if first {
				_, _ = fmt.Fprintln(e.stdout, strings.Join(columns, ","))
				first = false
			}
			var b strings.Builder
			inner := *e
			inner.stdout = &b
			if err := inner.printCSV([]record{r}, columns); err != nil {
				return err
			}
			_, after, _ := strings.Cut(b.String(), "\n")
			_, _ = fmt.Fprint(e.stdout, after)
		default:
			_, _ = fmt.Fprintln(e.stdout, strings.Join(cells(r, columns), "  "))
		}
	}
	return nil
}

// simulateCmd shows where a described visitor would go.
type simulateCmd struct {
	Campaign string            `arg:"" help:"Name or id of the campaign."`
	Country  string            `help:"Two letters."`
	Device   string            `help:"Such as desktop, mobile or tablet."`
	OS       string            `name:"os" help:"Operating system."`
	Language string            `help:"Two letters."`
	Set      map[string]string `help:"Other attributes, such as --set sub1=ad7 --set is_bot=true."`
	At       string            `help:"Time of the visit, UTC: 2026-11-20 18:00:00."`
	Draws    int               `help:"Also route this many such visitors, and show how many of them go where."`
	Seed     int               `help:"Seed of the draws: the same seed repeats the same draws."`
}

// Run implements the command. It exits with 1 if the visitor would go nowhere.
func (c *simulateCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	k, err := kindOf("campaigns")
	if err != nil {
		return err
	}
	campaign, err := k.find(ctx, client, c.Campaign)
	if err != nil {
		return err
	}
	visitor := record{}
	for name, value := range c.Set {
		visitor[name] = value
		if value == "true" || value == "false" {
			visitor[name] = value == "true"
		}
	}
	for name, value := range map[string]string{"country": c.Country, "device_type": c.Device, "os": c.OS, "language": c.Language} {
		if value != "" {
			visitor[name] = value
		}
	}
	body := record{"campaign_id": campaign["id"], "visitor": visitor}
	if c.At != "" {
		body["at"] = c.At
	}
	if c.Draws > 0 {
		body["draws"] = c.Draws
	}
	if c.Seed != 0 {
		body["seed"] = c.Seed
	}
	var raw json.RawMessage
	if err := client.Do(ctx, http.MethodPost, "/api/v1/tools/simulate", nil, body, &raw); err != nil {
		return err
	}
	var s switchyard.Simulated
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	if e.Output == "table" {
		e.printSimulated(s)
	} else if err := e.printRaw(raw); err != nil {
		return err
	}
	if s.Decision == nil || s.Decision.Action == "nothing" {
		return exitError{exitFailed, "this visitor goes nowhere: give the campaign a path of the type default or a fallback address"}
	}
	return nil
}

func (e *env) printSimulated(s switchyard.Simulated) {
	for _, stage := range s.Campaigns {
		e.printStage(stage)
	}
	if s.Decision != nil {
		_, _ = fmt.Fprintln(e.stdout, s.Decision.Action, cell(s.Decision.URL))
	}
	for _, way := range s.Distribution {
		_, _ = fmt.Fprintf(e.stdout, "%8d  %s\n", way.Count, cell(way.Path+" ("+way.Via+")"))
	}
}
