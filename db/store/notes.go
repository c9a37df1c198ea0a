package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Notes accesses the notes about points in time on charts.
type Notes struct{ s *Store }

// Notes returns access to the notes.
func (s *Store) Notes() Notes { return Notes{s} }

const noteColumns = `n.id, n.user_id, n.author, n.at, n.text, n.campaign_id, coalesce(c.name, '') AS campaign, n.updated_at`

const noteCampaign = ` LEFT JOIN campaigns c ON c.account_id = n.account_id AND c.id = n.campaign_id`

// List lists the notes in [from, to), newest first. If a campaign is given, notes about other campaigns are left out.
func (n Notes) List(ctx context.Context, account uuid.UUID, from, to time.Time, campaign uuid.NullUUID, limit int) ([]models.Note, error) {
	return db.Select[models.Note](ctx, n.s.c, "notes", `SELECT `+noteColumns+` FROM notes n`+noteCampaign+`
		WHERE n.account_id = $1 AND n.at >= $2 AND n.at < $3 AND ($4::uuid IS NULL OR n.campaign_id IS NULL OR n.campaign_id = $4)
		ORDER BY n.at DESC, n.id DESC LIMIT $5`, account, from, to, campaign, limit)
}

// Find returns a note.
func (n Notes) Find(ctx context.Context, account, id uuid.UUID) (models.Note, error) {
	return db.Get[models.Note](ctx, n.s.c, "note", `SELECT `+noteColumns+` FROM notes n`+noteCampaign+`
		WHERE n.account_id = $1 AND n.id = $2`, account, id)
}

func (n Notes) checkCampaign(ctx context.Context, account uuid.UUID, id uuid.NullUUID) error {
	if !id.Valid {
		return nil
	}
	found, err := campaignTable.orNone(ctx, n.s, account, id)
	if err == nil && !found.Valid {
		err = models.Invalid("invalid_campaign", "there is no such campaign")
	}
	return err
}

// Create saves a new note. The parameter key is the id of the API key that wrote the note, or zero. The name of that key
// becomes the author. Errors: invalid_campaign, and too_many if the account already has the maximum number of notes.
func (n Notes) Create(ctx context.Context, account, key uuid.UUID, note models.Note) (models.Note, error) {
	return LockedTxOf(ctx, n.s, account, func(s *Store) (models.Note, error) {
		have, err := db.Get[int](ctx, s.c, "notes", `SELECT count(*) FROM notes WHERE account_id = $1`, account)
		if err == nil && have >= models.MaxNotes {
			err = models.Invalid("too_many", "there are %d notes already: delete some", have)
		}
		if err == nil {
			err = s.Notes().checkCampaign(ctx, account, note.CampaignID)
		}
		if err != nil {
			return note, err
		}
		note.ID = uuid.Must(uuid.NewV7())
		q := `INSERT INTO notes (account_id, id, user_id, author, at, text, campaign_id)
			VALUES ($1, $2, $3, coalesce(` + keyName("$8") + `, $4), $5, $6, $7)`
		if err := s.run(ctx, "note", q, account, note.ID, note.UserID, note.Author, note.At, note.Text, note.CampaignID, key); err != nil {
			return note, err
		}
		return s.Notes().Find(ctx, account, note.ID)
	})
}

// Change saves the time, the text and the campaign of a note. Errors: not_found, invalid_campaign.
func (n Notes) Change(ctx context.Context, account uuid.UUID, note models.Note) (models.Note, error) {
	return TxOf(ctx, n.s, func(s *Store) (models.Note, error) {
		if err := s.Notes().checkCampaign(ctx, account, note.CampaignID); err != nil {
			return note, err
		}
		const q = `UPDATE notes SET at = $3, text = $4, campaign_id = $5, updated_at = clock_timestamp() WHERE account_id = $1 AND id = $2`
		if err := s.execOne(ctx, "note", q, account, note.ID, note.At, note.Text, note.CampaignID); err != nil {
			return note, err
		}
		return s.Notes().Find(ctx, account, note.ID)
	})
}

// Delete deletes a note.
func (n Notes) Delete(ctx context.Context, account, id uuid.UUID) error {
	return n.s.execOne(ctx, "note", `DELETE FROM notes WHERE account_id = $1 AND id = $2`, account, id)
}
