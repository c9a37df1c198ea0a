package notification_test

import (
	"testing"

	"switchyard/models/notification"
)

const shopifyOrder = `"id": 820982911946154508, "admin_graphql_api_id": "gid://shopify/Order/820982911946154508", "app_id": null,
"browser_ip": "203.0.113.7", "cancel_reason": null, "cart_token": "c1-9f", "confirmed": true, "contact_email": "jon@example.com",
"created_at": "2026-11-20T05:41:12-05:00", "currency": "USD", "current_subtotal_price": "398.00",
"current_total_tax": "0.00", "customer_locale": "en", "email": "jon@example.com", "name": "#9999", "number": 234, "order_number": 1234,
"payment_gateway_names": ["visa", "bogus"], "presentment_currency": "USD", "processed_at": "2026-11-20T05:41:10-05:00",
"referring_site": "https://go.example.com/", "source_name": "web", "subtotal_price": "388.00", "tags": "", "taxes_included": false,
"total_discounts": "20.00", "total_line_items_price": "398.00", "total_price": "403.00", "total_tax": "0.00",
"billing_address": {"first_name": "Steve", "address1": "123 Shipping Street", "zip": "40003"},
"line_items": [{"id": 866550311766439020, "price": "199.00", "quantity": 1, "title": "IPod Nano - 8GB", "properties": []},
{"id": 141249953214522974, "price": "199.00", "quantity": 1, "title": "IPod Nano - 8GB", "properties": []}]`

const withAttribute = `, "note_attributes": [{"name": "gift", "value": "yes"}, {"name": "clickid", "value": "CLICK"}], "landing_site": "/"`

func TestShopify(t *testing.T) {
	t.Parallel()
	order := func(more string) string { return `{"test": false, ` + shopifyOrder + withAttribute + more + `}` }
	sign := func(body string) notification.Request { return signed64("x-shopify-hmac-sha256", body) }
	check(t, "shopify", sign, []readCase{
		{"paid", order(`, "financial_status": "paid", "current_total_price": "403.00", "cancelled_at": null`), "820982911946154508 |  | paid | 403.00 USD | click=CLICK"},
		{"pending", order(`, "financial_status": "pending"`), "820982911946154508 |  | pending | 403.00 USD | click=CLICK"},
		{"not paid yet", order(`, "financial_status": null`), "820982911946154508 |  | pending | 403.00 USD | click=CLICK"},
		{"part refunded", order(`, "financial_status": "partially_refunded", "current_total_price": "204.00"`), "820982911946154508 |  | partially_refunded | 204.00 USD | click=CLICK"},
		{"refunded", order(`, "financial_status": "refunded", "current_total_price": "0.00"`), "820982911946154508 |  | refunded | -403.00 USD | click=CLICK"},
		{"cancelled", order(`, "financial_status": "paid", "cancelled_at": "2026-11-20T07:00:00-05:00"`), "820982911946154508 |  | cancelled | 403.00 USD | click=CLICK"},
		{"voided", order(`, "financial_status": "voided"`), "820982911946154508 |  | voided | 403.00 USD | click=CLICK"},
		{"subscription", order(`, "financial_status": "paid", "source_name": "subscription_contract"`), "820982911946154508 | rebill | paid | 403.00 USD | click=CLICK"},
		{"landing site", `{"id": 5, "financial_status": "paid", "total_price": "9.00", "currency": "JPY", "note_attributes": [],
			"landing_site": "/products/x?utm_source=a&clickid=CLICK&v=1"}`, "5 |  | paid | 9.00 JPY | click=CLICK"},
		{"no click", `{"id": 5, "financial_status": "paid", "total_price": "9.00", "currency": "EUR", "landing_site": "/?clickid=abc"}`, "5 |  | paid | 9.00 EUR"},
		{"refund", `{"id": 929361466, "order_id": 450789469, "created_at": "2026-11-20T06:00:00-05:00", "note": "wrong size", "restock": true,
			"refund_line_items": [{"id": 104689539, "quantity": 1, "subtotal": 195.66}],
			"transactions": [{"id": 179259969, "kind": "refund", "status": "success", "amount": "209.00", "currency": "USD"},
			{"id": 179259970, "kind": "refund", "status": "failure", "amount": "100.00", "currency": "USD"}]}`, " |  | refunded | -209 USD | about=[450789469] | same | part=209"},
		{"refund without money", `{"id": 1, "order_id": 2, "refund_line_items": [], "transactions": []}`, "ignored: it returns no money"},
		{"chargeback", `{"id": 285332461850802050, "order_id": 820982911946154500, "type": "chargeback", "amount": "11.50", "currency": "CAD",
			"reason": "fraudulent", "network_reason_code": "4837", "status": "under_review", "evidence_due_by": "2026-12-01T19:00:00-05:00"}`, " |  | chargeback | -11.50 CAD | about=[820982911946154500] | same"},
		{"inquiry", `{"id": 1, "order_id": 2, "type": "inquiry", "amount": "1.00", "status": "needs_response", "evidence_due_by": null}`, "ignored: the bank inquires and takes nothing back"},
		{"won", `{"id": 1, "order_id": 2, "type": "chargeback", "amount": "1.00", "status": "won", "evidence_due_by": null}`, "ignored: the dispute was won, but the conversion stays a chargeback until it is corrected by hand"},
		{"test order", `{"test": true, ` + shopifyOrder + `, "financial_status": "paid"}`, "ignored: it is a test of the platform, and no order"},
		{"products/update", `{"id": 788032119674292922, "title": "Example T-Shirt", "vendor": "Acme", "status": "active", "variants": []}`, "ignored: it is neither an order, nor a refund, nor a dispute"},
		{"orders/delete", `{"id": 820982911946154508}`, "ignored: it is neither an order, nor a refund, nor a dispute"},
	})
	forged(t, "shopify", sign(order(`, "financial_status": "paid"`)))
	r := sign(order(`, "financial_status": "paid"`))
	r.Header["x-shopify-topic"] = "orders/paid"
	if got, err := scheme(t, "shopify").Read(r, secret, nil); err != nil || got.Event != "orders/paid" {
		t.Errorf("the error is %v and the event is %q, want no error and the topic in the header", err, got.Event)
	}
}

