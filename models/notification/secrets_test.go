package notification_test

import (
	"errors"
	"mime/multipart"
	"strings"
	"testing"

	"switchyard/models/notification"
)

func withSecretField(name string) func(string) notification.Request {
	return func(query string) notification.Request {
		return request(query+"&"+name+"="+secret, "content-type", "application/x-www-form-urlencoded")
	}
}

func TestWarriorPlus(t *testing.T) {
	t.Parallel()
	const sale = "WP_ACTION=sale&WP_SALE=sale_7hq2x&WP_ITEM_NAME=Course&WP_ITEM_NUMBER=wso_k1&WP_BUYER_NAME=Gus+R&WP_BUYER_EMAIL=gus%40example.com&WP_SALE_AMOUNT=27.00" +
		"&WP_SALE_CURRENCY=USD&WP_SALE_FEE=0.78&WP_SALE_EARNINGS_VENDOR=12.72&WP_SALE_EARNINGS_AFF=13.50&WP_TXNID=8AB12&WP_SALEID=1099887&WP_PAYMETHOD=stripe&WP_PAYMENT_STATUS=Completed&IPN_ID=991"
	kind := func(k string) string { return strings.Replace(sale, "=sale&", "="+k+"&", 1) }
	check(t, "warriorplus", withSecretField("WP_SECURITYKEY"), []readCase{
		{"vendor", sale + "&IPN_RCPT_TYPE=vend&WP_SID=CLICK", "sale_7hq2x |  | sale | 12.72 USD | click=CLICK"},
		{"affiliate", sale + "&IPN_RCPT_TYPE=aff&WP_HOP_TID=CLICK", "sale_7hq2x |  | sale | 13.50 USD | click=CLICK"},
		{"custom", sale + "&WP_CHECKOUT_CUSTOM_clickid=CLICK", "sale_7hq2x |  | sale | 12.72 USD | click=CLICK"},
		{
			"rebill", kind("subscr_completed") + "&WP_SUBSCR_ID=sub_1&WP_SUBSCR_PAYMENT_NUM=2&WP_SUBSCR_PAYMENT_AMOUNT=19.00&WP_SUBSCR_PAYMENT_TXNID=9CD",
			"9CD | rebill | subscr_completed | 19.00 USD | about=[sub_1 sale_7hq2x 1099887 8AB12]",
		},
		{"refund", kind("refund") + "&WP_SID=CLICK", "sale_7hq2x |  | refund | -12.72 USD | click=CLICK | about=[sale_7hq2x 1099887 8AB12] | same"},
		{"refund of rebill", kind("subscr_refunded") + "&WP_SUBSCR_PAYMENT_TXNID=9CD", "sale_7hq2x |  | subscr_refunded | -12.72 USD | about=[9CD sale_7hq2x 1099887 8AB12] | same"},
		{"dispute", kind("dispute"), "sale_7hq2x |  | dispute | -12.72 USD | about=[sale_7hq2x 1099887 8AB12] | same"},
		{"created", kind("subscr_created"), "ignored: it is no sale, payment, refund or dispute"},
		{"cancelled", kind("subscr_cancelled"), "ignored: it is no sale, payment, refund or dispute"},
		{"declined", kind("subscr_failed_declined"), "ignored: it is no sale, payment, refund or dispute"},
	})
}

