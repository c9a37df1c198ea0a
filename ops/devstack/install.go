package devstack

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Tool is a program that Install can install.
type Tool struct {
	Title    string
	Programs []string // acceptable program names, the preferred name first
	Beside   []string // programs that must lie in the same directory
	Globs    []string // directories to look in besides PATH
	Min      int      // lowest major version; 0 accepts any version
	Packages map[string]string
}

var (
	postgresTool = Tool{
		Title: "PostgreSQL", Programs: []string{"postgres"}, Beside: []string{"initdb", "pg_ctl"}, Min: 15,
		Globs: []string{
			"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*", "/usr/local/pgsql/bin",
			"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
		},
		Packages: map[string]string{
			"apt-get": "postgresql", "dnf": "postgresql-server", "apk": "postgresql", "brew": "postgresql@17",
		},
	}
	redisTool = Tool{
		Title: "Redis", Programs: []string{"redis-server", "valkey-server"}, Min: 7,
		Globs:    []string{"/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/usr/local/bin"},
		Packages: map[string]string{"apt-get": "redis-server", "dnf": "redis", "apk": "redis", "brew": "redis"},
	}
)

type manager struct {
	name     string
	prepare  []string
	install  []string
	typed    string // the install command that an error message tells the user to type
	asCaller bool   // runs as the caller, without sudo, because it refuses root
}

var managers = []manager{
	{
		name:    "apt-get",
		prepare: []string{"apt-get", "-o", "DPkg::Lock::Timeout=120", "update", "-qq"},
		install: []string{"apt-get", "-o", "DPkg::Lock::Timeout=120", "install", "-y", "-qq", "--no-install-recommends"},
		typed:   "apt-get update && apt-get install -y",
	},
	{name: "dnf", install: []string{"dnf", "install", "-y", "-q"}, typed: "dnf install -y"},
	{name: "apk", install: []string{"apk", "add", "--no-cache", "-q"}, typed: "apk add"},
	{name: "brew", install: []string{"brew", "install", "-q"}, typed: "brew install", asCaller: true},
}

type candidate struct {
	path    string
	version int
}

var versionPattern = regexp.MustCompile(`(?:PostgreSQL\) |v=)(\d+)`)

// candidates lists the programs of a tool that are installed here, in any version, the newest first. If Min is 0, it reads no
// version, and lists them in the order of Programs.
func (t Tool) candidates() []candidate {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, glob := range t.Globs {
		found, _ := filepath.Glob(glob)
		dirs = append(dirs, found...)
	}
	var all []candidate
	seen := map[string]bool{}
	for _, program := range t.Programs {
		for _, dir := range dirs {
			path := filepath.Join(dir, program)
			if len(t.Beside) > 0 { // otherwise links are not resolved: the name of a link may decide how the program behaves
				if real, err := filepath.EvalSymlinks(path); err == nil {
					path = real
				}
			}
			if seen[path] || !executable(path) || !t.complete(filepath.Dir(path)) {
				continue
			}
			seen[path] = true
			all = append(all, candidate{path: path, version: t.version(path)})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.version - a.version })
	return all
}

func (t Tool) complete(dir string) bool {
	return !slices.ContainsFunc(t.Beside, func(name string) bool { return !executable(filepath.Join(dir, name)) })
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

func (t Tool) version(path string) int {
	if t.Min == 0 {
		return 0
	}
	out, err := exec.Command(path, "--version").Output() //nolint:noctx // answers at once, waits for nothing
	if err != nil {
		return 0
	}
	found := versionPattern.FindStringSubmatch(string(out))
	if found == nil {
		return 0
	}
	major, _ := strconv.Atoi(found[1])
	return major
}

// Find returns the newest installed program of the tool, or the first of candidates if Min is 0. ok is false if no program is
// installed, or if the newest is older than Min.
func (t Tool) Find() (path string, ok bool) {
	all := t.candidates()
	if len(all) == 0 || all[0].version < t.Min {
		return "", false
	}
	return all[0].path, true
}

// Install installs the tools that are missing, all with one install command.
func Install(ctx context.Context, out io.Writer, tools ...Tool) error {
	missing := slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { _, ok := t.Find(); return ok })
	if len(missing) == 0 {
		return nil
	}
	titles := titlesOf(missing)
	m, prefix, err := chooseManager(ctx, missing)
	if err != nil {
		return err
	}
	packages := m.packagesOf(missing)
	logTo(out, "missing: %s; installing %s with %s", titles, strings.Join(packages, " "), m.name)
	if m.prepare != nil {
		if err := runManager(ctx, slices.Concat(prefix, m.prepare)); err != nil {
			logTo(out, "%s could not refresh its lists, going on with the old ones", m.name)
		}
	}
	if err := runManager(ctx, slices.Concat(prefix, m.install, packages)); err != nil {
		return fmt.Errorf("devstack: install %s: %w\nInstall it yourself and try again", titles, err)
	}
	for _, t := range missing {
		if _, ok := t.Find(); !ok {
			return fmt.Errorf("devstack: %s of this system has not installed %s; install it from its makers and put it in PATH"+
				"%s", m.name, t.requirement(), ownServers)
		}
	}
	return nil
}

const ownServers = ", or set DATABASE_URL and REDIS_URL to servers of your own"

func titlesOf(tools []Tool) string {
	titles := make([]string, 0, len(tools))
	for _, t := range tools {
		titles = append(titles, t.requirement())
	}
	return strings.Join(titles, ", ")
}

func (t Tool) requirement() string {
	if t.Min == 0 {
		return t.Title
	}
	return fmt.Sprintf("%s %d or newer", t.Title, t.Min)
}

func (m manager) packagesOf(tools []Tool) []string {
	var all []string
	for _, t := range tools {
		packages := strings.Fields(t.Packages[m.name])
		if len(packages) == 0 {
			return nil
		}
		all = append(all, packages...)
	}
	return all
}

// chooseManager returns a package manager that has the tools and that the caller may use. The strings are the words to put before
// its command: sudo with its flag, or nothing.
func chooseManager(ctx context.Context, tools []Tool) (manager, []string, error) {
	titles := titlesOf(tools)
	for _, m := range managers {
		if _, err := exec.LookPath(m.name); err != nil || m.packagesOf(tools) == nil {
			continue
		}
		if os.Geteuid() == 0 || m.asCaller {
			return m, nil, nil
		}
		if exec.CommandContext(ctx, "sudo", "-n", "true").Run() == nil {
			return m, []string{"sudo", "-n"}, nil
		}
		return manager{}, nil, fmt.Errorf("devstack: missing: %s. Only root can install programs here; run this as root, "+
			"then try again:\n    %s %s", titles, m.typed, strings.Join(m.packagesOf(tools), " "))
	}
	return manager{}, nil, fmt.Errorf("devstack: missing: %s. Neither apt-get, dnf, apk nor brew can install all of it here; "+
		"install it yourself and put it in PATH%s", titles, ownServers)
}

// runManager runs a command of a package manager. RUNLEVEL=1 is there to keep the installed packages from starting services.
func runManager(ctx context.Context, words []string) error {
	if words[0] == "sudo" {
		words = slices.Concat(words[:2], []string{"env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1"}, words[2:])
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "HOMEBREW_NO_AUTO_UPDATE=1")
	cmd.WaitDelay = 10 * time.Second // for child processes of the command, once the context has ended
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, tail(string(out)))
	}
	return nil
}
