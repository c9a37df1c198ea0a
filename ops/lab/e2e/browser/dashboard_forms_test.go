package browser

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"switchyard/api"
	"switchyard/api/dashboard"
	"switchyard/api/openapi"
	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/models/await"
	"switchyard/models/parttest"
)

// bodyless returns the paths of all POST operations that need no body: a form without fields could call them.
func bodyless() (paths []string) {
	rows := api.Table(api.Deps{})
	for i := range rows {
		rows[i].Path = openapi.Prefix + rows[i].Path
	}
	some := strings.NewReplacer("{id}", "0190a5f0-0000-7000-8000-000000000000", "{provider}", "google_ads")
	for _, r := range slices.Concat(rows, dashboard.Routes(dashboard.Deps{})) {
		if r.Method == http.MethodPost && (r.Body == nil || r.BodyOptional) {
			paths = append(paths, some.Replace(r.Path))
		}
	}
	return paths
}

// TestNoClickActs: a signed-in user clicks tracking links that post a form to each operation that needs no body. Each request is
// refused as cross_site. The API refuses destinations at the dashboard's address, so the test writes them into the
// database.
func TestNoClickActs(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t, "SHARED_DOMAINS=127.0.0.1")
	b.signIn()
	d, err := db.Open(t.Context(), b.f.DatabaseURL, db.Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	paths := bodyless()
	if len(paths) < 14 {
		t.Errorf("only %d operations need no body, want at least 14", len(paths))
	}
	links := map[string]string{}
	for i, path := range paths {
		var made struct{ URL string }
		err := b.api.Create(t.Context(), "/campaigns", map[string]any{"name": fmt.Sprint("gift ", i), "alias": fmt.Sprint("gift-", i), "streams": []map[string]any{{
			"action": "redirect", "transition": "form_post", "destinations": []map[string]any{{"url": "https://shop.example" + path}},
		}}}, &made)
		if err != nil {
			t.Fatal(err)
		}
		links[path] = made.URL
	}
	audited := func() int64 {
		t.Helper()
		return dbtest.Get[int64](t, d, `SELECT count(*) FROM audit`)
	}
	before := audited()
	dbtest.Exec(t, d, `UPDATE campaigns SET streams = replace(streams::text, 'https://shop.example', $1)::jsonb`, b.f.URL)
	for path, link := range links {
		if !strings.HasPrefix(link, b.f.URL+"/") {
			t.Fatalf("the link is %s, the dashboard is at %s", link, b.f.URL)
		}
		await.Until(t, link+" leads to the dashboard", func() bool { return strings.Contains(read(t, link), b.f.URL+path) })
		b.goTo(link)
		b.until("there is an answer of "+path, func() bool {
			return b.run(`location.pathname`) == path && strings.Contains(b.run(`document.body?.innerText`), `"error"`)
		})
		if got := b.run(`document.body.innerText`); !strings.Contains(got, `"cross_site"`) {
			t.Errorf("%s is answered with %s, want cross_site", path, got)
		}
	}
	if after := audited(); after != before {
		t.Errorf("%d changes were made, want none", after-before)
	}
}

func read(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
