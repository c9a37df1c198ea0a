package flow

import (
	"sync/atomic"

	"github.com/google/uuid"
)

// Kind is the kind of a destination.
type Kind uint8

// The kinds of destination.
const (
	KindOffer Kind = iota
	KindLander
	KindURL
)

// Ref is an offer or a lander that all plans of an account share. It says whether visitors may be sent to the offer or lander
// now, and holds a record with its address, name and so on. The caller chooses the type of the record. If an offer is paused or
// reaches its daily cap, this takes effect immediately in every campaign, and no campaign is compiled again. A Ref is safe for
// concurrent use.
type Ref struct {
	ID     uuid.UUID
	Kind   Kind
	shut   atomic.Uint32 // one bit for each reason why visitors may not be sent to the record
	record atomic.Pointer[any]
}

const (
	bitPaused uint32 = 1 << iota
	bitCapped
)

// NewRef returns a reference to a record to which visitors may be sent.
func NewRef(id uuid.UUID, kind Kind, record any) *Ref {
	r := &Ref{ID: id, Kind: kind}
	r.SetRecord(record)
	return r
}

// Open reports whether visitors may be sent to the record.
func (r *Ref) Open() bool { return r.shut.Load() == 0 }

// SetPaused marks the record as not available because it is paused, deactivated or deleted, or removes this mark.
func (r *Ref) SetPaused(v bool) { r.set(bitPaused, v) }

// SetCapped marks the record as having reached its daily cap, or removes this mark.
func (r *Ref) SetCapped(v bool) { r.set(bitCapped, v) }

// Capped reports whether the daily cap is reached.
func (r *Ref) Capped() bool { return r.shut.Load()&bitCapped != 0 }

func (r *Ref) set(bit uint32, v bool) {
	if v {
		r.shut.Or(bit)
	} else {
		r.shut.And(^bit)
	}
}

// Record returns the record that SetRecord stored last.
func (r *Ref) Record() any { return *r.record.Load() }

// SetRecord replaces the record. The record is shared, so it must not be changed after the call.
func (r *Ref) SetRecord(v any) { r.record.Store(&v) }
