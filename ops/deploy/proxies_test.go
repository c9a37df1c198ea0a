package deploy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/devstack"
)

// TestProxies starts nginx and Caddy with the sample files. The service behind the proxy must receive the visitor's
// real address, the protocol and the requested host, whatever headers the visitor forges.
func TestProxies(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	for name, start := range map[string]func(*testing.T, string, string) *exec.Cmd{"nginx": nginx, "caddy": caddy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived := make(chan *http.Request, 1)
			behind := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/alias" {
					arrived <- r
				}
			}))
			defer behind.Close()
			tool, err := exec.LookPath(name)
			if err != nil {
				t.Skip(name + " is not installed")
			}
			port, err := devstack.FreePort()
			if err != nil {
				t.Fatal(err)
			}
			front := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
			ended := run(t, start(t, front, strings.TrimPrefix(behind.URL, "http://")), tool)
			await.Until(t, name+" answers", func() bool {
				if ended() {
					t.Fatal(name + " has ended")
				}
				answer, err := request(t.Context(), front, "/ready")
				return err == nil && answer == http.StatusOK
			})
			if _, err := request(t.Context(), front, "/alias"); err != nil {
				t.Fatal(err)
			}
			r := await.Recv(t, arrived)
			for key, want := range map[string]string{
				"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "http", "Forwarded": "",
			} {
				if got := strings.Join(r.Header.Values(key), ","); got != want {
					t.Errorf("%s is %q, want %q", key, got, want)
				}
			}
			if r.Host != "go.example" {
				t.Errorf("the host is %q, want go.example", r.Host)
			}
		})
	}
}

func request(ctx context.Context, front, path string) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+front+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	r.Host = "go.example"
	r.Header.Set("X-Forwarded-For", "9.9.9.9")
	r.Header.Set("X-Forwarded-Proto", "https")
	r.Header.Set("Forwarded", "for=9.9.9.9")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

func nginx(t *testing.T, front, behind string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	sample := strings.NewReplacer("listen 80 default_server", "listen "+front+" default_server", "127.0.0.1:8080", behind).
		Replace(string(read(t, "proxies/nginx.conf")))
	var conf strings.Builder
	fmt.Fprintf(&conf, "daemon off; pid %s/pid; error_log stderr;\nevents {}\nhttp {\n access_log off;\n", dir)
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&conf, "%[1]s_temp_path %[2]s/%[1]s;\n", kind, dir)
	}
	return exec.CommandContext(t.Context(), "nginx", "-p", dir, "-c", write(t, dir, conf.String()+sample+"}\n"))
}

func caddy(t *testing.T, front, behind string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	sample := "{\n admin off\n auto_https off\n}\n" + string(read(t, "proxies/Caddyfile"))
	c := exec.CommandContext(t.Context(), "caddy", "run", "--adapter", "caddyfile", "--config", write(t, dir, sample))
	c.Env = append(os.Environ(), "HOSTS=http://:"+front[strings.LastIndex(front, ":")+1:], "SWITCHYARD="+behind, "HOME="+dir)
	return c
}

func write(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, c *exec.Cmd, tool string) (ended func() bool) {
	t.Helper()
	var said strings.Builder
	done := make(chan struct{})
	c.Path, c.Stdout, c.Stderr = tool, &said, &said
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		_ = c.Wait()
	}()
	t.Cleanup(func() {
		<-done
		if t.Failed() {
			t.Log(said.String())
		}
	})
	return func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
}
