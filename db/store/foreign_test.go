package store_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/foreign"
)

func TestForeignLinks(t *testing.T) {
	t.Parallel()
	s, account := newStore(t)
	shared := uuid.New()
	dbtest.Exec(t, s.Conn(), `INSERT INTO domains (id, host, is_verified, is_default) VALUES ($1, 'go.test', true, true)`, shared)
	campaign := func(account uuid.UUID, name string) uuid.UUID { return addCampaign(t, s, account, shared, name) }
	domain := func(account uuid.UUID, host string) uuid.NullUUID {
		id := uuid.New()
		dbtest.Exec(t, s.Conn(), `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, $3, true)`, id, account, host)
		return uuid.NullUUID{UUID: id, Valid: true}
	}
	other, err := s.CreateAccount(t.Context(), "Other", "pro")
	if err != nil {
		t.Fatal(err)
	}
	first, second, theirs := campaign(account.ID, "one"), campaign(account.ID, "two"), campaign(other.ID, "three")
	own, foreignDomain := domain(account.ID, "own.test"), domain(other.ID, "theirs.test")
	links := s.ForeignLinks()
	put := func(campaign uuid.UUID, list ...models.ForeignLink) error {
		return links.Replace(t.Context(), account.ID, campaign, list)
	}
	check := func(campaign uuid.UUID, want ...string) {
		t.Helper()
		texts := dbtest.Select[string](t, s.Conn(), `SELECT concat(form, ' ', foreign_id, ' ', (domain_id IS NOT NULL)::text) FROM foreign_links
			WHERE account_id = $1 AND campaign_id = $2 ORDER BY form, foreign_id, domain_id`, account.ID, campaign)
		if fmt.Sprint(texts) != fmt.Sprint(want) {
			t.Errorf("the links are %q, want %q", texts, want)
		}
	}
	path := models.ForeignLink{Form: foreign.FormPath, ForeignID: "x"}
	onOwn := models.ForeignLink{Form: foreign.FormPath, ForeignID: "x", DomainID: own}
	query := models.ForeignLink{Form: foreign.FormQuery, ForeignID: "K1"}
	for range 2 { // storing the same links a second time changes nothing
		if err := put(first, path, onOwn, query, query); err != nil {
			t.Fatal(err)
		}
		check(first, "path x true", "path x false", "query K1 false")
	}
	if err := put(second, query); err != nil {
		t.Fatal(err)
	}
	check(first, "path x true", "path x false")
	check(second, "query K1 false")
	if err := put(first, path); err != nil {
		t.Fatal(err)
	}
	check(first, "path x false")
	for code, err := range map[string]error{
		"invalid_campaign": put(theirs, path),
		"invalid_domain":   put(first, models.ForeignLink{Form: foreign.FormPath, ForeignID: "y", DomainID: foreignDomain}),
		"invalid_input":    put(first, models.ForeignLink{Form: "other", ForeignID: "y"}),
	} {
		if e, ok := models.AsError(err); !ok || e.Code != code {
			t.Errorf("%v, want %s", err, code)
		}
	}
	for _, bad := range []models.ForeignLink{
		{Form: foreign.FormPath},
		{Form: foreign.FormGo, ForeignID: "a/b"},
		{Form: foreign.FormGo, ForeignID: "a\n"},
		{Form: foreign.FormGo, ForeignID: string(make([]byte, 256))},
		{Form: foreign.FormPath, ForeignID: "y", DomainID: uuid.NullUUID{UUID: shared, Valid: true}},
	} {
		if err := put(first, bad); err == nil {
			t.Errorf("the invalid link %+v was accepted", bad)
		}
	}
	check(first, "path x false")
	if err := links.Replace(t.Context(), other.ID, theirs, []models.ForeignLink{path}); err != nil {
		t.Fatal(err)
	}
	if err := s.Campaigns().Remove(t.Context(), account.ID, first); err != nil {
		t.Fatal(err)
	}
	check(first)
	check(second, "query K1 false")
	limited(t, s, shared)
}

func addCampaign(t *testing.T, s *store.Store, account, domain uuid.UUID, name string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	dbtest.Exec(t, s.Conn(), `INSERT INTO campaigns (id, account_id, name, alias, domain_id, fallback_url) VALUES ($1, $2, $3, $3, $4, 'https://a.test/')`,
		id, account, name, domain)
	return id
}

func limited(t *testing.T, s *store.Store, domain uuid.UUID) {
	t.Helper()
	small, err := s.CreateAccount(t.Context(), "Small", "starter")
	if err != nil {
		t.Fatal(err)
	}
	campaign := addCampaign(t, s, small.ID, domain, "four")
	plan, _ := models.PlanNamed("starter")
	var list []models.ForeignLink
	for i := range plan.ForeignLinks() + 1 {
		list = append(list, models.ForeignLink{Form: foreign.FormPath, ForeignID: strconv.Itoa(i)})
	}
	err = s.ForeignLinks().Replace(t.Context(), small.ID, campaign, list)
	if e, ok := models.AsError(err); !ok || e.Code != "plan_limit" {
		t.Errorf("storing %d links gives the error %v, want plan_limit", len(list), err)
	}
	if err := s.ForeignLinks().Replace(t.Context(), small.ID, campaign, list[1:]); err != nil {
		t.Errorf("storing %d links gives the error %v, want none", len(list)-1, err)
	}
}
