package v1_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

// footprints returns the numbers of rows in the tables to which a click or a postback writes, and a sum of the ledger.
func footprints(t *testing.T, d *campaignEnv) string {
	t.Helper()
	return dbtest.Get[string](t, d.DB, `SELECT concat_ws(' ',
		(SELECT count(*) FROM clicks), (SELECT count(*) FROM conversions), (SELECT count(*) FROM postbacks), (SELECT count(*) FROM jobs),
		(SELECT count(*) FROM events), (SELECT count(*) FROM webhook_deliveries), (SELECT count(*) FROM source_postbacks),
		(SELECT coalesce(sum(approved + rejected + clicks), 0) FROM ledger))`)
}

// stepsOf returns the steps of a test as "step: detail". A failed step has a minus before it.
func stepsOf(m map[string]any) (list []string) {
	for _, s := range m["steps"].([]any) {
		step := s.(map[string]any)
		mark := ""
		if step["ok"] != true {
			mark = "-"
		}
		list = append(list, fmt.Sprintf("%s%s: %s", mark, step["step"], step["detail"]))
	}
	return list
}

// wantStep fails the test unless the answer has, for each of the given texts, a step that begins with this text.
func wantStep(t *testing.T, m map[string]any, beginnings ...string) {
	t.Helper()
	for _, want := range beginnings {
		found := false
		for _, s := range stepsOf(m) {
			found = found || strings.HasPrefix(s, want)
		}
		if !found {
			t.Errorf("no step begins with %q; the steps are\n%s", want, strings.Join(stepsOf(m), "\n"))
		}
	}
}

func TestTestClick(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	source := d.Do("POST", "/traffic-sources", `{"platform": "zeropark"}`).Want(201, "").Map()["id"]
	dbtest.Exec(t, d.DB, `UPDATE networks SET click_param = 'aff' WHERE id = $1`, d.network)
	dbtest.Exec(t, d.DB, `UPDATE offers SET url = 'https://o.test/?x={external_id}' WHERE id = $1`, d.offer)
	dbtest.Exec(t, d.DB, `UPDATE landers SET url = 'https://l.test/?t={sub1}' WHERE id = $1`, d.lander)
	body := with(d.campaign("C"), "source_id", source)
	delete(body, "offer_id")
	body["streams"] = []object{{
		"name": "only", "action": "lander", "daily_cap": 1,
		"destinations": []object{{"id": d.lander}, {"id": d.offer, "slot": 2}},
	}}
	made := d.make(t, body)
	at := campaignPath(made["id"]) + "/test-click"
	before := footprints(t, d)
	for range 2 { // a test click counts towards no cap
		got := d.Do("POST", at, nil).Want(200, "").Map()
		wantStep(t, got, "domain: own.test", "campaign: C", `parameters: 10 read; external id "test-cid", cost 0.01 USD`,
			"visitor: country unknown, desktop, Windows, Chrome", `decision: regular path "only", action lander`,
			"destination: https://l.test/?t=test-target")
		same(t, got, map[string]any{"test": true, "http_status": 302.0, "destination": "https://l.test/?t=test-target"})
		same(t, got["click"].(map[string]any), map[string]any{"external_id": "test-cid", "cost": 0.01, "is_bot": false})
		offers := got["offers"].([]any)
		if len(offers) != 1 || !strings.HasPrefix(fmt.Sprint(offers[0].(map[string]any)["url"]), "https://o.test/?x=test-cid&aff=") {
			t.Errorf("the landing page's slots lead to %v, want one offer with the click's values", offers)
		}
		same(t, got["decision"].(map[string]any), map[string]any{"path": "only", "lander_id": d.lander})
	}
	// The answer names the mistakes in a link that a person has pasted.
	link := fmt.Sprint(made["url"])
	try := func(url string) map[string]any {
		t.Helper()
		return d.In(t).Do("POST", at, map[string]any{"url": url}).Want(200, "").Map()
	}
	wantStep(t, try(link+"?cid={cid}&cost=1"), "-parameters: not read: the source's click id, cid (still the macro {cid})")
	wantStep(t, try(link+"?cid=7#CLICK##"), "-parameters: not read: a cost, the part after #")
	wantStep(t, try(link+"?cid=7&cost=0.5&target=a%26b"), `parameters: 3 read; external id "7", cost 0.5 USD`, "destination: https://l.test/?t=a%26b")
	wantStep(t, try("https://elsewhere.test/x"), "-domain: elsewhere.test is no shared link domain and no verified domain")
	wantStep(t, try("https://own.test/nothing"), "-campaign: \"nothing\" is no alias")
	if after := footprints(t, d); after != before {
		t.Errorf("tests changed the numbers of rows to %s, want %s", after, before)
	}
	other := d.make(t, d.campaign("Other"))
	wantStep(t, try(fmt.Sprint(other["url"])), "-campaign: the link leads to another campaign: Other")
	d.Do("PATCH", campaignPath(other["id"]), map[string]any{"status": "paused"}).Want(200, "")
	d.Do("POST", "/bot-lists", botEntry("ip_range", "in_cidr", "203.0.113.0/24")).Want(201, "")
	before = footprints(t, d) // pausing the campaign has stored an event
	wantStep(t, d.Do("POST", campaignPath(other["id"])+"/test-click", nil).Want(200, "").Map(), "-campaign: the campaign is paused")
	bot := d.Do("POST", at, map[string]any{"user_agent": "curl/8.0"}).Want(200, "").Map()
	wantStep(t, bot, "-visitor: counted as a bot: ")
	wantStep(t, d.Do("POST", at, map[string]any{"ip": "203.0.113.9"}).Want(200, "").Map(), "-visitor: counted as a bot: deny_list, score 100")

	_, theirs, _ := d.NewAccount("scale")
	d.As(theirs).Do("POST", at, nil).Want(404, "not_found")
	foreign := d.As(theirs)
	foreign.Do("POST", "/domains", `{"domain": "theirs.test"}`).Want(201, "")
	dbtest.Exec(t, d.DB, `UPDATE domains SET is_verified = true WHERE host = 'theirs.test'`)
	wantStep(t, try("https://theirs.test/"+fmt.Sprint(made["alias"])), "-domain: theirs.test is no shared")
	d.As(d.ReadKey).Do("POST", at, nil).Want(403, "read_only_key")
	d.Do("POST", "/campaigns/x/test-click", nil).Want(400, "invalid_id")
	d.Do("POST", at, map[string]any{"url": "ftp://own.test/x"}).Want(400, "invalid_url")
	d.Do("POST", at, map[string]any{"url": "https://own.test/" + strings.Repeat("x", 8000)}).Want(400, "too_long")
	d.Do("POST", at, map[string]any{"ip": "somewhere"}).Want(400, "invalid_input")
	d.Do("POST", at, map[string]any{"user_agent": "a\r\nX-Evil: 1"}).Want(200, "")
	if after := footprints(t, d); after != before {
		t.Errorf("tests changed the numbers of rows to %s, want %s", after, before)
	}
}

