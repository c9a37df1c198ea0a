package copilot_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/copilot"
	"switchyard/models/flow"
)

var (
	campaign = uuid.NullUUID{UUID: uuid.MustParse("11111111-1111-4111-8111-111111111111"), Valid: true}
	offer    = uuid.NullUUID{UUID: uuid.MustParse("22222222-2222-4222-8222-222222222222"), Valid: true}
	spare    = "33333333-3333-4333-8333-333333333333"
	pathA    = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
	pathB    = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
)

func record() copilot.Record {
	a, b, d := flow.NewPath(), flow.NewPath(), flow.NewPath()
	a.ID, b.ID, d.ID, d.StreamType = pathA, pathB, uuid.NewString(), flow.Default
	a.Destinations = []flow.Destination{{ID: offer.UUID.String(), Weight: 60}, {ID: uuid.NewString(), Weight: 40}}
	cap10 := 10
	return copilot.Record{
		Campaign: &models.Campaign{Status: models.CampaignActive},
		Paths:    flow.Normalize([]flow.Path{a, b, d}),
		Offer:    &models.Offer{Pausable: models.Pausable{IsActive: true}, OfferFields: models.OfferFields{DailyCap: &cap10}},
		Network:  &models.Network{NetworkFields: models.NetworkFields{PostbackParams: map[string]string{"click_id": "cid"}}},
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func actions() []copilot.Action {
	cap20 := 20
	return []copilot.Action{
		{Op: copilot.OpPauseCampaign, CampaignID: campaign},
		{Op: copilot.OpPausePath, CampaignID: campaign, PathID: pathA},
		{Op: copilot.OpSetWeights, CampaignID: campaign, Weights: []copilot.Weight{{ID: pathA, Weight: 10}, {ID: pathB, Weight: 190.00051}}},
		{Op: copilot.OpSetDestinationWeights, CampaignID: campaign, PathID: pathA, Weights: []copilot.Weight{{ID: offer.UUID.String()}}},
		{Op: copilot.OpSwapDestination, CampaignID: campaign, PathID: pathA, From: offer.UUID.String(), To: spare},
		{Op: copilot.OpExclude, CampaignID: campaign, Attribute: "device_type", Values: []string{"mobile"}},
		{Op: copilot.OpPauseOffer, OfferID: offer},
		{Op: copilot.OpSetCap, OfferID: offer, Cap: &cap20},
		{Op: copilot.OpDeny, CampaignID: campaign, Attribute: "sub1", Values: []string{"p1", "p2"}, Worst: 1},
		{Op: copilot.OpMapPostback, NetworkID: uuid.NullUUID{UUID: uuid.New(), Valid: true}, Field: "click_id", Parameter: "aff_sub"},
	}
}

// TestUndoGivesBackWhatWas checks that each action changes its record, and that Undo restores the previous record from the stored
// parts. Apply must not modify its argument.
func TestUndoGivesBackWhatWas(t *testing.T) {
	t.Parallel()
	for _, a := range actions() {
		t.Run(a.Op, func(t *testing.T) {
			t.Parallel()
			r := record()
			before, judged := text(t, r), a.JudgedDigest(r)
			after, was, is, err := a.Apply(r)
			if err != nil {
				t.Fatal(err)
			}
			if text(t, r) != before {
				t.Error("Apply has modified the record it received")
			}
			if text(t, after) == before {
				t.Error("the record is the same after the action")
			}
			if a.Op != copilot.OpDeny && a.Op != copilot.OpSetDestinationWeights && a.JudgedDigest(after) == judged {
				t.Error("the digest is the same although the record has changed")
			}
			for i := range after.Entries {
				after.Entries[i].ID = uuid.New()
				is.Entries[len(is.Entries)-1-i] = after.Entries[i].ID // the order of the ids has no effect
			}
			var stored [2]copilot.Part
			if err := json.Unmarshal([]byte(text(t, [2]copilot.Part{was, is})), &stored); err != nil {
				t.Fatal(err)
			}
			undone, err := a.Undo(after, stored[0], stored[1])
			if err != nil {
				t.Fatal(err)
			}
			if got := text(t, undone); got != before {
				t.Errorf("the record after Undo is\n%s\nwant\n%s", got, before)
			}
		})
	}
}

// TestUndoRefusesAnotherRecord checks that Undo refuses a record whose changed part was changed again.
func TestUndoRefusesAnotherRecord(t *testing.T) {
	t.Parallel()
	for _, a := range actions() {
		t.Run(a.Op, func(t *testing.T) {
			t.Parallel()
			after, was, is, err := a.Apply(record())
			if err != nil {
				t.Fatal(err)
			}
			for i := range after.Entries {
				after.Entries[i].ID = uuid.New()
				is.Entries[i] = after.Entries[i].ID
			}
			c, o, n := *after.Campaign, *after.Offer, *after.Network
			c.Status, o.DailyCap, n.PostbackParams = "archived", nil, map[string]string{}
			p := append([]flow.Path{}, after.Paths...)
			p[0].Weight, p[0].Filters = 7, []models.Condition{{Attribute: "country", Operator: "equals", Value: "DE"}}
			p[0].Destinations = p[0].Destinations[:1]
			other := copilot.Record{Campaign: &c, Paths: p, Offer: &o, Network: &n}
			if _, err := a.Undo(other, was, is); err == nil {
				t.Error("Undo accepted a record that was changed again")
			}
		})
	}
}

// TestLimitsCountCharacters checks that limits count characters, not bytes.
func TestLimitsCountCharacters(t *testing.T) {
	t.Parallel()
	deny, mapping := actions()[8], actions()[9]
	for _, c := range []struct {
		value, parameter int
		valid            bool
	}{{500, 100, true}, {501, 101, false}} {
		deny.Values, mapping.Parameter = []string{strings.Repeat("ü", c.value)}, strings.Repeat("ü", c.parameter)
		for _, a := range []copilot.Action{deny, mapping} {
			if err := a.Validate(); (err == nil) != c.valid {
				t.Errorf("%s with a value of %d or a parameter of %d characters: error %v, want it valid: %v", a.Op, c.value, c.parameter, err, c.valid)
			}
		}
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	a := copilot.Action{
		Op: copilot.OpDeny, CampaignID: campaign, Attribute: "sub1", Values: []string{"p1", "p2", "p3"}, Worst: 2,
		Campaigns: []uuid.UUID{offer.UUID},
	}
	for _, c := range []struct {
		variant           string
		values, campaigns int
	}{{"", 3, 1}, {"all", 3, 1}, {"most", 2, 1}, {"network", 3, 2}} {
		b, err := a.Variant(c.variant)
		if err != nil {
			t.Fatal(err)
		}
		after, _, _, err := b.Apply(copilot.Record{})
		if err != nil || len(after.Entries) != c.campaigns || len(after.Entries[0].Value) != c.values {
			t.Errorf("the variant %q creates the entries %+v (error %v), want %d entries with %d values", c.variant, after.Entries, err, c.campaigns, c.values)
		}
	}
	if _, err := (copilot.Action{Op: copilot.OpPauseOffer}).Variant("network"); err == nil {
		t.Error("the action pause_offer has the variant network, want an error")
	}
}

// TestSwapSpare checks that a spare destination of the path, with the weight 0, changes places with a broken one. Apply refuses a
// destination that already serves visitors, or that belongs to another slot.
func TestSwapSpare(t *testing.T) {
	t.Parallel()
	r := record()
	r.Paths[0].Destinations = []flow.Destination{{ID: offer.UUID.String(), Weight: 60}, {ID: spare, Weight: 0}}
	a := copilot.Action{Op: copilot.OpSwapDestination, CampaignID: campaign, PathID: pathA, From: offer.UUID.String(), To: spare}
	after, was, is, err := a.Apply(r)
	if err != nil {
		t.Fatal(err)
	}
	if d := after.Paths[0].Destinations; len(d) != 2 || d[0].ID != spare || d[0].Weight != 60 || d[1].ID != offer.UUID.String() || d[1].Weight != 0 {
		t.Errorf("the destinations after the swap are %+v, want the spare with the weight 60 and the broken one with 0", d)
	}
	if undone, err := a.Undo(after, was, is); err != nil || text(t, undone) != text(t, r) {
		t.Errorf("the destinations after Undo are %+v (error %v), want the former ones", undone.Paths[0].Destinations, err)
	}
	r.Paths[0].Destinations[1].Weight = 1
	if _, _, _, err := a.Apply(r); err == nil {
		t.Error("a destination in rotation was swapped in")
	}
	r.Paths[0].Destinations[1] = flow.Destination{ID: spare, Weight: 0, Slot: 2}
	if _, _, _, err := a.Apply(r); err == nil {
		t.Error("a destination of another slot was swapped in")
	}
}
