// Package e2e contains the helpers that the end-to-end tests share. The tests are in four packages:
//
//   - api: requests of clients, networks and visitors, and the answers
//   - browser: the dashboard and other pages in Chromium
//   - faults: processes and servers that are killed, frozen, unreachable or under attack
//   - scale: many processes and many servers
package e2e

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

// Program is the path of the program built without the race detector, which takes three times the processor time. make e2e builds
// it first. Program is empty if go test runs the tests directly.
var Program = os.Getenv("SWITCHYARD_TEST_BINARY")

// OwnBinary returns the path of the test binary. A fleet runs it if the race detector must watch its processes, or if one of
// them runs a command of the tests.
func OwnBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// RunMain is the variable that makes the test binary behave as the service's program.
const RunMain = "SWITCHYARD_TEST_RUN_MAIN"

// Main is the TestMain of a package whose tests start processes. In a child process it runs the named command of the tests, or
// the program. finish, unless nil, is called after the tests.
func Main(m *testing.M, program func(), commands map[string]func(args []string) error, finish func()) {
	if os.Getenv(RunMain) != "" {
		if len(os.Args) > 1 && commands[os.Args[1]] != nil {
			if err := commands[os.Args[1]](os.Args[2:]); err != nil {
				_, _ = fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
				os.Exit(1)
			}
			os.Exit(0)
		}
		program()
	}
	code := m.Run()
	if finish != nil {
		finish()
	}
	os.Exit(code)
}

// Service is a fleet with one campaign. The campaign's clicks come from one source and go to one offer.
type Service struct {
	*fleet.Fleet
	API    *client.API
	Source string // the id of the source
	Link   *url.URL
}

// StartService starts a fleet and sets up the campaign.
func StartService(t *testing.T, o fleet.Options, processes ...string) *Service {
	t.Helper()
	s := &Service{Fleet: StartFleet(t, o, processes...)}
	if err := s.SetUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// StartFleet starts private servers and the named processes. Both end with the test, which fails if a process had a data race.
func StartFleet(t *testing.T, o fleet.Options, processes ...string) *fleet.Fleet {
	t.Helper()
	parttest.Needs(t, parttest.Parts...)
	o.Binary = cmp.Or(o.Binary, Program)
	o.Env, o.Template = append([]string{RunMain + "=1", "LOG_LEVEL=warn"}, o.Env...), true
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

// SpawnWeb starts web process i of several, at its own address. Process 0 uses the port and the data directory of the service.
func (s *Service) SpawnWeb(i int, url string, env ...string) (*fleet.Process, error) {
	if i > 0 {
		_, port, _ := strings.Cut(url, "127.0.0.1:")
		env = slices.Concat([]string{"PORT=" + port, "OPS_ADDR=", "DATA_DIR=" + filepath.Join(s.Dir, "data"+strconv.Itoa(i))}, env)
	}
	return s.SpawnWith(env, "web")
}

// SetUp creates the account, the source, the offer and the campaign, and waits until the link answers.
func (s *Service) SetUp(ctx context.Context) error {
	if err := s.WaitReady(ctx); err != nil {
		return err
	}
	var err error
	if _, s.API, err = s.Account(ctx, "Faults", "scale"); err != nil {
		return err
	}
	var offer struct{ ID string }
	body := map[string]any{"name": "o", "url": "https://offer.example/?cid={clickid}", "payout": 1}
	if err := s.API.Create(ctx, "/offers", body, &offer); err != nil {
		return err
	}
	var source struct{ ID string }
	if err := s.API.Create(ctx, "/traffic-sources", map[string]any{"name": "s"}, &source); err != nil {
		return err
	}
	s.Source = source.ID
	var campaign struct{ ID, URL string }
	body = map[string]any{"name": "c", "alias": "faults-campaign", "offer_id": offer.ID, "source_id": s.Source}
	if err := s.API.Create(ctx, "/campaigns", body, &campaign); err != nil {
		return err
	}
	if s.Link, err = url.Parse(campaign.URL); err != nil {
		return err
	}
	return s.waitLive(ctx)
}

func (s *Service) waitLive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	err := client.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		resp, err := s.Request(ctx, http.DefaultTransport, http.MethodHead, s.Link.RequestURI())
		return err == nil && resp.Status == http.StatusFound, nil
	})
	if err != nil {
		return fmt.Errorf("the link is not live: %w", err)
	}
	return nil
}