func TestBuyGoods(t *testing.T) {
	t.Parallel()
	const order = "sessid2=sessid20261120&account_id=4587&action_type=neworder&product_codename=tea1&product_id=1223&user_id=120650&storecheckedoutcarts_id=1636874&aff_id=1712" +
		"&rr_createdate=2026-11-20+10%3A16%3A51&order_id_global=5QWERTYU&name=Pauline+B&total=%2488.90&total_amount_charged=88.9&aff_commission=47.90&is_test=0&flag_upsell=0&customer_emailaddress=p%40example.com"
	kind := func(k string) string { return strings.Replace(order, "neworder", k, 1) }
	cases := []readCase{
		{"order", order + "&subid=CLICK", "5QWERTYU |  | neworder | 88.9 USD | click=CLICK"},
		{"third sub id", order + "&subid=a&subid3=CLICK", "5QWERTYU |  | neworder | 88.9 USD | click=CLICK"},
		{"upsell", strings.Replace(order, "flag_upsell=0", "flag_upsell=1", 1) + "&subid=CLICK", "5QWERTYU-1636874 | upsell | neworder | 88.9 USD | click=CLICK | about=[5QWERTYU]"},
		{"rebill", kind("rebill"), "5QWERTYU-2026-11-20 10:16:51 | rebill | rebill | 88.9 USD | about=[5QWERTYU/1636874 5QWERTYU]"},
		{"refund", kind("refund"), "5QWERTYU |  | refund | -88.9 USD | about=[5QWERTYU/1636874/2026-11-20 10:16:51 5QWERTYU/1636874 5QWERTYU] | same"},
		{"chargeback", kind("chargeback"), "5QWERTYU |  | chargeback | -88.9 USD | about=[5QWERTYU/1636874/2026-11-20 10:16:51 5QWERTYU/1636874 5QWERTYU] | same"},
		{"cancelled", kind("cancel"), "ignored: it is no order, rebill, refund or chargeback"},
		{"failed rebill", kind("failedrebill"), "ignored: it is no order, rebill, refund or chargeback"},
		{"connection test", "action_type=connection_test", "ignored: it is no order, rebill, refund or chargeback"},
		{"test", strings.Replace(order, "is_test=0", "is_test=1", 1), "ignored: it is a test of the platform, and no order"},
	}
	check(t, "buygoods", withSecretField("token_ipn"), cases)
	check(t, "buygoods", func(body string) notification.Request {
		r := request(body)
		r.Query = "secret=" + secret
		return r
	}, cases)
	check(t, "buygoods", func(body string) notification.Request {
		r := request("")
		r.Query = "secret=" + secret + "&" + string(request(body).Body)
		return r
	}, cases)
}

func TestThriveCart(t *testing.T) {
	t.Parallel()
	const order = "event=order.success&mode=live&mode_int=2&thrivecart_account=teashop&base_product=12&order_id=1514394&invoice_id=000000004&order_date=2026-11-20+10%3A00%3A00" +
		"&order_timestamp=1732096800&currency=USD&customer_id=6702306&customer%5Bemail%5D=j%40example.com&order%5Btax%5D=0&order%5Bprocessor%5D=stripe&order%5Btotal%5D=14900&passthrough%5Bclickid%5D=CLICK"
	const charges = "&order%5Bcharges%5D%5B0%5D%5Bname%5D=Course&order%5Bcharges%5D%5B0%5D%5Breference%5D=product-12&order%5Bcharges%5D%5B0%5D%5Bamount%5D=9900" +
		"&order%5Bcharges%5D%5B1%5D%5Breference%5D=bump-12&order%5Bcharges%5D%5B1%5D%5Bamount%5D=2000&order%5Bcharges%5D%5B2%5D%5Breference%5D=upsell-2&order%5Bcharges%5D%5B2%5D%5Bamount%5D=3000&order%5Bcharges%5D%5B2%5D%5Bamount_str%5D=30.00"
	kind := func(k string) string { return strings.Replace(order, "order.success", k, 1) }
	threeCharges := "1514394 |  | order.success | 99 USD | click=CLICK\n1514394-bump-12 | bump | order.success | 20 USD | click=CLICK\n1514394-upsell-2 | upsell | order.success | 30.00 USD | click=CLICK"
	cases := []readCase{
		{"order", order, "1514394 |  | order.success | 149 USD | click=CLICK"},
		{"charges", order + charges, threeCharges},
		{
			"two products", order + strings.Replace(charges, "bump-12", "product-13", 1),
			strings.NewReplacer("-bump-12", "-product-13", "bump", "product").Replace(threeCharges),
		},
		{"other name", strings.Replace(order, "order.success", "order_created", 1), "1514394 |  | order.success | 149 USD | click=CLICK"},
		{"yen", strings.Replace(order, "USD", "JPY", 1), "1514394 |  | order.success | 14900 in hundredths JPY | click=CLICK"},
		{"yen as text", strings.Replace(order, "USD", "JPY", 1) + "&order%5Btotal_str%5D=14900", "1514394 |  | order.success | 14900 JPY | click=CLICK"},
		{
			"rebill", strings.NewReplacer("order.success", "order.subscription_payment", "000000004", "000000004-2", "passthrough", "p").Replace(order),
			"000000004-2 | rebill | order.subscription_payment | 149 USD | about=[1514394]",
		},
		{"refund", kind("order.refund"), "1514394 |  | order.refund | -149 USD | click=CLICK | about=[000000004 1514394] | same"},
		{
			"refund of a bump", kind("order.refund") + "&refund%5Btype%5D=bump&refund%5Bid%5D=12&refund%5Bamount%5D=2000",
			"1514394 |  | order.refund | -20 USD | click=CLICK | about=[1514394/bump-12 000000004 1514394] | same | part=20",
		},
		{"cancelled", kind("order.subscription_cancelled"), "ignored: it is no order, payment of a subscription or refund"},
		{"failed rebill", kind("order.rebill_failed"), "ignored: it is no order, payment of a subscription or refund"},
		{"abandoned", kind("cart.abandoned"), "ignored: it is no order, payment of a subscription or refund"},
		{"commission", kind("affiliate.commission_earned"), "ignored: it is no order, payment of a subscription or refund"},
		{"test", strings.NewReplacer("mode=live", "mode=test", "mode_int=2", "mode_int=1").Replace(order), "ignored: it is a test of the platform, and no order"},
	}
	check(t, "thrivecart", withSecretField("thrivecart_secret"), cases)
	check(t, "thrivecart", func(body string) notification.Request { // as multipart, which PHP's curl sends for an array
		return parts(strings.ReplaceAll(body, "CLICK", click) + "&thrivecart_secret=" + secret)
	}, cases[:3])
	object := `{"event": "order.success", "mode": "live", "thrivecart_secret": "` + secret + `", "order_id": 1514394, "currency": "EUR",
		"order": {"total": 14900, "charges": [{"reference": "product-12", "amount": 9900}, {"reference": "bump-12", "amount": 5000}]}, "passthrough": {"clickid": "CLICK"}}`
	got, err := scheme(t, "thrivecart").Read(request(object), secret, nil)
	if want := "1514394 |  | order.success | 99 EUR | click=CLICK\n1514394-bump-12 | bump | order.success | 50 EUR | click=CLICK"; err != nil || describe(got) != want {
		t.Errorf("the order in JSON is read as %s, %v, want %s", describe(got), err, want)
	}
}

