package clicklog

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// frequency remembers when keys came last. It finds keys that come more often than bound within window. Its memory has a
// limit: at most 2*bound moments of a key, and at most 2*room keys. It forgets keys that did not come for the longest time.
type frequency struct {
	bound      int
	window     time.Duration
	room       int // 0: as many keys as come within two windows
	young, old map[uint64][]int64
	since      int64 // when the young keys began
}

func newFrequency(bound int, window time.Duration, room int) *frequency {
	return &frequency{bound: bound, window: window, room: room, young: map[uint64][]int64{}}
}

// count adds a moment of a key. It reports whether more than bound moments, this one among them, lie in the window that ends
// with it. A moment that comes out of order counts only those before it, so the answer is never too often true.
func (f *frequency) count(key uint64, at time.Time) bool { return f.add(key, at.UnixMicro(), true) }

// full is count for a key whose moments are counted only until the bound is reached.
func (f *frequency) full(key uint64, at time.Time) bool { return f.add(key, at.UnixMicro(), false) }

// has is how many moments of a key are remembered.
func (f *frequency) has(key uint64) int { return len(f.young[key]) }

func (f *frequency) add(key uint64, now int64, beyond bool) bool {
	f.rotate(now)
	list, ok := f.young[key]
	if !ok {
		list = f.old[key]
		delete(f.old, key)
	}
	i := len(list)
	for i > 0 && list[i-1] > now {
		i--
	}
	over := i >= f.bound && list[i-f.bound] >= now-f.window.Microseconds()
	if !over || beyond {
		if len(list) == 2*f.bound {
			list = slices.Delete(list, 0, f.bound)
			i = max(i-f.bound, 0)
		}
		list = slices.Insert(list, i, now)
	}
	f.young[key] = list
	return over
}

// rotate forgets the keys that did not come since the young ones began, once these have had a window, or the room is full.
func (f *frequency) rotate(now int64) {
	if len(f.young) == 0 {
		f.since = now
	}
	if now-f.since >= f.window.Microseconds() || f.room > 0 && len(f.young) >= f.room {
		f.young, f.old, f.since = map[uint64][]int64{}, f.young, now
	}
}

// sender is where clicks come from: an address, or where it is not stored whole, its key of the day.
type sender struct {
	address netip.Addr
	key     uint64
}

// senderOf is false for a click without an address.
func senderOf(c *models.Click) (sender, bool) {
	if c.AddressKey != 0 {
		return sender{key: c.AddressKey}, true
	}
	return sender{address: c.IP.Unmap().WithZone("")}, c.IP.IsValid()
}

// source is the sender, or the network of IPv6 that it belongs to.
func (s sender) source() sender {
	if s.address.Is6() {
		s.address = netip.PrefixFrom(s.address, 64).Masked().Addr()
	}
	return s
}

// noCampaign stands in a key for all campaigns of the account. No campaign has this id.
var noCampaign = uuid.Max

// keyOfSource is the same in all processes.
func keyOfSource(account, campaign uuid.UUID, s sender) uint64 {
	text := make([]byte, 0, 64)
	text = append(append(text, account[:]...), campaign[:]...)
	text = binary.BigEndian.AppendUint64(append(text, s.address.AsSlice()...), s.key)
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:])
}

// The key of a visitor has a seed of the process.
var keySeed = maphash.MakeSeed()

func keyOfVisitor(c *models.Click, s sender) uint64 {
	return maphash.Comparable(keySeed, struct {
		account, campaign uuid.UUID
		sender
		agent string
	}{c.AccountID, c.CampaignID, s, c.UserAgent})
}
