package config

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"switchyard/models"
)

const hexKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

func from(env map[string]string) func(string) string {
	return func(name string) string { return env[name] }
}

func TestLoadDefaults(t *testing.T) {
	t.Parallel()
	c, err := Load(from(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Port: 8080, OpsAddr: "127.0.0.1:9080", BaseURL: "http://127.0.0.1:8080",
		SharedDomains: []string{"localhost"}, TrackingHost: "localhost",
		MCP: true, DataDir: ".data", ReadBehind: 5 * time.Second, ClicksBatch: 20_000, ClicksFlush: time.Second, ClickAck: AckDisk, DomainPorts: [2]string{"80", "443"}, PrivacyIP: models.IPFull, LogLevel: slog.LevelInfo,
		ConversionUploads: true, GoogleUploads: GoogleDataManager,
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "city.mmdb")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 32)
	for i := range raw {
		raw[i] = byte(i)
	}
	tests := []struct {
		name, value string
		get         func(Config) any
		want        any
	}{
		{"PORT", "80", func(c Config) any { return c.Port }, 80},
		{"PORT", "80", func(c Config) any { return c.OpsAddr }, "127.0.0.1:1080"},
		{"PORT", "65535", func(c Config) any { return c.OpsAddr }, "127.0.0.1:64535"},
		{"BIND", "::1", func(c Config) any { return c.Bind }, "::1"},
		{"OPS_ADDR", ":9000", func(c Config) any { return c.OpsAddr }, ":9000"},
		{"OPS_ADDR", "[::]:9000", func(c Config) any { return c.OpsAddr }, "[::]:9000"},
		{"OPS_ADDR", "Ops.Example.com:9000", func(c Config) any { return c.OpsAddr }, "ops.example.com:9000"},
		{"DATABASE_URL", "postgres://u:p@h/d", func(c Config) any { return c.DatabaseURL }, "postgres://u:p@h/d"},
		{"CLICKS_URL", "clickhouse://u:p@h1:9000,h2:9000/d", func(c Config) any { return c.ClicksURL }, "clickhouse://u:p@h1:9000,h2:9000/d"},
		{"CLICKS_BATCH", "500", func(c Config) any { return c.ClicksBatch }, 500},
		{"CLICKS_DAYS", "90", func(c Config) any { return c.ClicksDays }, 90},
		{"CLICKS_FLUSH", "2s", func(c Config) any { return c.ClicksFlush }, 2 * time.Second},
		{"DATABASE_URL", "postgres:///d?host=/run/pg", func(c Config) any { return c.DatabaseURL }, "postgres:///d?host=/run/pg"},
		{"REDIS_URL", "rediss://:p@h:1/2", func(c Config) any { return c.RedisURL }, "rediss://:p@h:1/2"},
		{"REDIS_URL", "unix:///run/redis.sock", func(c Config) any { return c.RedisURL }, "unix:///run/redis.sock"},
		{"BASE_URL", "https://api.example.com/", func(c Config) any { return c.BaseURL }, "https://api.example.com"},
		{
			"SHARED_DOMAINS", " Go.example.com, l.example ,,go.example.com", func(c Config) any { return c.SharedDomains },
			[]string{"go.example.com", "l.example"},
		},
		{"SHARED_DOMAINS", "go.example.com", func(c Config) any { return c.TrackingHost }, "go.example.com"},
		{"SHARED_DOMAINS", "go.example.com", func(c Config) any { return c.Tracker().Target("token") }, "go.example.com"},
		{"TRACKING_HOST", "localhost", func(c Config) any { return c.Tracker().Target("token") }, "localhost"},
		{"TRACKING_HOST", "192.0.2.1", func(c Config) any { return c.Tracker().Target("token") }, "192.0.2.1"},
		{"TRACKING_HOST", "track.example.com", func(c Config) any { return c.Tracker().Target("token") }, "token.track.example.com"},
		{"TRACKING_HOST", "Track.Example.com.", func(c Config) any { return c.TrackingHost }, "track.example.com"},
		{"ENCRYPTION_KEY", hexKey, func(c Config) any { return c.EncryptionKey }, raw},
		{"ENCRYPTION_KEY", base64.StdEncoding.EncodeToString(raw), func(c Config) any { return c.EncryptionKey }, raw},
		{"ENCRYPTION_KEY", base64.RawURLEncoding.EncodeToString(raw), func(c Config) any { return c.EncryptionKey }, raw},
		{"CLICK_ACK", "postgres", func(c Config) any { return c.ClickAck }, AckPostgres},
		{
			"TRUSTED_PROXIES", "10.1.2.3/8, ::1", func(c Config) any { return c.TrustedProxies },
			[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		},
		{
			"EGRESS_ALLOW", "127.0.0.1", func(c Config) any { return c.EgressAllow },
			[]netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		},
		{
			"DNS_SERVERS", "192.0.2.53, [2001:db8::1]:5353,2001:db8::2", func(c Config) any { return c.DNSServers },
			[]netip.AddrPort{
				netip.MustParseAddrPort("192.0.2.53:53"), netip.MustParseAddrPort("[2001:db8::1]:5353"),
				netip.MustParseAddrPort("[2001:db8::2]:53"),
			},
		},
		{
			"EGRESS_HOSTS", "Graph.example.com = 127.0.0.1:8443, api.example.com=2001:db8::2", func(c Config) any { return c.EgressHosts },
			map[string]netip.AddrPort{
				"graph.example.com": netip.MustParseAddrPort("127.0.0.1:8443"), "api.example.com": netip.MustParseAddrPort("[2001:db8::2]:0"),
			},
		},
		{"TLS_ADDR", ":443", func(c Config) any { return c.TLSAddr }, ":443"},
		{"HTTP_ADDR", "192.0.2.1:80", func(c Config) any { return c.HTTPAddr }, "192.0.2.1:80"},
		{"HSTS_MAX_AGE", "720h", func(c Config) any { return c.HSTSMaxAge }, 720 * time.Hour},
		{"DOMAIN_PORTS", "8080, 8443", func(c Config) any { return c.DomainPorts }, [2]string{"8080", "8443"}},
		{
			"ACME_DIRECTORY", "https://one.example/dir, https://two.example:14000/directory,https://one.example/dir",
			func(c Config) any { return c.ACMEDirectories },
			[]string{"https://one.example/dir", "https://two.example:14000/directory"},
		},
		{"ACME_EMAIL", "ops@example.com", func(c Config) any { return c.ACMEEmail }, "ops@example.com"},
		{
			"ACME_EAB", ",kid-1:c2VjcmV0LXNlY3JldA==", func(c Config) any { return c.ACMEAccounts },
			[]ACMEAccount{{}, {"kid-1", "c2VjcmV0LXNlY3JldA"}},
		},
		{"GEO_CITY_DB", file, func(c Config) any { return c.GeoCityDB }, file},
		{
			"WEBHOOK_SCHEDULE", "1s, 5s,2m", func(c Config) any { return c.WebhookSchedule },
			[]time.Duration{time.Second, 5 * time.Second, 2 * time.Minute},
		},
		{"CLOUDFLARE_API_TOKEN", "t", func(c Config) any { return c.CloudflareToken + c.Edge() }, "t"},
		{"CLOUDFLARE_ACCOUNT_ID", strings.Repeat("A1", 16), func(c Config) any { return c.CloudflareAccount }, strings.Repeat("a1", 16)},
		{"AI_URL", "https://gateway.example.com/", func(c Config) any { return c.AIURL }, "https://gateway.example.com"},
		{"LOG_LEVEL", "WARN", func(c Config) any { return c.LogLevel }, slog.LevelWarn},
	}
	for _, tt := range tests {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			t.Parallel()
			c, err := Load(from(map[string]string{tt.name: tt.value}))
			if err != nil {
				t.Fatal(err)
			}
			if got := tt.get(c); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestLoadErrors sets each wrong value alone, and all of them at once.
func TestLoadErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, value, want string }{
		{"PORT", "70000", "1 to 65535"},
		{"BIND", "eth0", "not an address"},
		{"OPS_ADDR", "8081", "HOST:PORT"},
		{"DATABASE_URL", "mysql://h/d", "postgres://"},
		{"REDIS_URL", "redis://", "names no host"},
		{"BASE_URL", "https://u:p@h/?q=1", "plain address"},
		{"SHARED_DOMAINS", "ok.example,https://x.example", "without scheme"},
		{"TRACKING_HOST", "x.example:80", "without scheme, port"},
		{"ENCRYPTION_KEY", "c2hvcnQtc2VjcmV0", "openssl rand -hex 32"},
		{"OPS_PASSWORD", "geheim", "shorter than 8"},
		{"MCP", "maybe", "not a choice"},
		{"DATA_DIR", strings.Repeat("x", 5000), "longer than 4096"},
		{"CLICK_ACK", "none", "disk postgres"},
		{"TRUSTED_PROXIES", "10.0.0.0/33", "neither an address nor a CIDR"},
		{"EGRESS_ALLOW", "fe80::1%eth0", "neither an address nor a CIDR"},
		{"EGRESS_CA_FILE", "/no/such/file", "cannot be read"},
		{"DNS_SERVERS", "dns.example", "not an address such as"},
		{"EGRESS_HOSTS", "api.example.com=other.example.com", "not a host and its address"},
		{"TLS_ADDR", "443", "HOST:PORT"},
		{"HTTP_ADDR", "80", "HOST:PORT"},
		{"HSTS_MAX_AGE", "forever", "720h"},
		{"DOMAIN_PORTS", "80", "two ports"},
		{"ACME_DIRECTORY", "http://ca.example/dir", "not an https address"},
		{"ACME_EMAIL", "Ops <ops@example.com>", "not an address"},
		{"ACME_EAB", "canary-secret", "KEY_ID:HMAC_KEY"},
		{"GEO_ASN_DB", t.TempDir(), "is a directory"},
		{"WEBHOOK_SCHEDULE", "1s,soon", "1s,5m,2h"},
		{"CLOUDFLARE_ACCOUNT_ID", "account", "32 hexadecimal digits"},
		{"AI_PROVIDER", "hal", "openai anthropic gemini openrouter"},
		{"LOG_LEVEL", "loud", "debug, info, warn or error"},
	}
	all := map[string]string{}
	for _, tt := range tests {
		all[tt.name] = tt.value
	}
	_, err := Load(from(all))
	if err == nil {
		t.Fatal("wrong settings are accepted")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(tests) {
		t.Errorf("the error has %d lines, want %d, one for each wrong setting:\n%v", len(lines), len(tests), err)
	}
	for _, tt := range tests {
		_, err := Load(from(map[string]string{tt.name: tt.value}))
		if err == nil || !strings.Contains(err.Error(), tt.name) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s=%s: %v, want %q", tt.name, tt.value, err, tt.want)
		}
	}
	for _, secret := range []string{all["ENCRYPTION_KEY"], all["OPS_PASSWORD"], all["ACME_EAB"]} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the secret %q", secret)
		}
	}
}

