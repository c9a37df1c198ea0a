package api

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
)

// TestCloudflareEdge: twenty verified domains get their certificates automatically, although the worker is killed after
// Cloudflare has made hostnames and before Cloudflare has answered. The API token appears in no log and no answer.
func TestCloudflareEdge(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	fake := cloudflaretest.Serve(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: fake.Server.Certificate().Raw})
	if err := os.WriteFile(ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f := e2e.StartFleet(t, fleet.Options{Env: []string{
		"CLOUDFLARE_URL=" + fake.Server.URL, "CLOUDFLARE_API_TOKEN=" + cloudflaretest.Token, "CLOUDFLARE_ZONE_ID=" + cloudflaretest.Zone,
		"EGRESS_CA_FILE=" + ca, "LOG_LEVEL=debug",
	}}, "web", "worker", "clock")
	ctx := t.Context()
	if err := f.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	_, api, err := f.Account(ctx, "Edge", "scale")
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for i := range 20 {
		hosts = append(hosts, fmt.Sprintf("go%02d.shop.example", i))
	}
	if err := api.Create(ctx, "/domains", map[string]any{"domain": strings.Join(hosts, " ")}, nil); err != nil {
		t.Fatal(err)
	}
	fake.Fail(cloudflaretest.Hang)
	d, err := db.Open(ctx, f.DatabaseURL, db.Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.ExecContext(ctx, `UPDATE domains SET is_verified = true WHERE account_id IS NOT NULL`); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "hostnames are made", func() bool { return len(fake.Hosts()) > 3 })
	f.Find("worker").Kill()
	killed := f.Find("worker").Log()
	fake.Fail(cloudflaretest.None)
	worker, err := f.Spawn("worker")
	if err != nil {
		t.Fatal(err)
	}
	await.Until(t, "each domain has a hostname", func() bool { return slices.Equal(fake.Hosts(), hosts) })
	for _, host := range hosts {
		fake.SetStates(host, "active", models.SSLActive)
	}
	var list struct {
		Rows []struct {
			ID, Domain string
			Status     string `json:"ssl_status"`
		}
	}
	var answers bytes.Buffer
	await.Until(t, "each certificate serves", func() bool {
		if err := api.Get(ctx, "/domains?limit=100", &list); err != nil {
			t.Fatal(err)
		}
		serving := 0
		for _, row := range list.Rows {
			if row.Status == models.SSLActive {
				serving++
			}
		}
		return serving == len(hosts)
	})
	for i, row := range list.Rows {
		method, path := http.MethodDelete, "/domains?id="+row.ID
		if i%2 == 0 {
			method, path = http.MethodDelete, "/domains/"+row.ID+"/certificate"
		}
		var out map[string]any
		if err := api.Do(ctx, http.StatusOK, method, path, nil, &out); err != nil || out["deleted"] != true {
			t.Fatal(row.Domain, out, err)
		}
		fmt.Fprint(&answers, out)
	}
	await.Until(t, "no hostname is left", func() bool { return len(fake.Hosts()) == 0 })
	if n := fake.Refused(); n != 0 {
		t.Errorf("%d requests exceeded the rate limit", n)
	}
	if text := string(killed) + string(worker.Log()) + string(f.Find("web").Log()) + answers.String(); strings.Contains(text, "canary") || len(text) < 1000 {
		t.Errorf("the %d bytes of logs and answers contain the token, or are too few", len(text))
	}
}
