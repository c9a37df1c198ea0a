package v1_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
)

// TestEdge: the state of an account's edge comes from the database. A call that publishes waits for a job.
func TestEdge(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{EdgePublishing: true}})
	got := s.Do("GET", "/edge", nil).Want(200, "").Map()
	same(t, got, map[string]any{"configured": true, "routableCampaigns": 0.0, "campaignsWithoutDomain": 0.0, "publishedCampaigns": 0.0, "publishedAt": nil})
	if hint, _ := got["hint"].(string); !strings.Contains(hint, "POST /domains") {
		t.Errorf("the hint %q does not say to add a domain", hint)
	}
	account, domain, shared := s.Account.ID, uuid.New(), uuid.New()
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'go.edge.test', true)`, domain, account)
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, host, is_verified) VALUES ($1, 'shared.edge.test', true)`, shared)
	for alias, domainID := range map[string]uuid.UUID{"here-1": domain, "here-2": domain, "there-1": shared} {
		dbtest.Exec(t, s.DB, `INSERT INTO campaigns (id, account_id, name, alias, domain_id, streams) VALUES ($1, $2, $3, $3, $4, '[]')`, uuid.New(), account, alias, domainID)
	}
	dbtest.Exec(t, s.DB, `INSERT INTO edge_keys (key, owner_id, campaign_id, hash, origin) VALUES ('go.edge.test/here-1', $1, $2, '\x01', '{daily_cap}')`, account, uuid.New())
	dbtest.Exec(t, s.DB, `INSERT INTO edge_keys (key, owner_id, campaign_id, hash, origin) VALUES ('their.edge.test/x', $1, $1, '\x01', '{protection}')`, uuid.New())
	dbtest.Exec(t, s.DB, `INSERT INTO edge_accounts (owner_id, failure) VALUES ($1, 'Authentication error')`, account)
	got = s.As(s.ReadKey).Do("GET", "/edge", nil).Want(200, "").Map()
	same(t, got, map[string]any{"configured": true, "routableCampaigns": 2.0, "campaignsWithoutDomain": 1.0, "publishedCampaigns": 1.0})
	hint, _ := got["hint"].(string)
	if !strings.Contains(hint, "Authentication error") || !strings.Contains(hint, "daily_cap (campaigns: 1)") || strings.Contains(hint, "protection") {
		t.Errorf("the hint %q lacks the failure or the feature daily_cap, or names a feature of another account's campaigns", hint)
	}

	jobstest.Answer(s.Jobs, jobs.PublishEdge, func(target uuid.UUID, _ jobs.None) (jobs.PublishedEdge, error) {
		if target != account {
			t.Errorf("the job publishes the campaigns of account %s, want %s", target, account)
		}
		return jobs.PublishedEdge{Configured: true, Published: 2, Written: 1, Removed: 3, Failed: 4, Rules: 5, RulesError: "one is gone", MS: 6}, nil
	})
	same(t, s.Do("POST", "/edge", nil).Want(200, "").Map(), map[string]any{
		"configured": true, "published": 2.0, "removed": 3.0, "failed": 4.0, "rules": 5.0, "rulesError": "one is gone", "ms": 6.0,
	})
	s.As(s.ReadKey).Do("POST", "/edge", nil).Want(403, "read_only_key")

	none := apitest.New(t, apitest.Options{DB: s.DB}).As(s.Key).Do("GET", "/edge", nil).Want(200, "").Map()
	same(t, none, map[string]any{"configured": false, "publishedCampaigns": 0.0})
}
