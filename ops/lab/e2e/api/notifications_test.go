package api

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click"
	"switchyard/api/click/visitor"
	dbclick "switchyard/db/click"
	"switchyard/db/report"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/notification"
)

const shopSecret = "K3YOFTHESH0P"

type notice struct{ contentType, header, value, body string }

func hmacOf(text string) []byte {
	mac := hmac.New(sha256.New, []byte(shopSecret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func jsonNotice(header, value, body string) notice {
	return notice{"application/json", header, value, body}
}

func formNotice(body string) notice {
	return notice{"application/x-www-form-urlencoded", "", "", body}
}

// For digistore24 and jvzoo, the signed text contains the values in the order of their names.
var sales = map[string]func(click string) notice{
	"shopify": func(click string) notice {
		body := `{"id": 77, "financial_status": "paid", "total_price": "20.00", "currency": "USD", "note_attributes": [{"name": "clickid", "value": "` + click + `"}]}`
		return jsonNotice("X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(hmacOf(body)), body)
	},
	"woocommerce": func(click string) notice {
		body := `{"id": 77, "order_key": "wc_1", "status": "processing", "total": "20.00", "currency": "USD", "meta_data": [{"key": "clickid", "value": "` + click + `"}]}`
		return jsonNotice("X-WC-Webhook-Signature", base64.StdEncoding.EncodeToString(hmacOf(body)), body)
	},
	"stripe": func(click string) notice {
		body := `{"id": "evt_1", "livemode": true, "type": "checkout.session.completed", "data": {"object": {"id": "cs_1", "mode": "payment", "payment_intent": "77",
			"payment_status": "paid", "amount_total": 2000, "currency": "usd", "client_reference_id": "` + click + `"}}}`
		at := time.Now().Unix()
		return jsonNotice("Stripe-Signature", fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(hmacOf(fmt.Sprintf("%d.%s", at, body)))), body)
	},
	"clickbank": func(click string) notice {
		plain := []byte(`{"transactionType": "SALE", "receipt": "77", "totalAccountAmount": 20.00, "currency": "USD", "trackingCodes": ["` + click + `"]}`)
		pad := aes.BlockSize - len(plain)%aes.BlockSize
		plain = append(plain, slices.Repeat([]byte{byte(pad)}, pad)...)
		key := sha1.Sum([]byte(shopSecret))
		block, _ := aes.NewCipher([]byte(hex.EncodeToString(key[:])[:32])) // the key has 32 bytes
		iv := []byte("fedcba9876543210")
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(plain, plain)
		return jsonNotice("", "", fmt.Sprintf(`{"notification": %q, "iv": %q}`, base64.StdEncoding.EncodeToString(plain), base64.StdEncoding.EncodeToString(iv)))
	},
	"digistore24": func(click string) notice {
		pairs := []string{"amount_payout=20.00", "api_mode=live", "currency=USD", "custom=" + click, "event=on_payment", "transaction_id=77", ""}
		text := strings.Join(pairs, shopSecret)
		return formNotice(fmt.Sprintf("event=on_payment&api_mode=live&transaction_id=77&amount_payout=20.00&currency=USD&voucher=&custom=%s&sha_sign=%X", click, sha512.Sum512([]byte(text))))
	},
	"jvzoo": func(click string) notice {
		sum := sha1.Sum([]byte(click + "|SALE|2000|77|" + shopSecret))
		return formNotice(fmt.Sprintf("ctransaction=SALE&ctransreceipt=77&ctransamount=2000&caffitid=%s&cverify=%s", click, strings.ToUpper(hex.EncodeToString(sum[:])[:8])))
	},
	"warriorplus": func(click string) notice {
		return formNotice("WP_ACTION=sale&WP_SALE=77&WP_SALE_AMOUNT=20.00&WP_SALE_CURRENCY=USD&WP_SID=" + click + "&WP_SECURITYKEY=" + shopSecret)
	},
	"buygoods": func(click string) notice {
		return formNotice("action_type=neworder&order_id_global=77&total_amount_charged=20.00&subid=" + click)
	},
	"thrivecart": func(click string) notice {
		return formNotice("event=order.success&mode=live&order_id=77&currency=USD&order%5Btotal%5D=2000&passthrough%5Bclickid%5D=" + click + "&thrivecart_secret=" + shopSecret)
	},
}

func (x *inboxEnv) tracking() *httptest.Server {
	x.t.Helper()
	d, err := visitor.New(visitor.Options{})
	if err != nil {
		x.t.Fatal(err)
	}
	h, err := click.New(x.t.Context(), click.Deps{
		DB: x.DB, Clicks: dbclick.Log{Conn: x.DB}, Usage: report.Reader{Conn: x.DB}, Spool: x.spool, Postbacks: x.spool,
		Proofs: x.Store, Visitors: d, Timeout: time.Minute,
	})
	if err != nil {
		x.t.Fatal(err)
	}
	server := httptest.NewServer(h)
	x.t.Cleanup(server.Close)
	return server
}

func (x *inboxEnv) post(server *httptest.Server, address string, n notice) int {
	x.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		x.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(x.t.Context(), http.MethodPost, server.URL+u.RequestURI(), strings.NewReader(n.body))
	if err != nil {
		x.t.Fatal(err)
	}
	req.Header.Set("Content-Type", n.contentType)
	if n.header != "" {
		req.Header.Set(n.header, n.value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		x.t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// TestNotificationsOverHTTP: an HTTP request about a sale of each platform becomes a conversion.
func TestNotificationsOverHTTP(t *testing.T) {
	t.Parallel()
	x := newInboxEnv(t)
	type shop struct{ id, address, click string }
	shops := map[string]shop{}
	for _, s := range notification.All() {
		made := x.Do("POST", "/networks", map[string]any{"template": s.Template, "postback_secret": shopSecret}).Want(201, "").Map()
		id := fmt.Sprint(made["id"])
		offer := x.Do("POST", "/offers", map[string]any{"name": s.Name, "url": "https://shop.example/", "network_id": id, "payout_from_param": true}).Want(201, "").Map()
		c := &models.Click{
			ID: models.NewClickID(), AccountID: x.Account.ID, CampaignID: uuid.New(), NetworkID: uuid.MustParse(id),
			OfferID: uuid.MustParse(fmt.Sprint(offer["id"])), UniqueHours: 24, Currency: "USD",
		}
		put(x.t, x.spool, spool.Record{Click: c})
		shops[s.Name] = shop{id, fmt.Sprint(made["postback_url"]), models.FormatClickID(c.ID)}
	}
	server := x.tracking()
	for _, try := range []string{"matched", "duplicate", "refused"} {
		for name, s := range shops {
			n, address := sales[name](s.click), s.address
			if try == "refused" { // the replacements make each proof invalid
				n.body = strings.NewReplacer(shopSecret, "GUESS", "20.00", "90.00", "2000", "9000", `"notification": "`, `"notification": "AAAA`).Replace(n.body)
				address = strings.Replace(address, shopSecret, "GUESS", 1)
			}
			if status := x.post(server, address, n); status != http.StatusOK {
				t.Errorf("the notification of %s is answered with %d, want 200", name, status)
			}
		}
		x.ingestAll()
		for name, s := range shops {
			rows := x.rows("network=" + s.id)
			if len(rows) == 0 || rows[0]["result"] != try {
				t.Errorf("the notification of %s is not %s: %v", name, try, rows)
			}
			conversions := x.Do("GET", "/logs/conversions?click_id="+s.click, nil).Want(200, "").Map()["rows"].([]any)
			if len(conversions) != 1 {
				t.Errorf("%s has %d conversions, want 1", name, len(conversions))
				continue
			}
			c := conversions[0].(map[string]any)
			if c["conversion_id"] != "77" || c["status"] != "approved" || fmt.Sprint(c["payout"]) != "20" || c["currency"] != "USD" {
				t.Errorf("the conversion of %s is %v, want the approved order 77 with 20 USD", name, c)
			}
		}
	}
}
