package notification_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"

	"switchyard/models/notification"
)

func sealClickBank(body string) notification.Request {
	plain := request(body).Body
	pad := aes.BlockSize - len(plain)%aes.BlockSize
	plain = append(plain, strings.Repeat(string(rune(pad)), pad)...)
	key := sha1.Sum([]byte(secret))
	block, err := aes.NewCipher([]byte(hex.EncodeToString(key[:])[:32]))
	if err != nil {
		panic(err)
	}
	iv := []byte("0123456789abcdef")
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(plain, plain)
	sealed, _ := json.Marshal(map[string]string{
		"notification": base64.StdEncoding.EncodeToString(plain), "iv": base64.StdEncoding.EncodeToString(iv),
	})
	r := request("", "content-type", "application/json")
	r.Body = sealed
	return r
}

func TestClickBank(t *testing.T) {
	t.Parallel()
	order := func(kind, receipt, total, more string) string {
		return `{"transactionTime": "2026-11-20T13:47:51-08:00", "receipt": "` + receipt + `", "transactionType": "` + kind + `", "vendor": "teashop",
			"affiliate": "anna", "role": "AFFILIATE", "totalAccountAmount": ` + total + `, "paymentMethod": "VISA", "totalOrderAmount": 49.00, "currency": "USD",
			"orderLanguage": "EN", "lineItems": [{"itemNo": "1", "productTitle": "Tea", "shippable": false, "recurring": false, "accountAmount": 7.50, "quantity": 1,
			"lineItemType": "CART"}, {"itemNo": "2", "productTitle": "Cup", "accountAmount": 2.99, "quantity": 1, "lineItemType": "CART"}],
			"customer": {"shipping": {"firstName": "A"}, "billing": {"email": "a@example.com"}}, "version": 7.0, "attemptCount": 1` + more + `}`
	}
	tracked := `, "trackingCodes": ["CLICK"], "vendorVariables": {"v1": "variable1"}`
	// In the wanted texts, "about" names an earlier conversion, "same" says that the message changes that conversion, and
	// "part" is the amount that went back to the buyer.
	check(t, "clickbank", sealClickBank, []readCase{
		{"sale", order("SALE", "CWOGBLFN", "10.49", tracked), "CWOGBLFN |  | SALE | 10.49 USD | click=CLICK"},
		{"tracking id", order("SALE", "CWOGBLFN", "10.49", `, "trackingId": "CLICK"`), "CWOGBLFN |  | SALE | 10.49 USD | click=CLICK"},
		{"variables", order("JV_SALE", "CWOGBLFN", "10.49", `, "vendorVariables": {"v1": "a", "cid": "CLICK"}`), "CWOGBLFN |  | JV_SALE | 10.49 USD | click=CLICK"},
		{"items", order("SALE", "CWOGBLFN", "null", tracked), "CWOGBLFN |  | SALE | 10.49 USD | click=CLICK"},
		{"upsell", order("SALE", "CWOGBMMM", "10.49", `, "upsell": {"upsellOriginalReceipt": "CWOGBLFN", "upsellFlowId": 55}`), "CWOGBMMM | upsell | SALE | 10.49 USD | about=[CWOGBLFN]"},
		{"rebill", order("BILL", "CWOGBLFN-B001", "5", tracked), "CWOGBLFN-B001 | rebill | BILL | 5 USD | click=CLICK | about=[CWOGBLFN]"},
		{"refund", order("RFND", "CWOGBLFN", "-10.49", tracked), "CWOGBLFN |  | RFND | -10.49 USD | click=CLICK | about=[CWOGBLFN] | same | part=49"},
		{"chargeback", order("CGBK", "CWOGBLFN", "-10.49", ""), "CWOGBLFN |  | CGBK | -10.49 USD | about=[CWOGBLFN] | same | part=49"},
		{"refund of a part", strings.Replace(order("RFND", "CWOGBLFN", "-2.10", ""), "49.00", "-9.80", 1), "CWOGBLFN |  | RFND | -2.10 USD | about=[CWOGBLFN] | same | part=9.8"},
		{"recurring sale", order("SALE-RB", "CWOGBLFN", "10.49", tracked), "CWOGBLFN |  | SALE-RB | 10.49 USD | click=CLICK"},
		{"insufficient funds", order("INSF", "CWOGBLFN", "-10.49", ""), "CWOGBLFN |  | INSF | -10.49 USD | about=[CWOGBLFN] | same | part=49"},
		{"cancelled", order("CANCEL-REBILL", "CWOGBLFN", "0", tracked), "ignored: it is no sale, rebill, refund or chargeback"},
		{"resumed", order("UNCANCEL-REBILL", "CWOGBLFN", "0", tracked), "ignored: it is no sale, rebill, refund or chargeback"},
		{"changed", order("SUBSCRIPTION-CHG", "CWOGBLFN", "0", tracked), "ignored: it is no sale, rebill, refund or chargeback"},
		{"abandoned", order("ABANDONED_ORDER", "", "0", tracked), "ignored: it is no sale, rebill, refund or chargeback"},
		{"test", order("TEST", "********", "0", tracked), "ignored: it is a test of the platform, and no order"},
		{"test sale", order("TEST_SALE", "CWOGBLFN", "1", tracked), "ignored: it is a test of the platform, and no order"},
	})
	s := scheme(t, "clickbank")
	first, _ := s.Read(sealClickBank(order("SALE", "X", "1", tracked)), secret, nil)
	retried, _ := s.Read(sealClickBank(strings.Replace(order("SALE", "X", "1", tracked), `"attemptCount": 1`, `"attemptCount": 2`, 1)), secret, nil)
	if first.Key != retried.Key {
		t.Errorf("the second attempt has the key %q, want the key of the first attempt, %q", retried.Key, first.Key)
	}
	if _, err := s.Read(request(order("SALE", "X", "1", tracked)), secret, nil); !errors.Is(err, notification.ErrUnproven) {
		t.Errorf("an unencrypted message is accepted: %v", err)
	}
}

