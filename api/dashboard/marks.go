package dashboard

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
)

// maxMarks is the maximum number of changes, and also of notes, in a plot. The latest in the window are shown.
const maxMarks = 300

// marks returns the routes for the marks of plots: changes of the account, and notes of people.
func marks() []route.Route {
	write := func(r route.Route) route.Route { r.Role = models.RoleContributor; return r }
	return []route.Route{
		personRoute("GET", "/marks", "changes that may have affected figures, and notes, in a window", route.Handle(listMarks), "400 invalid_id").
			WithWindow().WithQuery(route.Param{Name: "campaign", Type: "uuid", Doc: "only changes and notes that name this campaign, and notes about all campaigns"}),
		write(personRoute("POST", "/notes", "write a note", route.HandleBody(createNote),
			"400 required too_long too_many invalid_date invalid_campaign")),
		write(personRoute("PUT", "/notes/{id}", "change a note; only its author and owners may", route.HandleRecordBody((*store.Store).Notes, changeNote),
			"400 invalid_id required too_long invalid_date invalid_campaign", "403 not_author", "404 not_found")),
		write(personRoute("DELETE", "/notes/{id}", "delete a note; only its author and owners may",
			route.HandleRecord((*store.Store).Notes, deleteNote), "400 invalid_id", "403 not_author", "404 not_found")),
	}
}

// MarkList is the list of changes and notes in a plot's window.
type MarkList struct {
	Changes   []answer.RecordedChange `json:"changes" doc:"newest first"`
	Notes     []NoteRow               `json:"notes" doc:"newest first"`
	Truncated bool                    `json:"truncated" doc:"true: the window has more changes or notes than the answer contains"`
}

// NoteRow is a note that a person has written about a moment.
type NoteRow struct {
	ID         uuid.UUID  `json:"id"`
	At         string     `json:"at"`
	Text       string     `json:"text"`
	CampaignID *uuid.UUID `json:"campaign_id" doc:"the campaign that the note is about; null: all campaigns"`
	Campaign   *string    `json:"campaign"`
	Author     string     `json:"author"`
	MayChange  bool       `json:"may_change"`
}

func noteRow(c *route.Call, n models.Note) NoteRow {
	return NoteRow{
		n.ID, answer.Stamp(n.At), n.Text, answer.OrNull(n.CampaignID.UUID), answer.OrNull(n.Campaign), n.Author,
		c.MayWrite() && mayEdit(c, n.UserID),
	}
}

func listMarks(c *route.Call) (MarkList, error) {
	id, err := bind.QueryID(c.Query, "campaign", "invalid_id")
	if err != nil {
		return MarkList{}, err
	}
	campaign := uuid.NullUUID{UUID: id, Valid: id != uuid.Nil}
	changes, next, err := c.Store.Changes(c.Context(), c.Account.ID, c.Window.From, c.Window.End(), campaign, store.Page{Limit: maxMarks})
	if err != nil {
		return MarkList{}, err
	}
	notes, err := c.Store.Notes().List(c.Context(), c.Account.ID, c.Window.From, c.Window.End(), campaign, maxMarks+1)
	shown := notes[:min(len(notes), maxMarks)]
	return MarkList{
		answer.Each(changes, answer.ChangeOf), answer.Each(shown, func(n models.Note) NoteRow { return noteRow(c, n) }),
		next != "" || len(notes) > maxMarks,
	}, err
}

type noteBody struct {
	At         string     `json:"at" required:"true" maxLength:"40" doc:"YYYY-MM-DD HH:MM:SS, UTC"`
	Text       string     `json:"text" required:"true" maxLength:"500" trim:"true"`
	CampaignID *uuid.UUID `json:"campaign_id" doc:"the campaign that the note is about; null: all campaigns"`
}

func (b noteBody) put(n *models.Note) error {
	at, err := models.ParseNoteTime(b.At)
	if err != nil {
		return err
	}
	n.At, n.Text = at, b.Text
	n.CampaignID = uuid.NullUUID{UUID: answer.ValueOrZero(b.CampaignID), Valid: b.CampaignID != nil}
	return nil
}

func createNote(c *route.Call, b noteBody) (NoteRow, error) {
	note := models.Note{UserID: uuid.NullUUID{UUID: c.Person.ID, Valid: true}, Author: c.Person.Name}
	if err := b.put(&note); err != nil {
		return NoteRow{}, err
	}
	saved, err := c.Store.Notes().Create(c.Context(), c.Account.ID, uuid.Nil, note)
	return noteRow(c, saved), err
}

func changeNote(c *route.Call, note models.Note, b noteBody) (NoteRow, error) {
	if !mayEdit(c, note.UserID) {
		return NoteRow{}, errAuthor
	}
	if err := b.put(&note); err != nil {
		return NoteRow{}, err
	}
	saved, err := c.Store.Notes().Change(c.Context(), c.Account.ID, note)
	return noteRow(c, saved), err
}

func deleteNote(c *route.Call, note models.Note) (answer.DeletedAnswer, error) {
	if !mayEdit(c, note.UserID) {
		return answer.DeletedAnswer{}, errAuthor
	}
	return answer.Deleted(c.ID), c.Store.Notes().Delete(c.Context(), c.Account.ID, c.ID)
}
