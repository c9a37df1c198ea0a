package networks

import "testing"

// TestNetReversals: a reversal is subtracted from its order, or stays in the list if it is read without the order.
func TestNetReversals(t *testing.T) {
	t.Parallel()
	sale := Order{ID: "1", orderKey: "w", recordID: "a", Payout: "10", Status: "approved"}
	reversal := Order{ID: "1", orderKey: "w", recordID: "b", Payout: "-2", Status: "rejected", isReversal: true}
	if got := netReversals([]Order{reversal, sale, reversal}); len(got) != 1 || got[0].Payout != "8" || got[0].Status != "approved" || got[0].Alone {
		t.Errorf("a reversal read with its order: %+v", got)
	}
	if got := netReversals([]Order{reversal}); len(got) != 1 || !got[0].Alone || got[0].Status != "rejected" {
		t.Errorf("a reversal read without its order: %+v", got)
	}
}
