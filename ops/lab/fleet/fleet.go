package fleet

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models/bot"
	"switchyard/ops/client"
	"switchyard/ops/config"
	"switchyard/ops/devstack"
)

// Options say what to run.
type Options struct {
	// Binary is the program of the service. Empty means the program that is running now.
	Binary string
	// Env has additional settings of the processes. They override the fleet's own.
	Env []string
	// Receiver is a server whose certificate the service's outbound requests trust. It may be nil.
	Receiver *Receiver
	// Template starts the fleet on a copy of migrated servers, which the calling process creates once. Later fleets of the
	// process start quicker.
	Template bool
	// Out receives progress lines; nil drops them.
	Out io.Writer
}

// Fleet is a service on private servers in a temporary directory. Close ends and removes all of it.
type Fleet struct {
	Dir         string
	URL         string // address of the web process, without a slash at the end
	OpsURL      string // address of its operators' pages
	DatabaseURL string
	RedisURL    string
	OpsPassword string

	home      string // of the servers
	binary    string
	env       []string
	out       io.Writer
	processes []*Process
	guard     *guard
}

// processTimeout is the time that a process may take to start, or to end. It is long because the machine may be busy.
const processTimeout = 5 * time.Minute

// Start starts the servers and migrates the database. It starts no process of the service.
func Start(ctx context.Context, o Options) (f *Fleet, err error) {
	dir, err := os.MkdirTemp("", "switchyard-fleet-")
	if err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	f = &Fleet{Dir: dir, binary: o.Binary, out: o.Out}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	// The servers may run as another user of the system, who must be able to reach their directory.
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	if f.binary == "" {
		if f.binary, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("fleet: %w", err)
		}
	}
	migrated := false
	if o.Template {
		if migrated, err = f.copyTemplate(ctx, o); err != nil {
			return nil, err
		}
	}
	if err := f.StartServers(ctx); err != nil {
		return nil, err
	}
	if err := f.configure(o); err != nil || migrated {
		return f, err
	}
	f.logf("migrating")
	return f, f.Command(ctx, nil, "migrate")
}

// StartServers starts the servers that do not run, on the ports they had before.
func (f *Fleet) StartServers(ctx context.Context) error {
	servers, err := devstack.Ensure(ctx, f.stack())
	if err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	if f.DatabaseURL != "" && (servers.DatabaseURL != f.DatabaseURL || servers.RedisURL != f.RedisURL) {
		return errors.New("fleet: the servers came back under another address")
	}
	f.DatabaseURL, f.RedisURL, f.home = servers.DatabaseURL, servers.RedisURL, servers.Dir
	if f.guard == nil {
		if err := f.startGuard(); err != nil {
			return err
		}
	}
	return f.registerServers(ctx)
}

// stack returns the options of the servers. The servers are durable, because acknowledged data must survive a kill.
func (f *Fleet) stack() devstack.Options {
	return devstack.Options{DataDir: filepath.Join(f.Dir, "servers"), Out: f.out}
}

