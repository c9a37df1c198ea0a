package v1_test

import (
	"bytes"
	"compress/gzip"
	crand "crypto/rand"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/route"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
)

// This test covers refused calls. The end-to-end tests cover calls together with their files.
func TestExportsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for body, code := range map[string]string{
		`{"kind": "all"}`: "invalid_kind", `{"dimension": "x"}`: "invalid_dimension",
		`{"kind": "trends", "bucket": "x"}`: "invalid_bucket", `{"kind": "smartlink-clicks", "link": "x"}`: "invalid_id",
		`{"formulas": "profit/luck"}`: "invalid_input", `{"kind": "trends", "formulas": "profit/"}`: "invalid_input",
		`{"having": "profit=0"}`: "invalid_input", `{"columns": ["clicks", "cliks"]}`: "invalid_input",
		`{"columns": ["roi", "roi"]}`: "invalid_input", `{"kind": "trends", "columns": ["click_loss.percent"]}`: "invalid_input",
		`{"compare": "before"}`: "invalid_input", `{"min_clicks": -1}`: "invalid_input", `{"min_clicks": 9999999999}`: "invalid_input",
		`{"sort": "-clicky"}`: "invalid_input", `{"sort": "country"}`: "invalid_input",
		`{"columns": ["clicks"], "headings": ["Campaign"]}`: "invalid_input", `{"headings": ["Campaign"]}`: "invalid_input",
		`{"columns": ["clicks"], "headings": ["Campaign", "` + strings.Repeat("x", 201) + `"]}`: "invalid_input",
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
	// The zero id does not mean all records.
	for _, path := range []string{"repeat-ips?campaign=", "repeat-ips?source=", "repeat-ips?link=", "smartlink-clicks?link="} {
		s.Do("GET", "/logs/"+path+uuid.Nil.String(), nil).Want(400, "invalid_id")
	}
	s.Do("POST", "/reports/exports", map[string]any{"kind": "smartlink-clicks", "link": uuid.Nil}).Want(400, "invalid_id")
	if rows := s.Jobs.Rows(jobs.MakeExport.Kind()); len(rows) > 0 {
		t.Errorf("refused calls submitted %d jobs", len(rows))
	}
	s.As(s.ReadKey).Do("DELETE", "/reports/exports?id="+uuid.NewString(), nil).Want(403, "read_only_key")
}

// smartlinkOf creates a smartlink in an account, and the account if it does not exist.
func smartlinkOf(t *testing.T, s *apitest.Server, account uuid.UUID) uuid.UUID {
	t.Helper()
	id := uuid.New()
	dbtest.Exec(t, s.DB, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2) ON CONFLICT DO NOTHING`, account,
		account.String())
	dbtest.Exec(t, s.DB, `INSERT INTO domains (id, host) VALUES ($1, $2)`, id, id.String()+".example.com")
	dbtest.Exec(t, s.DB, `INSERT INTO smartlinks (id, account_id, domain_id, slug, destination_url) VALUES ($1, $2, $1, 'go', 'https://x.example')`,
		id, account)
	return id
}

// The answer is the job's error if the job fails while the caller waits. The list shows a finished file with its address.
func TestExportAnswers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{BaseURL: "https://api.example.com"}})
	dbtest.Exec(t, s.DB, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		NEW.state := 'failed'; NEW.error := '{"kind": 1, "code": "too_large", "message": "too many"}'; RETURN NEW; END $$`)
	dbtest.Exec(t, s.DB, `CREATE TRIGGER refuse BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION refuse()`)
	link := smartlinkOf(t, s, s.Account.ID)
	body := map[string]any{"kind": "smartlink-clicks", "link": link}
	s.As(s.ReadKey).Do("POST", "/reports/exports", body).Want(400, "too_large")
	s.Do("POST", "/reports/exports", nil).Want(400, "too_large") // if there is no body, the kind is performance
	dbtest.Exec(t, s.DB, `DROP TRIGGER refuse ON jobs`)
	s.Do("POST", "/reports/exports", body, "Prefer", "respond-async").Want(202, "")
	if n := len(s.Jobs.Rows(jobs.MakeExport.Kind())); n != 3 {
		t.Errorf("%d jobs, want 3: the two that failed and the one that waits", n)
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

// slowWriter is a client that reads nothing until the gate opens.
type slowWriter struct {
	*httptest.ResponseRecorder
	entered chan<- struct{}
	gate    <-chan struct{}
}

func (w slowWriter) Write(p []byte) (int, error) {
	w.entered <- struct{}{}
	<-w.gate
	return w.ResponseRecorder.Write(p)
}

// TestSlowDownloads: a download keeps its place among the running downloads until its client has read the file. Slow downloads
// delay no report.
func TestSlowDownloads(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	x := models.Export{ID: uuid.New(), AccountID: s.Account.ID, Kind: "clicks", Name: "n", CreatedAt: time.Now()}
	var packed bytes.Buffer
	pack := gzip.NewWriter(&packed)
	for range 3 * 32 { // larger than the part that a download decompresses at a time
		noise := make([]byte, 16<<10)
		_, _ = crand.Read(noise)
		_, _ = pack.Write(noise)
		x.ByteSize += int64(len(noise))
	}
	_ = pack.Close()
	err := s.Store.Tx(t.Context(), func(tx *store.Store) error {
		for n := range 3 {
			if err := tx.Exports().AddChunk(t.Context(), x.ID, 1, n, packed.Next(packed.Len()/(3-n))); err != nil {
				return err
			}
		}
		return tx.Exports().Finish(t.Context(), x, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	path := "/reports/exports/" + x.ID.String()
	if a := s.Do("GET", path, nil).Want(200, ""); int64(len(a.Raw)) != x.ByteSize {
		t.Fatalf("%d bytes, want %d", len(a.Raw), x.ByteSize)
	}
	const calls = 10
	entered, gate, answers := make(chan struct{}, 1000), make(chan struct{}), make(chan *httptest.ResponseRecorder, calls)
	for range calls {
		go func() {
			r := httptest.NewRequest("GET", "/api/v1"+path, nil)
			r.Header.Set("Authorization", "Bearer "+s.Key)
			w := slowWriter{httptest.NewRecorder(), entered, gate}
			func() {
				defer func() { _ = recover() }() // the handler panics if a file ends too early
				s.Handler.ServeHTTP(w, r)
			}()
			if w.Code == 429 {
				w.Body.Reset()
			}
			answers <- w.ResponseRecorder
		}()
	}
	for range calls {
		await.Recv(t, entered)
	}
	for range 3 {
		s.Do("GET", "/reports/performance?dimension=country", nil).Want(200, "")
	}
	// The downloads have read only the first chunk. Without the other chunks, each of them ends before its file is complete.
	dbtest.Exec(t, s.DB, `DELETE FROM export_chunks WHERE export_id = $1 AND n > 0`, x.ID)
	close(gate)
	files := 0
	for range calls {
		switch w := await.Recv(t, answers); {
		case w.Code == 200 && w.Body.Len() > 0 && int64(w.Body.Len()) < x.ByteSize:
			files++
		case w.Code != 429:
			t.Errorf("a download was answered %d with %d bytes, want a part of the file or 429", w.Code, w.Body.Len())
		}
	}
	if files != route.Downloads.Running {
		t.Errorf("%d files were sent at once, want %d", files, route.Downloads.Running)
	}
}
