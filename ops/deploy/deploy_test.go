// Package deploy tests the files of this directory without running them, because neither Docker nor systemd runs where the tests
// run.
package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

type service struct {
	Image       string
	User        string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	CapAdd      []string `yaml:"cap_add"`
	SecurityOpt []string `yaml:"security_opt"`
	Tmpfs       []string
	Privileged  bool
	NetworkMode string `yaml:"network_mode"`
	Networks    []string
	Ports       []string
	Command     []string
	Environment map[string]string
	Volumes     []string
}

type compose struct {
	Services map[string]service
	Networks map[string]struct{ Internal bool }
}

func readCompose(t *testing.T) compose {
	t.Helper()
	var c compose
	if err := yaml.Unmarshal(read(t, "compose.yaml"), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Services) != 6 {
		t.Fatalf("%d services, want 6", len(c.Services))
	}
	return c
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestContainersAreConfined: a container that is broken into cannot write files outside its volumes and temporary directories, gain
// privileges or act as root.
func TestContainersAreConfined(t *testing.T) {
	t.Parallel()
	for name, s := range readCompose(t).Services {
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || len(s.CapAdd) > 0 || s.Privileged || s.NetworkMode != "" ||
			!slices.Contains(s.SecurityOpt, "no-new-privileges:true") || len(s.Tmpfs) == 0 {
			t.Errorf("%s is not confined: %+v", name, s)
		}
		if s.Image != "" && (s.User == "" || s.User == "root" || s.User == "0") {
			t.Errorf("%s runs as root", name) // our own image gets its user from the Dockerfile
		}
	}
}

// TestNetworksAreApart: PostgreSQL and Redis can be reached only from the inner network, and Redis only with a password. Visitors
// reach the web process. The operators' pages can be reached only from this machine.
func TestNetworksAreApart(t *testing.T) {
	t.Parallel()
	c := readCompose(t)
	if !c.Networks["back"].Internal || c.Networks["front"].Internal || c.Networks["out"].Internal {
		t.Errorf("want the network \"back\" to be internal, and no other network: %+v", c.Networks)
	}
	for name, want := range map[string][]string{
		"postgres": {"back"}, "redis": {"back"}, "migrate": {"back"}, "clock": {"back"},
		"web": {"front", "back"}, "worker": {"out", "back"},
	} {
		s := c.Services[name]
		if !slices.Equal(s.Networks, want) {
			t.Errorf("%s is in %v, want %v", name, s.Networks, want)
		}
		if name != "web" && len(s.Ports) > 0 {
			t.Errorf("%s opens the ports %v, want none", name, s.Ports)
		}
	}
	web, redis := c.Services["web"], c.Services["redis"]
	if !slices.Equal(web.Ports, []string{"8080:8080", "127.0.0.1:8081:8081"}) || web.Environment["OPS_ADDR"] != ":8081" {
		t.Errorf("web opens %v, and the operators' pages are at %q: only the public port may be open to other machines", web.Ports, web.Environment["OPS_ADDR"])
	}
	const password = "${REDIS_PASSWORD:?set it}"
	i := slices.Index(redis.Command, "--requirepass")
	if i < 0 || redis.Command[i+1] != password {
		t.Errorf("redis requires no password: %v", redis.Command)
	}
	for _, name := range []string{"web", "worker", "clock", "migrate"} {
		if got := c.Services[name].Environment["REDIS_URL"]; !strings.Contains(got, ":"+password+"@redis") {
			t.Errorf("%s has the Redis URL %q, want the password in it", name, got)
		}
	}
}

// TestSettingsAreNamed: settings that differ between installs can be set without changing compose.yaml.
func TestSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for name, s := range readCompose(t).Services {
		if s.Image != "" {
			continue
		}
		for _, setting := range []string{
			"TRUSTED_PROXIES", "GEO_CITY_DB", "GEO_ASN_DB", "GEO_ANONYMOUS_DB", "EGRESS_ALLOW", "EGRESS_CA_FILE",
			"EGRESS_HOSTS",
		} {
			if got := s.Environment[setting]; got != "${"+setting+":-}" {
				t.Errorf("%s of %s is %q, want the value that compose has in its environment", setting, name, got)
			}
		}
	}
}

