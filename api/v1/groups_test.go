package v1_test

import (
	"fmt"
	"testing"

	"switchyard/db/dbtest"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	d := newCampaignEnv(t)
	s := d.Server
	dbtest.Exec(t, d.DB, `DELETE FROM domains WHERE account_id IS NOT NULL`)
	_, otherKey, _ := s.NewAccount("scale")
	groups := func(query, want string) {
		t.Helper()
		if got := fmt.Sprint(s.As(s.ReadKey).Do("GET", "/groups"+query, nil).Want(200, "").Map()); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	groups("", "map[groups:[] scope:campaigns]")
	group := func(body map[string]any, name string) map[string]any { return with(body, "group_name", name) }
	for i, name := range []string{"beta", "Alpha", "beta", ""} {
		s.Do("POST", "/offers", group(offer(fmt.Sprint("o", i)), name)).Want(201, "")
	}
	gone := s.Do("POST", "/offers", group(offer("gone"), "Gone")).Want(201, "").Map()["id"]
	s.Do("DELETE", fmt.Sprint("/offers?id=", gone), nil).Want(200, "")
	s.As(otherKey).Do("POST", "/offers", group(offer("theirs"), "Theirs")).Want(201, "")
	s.Do("POST", "/landers", group(lander("L"), "Pages")).Want(201, "")
	s.Do("POST", "/campaigns", map[string]any{
		"name": "C", "alias": "campaign-c", "destination_url": "https://x.example",
		"group_name": "Mine",
	}).Want(201, "")
	const domain = `INSERT INTO domains (id, account_id, host, group_name) VALUES (gen_random_uuid(), $1, 'a.test', 'Links')`
	dbtest.Exec(t, d.DB, domain, s.Account.ID)
	groups("", "map[groups:[Mine] scope:campaigns]")
	groups("?scope=", "map[groups:[Mine] scope:campaigns]")
	groups("?scope=campaigns", "map[groups:[Mine] scope:campaigns]")
	groups("?scope=offers", "map[groups:[Alpha beta] scope:offers]")
	groups("?scope=landers", "map[groups:[Pages] scope:landers]")
	groups("?scope=domains", "map[groups:[Links] scope:domains]")
	for _, scope := range []string{"networks", "Offers", "offers%3B"} {
		s.Do("GET", "/groups?scope="+scope, nil).Want(400, "invalid_scope")
	}
}
