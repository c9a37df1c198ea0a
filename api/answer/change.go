package answer

import (
	"github.com/google/uuid"

	"switchyard/models"
)

// RecordedChange is one change of a campaign, an offer or another part of an account's setup.
type RecordedChange struct {
	ID         uuid.UUID  `json:"id"`
	At         string     `json:"at"`
	By         string     `json:"by" enum:"person,key,copilot" doc:"copilot: an applied suggestion or proposal, or a rule"`
	Who        string     `json:"who" doc:"the name of the person or key; for a rule, the rule's name"`
	Via        string     `json:"via" doc:"mcp if an assistant made the change through a tool, or empty"`
	Client     string     `json:"client" doc:"the name that the assistant's program gives itself"`
	Operation  string     `json:"operation" doc:"method and path of the call"`
	Kind       string     `json:"kind" doc:"the kind of the record: campaign, offer, lander, source, network, flow, rule, smartlink, domain, bots, blocks, settings or copilot"`
	RecordID   *uuid.UUID `json:"record_id"`
	Record     *string    `json:"record" doc:"the record's present name; null: the record has no name, or no longer exists"`
	CampaignID *uuid.UUID `json:"campaign_id" doc:"the campaign that was changed; null: the change does not belong to exactly one campaign"`
	Fields     []string   `json:"fields" doc:"names of the fields that were sent, without their values"`
	Title      *string    `json:"title" doc:"for a change by the Copilot: what the change does; otherwise null"`
	UndoneAt   *string    `json:"undone_at" doc:"when the change was undone; null: it was not undone, or the Copilot did not make it"`
}

// ChangeOf makes the answer for a change.
func ChangeOf(c models.RecordedChange) RecordedChange {
	return RecordedChange{
		c.ID, Stamp(c.At), c.By, c.Who, c.Via, c.Client, c.Operation, c.Kind, OrNull(c.RecordID.UUID), OrNull(c.Record), OrNull(c.CampaignID.UUID),
		append([]string{}, c.Fields...), OrNull(c.Title), StampOrNull(c.UndoneAt),
	}
}