// TestImageIsNobody: the image sets a user that is not root, whatever its base image does.
func TestImageIsNobody(t *testing.T) {
	t.Parallel()
	_, last, _ := strings.Cut(string(read(t, "Dockerfile")), "\nFROM gcr.io/distroless/static")
	user := regexp.MustCompile(`(?m)^USER (\d+):(\d+)$`).FindStringSubmatch(last)
	if user == nil || user[1] == "0" || user[2] == "0" {
		t.Errorf("the last stage runs as %v, want a user and a group other than root:\n%s", user, last)
	}
	if strings.Contains(last, "RUN ") || strings.Contains(last, "ADD ") {
		t.Errorf("the last stage of the Dockerfile has RUN or ADD, want only COPY:\n%s", last)
	}
}

var confinement = strings.Fields(`
	AmbientCapabilities= CapabilityBoundingSet= DevicePolicy=closed KeyringMode=private LockPersonality=yes
	MemoryDenyWriteExecute=yes NoNewPrivileges=yes PrivateDevices=yes PrivateTmp=yes PrivateUsers=yes ProtectClock=yes
	ProtectControlGroups=yes ProtectHome=yes ProtectHostname=yes ProtectKernelLogs=yes ProtectKernelModules=yes
	ProtectKernelTunables=yes ProtectProc=invisible ProtectSystem=strict RemoveIPC=yes RestrictNamespaces=yes
	RestrictRealtime=yes RestrictSUIDSGID=yes SystemCallArchitectures=native SystemCallFilter=@system-service UMask=0077
	User=switchyard`)

// TestUnitsAreConfined: each systemd unit has every line that confines its process.
func TestUnitsAreConfined(t *testing.T) {
	t.Parallel()
	for _, path := range units(t) {
		lines := strings.Split(string(read(t, path)), "\n")
		for _, want := range confinement {
			if !slices.Contains(lines, want) {
				t.Errorf("%s lacks %s", path, want)
			}
		}
	}
}

// maxExposure is the exposure, from 0 to 10, that the result of `systemd-analyze security` must stay below.
const maxExposure = 3

// TestExposure checks the units with systemd-analyze, if that is installed.
func TestExposure(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	found := regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`)
	for _, path := range units(t) {
		out, err := exec.CommandContext(t.Context(), tool, "security", "--offline=true", "--no-pager", path).CombinedOutput()
		if strings.Contains(string(out), "unrecognized option") {
			t.Skip("this systemd-analyze looks at running units only")
		}
		got := found.FindSubmatch(out)
		if got == nil {
			t.Fatalf("%s: %v\n%s", path, err, out)
		}
		if exposure, err := strconv.ParseFloat(string(got[1]), 64); err != nil || exposure >= maxExposure {
			t.Errorf("%s has an exposure of %s, want less than %d\n%s", path, got[1], maxExposure, out)
		}
	}
}

func units(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("systemd/*.service")
	if err != nil || len(all) != 2 {
		t.Fatalf("the unit files are %v, want 2 files; error: %v", all, err)
	}
	return all
}

// TestLinksOfTheContainers: with the default settings, links use another host than the dashboard.
func TestLinksOfTheContainers(t *testing.T) {
	t.Parallel()
	env := readCompose(t).Services["web"].Environment
	const base, links = "${BASE_URL:-http://127.0.0.1:8080}", "${SHARED_DOMAINS:-localhost}"
	if env["BASE_URL"] != base || env["SHARED_DOMAINS"] != links {
		t.Errorf("the defaults put the dashboard at %s and links at %s, want 127.0.0.1 and localhost", env["BASE_URL"], env["SHARED_DOMAINS"])
	}
}

// TestBuildsNoPaths: the Makefile and the Dockerfile build the service without the paths of the building machine.
func TestBuildsNoPaths(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"../../Makefile": "export GOFLAGS := $(GOFLAGS) -trimpath\n", "Dockerfile": "go build -tags nomsgpack -trimpath -o /switchyard",
	} {
		if !strings.Contains(string(read(t, file)), want) {
			t.Errorf("%s lacks %s", file, want)
		}
	}
}