// TestOpsAddrApart: OPS_ADDR can have neither the port 0 nor the port of PORT, which is public.
func TestOpsAddrApart(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		":80": "the same as PORT", "127.0.0.1:80": "the same as PORT", "localhost:0": "1 to 65535",
	} {
		_, err := Load(from(map[string]string{"PORT": "80", "OPS_ADDR": addr}))
		if err == nil || !strings.Contains(err.Error(), "OPS_ADDR") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", addr, err, want)
		}
	}
}

// TestEdge: Cloudflare is the edge if a token and a zone are set.
func TestEdge(t *testing.T) {
	t.Parallel()
	env := map[string]string{"CLOUDFLARE_ZONE_ID": strings.Repeat("0", 32)}
	if _, err := Load(from(env)); err == nil || !strings.Contains(err.Error(), "CLOUDFLARE_API_TOKEN") {
		t.Errorf("for a zone without a token, the error is %v, want one about CLOUDFLARE_API_TOKEN", err)
	}
	env["CLOUDFLARE_API_TOKEN"] = "t"
	if c, err := Load(from(env)); err != nil || c.Edge() != models.EdgeCloudflare {
		t.Errorf("with a zone and a token, the edge is %q, %v, want Cloudflare", c.Edge(), err)
	}
	for name, value := range map[string]string{"TLS_ADDR": ":443", "ACME_DIRECTORY": "https://ca.example/dir"} {
		if c, err := Load(from(map[string]string{name: value})); err != nil || c.Edge() != models.EdgeOwn {
			t.Errorf("with %s alone, the edge is %q, %v, want the service itself", name, c.Edge(), err)
		}
	}
}

