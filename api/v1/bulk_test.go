package v1_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/db/store"
)

func contains(text string, part any) bool { return strings.Contains(text, fmt.Sprint(part)) }

// One call changes several campaigns, and one undo restores them. A campaign that was changed after the call is not restored, and
// the answer names it.
func TestBulkCampaigns(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	shared := sharedDomain(t, d.Server)
	var ids []any
	var before []map[string]any
	for i, tags := range [][]string{{"a", "b"}, {"B"}, {}} {
		body := with(with(d.campaign(fmt.Sprint("C", i)), "tags", tags), "group_name", fmt.Sprint("G", i))
		ids = append(ids, d.make(t, body)["id"])
		before = append(before, d.read(t, ids[i]))
	}
	done := d.Do("POST", "/campaigns/bulk", object{
		"ids": ids, "cost_model": "cpc", "cost_value": 0.25, "group_name": "Autumn", "add_tags": []string{"new"}, "remove_tags": []string{"b"},
		"domain_id": shared, "status": "paused",
	}).Want(200, "").Map()
	same(t, done, map[string]any{"changed": 3})
	for i, tags := range []string{"[a new]", "[new]", "[new]"} {
		now := d.read(t, ids[i])
		same(t, now, map[string]any{
			"cost_model": "cpc", "cost_value": 0.25, "group_name": "Autumn", "domain_id": shared, "status": "paused", "tags": tags,
		})
		if now["alias"] == before[i]["alias"] {
			t.Errorf("the campaign kept the alias %v on the shared domain, want a generated one", now["alias"])
		}
	}
	var events int
	if err := d.DB.GetContext(t.Context(), &events, `SELECT count(*) FROM events WHERE account_id = $1 AND type = 'campaign.paused'`,
		d.Account.ID); err != nil || events != 3 {
		t.Errorf("%d events campaign.paused are stored, want 3 (%v)", events, err)
	}
	d.Do("PATCH", campaignPath(ids[2]), object{"group_name": "Mine"}).Want(200, "")
	undo := d.Do("POST", fmt.Sprintf("/changes/%v/undo", done["change_id"]), nil).Want(200, "").Map()
	if got := fmt.Sprint(undo); got != fmt.Sprintf("map[kept:[map[id:%v kind:campaign name:C2 path: reason:changed]] restored:2]", ids[2]) {
		t.Errorf("the undo is answered %s, want two campaigns restored and C2 kept", got)
	}
	for i := range 2 {
		now := d.read(t, ids[i])
		delete(now, "updated_at")
		delete(before[i], "updated_at")
		same(t, now, before[i])
	}
	same(t, d.read(t, ids[2]), map[string]any{"group_name": "Mine", "status": "paused"})
	d.auditedOnce(t, "POST /campaigns/bulk", "")
	if got := d.marksOf(t, ids[0]); got != "[POST /changes/{id}/undo POST /campaigns/bulk]" {
		t.Errorf("the changes of a campaign are %s, want the undo and the change", got)
	}
	if got := d.marksOf(t, d.make(t, d.campaign("Other"))["id"]); got != "[]" {
		t.Errorf("a campaign that was not changed has the changes %s", got)
	}

	again := d.Do("POST", "/campaigns/bulk", object{"ids": ids[:1], "group_name": "G0"}).Want(200, "").Map()
	same(t, again, map[string]any{"changed": 0, "change_id": nil})
	// An undo also restores the alias on the shared domain.
	moved := d.make(t, with(d.campaign("Shared"), "domain_id", shared))
	done = d.Do("POST", "/campaigns/bulk", object{"ids": []any{moved["id"]}, "domain_id": d.ownDomain}).Want(200, "").Map()
	d.Do("POST", fmt.Sprintf("/changes/%v/undo", done["change_id"]), nil).Want(200, "")
	same(t, d.read(t, moved["id"]), map[string]any{"domain_id": shared, "alias": moved["alias"]})
}