const wooOrder = `"id": 4750, "parent_id": 0, "number": "4750", "order_key": "wc_order_Q6tuhq12KJOel", "created_via": "checkout", "version": "9.4.1",
"currency": "EUR", "date_created_gmt": "2026-11-20T10:54:40", "date_paid_gmt": "2026-11-20T10:55:02", "discount_total": "0.00",
"total": "49.90", "total_tax": "7.97", "prices_include_tax": true, "customer_id": 0, "customer_note": "",
"billing": {"first_name": "Ana", "email": "ana@example.com"}, "line_items": [{"id": 1, "name": "Tea", "quantity": 2, "total": "41.93"}]`

func TestWooCommerce(t *testing.T) {
	t.Parallel()
	sign := func(body string) notification.Request { return signed64("x-wc-webhook-signature", body) }
	order := func(status, more string) string {
		return `{` + wooOrder + `, "status": "` + status + `", "meta_data": [{"id": 1, "key": "is_vat_exempt", "value": "no"},
			{"id": 2, "key": "clickid", "value": "CLICK"}]` + more + `}`
	}
	attributed := `{` + wooOrder + `, "status": "processing", "refunds": [], "meta_data": [
		{"id": 3, "key": "_wc_order_attribution_session_entry", "value": "https://shop.example.com/tea/?utm_source=x&cid=CLICK"},
		{"id": 4, "key": "_wc_order_attribution_device_type", "value": "Mobile"}, {"id": 5, "key": "list", "value": [{"a": 1}]}]}`
	check(t, "woocommerce", sign, []readCase{
		{"processing", order("processing", `, "refunds": []`), "4750 |  | processing | 49.90 EUR | click=CLICK"},
		{"completed", order("completed", ""), "4750 |  | completed | 49.90 EUR | click=CLICK"},
		{"on hold", order("on-hold", ""), "4750 |  | on-hold | 49.90 EUR | click=CLICK"},
		{"failed", order("failed", ""), "4750 |  | failed | 49.90 EUR | click=CLICK"},
		{"own status", order("wc-shipped", ""), "4750 |  | wc-shipped | 49.90 EUR | click=CLICK"},
		{"part refunded", order("completed", `, "refunds": [{"id": 9, "reason": "", "total": "-9.90"}, {"id": 10, "total": "-5.00"}]`), "4750 |  | completed | 35 EUR | click=CLICK"},
		{"refunded", order("refunded", `, "refunds": [{"id": 9, "total": "-49.90"}]`), "4750 |  | refunded | -49.90 EUR | click=CLICK"},
		{"attribution", attributed, "4750 |  | processing | 49.90 EUR | click=CLICK"},
		{"renewal", `{` + wooOrder + `, "status": "processing", "meta_data": [{"key": "_subscription_renewal", "value": "77"}, {"key": "clickid", "value": "CLICK"}]}`, "4750 | rebill | processing | 49.90 EUR | click=CLICK"},
		{"subscription", order("active", `, "billing_period": "month", "billing_interval": "1"`), "ignored: it is a subscription: each of its payments is an order of its own"},
		{"draft", order("checkout-draft", ""), "ignored: the order is a draft"},
		{"deleted", `{"id": 4750}`, "ignored: it is no order"},
		{"product", `{"id": 12, "name": "Tea", "total_sales": 4, "status": "publish"}`, "ignored: it is no order"},
	})
	forged(t, "woocommerce", sign(order("processing", "")))
	got, err := scheme(t, "woocommerce").Read(request("webhook_id=7"), secret, nil)
	if err != nil || describe(got) != "ignored: the shop only tries the address" {
		t.Errorf("a ping is read as %s, %v, want it ignored", describe(got), err)
	}
}