func parts(query string) notification.Request {
	var body strings.Builder
	w := multipart.NewWriter(&body)
	_ = w.SetBoundary("the-same-in-each-try") // the boundary is valid
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		field, err := w.CreateFormField(strings.NewReplacer("%5B", "[", "%5D", "]").Replace(name))
		if err == nil {
			_, err = field.Write([]byte(value))
		}
		if err != nil {
			panic(err)
		}
	}
	_ = w.Close() // writing to a builder never fails
	return request(body.String(), "content-type", w.FormDataContentType())
}

// TestTooManyFields checks that a form with more fields than any platform sends is refused.
func TestTooManyFields(t *testing.T) {
	t.Parallel()
	r := request(strings.Repeat("a=1&", 2001) + "WP_SECURITYKEY=" + secret)
	if _, err := scheme(t, "warriorplus").Read(r, secret, nil); !errors.Is(err, notification.ErrUnproven) {
		t.Errorf("a form with 2,002 fields gives %v, want ErrUnproven", err)
	}
}

// TestAmountsThatAreNone checks that an amount that is not a plain number, or not whole in smallest units, is shown but never
// used in a calculation.
func TestAmountsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, amount := range []string{`1e900000000`, `"1e9"`, `12.5`, `"12,50"`, `-1e-900000000`} {
		body := stripeEvent("payment_intent.succeeded", `"id": "pi_7", "amount_received": `+amount+`, "currency": "gbp", "metadata": {"cid": "CLICK"}`)
		got, err := scheme(t, "stripe").Read(signStripe(body), secret, nil)
		if err != nil || len(got.Reports) != 1 || !strings.HasSuffix(got.Reports[0].Payout, " in smallest units") {
			t.Errorf("the amount %s is read as %s, %v, want the text with \" in smallest units\"", amount, describe(got), err)
		}
	}
	order := `{` + wooOrder + `, "status": "completed", "refunds": [{"total": "1e900000000"}]}`
	got, err := scheme(t, "woocommerce").Read(signed64("x-wc-webhook-signature", order), secret, nil)
	if err != nil || got.Reports[0].Payout != "49.90 less 1e900000000" {
		t.Errorf("a refund of 1e900000000 is read as %s, %v, want the payout as the text of a subtraction", describe(got), err)
	}
}
