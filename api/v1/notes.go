package v1

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/models"
	"switchyard/models/bind"
)

// notes returns the route with which programs write notes. The dashboard has a route of its own.
func notes() []route.Route {
	return []route.Route{
		route.New("POST", "/notes", "Campaigns", "add a note to the time line of charts", route.HandleBody(createNote),
			route.Codes("400 required too_long too_many invalid_date invalid_campaign")).Creates(),
	}
}

// NewNote is the body of POST /notes.
type NewNote struct {
	Text       string              `json:"text" required:"true" maxLength:"500" trim:"true"`
	At         string              `json:"at" doc:"YYYY-MM-DD HH:MM:SS, UTC; left out: now"`
	CampaignID bind.Opt[uuid.UUID] `json:"campaign_id" bad:"invalid_campaign" doc:"left out: the note is about all campaigns"`
}

// WrittenNote is a note.
type WrittenNote struct {
	ID         uuid.UUID  `json:"id"`
	At         string     `json:"at"`
	Text       string     `json:"text"`
	CampaignID *uuid.UUID `json:"campaign_id" doc:"null: the note is about all campaigns"`
	Author     string     `json:"author" doc:"the name of the key or the person"`
}

func createNote(c *route.Call, b NewNote) (WrittenNote, error) {
	note := models.Note{
		UserID: uuid.NullUUID{UUID: c.Person.ID, Valid: c.IsPerson()}, Author: c.Person.Name, Text: b.Text, At: time.Now().UTC().Truncate(time.Second),
		CampaignID: uuid.NullUUID{UUID: b.CampaignID.Or(uuid.Nil), Valid: b.CampaignID.Given()},
	}
	if b.At != "" {
		at, err := models.ParseNoteTime(b.At)
		if err != nil {
			return WrittenNote{}, err
		}
		note.At = at
	}
	n, err := c.Store.Notes().Create(c.Context(), c.Account.ID, c.KeyID, note)
	return WrittenNote{n.ID, answer.Stamp(n.At), n.Text, answer.OrNull(n.CampaignID.UUID), n.Author}, err
}
