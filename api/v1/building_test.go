package v1_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

// refusal is a body and the expected status and error code.
type refusal struct {
	body   any
	status int
	code   string
}

// refused sends each body as a POST. An object that is refused with 400 is also sent as a PUT of the record with the given id.
func refused(t *testing.T, s *apitest.Server, path string, id any, cases map[string]refusal) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.In(t)
			s.Do("POST", path, c.body).Want(c.status, c.code)
			if m, ok := c.body.(map[string]any); ok && c.status == http.StatusBadRequest {
				m["id"] = id
				s.Do("PUT", path, m).Want(c.status, c.code)
			}
		})
	}
}

// refusedIDs checks the answers to foreign, unknown and malformed ids, and to a read-only key.
func refusedIDs(t *testing.T, s *apitest.Server, path string, body func(string) map[string]any) {
	t.Helper()
	_, otherKey, _ := s.NewAccount("scale")
	foreign := s.As(otherKey).Do("POST", path, body("Foreign")).Want(201, "").Map()["id"]
	for _, missing := range []any{uuid.NewString(), foreign} {
		s.Do("PUT", path, with(body("x"), "id", missing)).Want(404, "not_found")
		for _, on := range []bool{true, false} {
			s.Do("PATCH", path, map[string]any{"id": missing, "is_active": on}).Want(404, "not_found")
		}
		s.Do("DELETE", fmt.Sprintf("%s?id=%v", path, missing), nil).Want(404, "not_found")
	}
	for _, bad := range []any{"x", 5, nil, ""} {
		s.Do("PUT", path, with(body("x"), "id", bad)).Want(400, "invalid_id")
		s.Do("PATCH", path, map[string]any{"id": bad, "is_active": true}).Want(400, "invalid_id")
	}
	s.Do("DELETE", path, nil).Want(400, "invalid_id")
	s.Do("DELETE", path+"?id=x", nil).Want(400, "invalid_id")

	reader := s.As(s.ReadKey)
	mine := s.Do("POST", path, body("Mine")).Want(201, "").Map()["id"]
	reader.Do("POST", path, body("y")).Want(403, "read_only_key")
	reader.Do("PUT", path, with(body("y"), "id", mine)).Want(403, "read_only_key")
	reader.Do("PATCH", path, map[string]any{"id": mine, "is_active": false}).Want(403, "read_only_key")
	reader.Do("DELETE", fmt.Sprintf("%s?id=%v", path, mine), nil).Want(403, "read_only_key")
	rows := reader.Do("GET", path, nil).Want(200, "").Map()["rows"].([]any)
	for _, r := range rows {
		if row := r.(map[string]any); row["id"] == foreign || row["id"] == mine && row["name"] != "Mine" {
			t.Errorf("the list shows a record of another account, or a changed name: %v", row)
		}
	}
}

func same(t *testing.T, got, want map[string]any) {
	t.Helper()
	for field, v := range want {
		if fmt.Sprint(got[field]) != fmt.Sprint(v) {
			t.Errorf("%s is %v, want %v", field, got[field], v)
		}
	}
}

func rowOf(t *testing.T, s *apitest.Server, path string, id any) map[string]any {
	t.Helper()
	for _, r := range s.Do("GET", path, nil).Want(200, "").Map()["rows"].([]any) {
		if row := r.(map[string]any); row["id"] == id {
			return row
		}
	}
	t.Fatalf("%s does not list %v", path, id)
	return nil
}

func TestListedFigures(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := func(path string, body map[string]any) uuid.UUID {
		return uuid.MustParse(s.Do("POST", path, body).Want(201, "").Map()["id"].(string))
	}
	click := models.Click{
		ID: models.NewClickID(), AccountID: s.Account.ID, CampaignID: uuid.New(), LanderID: id("/landers", lander("L")),
		SourceID: id("/traffic-sources", source("S")), NetworkID: id("/networks", network("N")), Currency: "USD",
	}
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Append(t.Context(), spool.Record{Click: &click}); err != nil {
		t.Fatal(err)
	}
	if err := ingest.NewIngester(log, s.DB, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	for path, record := range map[string]uuid.UUID{
		"/landers": click.LanderID, "/traffic-sources": click.SourceID,
		"/landers?to=" + today: click.LanderID, "/networks?from=" + today: click.NetworkID,
	} {
		if row := rowOf(t, s, path, record.String()); row["clicks"] != 1.0 || row["status"] != "active" {
			t.Errorf("%s: want an active record with one click: %v", path, row)
		}
	}
	if row := rowOf(t, s, "/networks?from=2020-01-01&to=2020-01-02", click.NetworkID.String()); row["clicks"] != 0.0 {
		t.Errorf("in a window without clicks, the network has the figures %v", row)
	}
	plain := s.Do("GET", "/networks?limit=5", nil).Want(200, "").Map()
	if row := plain["rows"].([]any)[0].(map[string]any); row["name"] != "N" {
		t.Errorf("the first network of the list is not N: %v", plain)
	} else if _, counted := row["clicks"]; counted {
		t.Errorf("the list was read without a window, but has figures: %v", row)
	}
	if _, ranged := plain["range"]; ranged {
		t.Errorf("the list was read without a window, but the answer has a range")
	}
	for _, path := range []string{"/landers", "/traffic-sources", "/networks"} {
		s.Do("GET", path+"?from=yesterday", nil).Want(400, "invalid_input")
		s.Do("GET", path+"?cursor=x", nil).Want(400, "invalid_input")
	}
}
