package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// prompt is a task that a person starts by its name. Its text has the names of the arguments in braces.
type prompt struct {
	name, title, about string
	args               []sdk.PromptArgument
	text               string
	changes            bool // the task ends with proposed changes; only callers who may propose changes see it
}

var prompts = []prompt{
	{
		name: "morning_check", title: "Morning check", about: "How yesterday went, what moved, what needs attention",
		text: "Check the account for the morning. Call whoami, then account_overview for yesterday and compare_periods by campaign_id for yesterday against the day before. " +
			"Then list_alerts and list_suggestions. Answer in at most 15 lines: the totals with their change; the three campaigns that gained and the three that lost most, each with its likely cause; " +
			"what needs attention, the most urgent first; and at most three changes worth making, with their figures. Change nothing.",
	},
	{
		name: "why_did_profit_fall", title: "Why did profit fall", about: "Finds the cause of a fall of a campaign's profit",
		args: []sdk.PromptArgument{{Name: "campaign", Description: "name or id", Required: true}, {Name: "since", Description: "first day of the fall, YYYY-MM-DD", Required: true}},
		text: "Find out why the profit of the campaign {campaign} has fallen since {since}. Find its id by find_records. Call list_changes from a week before that day, then compare_periods, filtered to the campaign, " +
			"of the days since then against as many days before, by offer_id, lander_id, country, device_type and sub1 in turn; say for each whether the change of the conversion rate is certain. " +
			"Look at list_unmatched_postbacks and explain_conversion_gap for the same days. Name the cause that explains most of the difference, with its figures, what else it may be, and what would settle it. Change nothing.",
	},
	{
		name: "launch_checklist", title: "Launch checklist", about: "Looks through a campaign before traffic is bought",
		args: []sdk.PromptArgument{{Name: "campaign", Description: "name or id", Required: true}},
		text: "Look through the campaign {campaign} before traffic is bought. Call check_campaign and get_campaign, then simulate_visitor for visitors that each path is made for, and for one that fits no path. " +
			"Answer with a list: what is right, what is wrong and which consequence it has, and what could not be checked. Change nothing.",
	},
	{
		name: "clean_placements", title: "Clean placements", about: "Finds placements of a source that lose money, and proposes to exclude them", changes: true,
		args: []sdk.PromptArgument{{Name: "source", Description: "name or id of the traffic source", Required: true}},
		text: "Find the placements of the traffic source {source} that lose money. Find its id by find_records, and ask which sub-parameter has the placement if the names of the sub-parameters do not say it. " +
			"Run run_report over the last 30 days by that sub-parameter and campaign_id, with the filter source_id and sort profit. A placement without a conversion counts as losing only " +
			"if it has cost at least three times what a conversion of the campaign usually costs. List them with clicks, cost, revenue and profit. " +
			"Then propose_change with op exclude for the campaign of the largest losses, show it, and apply it only when told to.",
	},
	{
		name: "network_dispute", title: "Dispute with a network", about: "Figures for a dispute with a network about a month",
		args: []sdk.PromptArgument{{Name: "network", Description: "name or id", Required: true}, {Name: "month", Description: "YYYY-MM", Required: true}},
		text: "Collect the figures for a dispute with the network {network} about {month}. Find its id by find_records. Call explain_conversion_gap with network_id for the days of the month, and list_unmatched_postbacks for the same days. " +
			"Answer with a table of days with their figures and ours, the causes with their size, what stays unexplained, and up to five click ids from which the network can start, each with what explain_click says of it. Write it so that it can be sent to the network. Change nothing.",
	},
}

func (s *Service) addPrompts(server *sdk.Server, readOnly bool) {
	for _, p := range prompts {
		if p.changes && readOnly {
			continue
		}
		args := make([]*sdk.PromptArgument, len(p.args))
		for i := range p.args {
			args[i] = &p.args[i]
		}
		server.AddPrompt(&sdk.Prompt{Name: p.name, Title: p.title, Description: p.about, Arguments: args},
			func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				pairs := []string{}
				for _, a := range p.args {
					pairs = append(pairs, "{"+a.Name+"}", `"`+argument(r.Params.Arguments[a.Name])+`"`)
				}
				return &sdk.GetPromptResult{Description: p.about, Messages: []*sdk.PromptMessage{
					{Role: "user", Content: &sdk.TextContent{Text: strings.NewReplacer(pairs...).Replace(p.text)}},
				}}, nil
			})
	}
}

const maxPromptArgument = 200 // characters

// argument returns an argument of a prompt as one short line without double quotes.
func argument(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if runes := []rune(s); len(runes) > maxPromptArgument {
		s = string(runes[:maxPromptArgument])
	}
	return strings.ReplaceAll(s, `"`, "'")
}