// TestTogether: a setting without the other setting that it needs is reported at the start, and so are settings that contradict
// each other.
func TestTogether(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("0", 32)
	for _, tt := range []struct {
		env  map[string]string
		want string // in the error; empty: no error
	}{
		{map[string]string{"CLOUDFLARE_API_TOKEN": "t", "CLOUDFLARE_KV_NAMESPACE": id, "EDGE_SECRET": hexKey}, "CLOUDFLARE_ACCOUNT_ID"},
		{map[string]string{"AI_KEY": "k"}, "AI_PROVIDER"},
		{map[string]string{"AI_PROVIDER": "openai"}, "AI_KEY"},
		{map[string]string{"CLOUDFLARE_API_TOKEN": "t", "CLOUDFLARE_KV_NAMESPACE": id, "CLOUDFLARE_ACCOUNT_ID": id}, "EDGE_SECRET"},
		{map[string]string{
			"CLOUDFLARE_API_TOKEN": "t", "CLOUDFLARE_KV_NAMESPACE": id, "CLOUDFLARE_ACCOUNT_ID": id, "EDGE_SECRET": hexKey,
		}, ""},
		{map[string]string{"TLS_ADDR": ":8443", "HTTP_ADDR": ":8443"}, "HTTP_ADDR"},
		{map[string]string{"TLS_ADDR": ":8443", "HTTP_ADDR": ":8080"}, ""},
		{map[string]string{"ACME_DIRECTORY": "https://ca.example/dir", "ACME_EAB": "a:aGVsbG8,b:aGVsbG8"}, "ACME_EAB"},
		{map[string]string{"ACME_DIRECTORY": "https://ca.example/dir", "ACME_EAB": "a:aGVsbG8"}, ""},
	} {
		_, err := Load(from(tt.env))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), "config: "+tt.want+":")) {
			t.Errorf("with %v, the error is %v, want one about %q", tt.env, err, tt.want)
		}
	}
}

