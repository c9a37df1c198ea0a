package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"switchyard/models/parttest"
	"switchyard/ops/config"
	"switchyard/ops/devstack"
)

type options struct{ packages, run, bin string }

// tags are the build tags of the product. With the same tags, each package is compiled once.
const tags = "nomsgpack"

// timeout ends a run that hangs. It is longer than await.Timeout, the limit of waits inside the tests.
const timeout = 40 * time.Minute

// raceRooms are the packages whose goroutines share memory. The race detector makes tests three times as slow.
var raceRooms = []string{
	"./api", "./api/certs", "./api/click/...", "./api/middleware", "./api/routing", "./db", "./db/advisory", "./db/kv", "./db/spool",
	"./jobs/...", "./workers", "./workers/clock", "./workers/egress/...", "./workers/webhook",
}

// compilerTool is the C compiler that Go's race detector needs.
var compilerTool = devstack.Tool{
	Title: "C compiler (for the race detector)", Programs: []string{"gcc", "clang"},
	Packages: map[string]string{"apt-get": "gcc libc6-dev", "dnf": "gcc glibc-devel", "apk": "gcc musl-dev"},
}

// runAll starts PostgreSQL and Redis, unless the environment names them, and runs the parts one after the other. After a part has
// failed, the next parts still run. After an interrupt they do not.
func runAll(ctx context.Context, o options, parts []string) (err error) {
	cfg, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	servers, release, err := devstack.Use(ctx, devstack.Options{
		DataDir: cfg.DataDir, Test: true, Out: os.Stderr,
		NoPostgres: os.Getenv("TEST_DATABASE_URL") != "", NoRedis: os.Getenv("TEST_REDIS_URL") != "",
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()
	// Variables of the shell must not choose the tests or their form.
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, parttest.Variable+"=") || strings.HasPrefix(v, "SWITCHYARD_CHAOS=")
	})
	if servers.DatabaseURL != "" {
		env = append(env, "TEST_DATABASE_URL="+servers.DatabaseURL)
	}
	if servers.RedisURL != "" {
		env = append(env, "TEST_REDIS_URL="+servers.RedisURL)
	}
	var lines, failed []string
	for _, part := range parts {
		began := time.Now()
		ran, err := runPart(ctx, o, part, env)
		if ctx.Err() != nil {
			return errors.Join(errors.New("interrupted"), err)
		}
		result := "passed"
		if err != nil {
			fmt.Fprintf(os.Stderr, "suite: %s: %v\n", part, err)
			failed, result = append(failed, part), "FAILED"
		}
		if ran || err != nil {
			lines = append(lines, fmt.Sprintf("%s %s in %.0f s", part, result, time.Since(began).Seconds()))
		}
	}
	if len(lines) == 0 {
		return fmt.Errorf("no test of %s is in %s and matches %q", strings.Join(parts, ", "), o.packages, o.run)
	}
	fmt.Printf("\n%s\n", strings.Join(lines, "\n")) //nolint:forbidigo // the command's output
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s; %s", strings.Join(failed, ", "), again(failed[0]))
	}
	return nil
}

func again(part string) string {
	command := "make test"
	if part != plain {
		command = "make e2e PART=" + part
	}
	return "run a test again by " + command + " RUN=Name, a package by PKGS=./path"
}

// runPart runs the tests of a part. ran is false if the part has no test to run.
func runPart(ctx context.Context, o options, part string, env []string) (ran bool, err error) {
	packages, flags, err := selection(o, part)
	if err != nil || len(packages) == 0 {
		return false, err
	}
	if env, err = environment(o, part, env); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "switchyard-suite-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	events := filepath.Join(dir, "events.json")
	// In gotestsum's summary, all tests of other parts would be listed as skipped. printReport leaves these out.
	args := []string{
		"tool", "-modfile=ops/tools/go.mod", "gotestsum", "--format=" + format(part), "--format-hide-empty-pkg",
		"--hide-summary=skipped", "--jsonfile=" + events, "--",
	}
	args = slices.Concat(args, []string{"-vet=off", "-ldflags=-w", "-tags=" + tags, "-timeout=" + timeout.String()}, flags, packages)
	command := append([]string{"go"}, args...)
	if part == string(parttest.ClickHouse) {
		command = append([]string{filepath.Join(o.bin, "lab"), "clickhouse", "--"}, command...)
	}
	fmt.Printf("%s: testing %s\n", part, strings.Join(packages, " ")) //nolint:forbidigo // the command's output
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, os.Stdout, os.Stderr
	// The command runs in its own process group. The whole group gets one interrupt, which gotestsum and go test pass on once.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = time.Minute
	err = cmd.Run()
	return true, errors.Join(err, printReport(os.Stdout, events))
}

