package v1_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"switchyard/db/dbtest"
	"switchyard/models"
)

// TestFailover: the campaigns of an unsafe domain move to the spare domain. Once the failover of the unsafe domain is off, a call
// can move them back.
func TestFailover(t *testing.T) {
	t.Parallel()
	s := domainServer(t, "scale")
	home := s.Do("POST", "/domains", map[string]any{"domain": "home.acme.com", "failover": true}).Want(201, "").Map()["id"]
	s.Do("POST", "/domains", map[string]any{"domain": "spare.acme.com", "group_name": "spare"}).Want(201, "")
	dbtest.Exec(t, s.DB, `UPDATE domains SET is_verified = true WHERE account_id = $1`, s.Account.ID)
	campaign := s.Do("POST", "/campaigns", map[string]any{
		"name": "A", "alias": "spring-7", "domain_id": home, "destination_url": "https://shop.acme.com/",
	}).Want(201, "").Map()

	const limit = 9
	due, err := s.Store.Links().Unscreened(t.Context(), time.Now(), time.Now(), limit)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(due, func(l models.Link) bool { return l.Name == "home.acme.com" })
	if _, err := s.Store.Links().RecordScreen(t.Context(), due[i], "web_risk", time.Now(), []string{"MALWARE"}); err != nil {
		t.Fatal(err)
	}
	same(t, rowOf(t, s, "/domains", home), map[string]any{"campaigns": 0, "failed_over": 1, "failover": true})
	moved := s.Do("GET", fmt.Sprintf("/campaigns/%v", campaign["id"]), nil).Want(200, "").Map()
	same(t, moved["campaign"].(map[string]any), map[string]any{"domain": "spare.acme.com", "alias": "spring-7"})
	alert := s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)[0].(map[string]any)
	same(t, alert, map[string]any{
		"type": "link.unsafe", "name": "home.acme.com", "message": "listed as MALWARE; 1 campaigns moved to spare.acme.com",
	})

	back := map[string]any{"id": home, "action": "fail_back"}
	s.Do("PATCH", "/domains", back).Want(409, "domain_unsafe")
	s.Do("PATCH", "/domains", map[string]any{"id": home, "failover": false}).Want(200, "")
	same(t, s.Do("PATCH", "/domains", back).Want(200, "").Map(), map[string]any{
		"id": home, "domain": "home.acme.com", "campaigns": 1, "kept": 0,
	})
	same(t, rowOf(t, s, "/domains", home), map[string]any{"campaigns": 1, "failed_over": 0})
	same(t, s.Do("PATCH", "/domains", back).Want(200, "").Map(), map[string]any{"campaigns": 0, "kept": 0})
}
