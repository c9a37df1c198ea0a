package v1_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
)

func TestCampaignRacesForAnAlias(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	moved := d.make(t, d.campaign("Moved"))
	codes := make(chan string, 8)
	for i := range 8 {
		go func() {
			if i == 0 {
				codes <- d.Do("PATCH", campaignPath(moved["id"]), map[string]any{"alias": "the-one"}).Code
				return
			}
			codes <- d.Do("POST", "/campaigns", with(d.campaign(fmt.Sprint("race ", i)), "alias", "the-one")).Code
		}()
	}
	count := map[string]int{}
	for range 8 {
		count[<-codes]++
	}
	if count[""] != 1 || count["alias_taken"] != 7 {
		t.Errorf("number of answers by error code: %v, want one without an error and seven alias_taken", count)
	}
	// On the shared link domain each campaign gets a generated alias.
	for i := range 8 {
		go func() {
			body := with(with(d.campaign(fmt.Sprint("shared ", i)), "alias", "the-one"), "domain_id", nil)
			codes <- d.Do("POST", "/campaigns", body).Code
		}()
	}
	for range 8 {
		if code := <-codes; code != "" {
			t.Errorf("creating a campaign on the shared domain failed with %s", code)
		}
	}
}

func TestCampaignIdempotency(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	body := d.campaign("Once")
	first := d.Do("POST", "/campaigns", body, "Idempotency-Key", "k").Want(201, "")
	again := d.Do("POST", "/campaigns", body, "Idempotency-Key", "k").Want(201, "")
	if string(first.Raw) != string(again.Raw) {
		t.Errorf("the repeated call is answered %s, want %s", again.Raw, first.Raw)
	}
	clone := campaignPath(first.Map()["id"]) + "/clone"
	copied := d.Do("POST", clone, nil, "Idempotency-Key", "c").Want(201, "").Map()["id"]
	if id := d.Do("POST", clone, nil, "Idempotency-Key", "c").Want(201, "").Map()["id"]; id != copied {
		t.Errorf("the repeated call made a second copy: %v and %v", copied, id)
	}
}

func TestPausingACampaign(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	const endpoint = `INSERT INTO webhook_endpoints (id, account_id, url, events, secret, active)
		VALUES ($1, $2, 'https://h.test', $3, 's', $4)`
	hook := d.add(t, endpoint, `{campaign.paused,link.broken}`, true)
	d.add(t, endpoint, `{conversion.created}`, true)
	d.add(t, endpoint, `{campaign.paused}`, false)
	made := d.make(t, d.campaign("Runs"))
	dbtest.Exec(t, d.DB, `UPDATE api_keys SET name = 'Reports' WHERE account_id = $1`, d.Account.ID)
	set := func(status string) {
		t.Helper()
		d.Do("PATCH", campaignPath(made["id"]), map[string]any{"status": status}).Want(200, "")
	}
	// None of these changes pauses a running campaign.
	for _, status := range []string{"active", "archived", "paused", "paused", "active"} {
		set(status)
	}
	if n := dbtest.Get[int](t, d.DB, `SELECT count(*) FROM events`); n != 0 {
		t.Fatalf("%d events are stored, although no running campaign was paused", n)
	}

	set("paused")
	set("paused")
	var rows []struct {
		Event    uuid.UUID `db:"event"`
		Delivery uuid.UUID `db:"delivery"`
		Endpoint uuid.UUID `db:"endpoint"`
		Body     []byte    `db:"body"`
	}
	err := d.DB.SelectContext(t.Context(), &rows, `
		SELECT e.id AS event, d.id AS delivery, d.endpoint_id AS endpoint, e.body
		FROM events e JOIN webhook_deliveries d ON d.event_id = e.id JOIN jobs j ON j.id = d.id
		WHERE e.account_id = $1`, d.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Endpoint.String() != hook {
		t.Fatalf("deliveries %+v, want one to the active endpoint that subscribes", rows)
	}
	if n := dbtest.Get[int](t, d.DB, `SELECT count(*) FROM events`); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
	var event struct {
		ID   uuid.UUID
		Type string
		Data models.CampaignPausedData
	}
	if err := json.Unmarshal(rows[0].Body, &event); err != nil {
		t.Fatal(err)
	}
	want := models.CampaignPausedData{
		CampaignID: made["id"].(string), Name: "Runs", Alias: made["alias"].(string), By: "api", Who: "Reports",
	}
	if event.ID != rows[0].Event || event.Type != models.EventCampaignPaused || event.Data != want {
		t.Errorf("the event is %+v, want the id %s and the data %+v", event, rows[0].Event, want)
	}
	if sent := d.Jobs.Rows(models.KindDeliverWebhook); len(sent) != 1 || sent[0] != rows[0].Delivery {
		t.Errorf("dispatched %v, want %v", sent, rows[0].Delivery)
	}

	ana := d.SignIn(models.RoleOwner)
	ana.Do("PATCH", "/app/api/me", map[string]any{"name": "Ana"}).Want(200, "")
	set("active")
	ana.Do("PATCH", campaignPath(made["id"]), map[string]any{"status": "paused"}).Want(200, "")
	wantBy(t, d, "person Ana")
	bulk := ana.Do("POST", "/campaigns/bulk", map[string]any{"ids": []any{made["id"]}, "status": "active"}).Want(200, "").Map()
	ana.Do("POST", fmt.Sprintf("/changes/%v/undo", bulk["change_id"]), nil).Want(200, "")
	wantBy(t, d, "person Ana")
	set("active")
	d.Do("POST", "/campaigns/bulk", map[string]any{"ids": []any{made["id"]}, "status": "paused"}).Want(200, "")
	wantBy(t, d, "api Reports")
}

func wantBy(t *testing.T, d *campaignEnv, want string) {
	t.Helper()
	got := dbtest.Get[string](t, d.DB, `SELECT concat(x ->> 'by', ' ', x ->> 'who') FROM (SELECT convert_from(body, 'UTF8')::json -> 'data' AS x
		FROM events ORDER BY id DESC LIMIT 1) e`)
	if got != want {
		t.Errorf("the campaign was paused by %q, want %q", got, want)
	}
}

// A pause, its event and the event's delivery are stored in one transaction.
func TestPauseAndItsEventAreAtomic(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	d.add(t, `INSERT INTO webhook_endpoints (id, account_id, url, events, secret)
		VALUES ($1, $2, 'https://h.test', '{campaign.paused}', 's')`)
	made := d.make(t, d.campaign("Runs"))
	dbtest.Exec(t, d.DB, `ALTER TABLE webhook_deliveries RENAME TO away`)
	d.Do("PATCH", campaignPath(made["id"]), map[string]any{"status": "paused"}).Want(500, "internal_error")
	if got := d.read(t, made["id"]); got["status"] != "active" {
		t.Errorf("the campaign is %v although the event could not be stored", got["status"])
	}
	if n := dbtest.Get[int](t, d.DB, `SELECT count(*) FROM events`); n != 0 {
		t.Errorf("%d events are stored for a pause that was rolled back", n)
	}
	dbtest.Exec(t, d.DB, `ALTER TABLE away RENAME TO webhook_deliveries`)

	// Several simultaneous calls pause the campaign only once.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { d.Do("PATCH", campaignPath(made["id"]), map[string]any{"status": "paused"}).Want(200, "") })
	}
	wg.Wait()
	if n := dbtest.Get[int](t, d.DB, `SELECT count(*) FROM webhook_deliveries`); n != 1 {
		t.Errorf("%d deliveries, want 1", n)
	}
}
