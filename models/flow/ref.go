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

// Ref is an offer or a lander that all Plans of an account share. It says whether visitors may be sent there now, and holds a
// record, for example with the address and the name. The caller chooses the type of the record. A pause or a reached daily cap
// takes effect immediately in every campaign. A Ref is safe for concurrent use.
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

// NewRef returns an open reference to a record.
func NewRef(id uuid.UUID, kind Kind, record any) *Ref {
	r := &Ref{ID: id, Kind: kind}
	r.SetRecord(record)
	return r
}

// Open reports whether visitors may be sent to the record.
func (r *Ref) Open() bool { return r.shut.Load() == 0 }

// SetPaused says whether the record is paused, deactivated or deleted.
func (r *Ref) SetPaused(v bool) { r.set(bitPaused, v) }

// SetCapped says whether the record has reached its daily cap.
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

// SetRecord replaces the record. It is shared, so it must not be changed afterwards.
func (r *Ref) SetRecord(v any) { r.record.Store(&v) }
