package models

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Owned holds the ids that every record of an account has.
type Owned struct {
	ID        uuid.UUID `db:"id" json:"id"`
	AccountID uuid.UUID `db:"account_id" json:"-"`
}

// SetOwner sets the account that owns the record, and the record's id. A new record has the zero id.
func (o *Owned) SetOwner(account, id uuid.UUID) { o.AccountID, o.ID = account, id }

// Owner returns the id of the account.
func (o Owned) Owner() uuid.UUID { return o.AccountID }

// RecordID returns the id of the record.
func (o Owned) RecordID() uuid.UUID { return o.ID }

// Dated holds the times of a record.
type Dated struct {
	CreatedAt Stamp `db:"created_at,auto" json:"created_at"`
	UpdatedAt Stamp `db:"updated_at,auto" json:"updated_at"`
}

// Version returns the text of UpdatedAt, which differs after each change.
func (d Dated) Version() string { return d.UpdatedAt.Text() }

// User is a record that uses another record.
type User struct {
	Kind   string    `db:"kind" json:"kind" enum:"campaign,flow,offer,smartlink"`
	ID     uuid.UUID `db:"id" json:"id"`
	Name   string    `db:"name" json:"name"`
	Status string    `db:"status" json:"status" enum:"active,paused,archived"`
}

// Pausable holds the state of a record that can be paused.
type Pausable struct {
	IsActive Active `db:"is_active,auto" json:"status" enum:"active,paused"`
	Dated
}

// Active reports whether a record is active. Its JSON form is a status: active or paused.
type Active bool

// MarshalJSON implements json.Marshaler.
func (a Active) MarshalJSON() ([]byte, error) { return []byte(`"` + StatusOf(bool(a)) + `"`), nil }

// StatusOf returns the status of a pausable record in the form that answers show: active or paused.
func StatusOf(isActive bool) string {
	if isActive {
		return "active"
	}
	return "paused"
}

// Stamp is a time that answers show in the layout of EventTimeFormat.
type Stamp struct{ time.Time }

// Text returns the time as answers show it.
func (t Stamp) Text() string { return t.UTC().Format(EventTimeFormat) }

// MarshalJSON implements json.Marshaler.
func (t Stamp) MarshalJSON() ([]byte, error) { return []byte(`"` + t.Text() + `"`), nil }

// Scan implements sql.Scanner.
func (t *Stamp) Scan(src any) error {
	at, ok := src.(time.Time)
	if !ok {
		return fmt.Errorf("models: a column with a time was read as %T, not as time.Time", src)
	}
	t.Time = at
	return nil
}

func find[T any](list []T, matches func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, matches); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Tags are the tags of a record. They are trimmed, no tag is blank, and each tag occurs once.
type Tags []string
