package flow

import (
	"sync/atomic"

	"github.com/google/uuid"
)

// Kind says what a destination is.
type Kind uint8

// The kinds of destination.
const (
	KindOffer Kind = iota
	KindLander
	KindURL
)

// Ref is an offer or a lander that all plans of an account share. It knows whether the offer may be served now, and holds the
// owner's record of it (its address, name and so on). If the offer is paused or reaches its daily cap, every campaign sees it
// at once, without compiling again. Ref is safe for any number of goroutines.
type Ref struct {
	ID     uuid.UUID
	Kind   Kind
	shut   atomic.Uint32 // bits of why it may not be served
	record atomic.Pointer[any]
}

const (
	bitPaused uint32 = 1 << iota
	bitCapped
)

// NewRef makes an open reference.
func NewRef(id uuid.UUID, kind Kind, record any) *Ref {
	r := &Ref{ID: id, Kind: kind}
	r.SetRecord(record)
	return r
}

// Open reports whether it may be served.
func (r *Ref) Open() bool { return r.shut.Load() == 0 }

// SetPaused shuts or opens the reference to a record that is paused, deactivated or deleted.
func (r *Ref) SetPaused(v bool) { r.set(bitPaused, v) }

// SetCapped shuts or opens the reference to what has reached its daily cap.
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

// Record gives what SetRecord stored last.
func (r *Ref) Record() any { return *r.record.Load() }

// SetRecord replaces the owner's record. It is shared: never change a record that is set.
func (r *Ref) SetRecord(v any) { r.record.Store(&v) }
