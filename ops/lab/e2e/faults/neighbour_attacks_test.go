package faults

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/models/longtest"
	"switchyard/ops/client"
	"switchyard/ops/lab/e2e"
)

// target holds everything that the attacker knows.
type target struct {
	URL, OpsURL string
	Link        string // of the neighbour
	Costly      string // a link of the attacker, whose flow is as costly as the service allows
	Webhook     string // the id of an endpoint that never answers
	Network     string // the id of a network whose postbacks need a secret
	Key         string
	ReaderKey   string // of a second account, which reads until its calls per minute are used up
}

// attacker plays accounts and strangers that try to make the service unavailable to the others.
type attacker struct {
	target
	api          *client.API // with Key
	reader       *client.API // with ReaderKey
	link, costly *url.URL
	http         *http.Client

	mu      sync.Mutex
	answers answers
}

// answers counts the answers by attack and status.
type answers map[string]map[int]int

func newAttacker(at target) (*attacker, error) {
	link, err := url.Parse(at.Link)
	if err != nil {
		return nil, err
	}
	costly, err := url.Parse(at.Costly)
	if err != nil {
		return nil, err
	}
	return &attacker{
		target: at, api: client.New(at.URL, at.Key), reader: client.New(at.URL, at.ReaderKey), link: link, costly: costly,
		answers: answers{}, http: &http.Client{
			Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// try repeats an attack until the context ends, and counts the answers. It waits for the first answer even after the end.
func (a *attacker) try(ctx context.Context, how attack) {
	for first := true; first || ctx.Err() == nil; first = false {
		request := ctx
		if a.count(how, 0) == 0 {
			request = context.WithoutCancel(ctx)
		}
		a.count(how, how.once(a, request))
		_ = interval.Sleep(ctx, how.pause)
	}
}

// count adds an answer to the attack, unless the status is 0, and returns the attack's number of answers.
func (a *attacker) count(how attack, status int) (total int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answers[how.name] == nil {
		a.answers[how.name] = map[int]int{}
	}
	if status != 0 {
		a.answers[how.name][status]++
	}
	for _, n := range a.answers[how.name] {
		total += n
	}
	return total
}

// attack is one way to attack the service. once returns the status of the answer, 0 for no answer, or -1 if the request cannot be
// made or the answer cannot be used.
type attack struct {
	name     string
	parallel int           // attackers at the same time
	pause    time.Duration // of each attacker, after each attack
	once     func(*attacker, context.Context) int
	answers  []int // the statuses that the service may answer, apart from 0
}

// paced is the pause of attacks that cost the attacker little.
const paced = 50 * time.Millisecond

var attacks = []attack{
	{"costly conditions", 16, paced, (*attacker).visit, []int{302}},
	{"junk postbacks", 32, paced, (*attacker).junk, []int{200, 429}},
	{"large postbacks", 16, paced, (*attacker).large, []int{413, 429}},
	{"forged postbacks", 16, paced, (*attacker).forged, []int{200, 429}},
	{"secret postbacks", 4, paced, (*attacker).secret, []int{200, 429}},
	{"reports", 60, 0, (*attacker).report, []int{200, 202, 429}},
	{"logs", 30, 0, (*attacker).logs, []int{200, 429}},
	{"exports", 40, time.Second, (*attacker).export, []int{201, 202, 402, 429}},
	{"webhook tests", 80, time.Second, (*attacker).testHook, []int{200, 202, 429}},
	{"redeliveries", 20, time.Second, (*attacker).redeliver, []int{200, 202, 429}},
	{"wrong keys", 16, paced, (*attacker).wrongKey, []int{401, 429}},
	{"wrong passwords", 16, paced, (*attacker).wrongPassword, []int{401, 429}},
}

// newTarget creates the attacker's accounts with everything that the attacks need.
func newTarget(t *testing.T, s *e2e.Service, hanging string) target {
	t.Helper()
	account, api, err := s.Account(t.Context(), "Attacker", "scale")
	if err != nil {
		t.Fatal(err)
	}
	reads, reader, err := s.Account(t.Context(), "Attacker who reads", "scale")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{account, reads} {
		seedClicks(t, s.Fleet, id, longtest.Size(2_000, 200_000))
	}
	slow := map[string]any{"attribute": "user_agent", "operator": "regex", "value": "^(a|bb)*(c|dd)*(e|f.)*z$"}
	var paths []any
	for i := range 3 {
		paths = append(paths, map[string]any{
			"name": fmt.Sprint("p", i), "action": "redirect", "destinations": []any{map[string]any{"url": "https://x.example"}},
			"filters": []any{slow, slow},
		})
	}
	var campaign, hook, network struct{ ID, URL string }
	for _, made := range []struct {
		path string
		body map[string]any
		into any
	}{
		{"/campaigns", map[string]any{"name": "costly", "alias": "costly", "destination_url": "https://x.example"}, &campaign},
		{"/webhooks", map[string]any{"url": hanging, "events": []string{"campaign.paused"}}, &hook},
		{"/networks", map[string]any{"name": canaryControl, "postback_secret": canary + "-right"}, &network},
	} {
		if err := api.Create(t.Context(), made.path, made.body, made.into); err != nil {
			t.Fatal(err)
		}
	}
	if err := api.Do(t.Context(), http.StatusOK, http.MethodPut, "/campaigns/"+campaign.ID+"/flow",
		map[string]any{"streams": paths}, nil); err != nil {
		t.Fatal(err)
	}
	return target{
		URL: s.URL, OpsURL: s.OpsURL, Link: s.Link.String(), Costly: campaign.URL, Webhook: hook.ID, Network: network.ID,
		Key: api.Key, ReaderKey: reader.Key,
	}
}

// send sends a request and returns the status of the answer. headers are pairs of a name and a value.
func (a *attacker) send(ctx context.Context, method, target, host string, body []byte, headers ...string) int {
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return -1
	}
	req.Host = host
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

func (a *attacker) read(ctx context.Context, path string) int {
	return callOnce(ctx, a.reader, http.MethodGet, path, nil)
}

// start sends a POST that starts a job, and does not wait for it. So only the service limits the number of open jobs.
func (a *attacker) start(ctx context.Context, path string, body any) int {
	return callOnce(ctx, a.api, http.MethodPost, path, body, "Prefer", "respond-async")
}

func callOnce(ctx context.Context, api *client.API, method, path string, body any, headers ...string) int {
	answer, err := api.Once(ctx, method, path, body, headers...)
	if err != nil && answer.Status != 0 {
		return -1
	}
	return answer.Status
}

func (a *attacker) report(ctx context.Context) int {
	const path = "/reports/performance?dimension=campaign_id,country,os,browser,city&f.sub1=%d"
	return a.read(ctx, fmt.Sprintf(path, rand.IntN(1e6)))
}

func (a *attacker) logs(ctx context.Context) int {
	return a.read(ctx, fmt.Sprintf("/logs/clicks?limit=200&offset=%d", rand.IntN(2000)))
}

func (a *attacker) export(ctx context.Context) int {
	return a.start(ctx, "/reports/exports", map[string]any{"kind": "clicks"})
}

func (a *attacker) testHook(ctx context.Context) int {
	return a.start(ctx, "/webhooks/test", map[string]any{"id": a.Webhook})
}

func (a *attacker) redeliver(ctx context.Context) int {
	return a.start(ctx, "/webhooks/deliveries/redeliver-failed", map[string]any{"webhook": a.Webhook})
}

func (a *attacker) wrongKey(ctx context.Context) int {
	return callOnce(ctx, client.New(a.URL, fmt.Sprintf("sk_%d", rand.Int64())), http.MethodGet, "/plan", nil)
}

func (a *attacker) wrongPassword(ctx context.Context) int {
	return a.send(ctx, http.MethodGet, a.OpsURL+"/metrics", "", nil, "Authorization", "Basic eDp5")
}

func (a *attacker) visit(ctx context.Context) int {
	return a.send(ctx, http.MethodGet, a.URL+a.costly.RequestURI(), a.costly.Host, nil,
		"User-Agent", strings.Repeat("abcdef", 85), "X-Forwarded-For", stranger())
}

// junk and large send postbacks that name no click.
func (a *attacker) junk(ctx context.Context) int  { return a.nonsense(ctx, 8000) }
func (a *attacker) large(ctx context.Context) int { return a.nonsense(ctx, 65_000) }

func (a *attacker) nonsense(ctx context.Context, size int) int {
	return a.send(ctx, http.MethodPost, a.URL+"/postback", a.link.Host, bytes.Repeat([]byte("x=y&"), size/4),
		"Content-Type", "application/x-www-form-urlencoded", "X-Forwarded-For", stranger())
}

// forged sends a postback with an id that a click could have.
func (a *attacker) forged(ctx context.Context) int {
	id := models.FormatClickID(models.NewClickID())
	return a.send(ctx, http.MethodGet, a.URL+"/postback?clickid="+id, a.link.Host, nil,
		"X-Forwarded-For", stranger())
}

// secret sends a postback of the network with the right or a wrong secret, in one of four ways.
func (a *attacker) secret(ctx context.Context) int {
	secret := canary + []string{"-right", "-wrong"}[rand.IntN(2)]
	target := a.URL + "/postback/" + a.Network
	query := url.Values{"clickid": {models.FormatClickID(models.NewClickID())}, "payout": {"1"}}
	switch rand.IntN(4) {
	case 0:
		query.Set("secret", secret)
	case 1:
		query.Set("unheard_of", secret)
	case 2:
		body := fmt.Sprintf(`{"key": %q, "clickid": %q}`, secret, query.Get("clickid"))
		return a.send(ctx, http.MethodPost, target, a.link.Host, []byte(body), "Content-Type", "application/json")
	default:
		query.Set("upd_key", secret)
		return a.send(ctx, http.MethodGet, target+"?"+query.Encode(), a.link.Host, nil, "X-Signature", secret)
	}
	return a.send(ctx, http.MethodGet, target+"?"+query.Encode(), a.link.Host, nil)
}

// stranger returns a random one of 4,096 addresses.
func stranger() string { return fmt.Sprintf("81.3.%d.%d", rand.IntN(16), rand.IntN(256)) }
