package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
)

// Corrections accesses the CSV files that jobs process. A file has the id of its job.
type Corrections struct{ s *Store }

// Corrections returns access to the files.
func (s *Store) Corrections() Corrections { return Corrections{s} }

// Add stores the file of a job. A repeated call does nothing.
func (k Corrections) Add(ctx context.Context, account, job uuid.UUID, csv string) error {
	const q = `INSERT INTO corrections (id, account_id, csv) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`
	return k.s.run(ctx, "add correction", q, job, account, []byte(csv))
}

// Text returns the file of a job.
func (k Corrections) Text(ctx context.Context, account, job uuid.UUID) (string, error) {
	const q = `SELECT csv FROM corrections WHERE account_id = $1 AND id = $2`
	csv, err := db.Get[[]byte](ctx, k.s.c, "file", q, account, job)
	return string(csv), err
}

// AddPart stores the outcomes of consecutive rows as JSON. The parameter first is the number of the first of these rows.
func (k Corrections) AddPart(ctx context.Context, job uuid.UUID, first int, outcomes any) error {
	const q = `INSERT INTO correction_parts (correction_id, first_row, outcomes) VALUES ($1, $2, $3)`
	return k.s.run(ctx, "add part of correction", q, job, first, db.Document(outcomes))
}

// Parts returns everything that AddPart stored, in the order of the rows.
func (k Corrections) Parts(ctx context.Context, job uuid.UUID) ([][]byte, error) {
	const q = `SELECT outcomes FROM correction_parts WHERE correction_id = $1 ORDER BY first_row`
	return db.Select[[]byte](ctx, k.s.c, "parts of correction", q, job)
}

// Remove deletes the file of a job and its parts.
func (k Corrections) Remove(ctx context.Context, job uuid.UUID) error {
	return k.s.run(ctx, "remove correction", `DELETE FROM corrections WHERE id = $1`, job)
}

// NamedRecord is a record to which a customer may refer by id, name or alias.
type NamedRecord struct {
	ID    uuid.UUID `db:"id"`
	Name  string    `db:"name"`
	Alias string    `db:"alias"`
	Live  bool      `db:"live"`
	// SourceID is the source of a campaign.
	SourceID uuid.NullUUID `db:"source_id"`
}

// Deactivated sources are included, because they still have figures.
const sourceNames = `
SELECT id, name, '' AS alias, deactivated_at IS NULL AS live FROM traffic_sources WHERE account_id = $1`

const campaignNames = `
SELECT id, name, alias, true AS live, source_id FROM campaigns WHERE account_id = $1 AND deleted_at IS NULL`

// SourceNames lists the traffic sources of an account, including deactivated ones.
func (s *Store) SourceNames(ctx context.Context, account uuid.UUID) ([]NamedRecord, error) {
	return db.Select[NamedRecord](ctx, s.c, "names of sources", sourceNames, account)
}

// CampaignNames lists the campaigns of an account.
func (s *Store) CampaignNames(ctx context.Context, account uuid.UUID) ([]NamedRecord, error) {
	return db.Select[NamedRecord](ctx, s.c, "names of campaigns", campaignNames, account)
}