func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"DATABASE_URL":   "postgres://u:s3cret@h/d?password=s3cret",
		"REDIS_URL":      "redis://:s3cret@h:1/0",
		"ENCRYPTION_KEY": hexKey,
		"OPS_PASSWORD":   "s3cret-too",

		"CLOUDFLARE_API_TOKEN": "s3cret-token",
	}
	c, err := Load(from(env))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("start", "config", c)
	for _, e := range Describe(from(env)) {
		out.WriteString(e.Name + " " + e.Value + "\n")
	}
	for _, secret := range []string{"s3cret", hexKey[:16]} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("the secret %q is shown:\n%s", secret, out.String())
		}
	}
	if !strings.Contains(out.String(), "postgres://u:xxxxx@h/d") {
		t.Errorf("the mask must hide only the password of the URL:\n%s", out.String())
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	rows := table(&Config{})
	for _, r := range rows {
		if seen[r.name] || r.doc == "" || r.read == nil {
			t.Errorf("row %q is a duplicate or incomplete", r.name)
		}
		seen[r.name] = true
	}
	// SignInApps is one field with two settings for each platform.
	if fields := reflect.TypeFor[Config]().NumField() - 1 + len(signInSettings(&Config{})); fields != len(rows) {
		t.Errorf("Config needs %d rows for its fields, but the table has %d rows", fields, len(rows))
	}
}

// TestSignInApps: the app at a platform is read from the two settings that have the platform's name. Its secret is masked.
func TestSignInApps(t *testing.T) {
	t.Parallel()
	set := map[string]string{"SNAPCHAT_CLIENT_ID": "app-1", "SNAPCHAT_CLIENT_SECRET": "canary-Zq7"}
	c, err := Load(func(name string) string { return set[name] })
	if want := (SignInApp{"app-1", "canary-Zq7"}); err != nil || c.SignInApps["snapchat"] != want || len(c.SignInApps) != 1 {
		t.Errorf("the apps are %+v, %v, want only Snapchat's", c.SignInApps, err)
	}
	for _, r := range table(&Config{}) {
		if r.name == "SNAPCHAT_CLIENT_SECRET" && (r.mask == nil || r.mask("canary-Zq7") == "canary-Zq7") {
			t.Error("the secret of Snapchat's app is not masked")
		}
	}
}

// TestHostTwice: a host that is listed twice is refused, because it would be unclear which address applies.
func TestHostTwice(t *testing.T) {
	t.Parallel()
	if _, err := hostAddresses("a.example=10.0.0.1, A.example=10.0.0.2"); err == nil {
		t.Error("a host that is listed twice is accepted")
	}
}

// TestLinkHosts: tracking links and the dashboard need different hosts, unless only this machine can reach them.
func TestLinkHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		base, shared, bind, tls string
		ok                      bool
	}{
		{"", "", "", "", true},
		{"https://app.example.com", "go.example.com", "", ":443", true},
		{"https://App.example.com:8443", "go.example.com,app.example.com", "", "", false},
		{"https://app.example.com", "app.example.com", "127.0.0.1", "", false}, // a proxy is in front
		{"http://localhost:8080", "localhost", "", "", false},
		{"http://localhost:8080", "localhost", "0.0.0.0", "", false},
		{"http://localhost:8080", "localhost", "127.0.0.1", ":443", false},
		{"http://localhost:8080", "localhost", "127.0.0.1", "127.0.0.1:8443", true},
		{"http://localhost:8080", "localhost", "::1", "", true},
	} {
		c, err := Load(func(name string) string {
			return map[string]string{"BASE_URL": tt.base, "SHARED_DOMAINS": tt.shared, "BIND": tt.bind, "TLS_ADDR": tt.tls}[name]
		})
		if err != nil {
			t.Fatal(err)
		}
		err = c.CheckLinkHosts()
		if (err == nil) != tt.ok || err != nil && !strings.Contains(err.Error(), "SHARED_DOMAINS") {
			t.Errorf("%+v: CheckLinkHosts returns %v", tt, err)
		}
	}
}
