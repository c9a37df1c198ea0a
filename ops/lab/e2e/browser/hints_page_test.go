package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click"
	"switchyard/api/click/visitor"
	dbclick "switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models/parttest"
)

// TestClientHints: a tracking link requests more client hints, and the browser sends them with its next click.
func TestClientHints(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := openBrowser(t)
	d := dbtest.New(t)
	account, domain := uuid.New(), uuid.New()
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	describer, err := visitor.New(visitor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = describer.Close() })

	var h http.Handler
	var mu sync.Mutex
	var asked []http.Header // headers of each request for the link
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hints":
			mu.Lock()
			asked = append(asked, r.Header.Clone())
			mu.Unlock()
			h.ServeHTTP(w, r)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<!doctype html><title>page</title>`))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	at := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	streams := `[{"id": "` + uuid.NewString() + `", "action": "redirect", "destinations": [{"url": "` + at + `/page?s={sub1}"}]}]`
	for _, q := range []struct {
		text string
		args []any
	}{
		{`INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', 'k')`, []any{account}},
		{`INSERT INTO domains (id, host, is_verified, https_only) VALUES ($1, 'localhost', true, false)`, []any{domain}},
		{
			`INSERT INTO campaigns (id, account_id, domain_id, name, alias, streams) VALUES ($1, $2, $3, 'c', 'hints', $4)`,
			[]any{uuid.New(), account, domain, streams},
		},
	} {
		dbtest.Exec(t, d, q.text, q.args...)
	}
	h, err = click.New(t.Context(), click.Deps{
		DB: d, Clicks: dbclick.Log{Conn: d}, Usage: report.Reader{Conn: d}, Spool: log, Postbacks: log, Proofs: store.New(d, nil),
		Visitors: describer, Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	p := b.open(t)
	for _, visit := range []string{"first", "second"} {
		p.goTo(at + "/hints?sub1=" + visit)
		p.until("the page is there", func() bool {
			query, err := p.evaluate(`location.search`)
			return err == nil && query == "?s="+visit
		})
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 2 {
		t.Fatalf("two clicks made %d requests, want 2", len(asked))
	}
	const full = "Sec-Ch-Ua-Full-Version-List"
	if asked[0].Get("Sec-Ch-Ua") == "" || asked[0].Get(full) != "" {
		t.Errorf("the first click sent the headers %v, want no full versions yet", asked[0])
	}
	if !strings.Contains(asked[1].Get(full), `"Chromium";v="`) || asked[1]["Sec-Ch-Ua-Model"] == nil {
		t.Errorf("the second click sent the headers %v, want the full versions and the model", asked[1])
	}
}
