package logs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"switchyard/ops/logs"
)

func line(t *testing.T, log func(*slog.Logger)) (map[string]any, string) {
	t.Helper()
	var out bytes.Buffer
	log(logs.New(&out, slog.LevelInfo))
	if out.Len() == 0 {
		return nil, ""
	}
	var record map[string]any
	if err := json.Unmarshal(out.Bytes(), &record); err != nil {
		t.Fatalf("not one JSON line: %v\n%s", err, out.String())
	}
	return record, out.String()
}

// TestRecord: a record is one JSON line with its attributes. A record below the level is not written.
func TestRecord(t *testing.T) {
	t.Parallel()
	record, _ := line(t, func(l *slog.Logger) { l.With("job", "x").Info("done", "ms", 5) })
	for key, want := range map[string]any{"msg": "done", "job": "x", "ms": 5.0, "level": "INFO"} {
		if record[key] != want {
			t.Errorf("%s = %v, want %v", key, record[key], want)
		}
	}
	if _, raw := line(t, func(l *slog.Logger) { l.Debug("hidden") }); raw != "" {
		t.Errorf("a record below the level was written: %s", raw)
	}
}

func TestRedaction(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2hunter2"
	tests := []struct {
		name string
		attr slog.Attr
		kept string
	}{
		{"by name", slog.String("ops_password", secret), "ops_password"},
		{"by name, with a quote", slog.String("client_secret", `a"`+secret), "client_secret"},
		{"in a struct", slog.Any("integration", struct {
			Name     string
			APIKey   string `json:"apiKey"`
			Provider string
		}{"n", secret, "cloudflare"}), "cloudflare"},
		{"headers", slog.Any("headers", http.Header{"Authorization": {"Bearer " + secret}, "Accept": {"text/html"}}), "text/html"},
		{"in a group", slog.Group("auth", slog.String("token", secret), slog.String("user", "ann")), "ann"},
		{"key of the API", slog.String("note", "used sy_f"+secret+" twice"), "twice"},
		{"header line", slog.String("note", "authorization: bearer "+secret+" end"), "end"},
		{
			"URL in an error", slog.Any("error", errors.New("dial postgres://bob:"+secret+"@db.example:5432/x: refused")),
			"@db.example:5432/x: refused",
		},
		{"URL without user", slog.String("url", "redis://:"+secret+"@cache:6379/0"), "@cache:6379/0"},
		{"parameter", slog.String("path", "/postback?clickid=c1&secret="+secret+"&payout=3"), "payout=3"},
		{"libpq words", slog.String("dsn", "host=db password="+secret+" dbname=x"), "dbname=x"},
		{"webhook secret", slog.String("note", "whsec_"+secret), "whsec_"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, raw := line(t, func(l *slog.Logger) { l.Info("m", tt.attr) })
			if strings.Contains(raw, secret) {
				t.Errorf("the secret is shown: %s", raw)
			}
			if !strings.Contains(raw, tt.kept) {
				t.Errorf("%q is gone: %s", tt.kept, raw)
			}
		})
	}
}

// TestHarmless: text that only looks like a secret stays unchanged.
func TestHarmless(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"https://go.example.com/a?sub1=x&token_count=3", "12:30:45 user@example.com", "sy_1", "basic idea", "a=b",
		"http://example.com:8080/x@y",
	} {
		if got := string(logs.Redact([]byte(text))); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	record, _ := line(t, func(l *slog.Logger) { l.Info("m", "encryption_key_set", true, "cookies", 3) })
	if record["encryption_key_set"] != true || record["cookies"] != 3.0 {
		t.Errorf("a number or a flag with a name like that of a secret was changed: %v", record)
	}
}