// format returns the output format of gotestsum: a line for each test only in parts whose packages take minutes.
func format(part string) string {
	if part == plain || part == race {
		return "pkgname-and-test-fails"
	}
	return "testname"
}

// atOnce returns how many packages run at the same time, and how many tests of each: together at most 32 tests. Each test has its own
// connections, and PostgreSQL accepts at most 300.
func atOnce(processors int) (packages, tests int) {
	const most = 32
	packages = min(processors, most/2)
	return packages, min(2*packages, most/packages) // in each package at most two for each processor, because tests wait for servers half of the time
}

// selection returns the packages of a part and the flags of `go test`. Without packages, the part has no test to run.
func selection(o options, part string) (packages, flags []string, err error) {
	packages = strings.Fields(o.packages)
	together, each := atOnce(runtime.GOMAXPROCS(0))
	// -count=1, because Go's test cache does not notice changes of the programs and servers that tests use.
	flags = []string{"-count=1", "-p=" + strconv.Itoa(together), "-parallel=" + strconv.Itoa(each)}
	run := o.run
	switch part {
	case plain:
	case race:
		flags = append(flags, "-race")
		if o.packages == "./..." {
			packages = raceRooms
		}
	default:
		tests, err := find(".", parttest.Part(part))
		if err != nil {
			return nil, nil, err
		}
		if tests, err = matching(tests, packages, run); err != nil {
			return nil, nil, err
		}
		_, sub, inside := strings.Cut(run, "/")
		if run, packages = pattern(tests); inside {
			run += "/" + sub
		}
	}
	if run != "" {
		flags = append(flags, "-run="+run)
	}
	return packages, flags, nil
}

// matching returns the tests that `go test` would choose by the packages and the expression.
func matching(tests []found, packages []string, run string) ([]found, error) {
	name, _, _ := strings.Cut(run, "/")
	names, err := regexp.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("RUN: %w", err)
	}
	return slices.DeleteFunc(tests, func(f found) bool {
		return !names.MatchString(f.name) || !slices.ContainsFunc(packages, func(p string) bool {
			p = strings.TrimPrefix(p, "./")
			below, tree := strings.CutSuffix(p, "...")
			return filepath.ToSlash(f.dir) == strings.TrimSuffix(p, "/") || tree && strings.HasPrefix(filepath.ToSlash(f.dir)+"/", below)
		})
	}), nil
}

// environment adds the variables that the tests of a part read. It fails if a program that they start is not built.
func environment(o options, part string, env []string) ([]string, error) {
	switch part {
	case plain:
		return env, nil
	case race: // without GORACE every program sleeps for a second before it ends
		if err := devstack.Install(context.Background(), os.Stderr, compilerTool); err != nil {
			return nil, err
		}
		env = append(env, "CGO_ENABLED=1", "GORACE=atexit_sleep_ms=50 "+os.Getenv("GORACE"))
		return append(env, parttest.Variable+"="+parttest.All), nil
	}
	for _, name := range []string{"switchyard", "lab"} {
		if _, err := os.Stat(filepath.Join(o.bin, name)); err != nil {
			return nil, fmt.Errorf("%s is not built, run `make lab`: %w", name, err)
		}
	}
	program, err := filepath.Abs(filepath.Join(o.bin, "switchyard"))
	return append(env, parttest.Variable+"="+part, "SWITCHYARD_TEST_BINARY="+program), err
}
