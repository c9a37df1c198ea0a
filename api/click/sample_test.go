package click

import (
	"bufio"
	"cmp"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models/parttest"
)

// sampleEnv has the documentation's samples for protecting a page, with a tracking domain that is served by HTTPS.
type sampleEnv struct {
	*env
	server *httptest.Server
	domain string
	dir    string
	agent  string // the visitor's user agent
}

func newSampleEnv(t *testing.T, files ...string) *sampleEnv {
	t.Helper()
	s := &sampleEnv{env: newEnv(t), dir: t.TempDir(), agent: chrome}
	s.server = httptest.NewTLSServer(s.h)
	t.Cleanup(s.server.Close)
	s.server.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.domain = strings.TrimPrefix(s.server.URL, "https://")
	dbtest.Exec(s, s.db, `UPDATE domains SET host = '127.0.0.1' WHERE id = $1`, s.ownDomain)
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("..", "openapi", "page", file))
		if err != nil {
			t.Fatal(err)
		}
		s.write(file, string(text))
	}
	s.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw})))
	return s
}

func (s *sampleEnv) write(file, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, file), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *sampleEnv) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.Context(), name, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+filepath.Join(s.dir, "ca.pem"))
	return cmd
}

// visit follows a tracking link and returns the query of the page's address.
func (s *sampleEnv) visit(alias string) string {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.server.URL+"/"+alias, nil)
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("User-Agent", s.agent)
	res, err := s.server.Client().Do(req)
	if err != nil {
		s.Fatal(err)
	}
	_ = res.Body.Close()
	to, err := url.Parse(res.Header.Get("Location"))
	if err != nil || to.Host != "page.test" {
		s.Fatalf("the visit is answered %d to %v, want a redirect to page.test", res.StatusCode, to)
	}
	return to.RawQuery
}

// guest is a visitor of a protected page.
type guest struct {
	Domain string
	Lander uuid.UUID
	Query  string // the query of the page's address
	what   string
	want   string
}

// sendVisitors sends visitors to protected pages, in both modes.
func (s *sampleEnv) sendVisitors(pages func([]guest) []string) {
	s.Helper()
	const shown, elsewhere = "shown", "https://else.test/"
	var list []guest
	for _, mode := range []string{"click", "signed"} {
		p := m{"mode": mode, "fallbackUrl": elsewhere, "bindIp": true, "bindUserAgent": true}
		lander, otherLander := s.protectedCampaign("sample-"+mode, "https://page.test/", p), s.protectedCampaign("other-"+mode, "https://page.test/", p)
		clickQuery, madeUpQuery := s.visit("sample-"+mode), "clickid=0000000000000000000000&lp_key=abc"
		list = append(
			list,
			guest{s.domain, lander, clickQuery, mode + ", with a click", shown},
			guest{s.domain, lander, "utm=x&" + clickQuery, mode + ", with parameters of the link", shown},
			guest{s.domain, lander, "", mode + ", without a click", elsewhere},
			guest{s.domain, lander, madeUpQuery, mode + ", with a made-up click", elsewhere},
			guest{s.domain, lander, s.visit("other-" + mode), mode + ", with a click to another page", elsewhere},
			guest{"127.0.0.1:1", otherLander, "", mode + ", while nobody answers", shown},
		)
	}
	got := pages(list)
	for i, a := range list {
		if i >= len(got) || got[i] != a.want {
			s.Errorf("%s (%s): %v, want %s", a.what, a.Query, got, a.want)
		}
	}
}

// TestSampleInJavaScript: in both modes the documented sample lets in a visitor with a click, and sends away a visitor without a
// click. If the service does not answer, the visitor is let in.
func TestSampleInJavaScript(t *testing.T) {
	parttest.Clients.Only(t)
	t.Parallel()
	if version, err := exec.CommandContext(t.Context(), "node", "-p", "parseInt(process.versions.node)").Output(); err != nil ||
		len(strings.TrimSpace(string(version))) < 2 || string(version) < "18" {
		t.Skipf("node is not installed, or has no fetch: %s %v", version, err)
	}
	s := newSampleEnv(t, "protect.js")
	s.agent = "node" // node's user agent
	s.write("page.js", `
		const { admit } = new Function(require('fs').readFileSync('protect.js') + 'return { admit }')();
		(async () => {
			for (const { Domain, Lander, Query } of JSON.parse(process.argv[2])) {
				const page = { search: '?' + Query, replace: (to) => console.log(to) };
				if (await admit(Domain, Lander, page)) console.log('shown');
			}
			globalThis.fetch = async () => new Response('{"data":null}'); // from now on the answers have no data, as after an error of the service
			if (await admit('go.test', '', { search: '' })) console.log('shown');
		})();`)
	s.sendVisitors(func(list []guest) []string {
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.command("node", "page.js", string(text)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		lines := strings.Fields(string(out))
		if len(lines) != len(list)+1 || lines[len(list)] != "shown" {
			t.Fatalf("after an error of the service the page is not shown: %s", out)
		}
		return lines[:len(list)]
	})
}

// TestSampleInPHP is TestSampleInJavaScript for the PHP sample, run by PHP's web server.
func TestSampleInPHP(t *testing.T) {
	parttest.Clients.Only(t)
	t.Parallel()
	if _, err := exec.LookPath("php"); err != nil {
		t.Skip("php is not installed")
	}
	s := newSampleEnv(t, "protect.php")
	s.write("page.php", `<?php require 'protect.php'; admit($_SERVER['HTTP_TRACKING'], $_SERVER['HTTP_LANDER']); echo 'shown';`)
	base := s.phpServer()
	s.sendVisitors(func(list []guest) (got []string) {
		for _, a := range list {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/page.php?"+a.Query, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{"User-Agent": {s.agent}, "Tracking": {a.Domain}, "Lander": {a.Lander.String()}}
			res, err := s.server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, cmp.Or(res.Header.Get("Location"), string(text)))
		}
		return got
	})
}

var phpAddress = regexp.MustCompile(`\((http://127\.0\.0\.1:\d+)\) started`)

// phpServer starts PHP's web server on a free port and returns its address.
func (s *sampleEnv) phpServer() string {
	s.Helper()
	cmd := s.command("php", "-d", "openssl.cafile="+filepath.Join(s.dir, "ca.pem"), "-S", "127.0.0.1:0")
	said, err := cmd.StderrPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if found := phpAddress.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return found[1]
		}
	}
	s.Fatal("php did not start")
	return ""
}
