package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// checkCmd looks for problems of a campaign.
type checkCmd struct {
	Campaign string `arg:"" help:"Name or id of the campaign."`
	FailOn   string `name:"fail-on" enum:"warning,unknown,problem" default:"warning" help:"Exit with 1 if a finding has this state or a worse one: warning (any finding), unknown or problem."`
}

// checkStates lists the states of findings, the mildest first.
var checkStates = []string{"warning", "unknown", "problem"}

type checked struct {
	Name   string `json:"name"`
	Checks []struct {
		Check    string         `json:"check"`
		State    string         `json:"state"`
		Findings []checkFinding `json:"findings"`
		LeftOff  int            `json:"left_off"`
		LookedAt *string        `json:"looked_at"`
	} `json:"checks"`
}

type checkFinding struct {
	Code    string `json:"code"`
	State   string `json:"state"`
	Message string `json:"message"`
	Costs   string `json:"costs"`
	Do      string `json:"do"`
}

// Run implements the command.
func (c *checkCmd) Run(ctx context.Context, e *env) error {
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
	var raw json.RawMessage
	if err := client.Do(ctx, http.MethodGet, "/api/v1/campaigns/"+url.PathEscape(fmt.Sprint(campaign["id"]))+"/check", nil, nil, &raw); err != nil {
		return err
	}
	var answer checked
	if err := json.Unmarshal(raw, &answer); err != nil {
		return err
	}
	var rows []record
	failed := 0
	for _, area := range answer.Checks {
		for _, f := range area.Findings {
			rows = append(rows, record{"check": area.Check, "state": f.State, "code": f.Code, "message": f.Message, "costs": f.Costs, "do": f.Do})
			if slices.Index(checkStates, f.State) >= slices.Index(checkStates, c.FailOn) {
				failed++
			}
		}
	}
	switch e.Output {
	case "table":
		e.printChecked(answer)
	case "csv":
		err = e.print(rows, []string{"check", "state", "code", "message", "costs", "do"})
	default:
		err = e.printRaw(raw)
	}
	if err == nil && failed > 0 {
		err = exitError{code: exitFailed}
	}
	return err
}

// printChecked prints a line for each area without a finding, two lines for each finding, and a line for findings that the
// answer leaves out.
func (e *env) printChecked(answer checked) {
	for _, area := range answer.Checks {
		if len(area.Findings) == 0 {
			looked := ""
			if area.LookedAt != nil {
				looked = "last looked at " + *area.LookedAt
			}
			_, _ = fmt.Fprintf(e.stdout, "%-9s%-14s%s\n", "ok", area.Check, looked)
		}
		for _, f := range area.Findings {
			_, _ = fmt.Fprintf(e.stdout, "%-9s%-14s%s %s\n%-23s%s\n", f.State, area.Check, cell(f.Message), cell(f.Costs), "", cell(f.Do))
		}
		if area.LeftOff > 0 {
			_, _ = fmt.Fprintf(e.stdout, "%-23sand %d more\n", "", area.LeftOff)
		}
	}
}