func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], strings.ReplaceAll(pairs[i+1], "CLICK", click))
	}
	return v
}

func posted(v url.Values) notification.Request {
	return request(v.Encode(), "content-type", "application/x-www-form-urlencoded; charset=utf-8")
}

func signer(name string, sign func(fields url.Values) string) func(string) notification.Request {
	return func(query string) notification.Request {
		v, err := url.ParseQuery(strings.ReplaceAll(query, "CLICK", click))
		if err != nil {
			panic(err)
		}
		v.Set(name, sign(v))
		return posted(v)
	}
}

func sortedNames(v url.Values) []string {
	var names []string
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func digistoreSum(decode func(string) string) func(url.Values) string {
	return func(v url.Values) string {
		var text strings.Builder
		for _, name := range sortedNames(v) {
			if value := decode(v.Get(name)); value != "" {
				text.WriteString(name + "=" + value + secret)
			}
		}
		return fmt.Sprintf("%X", sha512.Sum512([]byte(text.String())))
	}
}

func TestDigistore24(t *testing.T) {
	t.Parallel()
	const payment = "event=on_payment&api_mode=live&order_id=A3NXHEHF&order_item_id=66384497&transaction_id=102999803&parent_transaction_id=&payment_id=PAYID-1" +
		"&product_id=646570&product_name=Caf%C3%A9+%26amp%3B+Tea&billing_type=subscription&pay_sequence_no=1&upsell_no=0&currency=EUR&amount_brutto=29.00&amount_netto=24.37" +
		"&amount_payout=20.11&amount_vendor=20.11&amount_affiliate=0.00&transaction_amount=29.00&email=buyer%40example.com&language=de&voucher_code=&campaignkey=&cid="
	asIs := signer("sha_sign", digistoreSum(func(s string) string { return s }))
	cases := []readCase{
		{"payment", payment + "&custom=CLICK", "102999803 |  | on_payment | 20.11 EUR | click=CLICK"},
		{"campaign key", strings.Replace(payment, "campaignkey=", "campaignkey=CLICK", 1), "102999803 |  | on_payment | 20.11 EUR | click=CLICK"},
		{"cid", strings.Replace(payment, "cid=", "cid=CLICK", 1) + "&custom=x", "102999803 |  | on_payment | 20.11 EUR | click=CLICK"},
		{"custom list", payment + "&custom=12%7CCLICK", "102999803 |  | on_payment | 20.11 EUR | click=CLICK"},
		{"upsell", strings.Replace(payment, "upsell_no=0", "upsell_no=1", 1) + "&custom=CLICK", "102999803 | upsell | on_payment | 20.11 EUR | click=CLICK"},
		{"rebill", strings.Replace(payment, "pay_sequence_no=1", "pay_sequence_no=3", 1), "102999803 | rebill | on_payment | 20.11 EUR | about=[A3NXHEHF/66384497/1]"},
		{
			"refund", strings.NewReplacer("on_payment", "on_refund", "parent_transaction_id=", "parent_transaction_id=102999803", "transaction_id=102999803", "transaction_id=103000001").Replace(payment),
			"102999803 |  | on_refund | -20.11 EUR | about=[102999803 A3NXHEHF/66384497/1] | same | part=29",
		},
		{
			"refund of a part", strings.NewReplacer("on_payment", "on_refund", "transaction_amount=29.00", "transaction_amount=-9.00", "amount_payout=20.11", "amount_payout=-6.00").Replace(payment),
			"A3NXHEHF/66384497/1 |  | on_refund | -6.00 EUR | about=[A3NXHEHF/66384497/1] | same | part=9",
		},
		{"chargeback", strings.Replace(payment, "on_payment", "on_chargeback", 1), "A3NXHEHF/66384497/1 |  | on_chargeback | -20.11 EUR | about=[A3NXHEHF/66384497/1] | same | part=29"},
		{"missed", strings.Replace(payment, "on_payment", "on_payment_missed", 1), "ignored: it is no payment, refund or chargeback"},
		{"denied", strings.Replace(payment, "on_payment", "payment_denial", 1), "ignored: it is no payment, refund or chargeback"},
		{"cancelled", strings.Replace(payment, "on_payment", "on_rebill_cancelled", 1), "ignored: it is no payment, refund or chargeback"},
		{"resumed", strings.Replace(payment, "on_payment", "on_rebill_resumed", 1), "ignored: it is no payment, refund or chargeback"},
		{"affiliation", "event=on_affiliation&affiliate_name=anna", "ignored: it is no payment, refund or chargeback"},
		{"connection test", "event=connection_test&api_mode=live", "ignored: Digistore24 only tries the address"},
		{"test order", strings.Replace(payment, "api_mode=live", "api_mode=test", 1), "ignored: it is a test of the platform, and no order"},
	}
	check(t, "digistore24", asIs, cases)
	// Signatures over values whose HTML entities are decoded are accepted too.
	check(t, "digistore24", signer("sha_sign", digistoreSum(html.UnescapeString)), cases[:1])
	s := scheme(t, "digistore24")
	changed := asIs(payment)
	changed.Body = []byte(strings.Replace(string(changed.Body), "amount_payout=20.11", "amount_payout=99.11", 1))
	unsigned := posted(form("event", "on_payment", "transaction_id", "1", "sha_sign", "no_signature_passphrase_provided"))
	for name, r := range map[string]notification.Request{"changed": changed, "unsigned": unsigned} {
		if _, err := s.Read(r, secret, nil); !errors.Is(err, notification.ErrUnproven) {
			t.Errorf("the %s message gives %v, want ErrUnproven", name, err)
		}
	}
}

func jvzooSum(without string) func(url.Values) string {
	return func(v url.Values) string {
		var text strings.Builder
		for _, name := range sortedNames(v) {
			if name != without {
				text.WriteString(v.Get(name) + "|")
			}
		}
		return fmt.Sprintf("%X", sha1.Sum([]byte(text.String()+secret)))[:8]
	}
}

func TestJVZoo(t *testing.T) {
	t.Parallel()
	const sale = "caffitid=CLICK&ccustcc=IN&ccustemail=buyer%40example.com&ccustname=Test+K%C3%BChn&ccuststate=&cproditem=386756&cprodtitle=Banner&cprodtype=STANDARD" +
		"&ctransaction=SALE&ctransaffiliate=0&ctransamount=1700&ctranspaymentmethod=PYPL&ctransreceipt=23205383KN9509628&ctranstime=1732099000&ctransvendor=54605&cupsellreceipt=&cvendthru="
	sign := signer("cverify", jvzooSum(""))
	kind := func(k string) string { return strings.Replace(sale, "=SALE", "="+k, 1) }
	cases := []readCase{
		{"sale", sale, "23205383KN9509628 |  | SALE | 17 USD | click=CLICK"},
		{"dollars", strings.Replace(sale, "=1700", "=17.50", 1), "23205383KN9509628 |  | SALE | 17.50 USD | click=CLICK"},
		{"passed through", strings.NewReplacer("caffitid=CLICK", "caffitid=7", "cvendthru=", "cvendthru=page%3D1%26clickid%3DCLICK").Replace(sale), "23205383KN9509628 |  | SALE | 17 USD | click=CLICK"},
		{"upsell", strings.Replace(sale, "cupsellreceipt=", "cupsellreceipt=111", 1), "23205383KN9509628 | upsell | SALE | 17 USD | click=CLICK | about=[111]"},
		{"rebill", strings.Replace(kind("BILL"), "9509628", "9509628-B002", 1), "23205383KN9509628-B002 | rebill | BILL | 17 USD | click=CLICK | about=[23205383KN9509628]"},
		{"refund", kind("RFND"), "23205383KN9509628 |  | RFND | -17 USD | click=CLICK | about=[23205383KN9509628] | same | part=17"},
		{"chargeback", kind("CGBK"), "23205383KN9509628 |  | CGBK | -17 USD | click=CLICK | about=[23205383KN9509628] | same | part=17"},
		{"insufficient funds", kind("INSF"), "23205383KN9509628 |  | INSF | -17 USD | click=CLICK | about=[23205383KN9509628] | same | part=17"},
		{"cancelled", kind("CANCEL-REBILL"), "ignored: it is no sale, rebill, refund or chargeback"},
		{"resumed", kind("UNCANCEL-REBILL"), "ignored: it is no sale, rebill, refund or chargeback"},
		{"test", kind("TEST"), "ignored: it is a test of the platform, and no order"},
	}
	check(t, "jvzoo", sign, cases)
	// Signatures that leave out ctranstime are accepted too.
	check(t, "jvzoo", signer("cverify", jvzooSum("ctranstime")), cases[:1])
	r := sign(sale)
	r.Body = []byte(strings.Replace(string(r.Body), "ctransamount=1700", "ctransamount=9900", 1))
	if _, err := scheme(t, "jvzoo").Read(r, secret, nil); !errors.Is(err, notification.ErrUnproven) {
		t.Errorf("a changed amount is accepted: %v", err)
	}
	got, err := scheme(t, "jvzoo").Read(sign(sale+"&commission=850"), secret, map[string]string{"payout": "commission"})
	if err != nil || len(got.Reports) != 1 || got.Reports[0].Payout != "8.5" {
		t.Errorf("the member that the network's settings name as the payout gives %+v, %v, want 8.5 dollars", got, err)
	}
}
