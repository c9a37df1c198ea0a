package postback

import (
	"strings"
	"testing"

	"switchyard/models"
)

// TestMeans reads words as networks send them.
func TestMeans(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Meaning{
		"rebill BILL Bill re-bill Re_Bill subscr_completed":    {models.StatusApproved, "rebill", true},
		"upsell UPSELL up-sell Up_Sell":                        {models.StatusApproved, "upsell", true},
		"sale approved Completed SALE-RB payment on_payment 1": {models.StatusApproved, "", true},
		"cancel cancelled canceled decline declined denied deny failed fail voided void refused trash spam invalid 3": {
			models.StatusRejected, "", true,
		},
		"refund Refunded RFND rfnd_rb CGBK chargeback charge-back Charge_Back on_refund OnRefund insf": {models.StatusChargeback, "", true},
		"pending hold on_hold on-hold onhold lead wait new 2 5":                                        {models.StatusPending, "", true},
		"CANCEL-REBILL uncancel-rebill TEST_SALE payment_missed subscr_cancelled last_paid_day":        {"", "", true},
		"whatever refund.partial -1 {status} partially_refunded":                                       {models.StatusPending, "", false},
	} {
		for _, word := range strings.Fields(text) {
			if got := Means(" "+word+"\t", nil); got != want {
				t.Errorf("Means(%q) = %+v, want %+v", word, got, want)
			}
		}
	}
	if got := Means("Cancel Rebill", nil); got != (Meaning{Known: true}) {
		t.Errorf("Cancel Rebill means %+v, want a known word without a status", got)
	}
	own := map[string][]string{models.StatusRejected: {"Rebill"}, models.StatusApproved: {"cancel-rebill"}}
	for word, want := range map[string]string{"REBILL": models.StatusRejected, "cancel-rebill": models.StatusApproved} {
		if got := Means(word, own); got != (Meaning{want, "", true}) {
			t.Errorf("the network's own %q means %+v, want %s without a goal", word, got, want)
		}
	}
}

// TestWordsAreOne checks the table: each word has one row, lookups find it, and its status is valid or empty.
func TestWordsAreOne(t *testing.T) {
	t.Parallel()
	if len(wordOf) != len(Words()) {
		t.Errorf("the index has %d words and the table has %d rows, want as many words as rows", len(wordOf), len(Words()))
	}
	for _, w := range Words() {
		if wordOf[withoutSeparators(FoldWord(w.Text))] != w || w.Text == "" || w.Status != "" && !models.ValidStatus(w.Status) {
			t.Errorf("the row %+v is never found or has an invalid status", w)
		}
		if m, ok := KnownWord(w.Text); ok != (w.Status != "") || ok && m.Goal != w.Goal {
			t.Errorf("KnownWord(%s) returns %+v, %v, want what its row says", w.Text, m, ok)
		}
	}
	if _, ok := KnownWord(" "); ok {
		t.Error("a blank text is a known word")
	}
}

// TestReadWords checks the status, the goal and the flags that follow from a status word, a goal and the sign of the payout.
func TestReadWords(t *testing.T) {
	t.Parallel()
	type result struct {
		status, goal                                  string
		wordGoal, reversal, unknownWord, noConversion bool
	}
	for _, c := range []struct {
		word, goal, payout string
		want               result
	}{
		{"bill", "", "5", result{models.StatusApproved, "rebill", true, false, false, false}},
		{"bill", "month", "5", result{models.StatusApproved, "month", false, false, false, false}},
		{"refund", "", "5", result{models.StatusChargeback, "", false, true, false, false}},
		{"refund", "", "-5", result{models.StatusChargeback, "", false, true, false, false}},
		{"sale", "", "-5", result{models.StatusChargeback, "", false, true, false, false}},
		{"cancel", "", "5", result{models.StatusRejected, "", false, false, false, false}},
		{"cancel", "", "-5", result{models.StatusRejected, "", false, true, false, false}},
		{"strange", "", "5", result{models.StatusPending, "", false, false, true, false}},
		{"test", "", "5", result{"", "", false, false, false, true}},
		{"", "", "5", result{models.StatusApproved, "", false, false, false, false}},
	} {
		m := Read(map[string]string{"status": c.word, "goal": c.goal, "payout": c.payout}, Network{}, "")
		got := result{m.Status, m.Goal, m.WordGoal, m.Reversal, m.UnknownWord, m.NoConversion}
		if got != c.want || m.Payout.String() != "5" {
			t.Errorf("%+v: got %+v and the payout %s, want the payout 5", c, got, m.Payout)
		}
	}
}

// TestAnswer checks which text an accepted postback is answered with.
func TestAnswer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxAnswer)
	for text, want := range map[string]string{
		"OK": "OK", " ok ": "ok", `{"status": "success"}`: `{"status": "success"}`, "a=1&b=2": "a=1&b=2", long: long,
		"": "net", "  ": "net", "<b>": "net", "a\x00": "net", "a\nb": "net", "köln": "net", long + "x": "net",
	} {
		if got := Answer(map[string]string{"return": text}, Network{AnswerText: "net"}); got != want {
			t.Errorf("the answer to return=%.20q is %.20q, want %.20q", text, got, want)
		}
	}
	own := Network{Params: map[string]string{"goal": "Return"}}
	if got := Answer(map[string]string{"return": "lead"}, own); got != "" {
		t.Errorf("the network sends its goal in the parameter return, but the goal became the answer: %q", got)
	}
}
