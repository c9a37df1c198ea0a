package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/ops/admin"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/oauth/oauthtest"
)

// TestOAuthConnect signs in from the command line. The platform sends the browser back to this machine, and a worker exchanges
// the code. Two people make two connections.
func TestOAuthConnect(t *testing.T) {
	t.Parallel()
	d, url := dbtest.NewURL(t)
	w := oauthtest.New(t)
	vars := map[string]string{
		"DATABASE_URL": url, "REDIS_URL": jobstest.RedisURL(t), "ENCRYPTION_KEY": strings.Repeat("07", 32), "OAUTH_URL": w.URL,
		"EGRESS_ALLOW": "127.0.0.0/8", "EGRESS_CA_FILE": egresstest.CAFile(t, w.Server), "GOOGLE_ADS_CLIENT_ID": oauthtest.Apps()[models.GoogleAds].ID,
		"GOOGLE_ADS_CLIENT_SECRET": oauthtest.Apps()[models.GoogleAds].Secret,
	}
	work(t, d, vars)
	stdout, stderr, code := try(t, vars, "accounts", "create", "--name", "Acme", "--plan", "growth", "--json")
	var account struct{ ID string }
	if err := json.Unmarshal([]byte(stdout), &account); code != 0 || err != nil {
		t.Fatal(stdout, stderr, err)
	}
	var made []admin.Connection
	for _, user := range []string{"jane", "joe"} {
		w.SignIn(oauthtest.User{ID: user, Name: user + "@example.com"})
		made = append(made, connectByCommand(t, w, vars, account.ID))
	}
	if made[0].UserName != "jane@example.com" || made[1].Status != "active" || made[0].ID == made[1].ID {
		t.Errorf("the connections are %+v, want two active ones, the first of jane", made)
	}
	stdout, _, _ = try(t, vars, "oauth", "list", "--account", account.ID, "--json")
	var list []admin.Connection
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list) != 2 || list[0] != made[0] {
		t.Errorf("oauth list prints %s, want both connections, the first unchanged: %v", stdout, err)
	}
	if stdout, stderr, code := try(t, vars, "oauth", "disconnect", "--account", account.ID, made[0].ID.String()); code != 0 ||
		!strings.Contains(stdout, "jane@example.com") {
		t.Errorf("oauth disconnect ended with code %d, want 0 and the user's name: %s %s", code, stdout, stderr)
	}
	if _, stderr, code := try(t, vars, "oauth", "disconnect", "--account", account.ID, made[0].ID.String()); code != 1 || !strings.Contains(stderr, "oauth list") {
		t.Errorf("a second disconnect ended with code %d, want 1 and a message that names oauth list: %s", code, stderr)
	}
	if _, stderr, code := try(t, vars, "oauth", "connect", "--account", account.ID, "--port", "0", "tiktok"); code != 2 || !strings.Contains(stderr, "google_ads") {
		t.Errorf("connecting to an unknown platform ended with code %d, want 2 and the known platforms: %s", code, stderr)
	}
	if _, stderr, code := try(t, vars, "oauth", "connect", "--account", account.ID, "--port", "0", "meta"); code != 1 || !strings.Contains(stderr, "META_APP_ID") {
		t.Errorf("connecting to a platform without settings ended with code %d, want 1 and the missing setting: %s", code, stderr)
	}
}

func work(t *testing.T, d *db.DB, vars map[string]string) {
	t.Helper()
	cfg, err := config.Load(func(name string) string { return vars[name] })
	if err != nil {
		t.Fatal(err)
	}
	redis, err := jobs.OpenRedis(cfg.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = redis.Close() })
	r, err := NewRuntime(cfg, Readers{Bulk: d, Locks: d}, workers.Options{DB: d, Redis: redis, Client: jobs.Connect(redis), Grace: 4 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	jobstest.Run(t, r.Run)
}

// connectByCommand runs the command, and does the person's part in the browser.
func connectByCommand(t *testing.T, w *oauthtest.Platforms, vars map[string]string, account string) (made admin.Connection) {
	t.Helper()
	said, says := io.Pipe()
	defer said.Close()
	var stdout bytes.Buffer
	done := make(chan error, 1)
	go func() {
		e := &env{getenv: func(name string) string { return vars[name] }, stdout: &stdout, stderr: says}
		err := run(t.Context(), e, []string{"oauth", "connect", "--account", account, "--port", "0", "google_ads", "--json"})
		_ = says.Close()
		done <- err
	}()
	lines := bufio.NewScanner(said)
	var address string
	for address == "" && lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); strings.HasPrefix(line, w.URL) {
			address = line
		}
	}
	if address == "" {
		t.Fatalf("the command printed no address: %v", await.Recv(t, done))
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	back := w.Visit(t, address)
	stray := *back // a request from an unrelated page
	stray.RawQuery = "state=x&code=stolen"
	if got := visit(t, stray.String()); got != http.StatusNotFound {
		t.Errorf("a request with another state gets %d, want 404", got)
	}
	if got := visit(t, back.String()); got != http.StatusOK {
		t.Errorf("the browser gets %d after the sign-in, want 200", got)
	}
	if err := await.Recv(t, done); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(stdout.Bytes(), &made); err != nil {
		t.Fatalf("the command does not print a connection as JSON: %v: %s", err, stdout.String())
	}
	return made
}

func visit(t *testing.T, address string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", address, err))
	}
	_ = res.Body.Close()
	return res.StatusCode
}