// Answer is the answer to a request. To is the address that it redirects to.
type Answer struct {
	Status int
	To     string
	Body   string
}

// Request sends one request to the tracking domain.
func (s *Service) Request(ctx context.Context, via http.RoundTripper, method, path string) (Answer, error) {
	return s.RequestAt(ctx, s.URL, via, method, path)
}

// RequestAt is Request to the web process at this address.
func (s *Service) RequestAt(ctx context.Context, url string, via http.RoundTripper, method, path string) (Answer, error) {
	return s.Send(ctx, url, via, method, path, nil, "")
}

// Send is RequestAt with a body, and with a secret as the bearer token.
func (s *Service) Send(ctx context.Context, url string, via http.RoundTripper, method, path string, body []byte, secret string) (
	Answer, error,
) {
	req, err := http.NewRequestWithContext(ctx, method, url+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	req.Host = s.Link.Host
	req.Header = http.Header{
		"Authorization":   {"Bearer " + secret},
		"User-Agent":      {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"},
		"Accept":          {"text/html,image/apng,*/*;q=0.8"},
		"Accept-Language": {"en-US"}, "Accept-Encoding": {"identity"}, "X-Forwarded-For": {"81.2.69.142"},
	}
	resp, err := via.RoundTrip(req)
	if err != nil {
		return Answer{}, err
	}
	text, err := io.ReadAll(resp.Body)
	return Answer{resp.StatusCode, resp.Header.Get("Location"), string(text)}, errors.Join(err, resp.Body.Close())
}

// Click follows the tracking link once and returns the click's id. The error of a wrong answer is ErrWrong.
func (s *Service) Click(ctx context.Context, via http.RoundTripper) (uuid.UUID, error) {
	return s.ClickAt(ctx, via, s.URL)
}

// ClickAt is Click at the web process with this address.
func (s *Service) ClickAt(ctx context.Context, via http.RoundTripper, url string) (uuid.UUID, error) {
	got, err := s.RequestAt(ctx, url, via, http.MethodGet, s.Link.RequestURI())
	if err != nil {
		return uuid.Nil, err
	}
	text, ok := strings.CutPrefix(got.To, "https://offer.example/?cid=")
	id, err := models.ParseClickID(text)
	if got.Status != http.StatusFound || !ok || err != nil {
		return uuid.Nil, fmt.Errorf("%w: %d to %q: %.200s", ErrWrong, got.Status, got.To, got.Body)
	}
	return id, nil
}

// ErrWrong is the error of a wrong answer.
var ErrWrong = errors.New("wrong answer")

// Tick submits jobs of the clock now, so that a test need not wait until they are due.
func Tick(t *testing.T, f *fleet.Fleet, due ...jobs.Job[jobs.Tick, jobs.None]) {
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

// Pause waits for a time, or until the context ends.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// WaitDelivery waits until the account has exactly one delivery and it is in the given state. It returns the delivery's id.
func (s *Service) WaitDelivery(t *testing.T, state string) string {
	t.Helper()
	var log struct{ Rows []struct{ ID, Status string } }
	ctx, cancel := context.WithTimeout(t.Context(), await.Timeout)
	defer cancel()
	err := client.Poll(ctx, 50*time.Millisecond, func() (bool, error) {
		err := s.API.Get(ctx, "/webhooks/deliveries", &log)
		return err == nil && len(log.Rows) == 1 && log.Rows[0].Status == state, err
	})
	if err != nil {
		t.Fatalf("%v: the deliveries are %v, want one in the state %s", err, log, state)
	}
	return log.Rows[0].ID
}

// Metrics returns the metrics of the web process. It polls, because a client that has just sent a wrong password has to wait.
func Metrics(t *testing.T, f *fleet.Fleet) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.OpsURL+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("ops", f.OpsPassword)
	var text []byte
	err = client.Poll(t.Context(), 200*time.Millisecond, func() (bool, error) {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		text, err = io.ReadAll(resp.Body)
		return resp.StatusCode == http.StatusOK, err
	})
	if err != nil || !bytes.Contains(text, []byte("switchyard_postbacks_total")) {
		t.Errorf("metrics: %v: %.200s", err, text)
	}
	return text
}
