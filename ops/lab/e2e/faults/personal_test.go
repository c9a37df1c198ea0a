package faults

import (
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"switchyard/db"
	"switchyard/db/backup"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// The personal data that the test sends, and a control text that the service stores in clear. Finding it shows that the search
// works.
const (
	personMail  = "canary-7c31ea@example.com"
	personPhone = "+442079460958"
	controlText = "bird-7c31ea"
)

// personalEnv is a service with a shop that reports personal data.
type personalEnv struct {
	*testing.T
	*e2e.Service
	db *db.DB
}

// post sends a request to the tracking domain. headers are pairs of a name and a value.
func (p *personalEnv) post(path, body string, headers ...string) {
	p.Helper()
	req, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.URL+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	req.Host = p.Link.Host
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil || resp.StatusCode/100 != 2 {
		p.Errorf("%s: %d %s %v", path, resp.StatusCode, text, err)
	}
}

// click follows the link as a visitor from TikTok does, and returns the click's id.
func (p *personalEnv) click() string {
	p.Helper()
	got, err := p.Request(p.Context(), http.DefaultTransport, http.MethodGet, p.Link.RequestURI()+"?ttclid=T1")
	id, ok := strings.CutPrefix(got.To, "https://offer.example/?cid=")
	if err != nil || !ok {
		p.Fatal(got, err)
	}
	return id
}

// TestPersonalDataIsWrittenNowhere sends personal data in every way in which customers report it. The conversions are uploaded in
// shadow mode with the hashes of the data. Afterwards neither the data nor the hashes are in any file, log, metric or backup.
func TestPersonalDataIsWrittenNowhere(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	p := &personalEnv{T: t, Service: e2e.StartService(t, fleet.Options{}, "web", "worker", "clock")}
	var err error
	if p.db, err = db.Open(t.Context(), p.DatabaseURL, db.Options{}); err != nil {
		t.Fatal(err)
	}
	defer p.db.Close()
	var made struct{ Site struct{ ID string } }
	var list struct{ SiteKey string }
	var secret struct{ Secret string }
	var shop, network struct{ ID string }
	err = errors.Join(
		p.API.Do(t.Context(), http.StatusOK, http.MethodPost, "/sites", map[string]any{"name": "Shop", "seedGoals": true}, &made),
		p.API.Do(t.Context(), http.StatusOK, http.MethodPost, "/goals", nil, &secret), p.API.Get(t.Context(), "/goals", &list),
		p.API.Create(t.Context(), "/networks", map[string]any{"name": controlText, "postback_scheme": "shopify", "postback_secret": "k3y-of-the-shop"}, &shop),
		p.API.Create(t.Context(), "/networks", map[string]any{"name": "n"}, &network),
		p.API.Do(t.Context(), http.StatusOK, http.MethodPut, "/traffic-sources/"+p.Source+"/integration", map[string]any{
			"provider": "tiktok", "credentials": map[string]any{"access_token": "t0ken-of-tiktok-0123456789", "pixel_code": "PX"}, "is_enabled": false,
			"conversions_enabled": true, "send_keys": true,
		}, nil))
	if err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the web process accepts the secret", func() bool {
		got, err := p.Send(t.Context(), p.URL, http.DefaultTransport, http.MethodPost, "/t/goal", []byte(`{"goal": "purchase"}`), secret.Secret)
		return err == nil && got.Status == http.StatusBadRequest && strings.Contains(got.Body, "invalid_click_id")
	})
	user := fmt.Sprintf(`"consent": "granted", "user": {"email": %q, "phone": %q}`, personMail, personPhone)
	form := url.Values{"email": {personMail}, "phone": {personPhone}, "consent": {"granted"}}.Encode()
	const formType = "application/x-www-form-urlencoded"

	p.post("/t/goal", fmt.Sprintf(`{"click_id": %q, "goal": "purchase", "order_id": "g1", "value": 5, "currency": "USD", %s}`, p.click(), user),
		"Authorization", "Bearer "+secret.Secret)
	p.post("/t/event", fmt.Sprintf(`{"site": %q, "events": [{"id": "e1", "name": "purchase", "order_id": "e1", "url": "https://shop.example/", "click": %q, "from": "url", %s}]}`,
		list.SiteKey, p.click(), user))
	p.post("/postback/"+network.ID+"?clickid="+p.click(), form, "Content-Type", formType)
	p.post("/postback?clickid="+p.click(), form, "Content-Type", formType, "X-Signature", "00")
	p.post("/postback?payout=1", form, "Content-Type", formType) // names no click
	if _, err := p.Request(t.Context(), http.DefaultTransport, http.MethodGet, "/pixel.gif?"+form+"&clickid="+p.click()); err != nil {
		t.Fatal(err)
	}
	order := fmt.Sprintf(`{"id": 1, "financial_status": "paid", "total_price": "5.00", "currency": "USD", "email": %q, "phone": %q,
		"note_attributes": [{"name": "clickid", "value": %q}, {"name": "consent", "value": "granted"}]}`, personMail, personPhone, p.click())
	mac := hmac.New(sha256.New, []byte("k3y-of-the-shop"))
	mac.Write([]byte(order))
	p.post("/postback/"+shop.ID, order, "Content-Type", "application/json", "X-Shopify-Hmac-Sha256", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	p.post("/postback/"+shop.ID, order, "Content-Type", "application/json", "X-Shopify-Hmac-Sha256", "AAAA")

	await.Until(t, "the postbacks are decided", func() bool {
		const open = `SELECT count(*) FROM postbacks WHERE outcome = 'pending'`
		return dbtest.Get[int](t, p.db, `SELECT count(*) FROM postbacks`) >= 8 && dbtest.Get[int](t, p.db, open) == 0
	})
	e2e.Tick(t, p.Fleet, jobs.SweepUploads)
	await.Until(t, "conversions are uploaded with their keys", func() bool {
		const sent = `SELECT count(*) FROM conversion_uploads WHERE result = 'shadow' AND keys = '{email,phone}'`
		return dbtest.Get[int](t, p.db, sent) >= 5
	})
	texts := []string{strings.SplitN(personMail, "@", 2)[0], personPhone, strings.TrimPrefix(personPhone, "+")}
	// The service hashes these normalized texts. The e-mail address for Reddit has only letters and digits before the @.
	for _, normalized := range []string{personMail, strings.Replace(personMail, "-", "", 1), personPhone, personPhone[1:]} {
		sum := sha256.Sum256([]byte(normalized))
		texts = append(texts, hex.EncodeToString(sum[:]))
	}
	notWritten(t, p.Fleet, texts, controlText)
	p.searchBackup(texts)
}

func (p *personalEnv) searchBackup(texts []string) {
	p.Helper()
	var file bytes.Buffer
	if _, err := backup.Write(p.Context(), p.db, &file, "test", func(string, int64, bool) {}); err != nil {
		p.Fatal(err)
	}
	packed, err := gzip.NewReader(&file)
	if err != nil {
		p.Fatal(err)
	}
	content, err := io.ReadAll(packed)
	if err != nil || !bytes.Contains(content, []byte(controlText)) {
		p.Fatalf("the backup does not contain the network: %v", err)
	}
	for _, text := range texts {
		if bytes.Contains(content, []byte(text)) || bytes.Contains(content, []byte(hex.EncodeToString([]byte(text)))) {
			p.Errorf("%q is in the backup", text)
		}
	}
	if bytes.Contains(content, []byte("conversion_match_keys")) {
		p.Error("the backup has the table of the hashes")
	}
}
