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
)

// tool is a program this package needs: how to find it and which package brings it.
type tool struct {
	title    string
	programs []string // names that serve, the preferred one first
	beside   []string // programs that must lie in the same directory
	globs    []string // directories to look in besides PATH
	min      int      // lowest major version; 0 asks for no version
	packages map[string]string
}

var (
	postgresTool = tool{
		title: "PostgreSQL", programs: []string{"postgres"}, beside: []string{"initdb", "pg_ctl"}, min: 15,
		globs: []string{
			"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*", "/usr/local/pgsql/bin",
			"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
		},
		packages: map[string]string{
			"apt-get": "postgresql", "dnf": "postgresql-server", "apk": "postgresql", "brew": "postgresql@17",
		},
	}
	redisTool = tool{
		title: "Redis", programs: []string{"redis-server", "valkey-server"}, min: 7,
		globs:    []string{"/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/usr/local/bin"},
		packages: map[string]string{"apt-get": "redis-server", "dnf": "redis", "apk": "redis", "brew": "redis"},
	}
	compilerTool = tool{
		title: "C compiler (for the race detector)", programs: []string{"gcc", "clang"},
		packages: map[string]string{"apt-get": "gcc libc6-dev", "dnf": "gcc glibc-devel", "apk": "gcc musl-dev"},
	}
)

// manager is a package manager: what to run before and for an installation.
type manager struct {
	name     string
	prepare  []string
	install  []string
	asCaller bool // refuses root
}

var managers = []manager{
	{
		name:    "apt-get",
		prepare: []string{"apt-get", "-o", "DPkg::Lock::Timeout=120", "update", "-qq"},
		install: []string{"apt-get", "-o", "DPkg::Lock::Timeout=120", "install", "-y", "-qq", "--no-install-recommends"},
	},
	{name: "dnf", install: []string{"dnf", "install", "-y", "-q"}},
	{name: "apk", install: []string{"apk", "add", "--no-cache", "-q"}},
	{name: "brew", install: []string{"brew", "install", "-q"}, asCaller: true},
}

// candidate is a program found on this machine.
type candidate struct {
	path    string
	version int
}

var versionPattern = regexp.MustCompile(`(?:PostgreSQL\) |v=)(\d+)`)

// candidates lists the programs of a tool found here, whatever their version, the newest first.
func (t tool) candidates() []candidate {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, glob := range t.globs {
		found, _ := filepath.Glob(glob)
		dirs = append(dirs, found...)
	}
	var all []candidate
	seen := map[string]bool{}
	for _, program := range t.programs {
		for _, dir := range dirs {
			path := filepath.Join(dir, program)
			if len(t.beside) > 0 { // not for a lone program: its name may decide what it does
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

func (t tool) complete(dir string) bool {
	return !slices.ContainsFunc(t.beside, func(name string) bool { return !executable(filepath.Join(dir, name)) })
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// version asks the program for its major version; 0 if the tool has none to ask for or the answer is not understood.
func (t tool) version(path string) int {
	if t.min == 0 {
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
	major, err := strconv.Atoi(found[1])
	if err != nil {
		return 0
	}
	return major
}

// find returns the newest program that is new enough.
func (t tool) find() (path string, ok bool) {
	all := t.candidates()
	if len(all) == 0 || all[0].version < t.min {
		return "", false
	}
	return all[0].path, true
}

// Compiler makes sure that there is a C compiler, which Go's race detector needs.
func Compiler(ctx context.Context, out io.Writer) error {
	_, err := locate(ctx, out, compilerTool)
	return err
}

// locate finds a tool's program, after installing it if it is missing.
func locate(ctx context.Context, out io.Writer, t tool) (string, error) {
	if path, ok := t.find(); ok {
		return path, nil
	}
	m, prefix, err := chooseManager(ctx, t)
	if err != nil {
		return "", err
	}
	packages := strings.Fields(t.packages[m.name])
	say(out, "%s is missing: installing %s with %s", t.title, strings.Join(packages, " "), m.name)
	if m.prepare != nil {
		if err := runManager(ctx, slices.Concat(prefix, m.prepare)); err != nil {
			say(out, "%s could not refresh its lists, going on with the old ones", m.name)
		}
	}
	install := slices.Concat(prefix, m.install, packages)
	if err := runManager(ctx, install); err != nil {
		return "", fmt.Errorf("devstack: install %s: %w\nInstall it yourself (%s) and try again", t.title, err, t.wanted())
	}
	path, ok := t.find()
	if !ok {
		return "", fmt.Errorf("devstack: %s of this system brought no %s; install that version from its makers and put it "+
			"in PATH, or set DATABASE_URL and REDIS_URL to servers of your own", m.name, t.wanted())
	}
	return path, nil
}

// wanted names the tool with its lowest version.
func (t tool) wanted() string {
	if t.min == 0 {
		return t.title
	}
	return fmt.Sprintf("%s %d or newer", t.title, t.min)
}

// chooseManager finds a package manager that has the tool and that the caller may use, with the words to put before
// its command (sudo). The error says what to type.
func chooseManager(ctx context.Context, t tool) (manager, []string, error) {
	for _, m := range managers {
		if _, err := exec.LookPath(m.name); err != nil || t.packages[m.name] == "" {
			continue
		}
		if os.Geteuid() == 0 || m.asCaller {
			return m, nil, nil
		}
		if exec.CommandContext(ctx, "sudo", "-n", "true").Run() == nil {
			return m, []string{"sudo", "-n"}, nil
		}
		return manager{}, nil, fmt.Errorf("devstack: %s is missing and only root can install it. Run this, then try again:\n"+
			"    sudo %s %s", t.wanted(), strings.Join(m.install, " "), t.packages[m.name])
	}
	return manager{}, nil, fmt.Errorf("devstack: %s is missing and no package manager that is known here was found; "+
		"install it and put it in PATH, or set DATABASE_URL and REDIS_URL to servers of your own", t.wanted())
}

// runManager runs an installation that asks nothing and, where the system allows, starts no service.
func runManager(ctx context.Context, words []string) error {
	if words[0] == "sudo" {
		words = slices.Concat(words[:2], []string{"env", "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1"}, words[2:])
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "HOMEBREW_NO_AUTO_UPDATE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, tail(string(out), 8))
	}
	return nil
}