func (d *campaignEnv) marksOf(t *testing.T, campaign any) string {
	t.Helper()
	of := uuid.NullUUID{UUID: uuid.MustParse(fmt.Sprint(campaign)), Valid: true}
	now := time.Now()
	list, _, err := d.Store.Changes(t.Context(), d.Account.ID, now.Add(-time.Hour), now.Add(time.Hour), of, store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, c := range list {
		if c.Operation == "POST /campaigns/bulk" || c.Operation == "POST /changes/{id}/undo" {
			out = append(out, c.Operation)
		}
	}
	return fmt.Sprint(out)
}

func sharedDomain(t *testing.T, s *apitest.Server) string {
	t.Helper()
	return dbtest.Get[string](t, s.DB, `SELECT id FROM domains WHERE account_id IS NULL ORDER BY is_default DESC, created_at, id LIMIT 1`)
}

// If one campaign refuses a change, no campaign changes, and the error names the campaign.
func TestBulkIsAllOrNothing(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	second := d.add(t, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'second.test', true)`)
	one := d.make(t, d.campaign("One"))["id"]
	two := d.make(t, with(d.campaign("Two"), "alias", "same-alias"))["id"]
	d.make(t, with(with(d.campaign("Three"), "alias", "same-alias"), "domain_id", second))
	got := d.Do("POST", "/campaigns/bulk", object{"ids": []any{one, two}, "domain_id": second}).Want(409, "alias_taken")
	if !contains(got.Message, `1 of 2`) || !contains(got.Message, `"Two"`) {
		t.Errorf("the error is %q, want one that counts 1 of 2 and names Two", got.Message)
	}
	same(t, d.read(t, one), map[string]any{"domain_id": d.ownDomain})
	d.Do("POST", "/campaigns/bulk", object{"ids": []any{one, uuid.NewString()}, "notes": "x"}).Want(404, "not_found")
	same(t, d.read(t, one), map[string]any{"notes": ""})
	full := make([]string, 20)
	for i := range full {
		full[i] = fmt.Sprint("t", i)
	}
	d.Do("PATCH", campaignPath(one), object{"tags": full}).Want(200, "")
	d.Do("POST", "/campaigns/bulk", object{"ids": []any{one, two}, "add_tags": []string{"x"}}).Want(400, "invalid_input")
	d.Do("POST", "/campaigns/bulk", object{"ids": []any{two}, "tags": []string{"z"}, "add_tags": []string{"x"}}).Want(200, "")
	same(t, d.read(t, two), map[string]any{"tags": "[z x]"})
	many := make([]string, 501)
	for i := range many {
		many[i] = uuid.NewString()
	}
	for _, ids := range []any{nil, []any{}, "x", []any{"x"}, many} {
		d.Do("POST", "/campaigns/bulk", object{"ids": ids, "notes": "x"}).Want(400, "invalid_ids")
	}
	d.Do("POST", "/campaigns/bulk", object{"ids": []any{one}}).Want(400, "no_fields")
	d.Do("POST", "/campaigns/bulk", object{"ids": []any{one}, "name": "x"}).Want(400, "invalid_input")
	d.As(d.ReadKey).Do("POST", "/campaigns/bulk", object{"ids": []any{one}, "notes": "x"}).Want(403, "read_only_key")
}

func TestBulkOffersAndLanders(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, kind := range []string{"offers", "landers"} {
		make := func(name string) any {
			return s.Do("POST", "/"+kind, object{"name": name, "url": "https://x.test", "tags": []string{"a"}}).Want(201, "").Map()["id"]
		}
		ids := []any{make("One"), make("Two")}
		path := "/" + kind + "/bulk"
		done := s.Do("POST", path, object{"ids": ids, "status": "paused", "group_name": "G", "add_tags": []string{"b"}}).Want(200, "").Map()
		for _, id := range ids {
			same(t, rowOf(t, s, "/"+kind, id), map[string]any{"status": "paused", "group_name": "G", "tags": "[a b]", "url": "https://x.test"})
		}
		s.Do("POST", path, object{"ids": ids[1:], "tags": nil}).Want(200, "")
		undo := s.Do("POST", fmt.Sprintf("/changes/%v/undo", done["change_id"]), nil).Want(200, "").Map()
		if got := fmt.Sprint(undo); got != fmt.Sprintf("map[kept:[map[id:%v kind:%s name:Two path: reason:changed]] restored:1]", ids[1], kind[:len(kind)-1]) {
			t.Errorf("the undo is answered %s, want one record restored and Two kept", got)
		}
		same(t, rowOf(t, s, "/"+kind, ids[0]), map[string]any{"status": "active", "group_name": "", "tags": "[a]"})
		s.Do("POST", path, object{"ids": []any{ids[0], uuid.NewString()}, "status": "paused"}).Want(404, "not_found")
		same(t, rowOf(t, s, "/"+kind, ids[0]), map[string]any{"status": "active"})
		s.Do("POST", path, object{"ids": ids, "status": "archived"}).Want(400, "invalid_status")
		s.Do("POST", path, object{"ids": ids}).Want(400, "no_fields")
		s.Do("POST", path, object{"ids": []any{}, "status": "paused"}).Want(400, "invalid_ids")
		s.Do("POST", path, object{"ids": ids, "group_name": strings.Repeat("g", 256)}).Want(400, "invalid_input")
	}
	// Changes are deleted after 90 days.
	dbtest.Exec(t, s.DB, `UPDATE bulk_changes SET created_at = now() - interval '91 days' WHERE undone_at IS NOT NULL`)
	var kept int
	n, err := s.Store.DeleteExpiredChanges(t.Context())
	if e := s.DB.GetContext(t.Context(), &kept, `SELECT count(*) FROM bulk_changes`); n != 2 || kept != 2 || err != nil || e != nil {
		t.Errorf("%d changes were deleted and %d are left, want 2 and 2 (%v, %v)", n, kept, err, e)
	}
}
