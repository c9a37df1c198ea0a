package click

import (
	"hash/maphash"
	"net/netip"
)

// A message that is signed as a whole proves its sender only when all of it is in memory. Strangers who send such messages
// slowly must not fill the memory, so at most unprovenGroups*unprovenEach large bodies, of up to 1 MiB each, are read at the
// same time. Each of them takes a place, and the places are divided into groups. The hash of an address chooses its group, so one
// address cannot take the places of most others.
const (
	unprovenGroups = 32
	unprovenEach   = 4
	// smallBody is the largest body that needs no place. Its Content-Length must be known.
	smallBody = 16 << 10
)

// unprovenBodies limits how many large bodies of unproven senders are in memory at the same time. Safe for concurrent use.
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

// acquire takes a place for a body of the given length in bytes. The caller calls the returned function when the sender is proven or
// refused.
func (u *unprovenBodies) acquire(from netip.Prefix, length int64) (release func(), ok bool) {
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
