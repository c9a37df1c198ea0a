package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// options are the flags.
type options struct{ packages, run, bin string }

// tags are the build tags of the product. Tests have the same ones, so that packages are compiled once.
const tags = "nomsgpack"

// timeout ends a run that hangs. Waits inside the tests have no shorter limit of their own.
const timeout = 40 * time.Minute

// raceRooms are the packages whose goroutines share memory. The race detector makes tests three times as slow, and it finds
// nothing in the others.
var raceRooms = []string{
	"./api", "./api/certs", "./api/click/...", "./api/middleware", "./api/routing", "./db", "./db/advisory", "./db/kv", "./db/spool",
	"./jobs/...", "./workers", "./workers/clock", "./workers/egress/...", "./workers/webhook",
}

// runAll starts PostgreSQL and Redis, runs the parts one after the other, and stops the servers. A part that fails does not
// keep the next ones from running.
func runAll(ctx context.Context, o options, parts []string) (err error) {
	cfg, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	servers, release, err := devstack.Use(ctx, devstack.Options{
		DataDir: cfg.DataDir, Test: true, Out: os.Stderr, Compiler: slices.Contains(parts, race),
		NoPostgres: os.Getenv("TEST_DATABASE_URL") != "", NoRedis: os.Getenv("TEST_REDIS_URL") != "",
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()
	env := os.Environ()
	if servers.DatabaseURL != "" {
		env = append(env, "TEST_DATABASE_URL="+servers.DatabaseURL)
	}
	if servers.RedisURL != "" {
		env = append(env, "TEST_REDIS_URL="+servers.RedisURL)
	}
	var failed []string
	for _, part := range parts {
		began := time.Now()
		if err := runPart(ctx, o, part, env); err != nil {
			fmt.Fprintf(os.Stderr, "suite: %s: %v\n", part, err)
			failed = append(failed, part)
		}
		fmt.Printf("%s took %.0f s\n\n", part, time.Since(began).Seconds()) //nolint:forbidigo // the command's output
	}
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	return ctx.Err()
}

// runPart runs the tests of a part and prints the slowest ones.
func runPart(ctx context.Context, o options, part string, env []string) error {
	packages, flags, err := selection(o, part)
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		return nil
	}
	if env, err = environment(o, part, env); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "switchyard-suite-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	timing := filepath.Join(dir, "timing.json")
	// The sum at the end names no skipped tests: each test of another part is one.
	args := []string{
		"tool", "-modfile=ops/tools/go.mod", "gotestsum", "--format=" + format(part), "--format-hide-empty-pkg",
		"--hide-summary=skipped", "--jsonfile-timing-events=" + timing, "--",
	}
	args = slices.Concat(args, []string{"-vet=off", "-ldflags=-w", "-tags=" + tags, "-timeout=" + timeout.String()}, flags, packages)
	command := append([]string{"go"}, args...)
	if part == string(parttest.ClickHouse) {
		command = append([]string{filepath.Join(o.bin, "lab"), "clickhouse", "--"}, command...)
	}
	fmt.Printf("%s: testing %s\n", part, strings.Join(packages, " ")) //nolint:forbidigo // the command's output
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, os.Stdout, os.Stderr
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, time.Minute
	return errors.Join(cmd.Run(), printSlowest(os.Stdout, timing))
}

// format is how gotestsum shows what goes on: a line for each package, or for each test where packages take minutes.
func format(part string) string {
	if part == plain || part == race {
		return "pkgname"
	}
	return "testname"
}

// selection returns the packages of a part and the flags of `go test`.
func selection(o options, part string) (packages, flags []string, err error) {
	packages = strings.Fields(o.packages)
	flags = []string{"-parallel=" + strconv.Itoa(2*runtime.NumCPU())} // tests wait for servers half of the time
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
		var all string
		if all, packages = pattern(tests); run == "" {
			run = all
		}
		flags = append(flags, "-count=1") // the tests start programs, which the cache of results does not know
	}
	if run != "" {
		flags = append(flags, "-run="+run)
	}
	return packages, flags, nil
}

// environment adds what the tests of a part look for.
func environment(o options, part string, env []string) ([]string, error) {
	switch part {
	case plain:
		return env, nil
	case race: // without GORACE every program would sleep for a second before it ends
		return append(env, "CGO_ENABLED=1", "GORACE=atexit_sleep_ms=50 "+os.Getenv("GORACE")), nil
	}
	program, err := filepath.Abs(filepath.Join(o.bin, "switchyard"))
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		return nil, fmt.Errorf("the service is not built, run `make build`: %w", err)
	}
	return append(env, parttest.Variable+"="+part, "SWITCHYARD_TEST_BINARY="+program), nil
}
