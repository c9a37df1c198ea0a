package flow

import (
	"sync/atomic"

	"github.com/google/uuid"
)

// Gate says whether something may be served now. Plans hold pointers to gates, so that pausing an offer or reaching
// a cap shows in every campaign at once and compiles nothing anew. The zero value is open; a nil gate is open too.
type Gate struct{ shut atomic.Uint32 }

const (
	bitPaused uint32 = 1 << iota
	bitCapped
)

// Open tells whether it may be served.
func (g *Gate) Open() bool { return g == nil || g.shut.Load() == 0 }

// SetPaused shuts or opens the gate for a record that is paused, deactivated or deleted.
func (g *Gate) SetPaused(v bool) { g.set(bitPaused, v) }

// SetCapped shuts or opens the gate for what has reached its daily cap.
func (g *Gate) SetCapped(v bool) { g.set(bitCapped, v) }

// Capped tells whether the daily cap is reached.
func (g *Gate) Capped() bool { return g != nil && g.shut.Load()&bitCapped != 0 }

func (g *Gate) set(bit uint32, v bool) {
	if v {
		g.shut.Or(bit)
	} else {
		g.shut.And(^bit)
	}
}

// Kind says what a destination is.
type Kind uint8

// The kinds of destination.
const (
	KindOffer Kind = iota
	KindLander
	KindURL
)

// Ref is an offer or a lander as all plans of an account share it: whether it is usable now, and the owner's record
// of it (its address, name and so on), which may be replaced at any time.
type Ref struct {
	Gate
	ID     uuid.UUID
	Kind   Kind
	record atomic.Pointer[any]
}

// NewRef makes an open reference.
func NewRef(id uuid.UUID, kind Kind, record any) *Ref {
	r := &Ref{ID: id, Kind: kind}
	r.SetRecord(record)
	return r
}

// Record gives what SetRecord stored last.
func (r *Ref) Record() any {
	if p := r.record.Load(); p != nil {
		return *p
	}
	return nil
}

// SetRecord replaces the owner's record. It is shared: never change a record that is set.
func (r *Ref) SetRecord(v any) { r.record.Store(&v) }
