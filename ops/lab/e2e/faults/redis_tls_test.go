package faults

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/devstack"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
)

// tlsRedis starts a Redis that accepts only TLS, and returns its URL. No authority has signed its certificate, as is common for
// hosted servers.
func tlsRedis(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, keyFile: {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	port, err := devstack.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, "redis-server", "--port", "0", "--tls-port", strconv.Itoa(port), "--bind", "127.0.0.1",
		"--tls-cert-file", certFile, "--tls-key-file", keyFile, "--tls-auth-clients", "no", "--requirepass", "p4ss", "--dir", dir,
		"--save", "")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	url := fmt.Sprintf("rediss://:p4ss@127.0.0.1:%d/0?skip_verify=true", port)
	r, err := jobs.OpenRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	pollCtx, stop := context.WithTimeout(t.Context(), await.Timeout)
	defer stop()
	err = client.Poll(pollCtx, 20*time.Millisecond, func() (bool, error) {
		select {
		case err := <-ended:
			ended <- err
			return false, fmt.Errorf("redis-server ended: %w: %s", err, output.Bytes())
		default:
			return r.Ping(pollCtx).Err() == nil, nil
		}
	})
	if err != nil && strings.Contains(err.Error(), "Bad directive") {
		t.Skip("the redis-server of this machine was built without TLS")
	}
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// TestRedisByTLS: a certificate that no authority has signed is refused unless the URL sets skip_verify.
func TestRedisByTLS(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	url := tlsRedis(t)
	strict, err := jobs.OpenRedis(url[:len(url)-len("?skip_verify=true")])
	if err != nil {
		t.Fatal(err)
	}
	defer strict.Close()
	if err := strict.Ping(t.Context()).Err(); err == nil {
		t.Error("an unknown certificate was accepted without skip_verify")
	}
	worksOn(t, url)
}

// TestRedisCluster runs the three process types on a Redis Cluster of three nodes, which refuse commands on keys of several nodes.
func TestRedisCluster(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	worksOn(t, e2e.StartRedisCluster(t))
}

// worksOn runs the three process types on a Redis. The check of the disk may fail, because the disk of the test's machine may be
// nearly full.
func worksOn(t *testing.T, url string) {
	t.Helper()
	receiver, err := fleet.NewReceiver(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	s := e2e.StartService(t, fleet.Options{Receiver: receiver, Env: []string{"REDIS_URL=" + url}}, "web", "worker", "clock")
	var hook struct{ ID, Secret string }
	body := map[string]any{"url": receiver.URL("/hook"), "events": []string{models.EventCampaignPaused}}
	if err := s.API.Create(t.Context(), "/webhooks", body, &hook); err != nil {
		t.Fatal(err)
	}
	receiver.SetSecret("/hook", hook.Secret)
	test := map[string]any{"id": hook.ID}
	if err := s.API.Do(t.Context(), http.StatusOK, http.MethodPost, "/webhooks/test", test, nil); err != nil {
		t.Fatal(err)
	}
	s.WaitDelivery(t, models.DeliveryDelivered)
	got, err := s.Request(t.Context(), http.DefaultTransport, http.MethodGet, "/readyz")
	var ready struct{ Checks map[string]string }
	if err != nil || json.Unmarshal([]byte(got.Body), &ready) != nil || got.Status != http.StatusOK {
		t.Fatalf("%+v, %v", got, err)
	}
	for name, state := range ready.Checks {
		if state != "ok" && name != "disk" {
			t.Errorf("the check %s of /readyz is %s, want ok", name, state)
		}
	}
}
