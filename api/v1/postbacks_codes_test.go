package v1_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
)

// TestPostbackIDs: calls with a malformed id are refused. A postback that is still being recorded cannot be replayed.
func TestPostbackIDs(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Do("GET", "/logs/postbacks?network=x", nil).Want(400, "invalid_id")
	s.Do("GET", "/logs/postbacks/x", nil).Want(400, "invalid_id")
	s.Do("POST", "/logs/postbacks/x/replay", nil).Want(400, "invalid_id")
	s.Do("POST", "/logs/postbacks/x/redeliver", nil).Want(400, "invalid_id")
	s.Do("GET", "/campaigns/x/flow", nil).Want(400, "invalid_id")
	s.Do("PATCH", "/campaigns/x/flow", map[string]any{"path_id": uuid.New(), "weight": 1}).Want(400, "invalid_id")
	id := uuid.Must(uuid.NewV7())
	dbtest.Exec(t, s.DB, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, received_at, outcome)
		VALUES ($1, $2, $3, 'postback', '', '{}', now(), 'pending')`, id, s.Account.ID, uuid.Nil)
	s.Do("POST", fmt.Sprintf("/logs/postbacks/%s/replay", id), nil).Want(409, "in_progress")
}

// TestRestoreTaken: a deleted record cannot be restored beyond the plan's allowance, or if its name is taken.
func TestRestoreTaken(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	for _, path := range []string{"/landers", "/networks"} {
		body := map[string]any{"name": "Back"}
		if path == "/landers" {
			body["url"] = "https://l.acme.com"
		}
		id := s.Do("POST", path, body).Want(201, "").Map()["id"]
		s.Do("DELETE", fmt.Sprint(path, "?id=", id), nil).Want(200, "")
		s.Do("POST", path, body).Want(201, "")
		s.Do("PATCH", path, map[string]any{"id": id, "is_active": true}).Want(409, "duplicate_name")
		if path == "/landers" {
			dbtest.Exec(t, s.DB, `UPDATE landers SET name = name || id WHERE account_id = $1`, s.Account.ID)
			dbtest.Exec(t, s.DB, `INSERT INTO landers (id, account_id, name, url)
				SELECT gen_random_uuid(), $1, 'l' || n, 'https://x.example' FROM generate_series(1, 1000) n`, s.Account.ID)
			s.Do("PATCH", path, map[string]any{"id": id, "is_active": true}).Want(402, "plan_limit")
		}
	}
}
