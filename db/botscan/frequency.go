package botscan

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

// frequency remembers for each key the moments at which it was counted, and finds keys with more than bound moments within
// window. It remembers at most 2*bound moments of a key and 2*room keys.
type frequency struct {
	bound      int
	window     time.Duration
	room       int                // 0: no limit; it then remembers all keys of two windows
	young, old map[uint64][]int64 // moments by key, ascending, in microseconds; rotate makes young keys old
	since      int64              // when the first young key was added, in microseconds
}

func newFrequency(bound int, window time.Duration, room int) *frequency {
	return &frequency{bound: bound, window: window, room: room, young: map[uint64][]int64{}}
}

// count adds a moment of a key. It reports whether the key has more than bound moments in the window that ends with this moment.
// If moments are added out of order, it may wrongly return false, but never wrongly true.
func (f *frequency) count(key uint64, at time.Time) bool {
	const addBeyondBound = true
	return f.add(key, at.UnixMicro(), addBeyondBound)
}

// countToBound does the same as count, but does not add a moment once the bound is reached.
func (f *frequency) countToBound(key uint64, at time.Time) bool {
	return f.add(key, at.UnixMicro(), false)
}

// countYoung returns the number of moments of a young key.
func (f *frequency) countYoung(key uint64) int { return len(f.young[key]) }

func (f *frequency) add(key uint64, now int64, addBeyondBound bool) bool {
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
	if !over || addBeyondBound {
		if len(list) == 2*f.bound {
			list = slices.Delete(list, 0, f.bound)
			i = max(i-f.bound, 0)
		}
		list = slices.Insert(list, i, now)
	}
	f.young[key] = list
	return over
}

// rotate makes the young keys old and forgets the old ones, after a whole window or when the number of young keys reaches f.room.
func (f *frequency) rotate(now int64) {
	if len(f.young) == 0 {
		f.since = now
	}
	if now-f.since >= f.window.Microseconds() || f.room > 0 && len(f.young) >= f.room {
		f.young, f.old, f.since = map[uint64][]int64{}, f.young, now
	}
}

// sender is the origin of clicks: an address, or the address key of the day if the address is not stored in full.
type sender struct {
	address netip.Addr
	key     uint64
}

// senderOf returns the sender of a click. It returns false for a click without an address.
func senderOf(c *models.Click) (sender, bool) {
	if c.AddressKey != 0 {
		return sender{key: c.AddressKey}, true
	}
	return sender{address: c.IP.Unmap().WithZone("")}, c.IP.IsValid()
}

// source returns the source to which the sender belongs: the sender itself, or the /64 network of an IPv6 address.
func (s sender) source() sender {
	if s.address.Is6() {
		s.address = netip.PrefixFrom(s.address, 64).Masked().Addr()
	}
	return s
}

// noCampaign stands for all campaigns of an account in a key.
var noCampaign = uuid.Max

// keyOfSource returns the key of a source in an account and a campaign. It is the same in all processes.
func keyOfSource(account, campaign uuid.UUID, s sender) uint64 {
	text := make([]byte, 0, 64)
	text = append(append(text, account[:]...), campaign[:]...)
	text = binary.BigEndian.AppendUint64(append(text, s.address.AsSlice()...), s.key)
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:])
}

var keySeed = maphash.MakeSeed()

func keyOfVisitor(c *models.Click, s sender) uint64 {
	return maphash.Comparable(keySeed, struct {
		account, campaign uuid.UUID
		sender
		agent string
	}{c.AccountID, c.CampaignID, s, c.UserAgent})
}
