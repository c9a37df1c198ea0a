package v1_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/v1"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// The files themselves are made by workers; the tests of the binary have both.
func TestExportsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for body, code := range map[string]string{
		`{"kind": "all"}`: "invalid_kind", `{"dimension": "x"}`: "invalid_dimension",
		`{"kind": "trends", "bucket": "x"}`: "invalid_bucket", `{"kind": "smartlink-clicks", "link": "x"}`: "invalid_id",
		`{`: "bad_body",
	} {
		s.Do("POST", "/reports/exports", body).Want(400, code)
	}
	for _, link := range []any{uuid.New(), smartlinkOf(t, s, uuid.New())} {
		body := map[string]any{"kind": "smartlink-clicks", "link": link}
		s.Do("POST", "/reports/exports", body).Want(404, "not_found")
		s.Do("GET", fmt.Sprint("/logs/repeat-ips?link=", link), nil).Want(404, "not_found")
	}
	s.Do("GET", "/logs/repeat-ips?link=all", nil).Want(400, "invalid_id")
	// Nobody has the zero id: it does not stand for all.
	for _, path := range []string{"repeat-ips?campaign=", "repeat-ips?source=", "repeat-ips?link=", "smartlink-clicks?link="} {
		s.Do("GET", "/logs/"+path+uuid.Nil.String(), nil).Want(400, "invalid_id")
	}
	s.Do("POST", "/reports/exports", map[string]any{"kind": "smartlink-clicks", "link": uuid.Nil}).Want(400, "invalid_id")
	if rows := s.Jobs.Rows(jobs.MakeExport.Kind()); len(rows) > 0 {
		t.Errorf("%d jobs", len(rows))
	}
	s.As(s.ReadKey).Do("DELETE", "/reports/exports?id="+uuid.NewString(), nil).Want(403, "read_only_key")
}

// smartlinkOf makes a smartlink of an account, which is made too if it is not the caller's own.
func smartlinkOf(t *testing.T, s *apitest.Server, account uuid.UUID) uuid.UUID {
	t.Helper()
	id := uuid.New()
	exec(t, s, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2) ON CONFLICT DO NOTHING`, account,
		account.String())
	exec(t, s, `INSERT INTO domains (id, host) VALUES ($1, $2)`, id, id.String()+".example.com")
	exec(t, s, `INSERT INTO smartlinks (id, account_id, domain_id, slug, destination_url) VALUES ($1, $2, $1, 'go', 'https://x.example')`,
		id, account)
	return id
}

// A job ends before the caller looks: what its end says is the answer.
func TestExportAnswers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{BaseURL: "https://api.example.com"}})
	exec(t, s, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		NEW.state := 'failed'; NEW.error := '{"kind": 1, "code": "too_large", "message": "too many"}'; RETURN NEW; END $$`)
	exec(t, s, `CREATE TRIGGER refuse BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION refuse()`)
	link := smartlinkOf(t, s, s.Account.ID)
	body := map[string]any{"kind": "smartlink-clicks", "link": link}
	s.As(s.ReadKey).Do("POST", "/reports/exports", body).Want(400, "too_large")
	exec(t, s, `DROP TRIGGER refuse ON jobs`)
	s.Do("POST", "/reports/exports", body, "Prefer", "respond-async").Want(202, "")
	if n := len(s.Jobs.Rows(jobs.MakeExport.Kind())); n != 2 {
		t.Errorf("%d jobs", n)
	}

	x := models.Export{
		ID: uuid.New(), AccountID: s.Account.ID, Kind: "clicks", Name: "a/b: né", ByteSize: 3, CreatedAt: time.Now(),
	}
	err := s.Store.Tx(t.Context(), func(tx *store.Store) error {
		if err := tx.Exports().AddChunk(t.Context(), x.ID, 1, 0, []byte("not packed")); err != nil {
			return err
		}
		return tx.Exports().Finish(t.Context(), x, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := s.Do("GET", "/reports/exports", nil).Want(200, "").Map()["rows"].([]any)
	same(t, rows[0].(map[string]any), map[string]any{
		"id": x.ID, "name": x.Name, "byte_size": 3, "download_url": "https://api.example.com/api/v1/reports/exports/" + x.ID.String(),
	})
	for path, code := range map[string]string{"x": "invalid_id", uuid.NewString(): "not_found"} {
		status := map[string]int{"invalid_id": 400, "not_found": 404}[code]
		s.Do("GET", "/reports/exports/"+path, nil).Want(status, code)
		s.Do("DELETE", "/reports/exports?id="+path, nil).Want(status, code)
	}
	s.Do("DELETE", "/reports/exports?id="+x.ID.String(), nil).Want(200, "")
}
