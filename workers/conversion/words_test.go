package conversion_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	dbconversion "switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/await"
)

// recorded returns the conversions of a click as status, goal, id and payout, sorted.
func (b *env) recorded(click string) string {
	b.Helper()
	var lines []string
	for _, v := range b.conversions() {
		if models.FormatClickID(v.ClickID) == click {
			lines = append(lines, fmt.Sprintf("%s %s/%s %s", v.Status, v.Goal, v.ConversionID, v.Payout))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// TestStatusWords sends the messages of networks that bill subscriptions and take sales back.
func TestStatusWords(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	for name, c := range map[string]struct {
		messages string // each is status/txid/payout or status/txid/payout/goal; separated by spaces
		want     string
	}{
		"rebill":                        {"SALE/A/37 BILL/A-B002/17 rebill/A-B003/17", "approved /A 37; approved rebill/A-B002 17; approved rebill/A-B003 17"},
		"rebill with the sale's id":     {"sale/A/37 rebill/A/17", "approved /A 37; approved rebill/A 17"},
		"rebill without an id":          {"sale//37 rebill//17 upsell//7", "approved / 37; approved rebill/ 17; approved upsell/ 7"},
		"refund of a rebill":            {"sale/A/37 bill/B/17 rfnd/B/17", "approved /A 37; chargeback rebill/B 17"},
		"refund of the sale":            {"sale/A/37 rebill/A/17 refund/A/37", "approved rebill/A 17; chargeback /A 37"},
		"refund of a pending sale":      {"lead/A/37 refund/A/37", "rejected /A 37"},
		"negative pending sale":         {"lead/A/37 sale/A/-37", "rejected /A 37"},
		"chargeback of a rejected sale": {"cancel/A/37 cgbk/A/37", "rejected /A 37"},
		"refund sent twice":             {"sale/A/37 refund/A/-37 refund/A/-37", "chargeback /A 37"},
		"refund keeps the payout":       {"sale/A/37 refund/A/1", "chargeback /A 37"},
		"cancelled sale":                {"sale/A/37 Declined/A/37", "rejected /A 37"},
		"end of a subscription":         {"sale/A/37 CANCEL-REBILL/A/0", "approved /A 37"},
		"payment missed":                {"on_payment/A/37 on_payment_missed/A/37", "approved /A 37"},
		"test":                          {"test_sale/A/37", ""},
		"unknown word":                  {"strange/A/37", "pending /A 37"},
		"unknown word after the sale":   {"sale/A/37 strange/A/38", "approved /A 37"},
	} {
		click := b.storeClick()
		for message := range strings.FieldsSeq(c.messages) {
			parts := append(strings.Split(message, "/"), "") // without a goal, the goal is empty
			b.postback(models.Postback{Params: params{
				"clickid": click, "status": parts[0], "txid": parts[1], "payout": parts[2], "goal": parts[3],
			}})
		}
		if got := b.recorded(click); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
	if _, detail := b.postback(models.Postback{Params: params{"clickid": b.storeClick(), "status": "Cancel Rebill"}}); detail !=
		`the status "Cancel Rebill" reports no conversion: nothing was paid or taken back` {
		t.Error(detail)
	}
	count := func() int {
		return dbtest.Get[int](b, b.db, `SELECT coalesce(sum(count), 0) FROM network_words WHERE network_id = $1 AND word = 'strange'`, b.network)
	}
	await.Until(t, "the unknown word is counted", func() bool { return count() == 2 })
	// A replayed postback changes the conversion that it recorded, although its status word now stands for a goal.
	click := b.storeClick()
	id := b.send(models.Postback{Params: params{"clickid": click, "status": "open", "txid": "R", "payout": "5"}})
	b.decided(id)
	dbtest.Exec(b, b.db, `UPDATE postbacks SET params = params || '{"status": "rebill"}' WHERE id = $1`, id)
	if ok, err := dbconversion.ReplayPostback(t.Context(), b.db, b.account, id); !ok || err != nil {
		t.Fatal(ok, err)
	}
	b.decided(id)
	if got := b.recorded(click); got != "approved /R 5" {
		t.Errorf("after the replay the conversions are %s, want approved /R 5", got)
	}
}
