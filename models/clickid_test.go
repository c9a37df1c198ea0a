package models

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

func TestClickIDRoundTripKeepsOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var a, b uuid.UUID
		copy(a[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "a"))
		copy(b[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "b"))
		sa, sb := FormatClickID(a), FormatClickID(b)
		if len(sa) != ClickIDLen {
			t.Fatalf("the click id %q has %d characters, want %d", sa, len(sa), ClickIDLen)
		}
		back, err := ParseClickID(sa)
		if err != nil || back != a {
			t.Fatalf("the id %v is written as %s, which is read as %v (error %v)", a, sa, back, err)
		}
		if (string(a[:]) < string(b[:])) != (sa < sb) {
			t.Fatalf("the texts %s and %s do not sort like the ids %v and %v", sa, sb, a, b)
		}
	})
}

func TestParseClickIDRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "abc", "zzzzzzzzzzzzzzzzzzzzzz", "000000000000000000000-", "0000000000000000000000x",
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	} {
		if id, err := ParseClickID(s); err == nil {
			t.Errorf("%q was read as the id %v, want an error", s, id)
		}
	}
}

func TestClickTimeAndFloor(t *testing.T) {
	t.Parallel()
	before := time.Now().Truncate(time.Millisecond)
	id := NewClickID()
	at := ClickTime(id)
	if after := time.Now().Add(time.Second); at.Before(before) || at.After(after) { // ids may run ahead of the clock
		t.Fatalf("an id made between %v and %v has the time %v", before, after, at)
	}
	lo, hi := FloorClickID(at), FloorClickID(at.Add(time.Millisecond))
	if string(id[:]) < string(lo[:]) || string(id[:]) >= string(hi[:]) {
		t.Fatalf("the id %v is outside the range [%v, %v) of its millisecond", id, lo, hi)
	}
}
