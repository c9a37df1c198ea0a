package cli

import (
	"io"
	"testing"
)

// TestUpOpensLoopback: without BIND, only this machine can reach `up`. With a reachable BIND, the operators' pages have a port of
// their own, for this machine only. OPS_ADDR replaces the address of these pages.
func TestUpOpensLoopback(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		vars                   map[string]string
		bind, opsAddr, baseURL string
	}{
		{map[string]string{}, "127.0.0.1", "", "http://127.0.0.1:18080"},
		{map[string]string{"BIND": "::1"}, "::1", "", "http://[::1]:18080"},
		{map[string]string{"BIND": "0.0.0.0"}, "0.0.0.0", "127.0.0.1:19080", "http://127.0.0.1:18080"},
		{map[string]string{"OPS_ADDR": ":9000"}, "127.0.0.1", ":9000", "http://127.0.0.1:18080"},
	} {
		tt.vars["PORT"], tt.vars["DATA_DIR"] = "18080", t.TempDir()
		e := &env{getenv: func(name string) string { return tt.vars[name] }, stderr: io.Discard}
		cfg, err := (&upCmd{}).settings(t.Context(), e)
		if err != nil || cfg.Bind != tt.bind || cfg.OpsAddr != tt.opsAddr || cfg.BaseURL != tt.baseURL {
			t.Errorf("%v: Bind is %q, OpsAddr %q and BaseURL %q, want %q, %q and %q: %v",
				tt.vars, cfg.Bind, cfg.OpsAddr, cfg.BaseURL, tt.bind, tt.opsAddr, tt.baseURL, err)
		}
		if err := cfg.CheckLinkHosts(); err != nil {
			t.Errorf("with the settings %v, CheckLinkHosts returns an error: %v", tt.vars, err)
		}
	}
}