func TestTestPostback(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	made := d.Do("POST", "/networks", `{"template": "Affise", "postback_secret": "s3cret&"}`).Want(201, "").Map()
	// A network without clicks is tried with a made-up click.
	ready := d.Do("POST", fmt.Sprintf("/networks/%v/test-postback", made["id"]), nil).Want(200, "").Map()
	same(t, ready, map[string]any{"result": "waiting", "conversion": nil})
	wantStep(t, ready, "address: network Affise, 7 parameters", "click: the click id is read", "secret: right", `status: "1" is approved`, "payout: 1.23 USD",
		`goal: goal "test"`, "result: the conversion would be recorded")
	dbtest.Exec(t, d.DB, `UPDATE offers SET network_id = $2, payout = 5 WHERE id = $1`, d.offer, made["id"])
	campaign := uuid.MustParse(fmt.Sprint(d.make(t, d.campaign("C"))["id"]))
	click := d.clicked(t, d.Account.ID, campaign, uuid.MustParse(d.offer), uuid.MustParse(fmt.Sprint(made["id"])))
	at := fmt.Sprintf("/networks/%v/test-postback", made["id"])
	before := footprints(t, d)
	untouched := func() {
		t.Helper()
		if after := footprints(t, d); after != before {
			t.Errorf("a test changed the numbers of rows to %s, want %s", after, before)
		}
	}
	try := func(body map[string]any) map[string]any {
		t.Helper()
		return d.In(t).Do("POST", at, body).Want(200, "").Map()
	}
	for range 2 {
		got := try(map[string]any{"click_id": click, "payout": "2,50 EUR", "status": "5", "goal": "deposit"})
		wantStep(t, got, "address: network Affise", "click: click "+click, "secret: right", `status: "5" is pending`,
			"payout: 2.5", `goal: goal "deposit", conversion id "test"`, "result: the conversion would be created")
		same(t, got, map[string]any{"test": true, "result": "recorded"})
		same(t, got["conversion"].(map[string]any), map[string]any{"status": "pending", "payout": 2.5, "is_new": true, "click_id": click})
		if strings.Contains(fmt.Sprint(got), "s3cret") {
			t.Error("the answer shows the secret")
		}
	}
	// The network calls the postback address with its values in place of the macros.
	filled := strings.NewReplacer("{sub1}", click, "{sum}", "3", "{status}", "1", "{transactionid}", "T1", "{goal}", "", "{currency}", "USD").
		Replace(fmt.Sprint(made["postback_url"]))
	got := try(map[string]any{"url": filled})
	wantStep(t, got, "secret: right", `status: "1" is approved`, "result: the conversion would be created")
	same(t, got["conversion"].(map[string]any), map[string]any{"status": "approved", "payout": 3.0, "conversion_id": "T1"})
	untouched()
	recordConversion(t, d.DB, conversion.Input{
		AccountID: d.Account.ID, ClickID: idOfClick(t, click), ConversionID: "T1", Status: models.StatusChargeback, At: time.Now(),
	})
	before = footprints(t, d)
	got = try(map[string]any{"url": filled})
	same(t, got, map[string]any{"result": "ignored"})
	wantStep(t, got, "-result: nothing")

	// The steps name the mistakes of a postback.
	unfilled := try(map[string]any{"url": made["postback_url"]})
	same(t, unfilled, map[string]any{"result": "unmatched", "conversion": nil})
	wantStep(t, unfilled, "-click: it names no click", "secret: right", `-payout: the payout "{sum}" is a macro that was not filled in`, "-result: nothing would be recorded")
	wantStep(t, try(object{}), "click: click "+click, "secret: right", "payout: 1.23", "result: the conversion would be created")
	same(t, try(map[string]any{"click_id": models.FormatClickID(models.NewClickID())}), map[string]any{"result": "waiting"})
	wrong := try(map[string]any{"url": strings.Replace(filled, "s3cret", "guess", 1)})
	same(t, wrong, map[string]any{"result": "refused", "conversion": nil})
	wantStep(t, wrong, "-secret: the secret of the network is missing or wrong")
	wantStep(t, try(map[string]any{"url": "https://own.test/postback/" + uuid.NewString() + "?clickid=x"}), "-address: there is no such network")
	wantStep(t, try(map[string]any{"url": "https://own.test/pixel?clickid=x"}), "-address: this is no address of postbacks")
	wantStep(t, try(map[string]any{"url": "https://own.test/postback?clickid=" + click}), "-address: the address does not end in")

	untouched()

	// A click of another account is unknown.
	other, theirs, _ := d.NewAccount("scale")
	foreign := d.clicked(t, other.ID, uuid.New(), uuid.New(), uuid.Nil)
	before = footprints(t, d)
	for _, url := range []string{filled, "http://localhost/postback?clickid=" + click} {
		same(t, try(map[string]any{"url": strings.Replace(url, click, foreign, 1)}), map[string]any{"result": "waiting"})
	}
	d.As(theirs).Do("POST", at, nil).Want(404, "not_found")
	d.As(d.ReadKey).Do("POST", at, nil).Want(403, "read_only_key")
	d.Do("POST", "/networks/x/test-postback", nil).Want(400, "invalid_id")
	d.Do("POST", at, map[string]any{"url": "own.test"}).Want(400, "invalid_url")
	d.Do("POST", at, map[string]any{"url": "https://own.test/postback?" + strings.Repeat("x", 8000)}).Want(400, "too_long")
	d.Do("POST", at, map[string]any{"payout": 5}).Want(400, "invalid_input")
	untouched()
}

func (d *campaignEnv) clicked(t *testing.T, account, campaign, offer, network uuid.UUID) string {
	t.Helper()
	c := models.Click{
		ID: models.NewClickID(), AccountID: account, CampaignID: campaign, OfferID: offer, NetworkID: network, Currency: "USD",
	}
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Append(t.Context(), spool.Record{Click: &c}); err != nil {
		t.Fatal(err)
	}
	id := c.ID
	if err := ingest.NewIngester(log, d.DB, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	return models.FormatClickID(id)
}

func idOfClick(t *testing.T, text string) uuid.UUID {
	t.Helper()
	id, err := models.ParseClickID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
