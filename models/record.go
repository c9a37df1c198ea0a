package models

import (
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Owned is the head of every record of an account.
type Owned struct {
	ID        uuid.UUID `db:"id" json:"id"`
	AccountID uuid.UUID `db:"account_id" json:"-"`
}

// Own sets whose record it is, and which one. The zero id is a new record's.
func (o *Owned) Own(account, id uuid.UUID) { o.AccountID, o.ID = account, id }

// RecordID gives the id of the record.
func (o Owned) RecordID() uuid.UUID { return o.ID }

// Dated has the times of a record. The database sets them.
type Dated struct {
	CreatedAt Stamp `db:"created_at,auto" json:"created_at"`
	UpdatedAt Stamp `db:"updated_at,auto" json:"updated_at"`
}

// User is what uses a record: a campaign or a saved flow whose flow names it, a campaign or smartlink of a source, or an
// offer of a network.
type User struct {
	Kind   string    `db:"kind" json:"kind" enum:"campaign,flow,offer,smartlink"`
	ID     uuid.UUID `db:"id" json:"id"`
	Name   string    `db:"name" json:"name"`
	Status string    `db:"status" json:"status" enum:"active,paused,archived"`
}

// Pausable is the state of a record that can be paused.
type Pausable struct {
	IsActive Active `db:"is_active,auto" json:"status" enum:"active,paused"`
	Dated
}

// Active is whether a record is active. Its JSON form is a status: active or paused.
type Active bool

// MarshalJSON implements json.Marshaler.
func (a Active) MarshalJSON() ([]byte, error) { return []byte(`"` + StatusOf(bool(a)) + `"`), nil }

// StatusOf is the status of a pausable record, as answers show it: active or paused.
func StatusOf(isActive bool) string {
	if isActive {
		return "active"
	}
	return "paused"
}

// Stamp is a time that answers show in the layout of EventTimeFormat.
type Stamp struct{ time.Time }

// MarshalJSON implements json.Marshaler.
func (t Stamp) MarshalJSON() ([]byte, error) {
	return []byte(t.UTC().Format(`"` + EventTimeFormat + `"`)), nil
}

// Scan implements sql.Scanner.
func (t *Stamp) Scan(src any) error {
	at, ok := src.(time.Time)
	if !ok {
		return fmt.Errorf("models: a time comes as %T", src)
	}
	t.Time = at
	return nil
}

// Tags are the tags of a record: trimmed, each once, none of them blank.
type Tags []string
