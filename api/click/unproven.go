package click

import (
	"hash/maphash"
	"net/netip"
)

// A message that is signed as a whole proves its sender only once all of it is in memory. So that strangers who send such messages
// slowly cannot fill the memory, at most unprovenGroups*unprovenEach large bodies, 128 MB, are read at once. Each address
// has a part of these places, by its hash: it cannot take those of most others.
const (
	unprovenGroups = 32
	unprovenEach   = 4
	// smallBody is the largest body that needs no place. It must say how long it is.
	smallBody = 16 << 10
)

// unprovenBodies are the places of large bodies of unproven senders. Safe for concurrent use.
type unprovenBodies struct {
	seed   maphash.Seed
	groups [unprovenGroups]chan struct{}
}

func newUnprovenBodies() *unprovenBodies {
	u := &unprovenBodies{seed: maphash.MakeSeed()}
	for i := range u.groups {
		u.groups[i] = make(chan struct{}, unprovenEach)
	}
	return u
}

// enter takes a place for a body of so many bytes; -1: its length is not known. Call leave when the sender is proven, or refused.
// ok is false if there is no place now.
func (u *unprovenBodies) enter(from netip.Prefix, length int64) (leave func(), ok bool) {
	if length >= 0 && length <= smallBody {
		return func() {}, true
	}
	group := u.groups[maphash.Comparable(u.seed, from)%unprovenGroups]
	select {
	case group <- struct{}{}:
		return func() { <-group }, true
	default:
		return nil, false
	}
}
