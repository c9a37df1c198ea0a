package postback

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"switchyard/models"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	own := map[string][]string{"rejected": {"Lead", "x"}, "bogus": {"sale"}}
	for word, want := range map[string]string{
		"": "approved", "Sale": "approved", "1": "approved", "HOLD": "pending", "lead": "rejected", "X": "rejected",
		"trash": "rejected", "rfnd": "chargeback", "whatever": "pending",
	} {
		if got := Means(" "+word+" ", own).Status; got != want {
			t.Errorf("Means(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	net := Network{
		Params:   map[string]string{"click_id": "MyClick", "payout": "comm"},
		Statuses: map[string][]string{"pending": {"open"}},
	}
	m := Read(map[string]string{
		"myclick": "abc", "cid": "other", "comm": "{payout}", "amount": "7,50", "cur": "eur", "St": "Open",
		"txid": "T-1", "event": "dep\x00osit", "time": "1700000000", "sub3": "s", "sub_id_4": "f", "key": "k",
	}, net, "")
	want := Message{
		ClickID: "abc", Currency: "EUR", Status: models.StatusPending, OriginalStatus: "Open",
		ConversionID: "T-1", Goal: "deposit", Secret: "k", Time: time.Unix(1700000000, 0).UTC(), TimeUnit: time.Second,
		TimeText: "1700000000",
	}
	want.Subs[2], want.Subs[3] = "s", "f"
	payout := decimal.RequireFromString("7.5")
	want.Payout = &payout
	if m.Payout == nil || !m.Payout.Equal(payout) {
		t.Errorf("the payout is %v, want 7.5", m.Payout)
	}
	m.Payout, want.Payout = nil, nil
	if m != want {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
}

// TestSecretIsNoOtherField checks that a secret is not read as another field, if a network sends it in a parameter that usually
// carries that field (such as txid).
func TestSecretIsNoOtherField(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"goal", "St", "txid", "sub3", "cid", "currency"} {
		m := Read(map[string]string{name: "s3c", "clickid": "c"}, Network{Params: map[string]string{"secret": name}}, "")
		if want := (Message{ClickID: "c", Status: models.StatusApproved, Secret: "s3c"}); m != want {
			t.Errorf("a secret in the parameter %s is read as another field: %+v", name, m)
		}
	}
}

func TestReadNegativeAmountIsAReversal(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"": models.StatusChargeback, "approved": models.StatusChargeback, "pending": models.StatusChargeback,
		"declined": models.StatusRejected, "refund": models.StatusChargeback,
	} {
		m := Read(map[string]string{"clickid": "a", "payout": "-3", "status": word}, Network{}, "")
		if m.Status != want || !m.Reversal || m.Payout == nil || !m.Payout.Equal(decimal.NewFromInt(3)) {
			t.Errorf("with the word %q, the payout -3 is read as %+v, want a reversal of 3 with the status %s", word, m, want)
		}
	}
}

func TestAuthentic(t *testing.T) {
	t.Parallel()
	mac := hmac.New(sha256.New, []byte("s3cret"))
	mac.Write([]byte("a=1&b=2"))
	sum := hex.EncodeToString(mac.Sum(nil))
	for name, c := range map[string]struct {
		secret, given, signature string
		want                     bool
	}{
		"none needed": {"", "", "", true}, "given": {"s3cret", "s3cret", "", true}, "wrong": {"s3cret", "x", "", false},
		"nothing": {"s3cret", "", "", false}, "signed": {"s3cret", "", sum, true},
		"prefixed": {"s3cret", "", "sha256=" + strings.ToUpper(sum), true}, "forged": {"s3cret", "", sum[2:] + "00", false},
		"other secret": {"other", "", sum, false},
	} {
		if got := Authentic(c.secret, c.given, c.signature, "a=1&b=2"); got != c.want {
			t.Errorf("%s: Authentic returns %v, want %v", name, got, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("clickid", "abc", "payout", "1,5")
	f.Add("Status", "\xff\x00", "sub1", "{sub1}")
	f.Fuzz(func(t *testing.T, k1, v1, k2, v2 string) {
		m := Read(map[string]string{k1: v1, k2: v2}, Network{Params: map[string]string{"payout": k1, "goal": k2}}, "USD")
		if !models.ValidStatus(m.Status) {
			t.Fatalf("the status %q is not one of the four", m.Status)
		}
		for _, s := range append(m.Subs[:], m.ClickID, m.OriginalStatus, m.ConversionID, m.Goal, m.Secret) {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || len(s) > maxWord {
				t.Fatalf("a text of the message is not UTF-8, has a NUL or is too long: %q", s)
			}
		}
		if m.Payout != nil && (m.Payout.IsNegative() || m.Payout.GreaterThan(decimal.New(1, 9))) {
			t.Fatalf("the payout %v is negative or above 1,000,000,000", m.Payout)
		}
	})
}
