package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
)

// plainBinary names the program without the race detector, which make e2e builds first. Fleets run it, because processes
// with the detector take three times the processor time. It is empty where go test runs the tests directly.
var plainBinary = os.Getenv("SWITCHYARD_TEST_BINARY")

// ownBinary is the test binary. Fleets whose processes are to be watched by the race detector run it: one in which all
// kinds of processes are killed, one under attack, and those with the tests' own jobs.
func ownBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runMain in the environment makes the test binary the program itself, so that child processes of the tests are built
// once, with the tests, and under the race detector when the tests are.
const runMain = "SWITCHYARD_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "fault") {
			os.Exit(exitCode(os.Stderr, runFault(os.Args[1], os.Args[2:])))
		}
		if len(os.Args) > 1 && os.Args[1] == attackCommand {
			os.Exit(exitCode(os.Stderr, runAttacks(os.Stdin, os.Stdout)))
		}
		main()
	}
	code := m.Run()
	if shared.end != nil {
		shared.end()
	}
	os.Exit(code)
}

// service is a fleet with one campaign, whose clicks come from one source and go to one offer.
type service struct {
	*fleet.Fleet
	api    *client.API
	source string // the id of the source
	link   *url.URL
}

// startService starts private servers and the named processes and sets up the campaign.
func startService(t *testing.T, o fleet.Options, processes ...string) *service {
	t.Helper()
	s := &service{Fleet: startFleet(t, o, processes...)}
	if err := s.setUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// startFleet starts private servers and the named processes; both end with the test. It fails when the race detector
// has found something in a process.
func startFleet(t *testing.T, o fleet.Options, processes ...string) *fleet.Fleet {
	t.Helper()
	parttest.Needs(t, parttest.Parts...)
	o.Binary = cmp.Or(o.Binary, plainBinary)
	o.Env, o.Template = append([]string{runMain + "=1", "LOG_LEVEL=warn"}, o.Env...), true
	f, err := fleet.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.EndProcesses()
		if report := f.DataRace(); report != "" {
			t.Error(report)
		}
		if t.Failed() {
			t.Log(f.Tails())
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range processes {
		if _, err := f.Spawn(name); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// spawnWeb starts web process i of several, at its own address. The first has the port and the directory of the service.
func (s *service) spawnWeb(i int, url string, env ...string) (*fleet.Process, error) {
	if i > 0 {
		_, port, _ := strings.Cut(url, "127.0.0.1:")
		env = slices.Concat([]string{"PORT=" + port, "OPS_ADDR=", "DATA_DIR=" + filepath.Join(s.Dir, "data"+strconv.Itoa(i))}, env)
	}
	return s.SpawnWith(env, "web")
}

func (s *service) setUp(ctx context.Context) error {
	if err := s.WaitReady(ctx); err != nil {
		return err
	}
	var err error
	if _, s.api, err = s.Account(ctx, "Faults", "scale"); err != nil {
		return err
	}
	var offer struct{ ID string }
	body := map[string]any{"name": "o", "url": "https://offer.example/?cid={clickid}", "payout": 1}
	if err := s.api.Create(ctx, "/offers", body, &offer); err != nil {
		return err
	}
	var source struct{ ID string }
	if err := s.api.Create(ctx, "/traffic-sources", map[string]any{"name": "s"}, &source); err != nil {
		return err
	}
	s.source = source.ID
	var campaign struct{ ID, URL string }
	body = map[string]any{"name": "c", "alias": "faults-campaign", "offer_id": offer.ID, "source_id": s.source}
	if err := s.api.Create(ctx, "/campaigns", body, &campaign); err != nil {
		return err
	}
	if s.link, err = url.Parse(campaign.URL); err != nil {
		return err
	}
	return s.waitLive(ctx)
}

// waitLive waits until the tracking link answers.
func (s *service) waitLive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	err := client.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		resp, err := s.ask(ctx, http.DefaultTransport, http.MethodHead, s.link.RequestURI())
		return err == nil && resp.status == http.StatusFound, nil
	})
	if err != nil {
		return fmt.Errorf("the link is not live: %w", err)
	}
	return nil
}

type answer struct {
	status int
	to     string
	body   string
}

// ask sends one request to the tracking domain.
func (s *service) ask(ctx context.Context, via http.RoundTripper, method, path string) (answer, error) {
	return s.askAt(ctx, s.URL, via, method, path)
}

// askAt is ask of the web process at that address.
func (s *service) askAt(ctx context.Context, url string, via http.RoundTripper, method, path string) (answer, error) {
	return s.send(ctx, url, via, method, path, nil, "")
}

// send is askAt with a body, from a sender that authenticates with a secret.
func (s *service) send(ctx context.Context, url string, via http.RoundTripper, method, path string, body []byte, secret string) (
	answer, error,
) {
	req, err := http.NewRequestWithContext(ctx, method, url+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Host = s.link.Host
	req.Header = http.Header{
		"Authorization":   {"Bearer " + secret},
		"User-Agent":      {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"},
		"Accept":          {"text/html,image/apng,*/*;q=0.8"},
		"Accept-Language": {"en-US"}, "Accept-Encoding": {"identity"}, "X-Forwarded-For": {"81.2.69.142"},
	}
	resp, err := via.RoundTrip(req)
	if err != nil {
		return answer{}, err
	}
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header.Get("Location"), string(text)}, errors.Join(err, resp.Body.Close())
}

// click follows the tracking link once and returns the click's id. A wrong answer, other than none, is errWrong.
func (s *service) click(ctx context.Context, via http.RoundTripper) (uuid.UUID, error) {
	return s.clickAt(ctx, via, s.URL)
}

// clickAt is click at the web process of that address.
func (s *service) clickAt(ctx context.Context, via http.RoundTripper, url string) (uuid.UUID, error) {
	got, err := s.askAt(ctx, url, via, http.MethodGet, s.link.RequestURI())
	if err != nil {
		return uuid.Nil, err
	}
	text, ok := strings.CutPrefix(got.to, "https://offer.example/?cid=")
	id, err := models.ParseClickID(text)
	if got.status != http.StatusFound || !ok || err != nil {
		return uuid.Nil, fmt.Errorf("%w: %d to %q: %.200s", errWrong, got.status, got.to, got.body)
	}
	return id, nil
}

var errWrong = errors.New("wrong answer")

// span is when something was asked for and when it was answered.
type span struct{ asked, answered time.Time }

// tally keeps when each thing was asked for and answered.
type tally[K comparable] struct {
	mu   sync.Mutex
	at   map[K]span
	errs []error
}

// add notes what was answered just now.
func (c *tally[K]) add(k K, asked time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		c.at = map[K]span{}
	}
	if _, twice := c.at[k]; twice {
		c.errs = append(c.errs, fmt.Errorf("%v was given out twice", k))
	}
	c.at[k] = span{asked, time.Now()}
}

func (c *tally[K]) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs = append(c.errs, err)
}

func (c *tally[K]) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.at)
}

// waitFor waits until the tally has grown to n.
func (c *tally[K]) waitFor(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	err := client.Poll(ctx, 5*time.Millisecond, func() (bool, error) { return c.len() >= n, nil })
	if err != nil {
		return fmt.Errorf("%d of %d: %w", c.len(), n, err)
	}
	return nil
}

// tick starts jobs of the clock now, so that a test does not wait for the minute at which they are due.
func tick(t *testing.T, f *fleet.Fleet, due ...jobs.Job[jobs.Tick, jobs.None]) {
	t.Helper()
	redis, err := jobs.OpenRedis(f.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = redis.Close() }()
	for _, job := range due {
		if _, err := jobs.Submit(t.Context(), jobs.Connect(redis), job, uuid.Nil, jobs.Tick{At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
}
