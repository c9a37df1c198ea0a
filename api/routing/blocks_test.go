package routing

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/clickattr"
	"switchyard/models/cond"
)

// blockedPlaces returns a snapshot and its campaign, in which n placements and the network 3320 are blocked. A third block list has
// an unknown dimension and is ignored.
func blockedPlaces(n int) (*Snapshot, *Campaign) {
	c := &store.RoutingCampaign{ID: uuid.New(), AccountID: uuid.New(), Status: models.CampaignActive}
	places := &store.RoutingBlockList{ID: uuid.New(), AccountID: c.AccountID, Scope: models.BlockCampaign, ScopeID: c.ID, Dimension: "sub1"}
	for i := range n {
		places.Values = append(places.Values, fmt.Sprint("place-", i))
	}
	s := Compile(&store.Routing{Rows: []store.RoutingRow{
		c, places,
		&store.RoutingBlockList{
			ID: uuid.New(), AccountID: c.AccountID, Scope: models.BlockAccount, ScopeID: c.AccountID, Dimension: "asn",
			Values: []string{"3320"},
		},
		&store.RoutingBlockList{
			ID: uuid.New(), AccountID: c.AccountID, Scope: models.BlockAccount, ScopeID: c.AccountID, Dimension: "colour",
			Values: []string{"red"},
		},
	}})
	return s, s.Campaign(c.ID)
}

// visitorOf returns the facts of a visitor from a placement and a network.
func visitorOf(place string, asn models.ASN) *cond.Facts {
	f := &cond.Facts{}
	click := models.Click{Visitor: models.Visitor{ASN: asn}}
	click.Subs[0] = place
	f.SetClick(&click)
	return f
}

func TestFindBlock(t *testing.T) {
	t.Parallel()
	s, c := blockedPlaces(1000)
	path := filepath.Join(t.TempDir(), "copy")
	if err := WriteDiskCache(path, s); err != nil {
		t.Fatal(err)
	}
	r, err := ReadDiskCache(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := Compile(r)
	for _, tt := range []struct {
		place string
		asn   models.ASN
		want  string
	}{
		{"place-0", 0, "sub1"},
		{"place-999", 0, "sub1"},
		{"place-1000", 0, ""},
		{"Place-1", 0, ""},
		{"", 0, ""},
		{"x", 3320, "asn"},
		{"x", 332, ""},
		{"3320", 0, ""},
	} {
		for what, s := range map[string]*Snapshot{"snapshot": s, "copy on disk": copied} {
			got := ""
			if l := s.findBlock(s.Campaign(c.Row.ID), uuid.Nil, visitorOf(tt.place, tt.asn)); l != nil {
				got = l.Row.Dimension
			}
			if got != tt.want {
				t.Errorf("%s: %q of network %d is blocked by %q, want %q", what, tt.place, tt.asn, got, tt.want)
			}
		}
	}
}

func TestLookingUpABlockedValueAllocatesNothing(t *testing.T) {
	s, c := blockedPlaces(1000)
	if f := visitorOf("place-7", 3320); testing.AllocsPerRun(100, func() { s.findBlock(c, uuid.Nil, f) }) != 0 {
		t.Error("looking up a blocked value allocates")
	}
	if f := visitorOf("other", 1); testing.AllocsPerRun(100, func() { s.findBlock(c, uuid.Nil, f) }) != 0 {
		t.Error("looking up a value that is not blocked allocates")
	}
}

// BenchmarkFindBlock measures the look-up of a visitor who is not blocked.
func BenchmarkFindBlock(b *testing.B) {
	for _, n := range []int{0, models.MaxBlocked} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, c := blockedPlaces(n)
			source, f := uuid.New(), visitorOf("place-x", 0)
			b.ReportAllocs()
			for b.Loop() {
				if s.findBlock(c, source, f) != nil {
					b.Fatal("a visitor without a blocked value is blocked")
				}
			}
		})
	}
}

// TestEveryBlockableDimensionIsAFact checks that each dimension whose values can be blocked is an attribute that conditions can
// use.
func TestEveryBlockableDimensionIsAFact(t *testing.T) {
	t.Parallel()
	n := 0
	for i := range clickattr.All {
		if a := &clickattr.All[i]; a.IsBlockable() {
			cond.Named(a.Name) // panics for an unknown name
			n++
		}
	}
	if n < 20 {
		t.Errorf("only %d dimensions can be blocked", n)
	}
}