// configure builds the environment of the service's processes. It drops settings of the service from the caller's environment.
func (f *Fleet) configure(o Options) error {
	port, err := devstack.FreePort()
	if err != nil {
		return err
	}
	opsPort, err := devstack.FreePort(port)
	if err != nil {
		return err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	f.URL = "http://127.0.0.1:" + strconv.Itoa(port)
	f.OpsURL = "http://127.0.0.1:" + strconv.Itoa(opsPort)
	f.OpsPassword = rand.Text()
	settings := config.Describe(os.Getenv)
	for _, line := range os.Environ() {
		name, _, _ := strings.Cut(line, "=")
		if !slices.ContainsFunc(settings, func(s config.Entry) bool { return s.Name == name }) {
			f.env = append(f.env, line)
		}
	}
	f.env = append(f.env, "PORT="+strconv.Itoa(port), "BASE_URL="+f.URL, "DATABASE_URL="+f.DatabaseURL,
		"REDIS_URL="+f.RedisURL, "SHARED_DOMAINS=localhost", "ENCRYPTION_KEY="+hex.EncodeToString(secret),
		"OPS_ADDR=127.0.0.1:"+strconv.Itoa(opsPort), "OPS_PASSWORD="+f.OpsPassword, "DATA_DIR="+filepath.Join(f.Dir, "data"), "TRUSTED_PROXIES=127.0.0.0/8",
		"EGRESS_ALLOW=127.0.0.0/8")
	if o.Receiver != nil {
		path := filepath.Join(f.Dir, "ca.pem")
		if err := os.WriteFile(path, o.Receiver.CA, 0o644); err != nil {
			return fmt.Errorf("fleet: %w", err)
		}
		f.env = append(f.env, "EGRESS_CA_FILE="+path)
	}
	f.env = append(f.env, o.Env...)
	return nil
}

// Command runs one command of the binary. If out is not nil, it asks for JSON and decodes the answer into out.
func (f *Fleet) Command(ctx context.Context, out any, args ...string) error {
	if out != nil {
		args = append(args, "--json")
	}
	cmd := exec.CommandContext(ctx, f.binary, args...)
	cmd.Env = f.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("fleet: switchyard %s: %w: %s", args[0], err, tail(stderr.Bytes()))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(stdout.Bytes(), out); err != nil {
		return fmt.Errorf("fleet: switchyard %s printed no single JSON value: %w: %.200s", args[0], err, stdout.Bytes())
	}
	return nil
}

// crowdSignals are bot signals that simulated visitors would show, because many share an address or are quicker than people.
var crowdSignals = (bot.FastClick | bot.ClickFlood | bot.CampaignFlood | bot.RepeatClick).Reasons()

// Account creates an account and a key with full access. It disables crowdSignals for the account.
func (f *Fleet) Account(ctx context.Context, name, plan string) (account string, api *client.API, err error) {
	var created struct {
		ID uuid.UUID `json:"id"`
	}
	if err := f.Command(ctx, &created, "accounts", "create", "--name", name, "--plan", plan); err != nil {
		return "", nil, err
	}
	d, err := db.Open(ctx, f.DatabaseURL, db.Options{Name: "fleet"})
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	set := store.BotSettings{Threshold: bot.DefaultThreshold, Disabled: crowdSignals}
	if err := store.New(d, nil).SetBotSettings(ctx, created.ID, set); err != nil {
		return "", nil, err
	}
	api, err = f.Key(ctx, created.ID.String(), "full")
	return created.ID.String(), api, err
}

// Key creates a key of an account, and returns a client that uses it.
func (f *Fleet) Key(ctx context.Context, account, scope string) (*client.API, error) {
	var key struct {
		ID  string `json:"id"`
		Key string `json:"key"`
	}
	err := f.Command(ctx, &key, "keys", "create", "--account", account, "--scope", scope, "--name", "fleet")
	if err != nil {
		return nil, err
	}
	return client.New(f.URL, key.Key), nil
}

// StartAll starts web, worker and clock and waits until web is ready.
func (f *Fleet) StartAll(ctx context.Context) error {
	for _, name := range []string{"web", "worker", "clock"} {
		if _, err := f.Spawn(name); err != nil {
			return err
		}
	}
	return f.WaitReady(ctx)
}

// WaitReady waits until the web process is ready. It fails if a process ends before that without being asked to.
func (f *Fleet) WaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, processTimeout)
	defer cancel()
	err := client.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		for _, p := range f.processes {
			if p.ended() && !p.killed {
				return false, fmt.Errorf("fleet: %s ended by itself: %s", p.Name, p.Tail())
			}
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL+"/readyz", nil)
		if err != nil {
			return false, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false, nil //nolint:nilerr // not listening yet
		}
		return resp.StatusCode == http.StatusOK, resp.Body.Close()
	})
	if err != nil {
		return fmt.Errorf("fleet: wait for readiness: %w\n%s", err, f.Tails())
	}
	return nil
}

// Tails returns the last lines of every process's log.
func (f *Fleet) Tails() string {
	var b strings.Builder
	for _, p := range f.processes {
		fmt.Fprintf(&b, "--- %s\n%s\n", p.Name, p.Tail())
	}
	return b.String()
}

// DataRace returns the first report of the race detector in the logs of the processes, or an empty text.
func (f *Fleet) DataRace() string {
	for _, p := range f.processes {
		if _, report, found := strings.Cut(string(p.Log()), "WARNING: DATA RACE"); found {
			return fmt.Sprintf("%s: DATA RACE%.6000s", p.Name, report)
		}
	}
	return ""
}

// EndProcesses stops the processes of the service, all at once. The servers keep running.
func (f *Fleet) EndProcesses() {
	var all sync.WaitGroup
	for _, p := range f.processes {
		all.Go(p.Stop)
	}
	all.Wait()
}

// Close stops everything and removes the directory.
func (f *Fleet) Close() error {
	var errs []error
	f.EndProcesses()
	ctx, cancel := context.WithTimeout(context.Background(), processTimeout)
	defer cancel()
	if f.DatabaseURL != "" {
		errs = append(errs, devstack.Stop(ctx, f.stack()))
	}
	if f.home != "" && !strings.HasPrefix(f.home, f.Dir) { // the servers are elsewhere if their system user cannot reach f.Dir
		errs = append(errs, os.RemoveAll(f.home))
	}
	errs = append(errs, os.RemoveAll(f.Dir))
	f.guard.dismiss()
	return errors.Join(errs...)
}

func (f *Fleet) logf(format string, args ...any) {
	if f.out != nil {
		_, _ = fmt.Fprintf(f.out, "  "+format+"\n", args...)
	}
}
