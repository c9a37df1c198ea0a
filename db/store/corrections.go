package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// Corrections are the CSV files that jobs work through, under the ids of the jobs.
type Corrections struct{ s *Store }

// Corrections gives the files on this store's connection.
func (s *Store) Corrections() Corrections { return Corrections{s} }

// Add stores the file of a job. Doing it again does nothing.
func (k Corrections) Add(ctx context.Context, account, job uuid.UUID, csv string) error {
	const q = `INSERT INTO corrections (id, account_id, csv) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`
	if _, err := k.s.c.ExecContext(ctx, q, job, account, []byte(csv)); err != nil {
		return fmt.Errorf("db: add correction: %w", err)
	}
	return nil
}

// Text reads the file of a job.
func (k Corrections) Text(ctx context.Context, account, job uuid.UUID) (string, error) {
	const q = `SELECT csv FROM corrections WHERE account_id = $1 AND id = $2`
	csv, err := get[[]byte](ctx, k.s, "file", q, account, job)
	return string(csv), err
}

// AddPart stores what became of the rows from the given one on, as JSON.
func (k Corrections) AddPart(ctx context.Context, job uuid.UUID, first int, outcomes any) error {
	raw, err := json.Marshal(outcomes)
	if err != nil {
		return fmt.Errorf("db: add part of correction: %w", err)
	}
	const q = `INSERT INTO correction_parts (correction_id, first_row, outcomes) VALUES ($1, $2, $3)`
	if _, err := k.s.c.ExecContext(ctx, q, job, first, raw); err != nil {
		return fmt.Errorf("db: add part of correction: %w", err)
	}
	return nil
}

// Parts reads what AddPart stored, in the order of the rows.
func (k Corrections) Parts(ctx context.Context, job uuid.UUID) ([][]byte, error) {
	var parts [][]byte
	const q = `SELECT outcomes FROM correction_parts WHERE correction_id = $1 ORDER BY first_row`
	if err := sqlx.SelectContext(ctx, k.s.c, &parts, q, job); err != nil {
		return nil, fmt.Errorf("db: parts of correction: %w", err)
	}
	return parts, nil
}

// Remove deletes the file of a job and its parts.
func (k Corrections) Remove(ctx context.Context, job uuid.UUID) error {
	if _, err := k.s.c.ExecContext(ctx, `DELETE FROM corrections WHERE id = $1`, job); err != nil {
		return fmt.Errorf("db: remove correction: %w", err)
	}
	return nil
}

// NamedRecord is a record that a customer may call by its id, its name or its alias.
type NamedRecord struct {
	ID    uuid.UUID `db:"id"`
	Name  string    `db:"name"`
	Alias string    `db:"alias"`
	Live  bool      `db:"live"`
}

// A source that was deactivated keeps its figures.
const sourceNames = `
SELECT id, name, '' AS alias, deactivated_at IS NULL AS live FROM traffic_sources WHERE account_id = $1`

const campaignNames = `
SELECT id, name, alias, true AS live FROM campaigns WHERE account_id = $1 AND deleted_at IS NULL`

// SourceNames lists the traffic sources of an account, deactivated ones too.
func (s *Store) SourceNames(ctx context.Context, account uuid.UUID) ([]NamedRecord, error) {
	return s.nameList(ctx, sourceNames, account)
}

// CampaignNames lists the campaigns of an account.
func (s *Store) CampaignNames(ctx context.Context, account uuid.UUID) ([]NamedRecord, error) {
	return s.nameList(ctx, campaignNames, account)
}

func (s *Store) nameList(ctx context.Context, query string, account uuid.UUID) ([]NamedRecord, error) {
	var list []NamedRecord
	if err := sqlx.SelectContext(ctx, s.c, &list, query, account); err != nil {
		return nil, fmt.Errorf("db: names of records: %w", err)
	}
	return list, nil
}
