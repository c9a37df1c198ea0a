package bench

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/x-way/crawlerdetect"

	"switchyard/models/bot"
	"switchyard/models/bot/bottest"
)

// Detector is the service's own bot detector.
type Detector interface {
	// Warm makes a user agent known to the detector, as if the process had seen it before.
	Warm(userAgent string)
	Signals(r *http.Request) bot.Signals
}

const (
	goalWrong = 0 // people's requests that are called bots
	goalLists = 0.9
)

// detectors compares our detector with crawlerdetect and isbot on every request of the labelled set. The two others look only at
// the user agent.
func (r *run) detectors(ctx context.Context) error {
	set, err := bottest.Read(os.DirFS(bottest.Dir))
	if err != nil {
		return fmt.Errorf("bench: start this program in the root of the repository, to read the labelled set: %w", err)
	}
	requests := make(map[string]*http.Request, len(set))
	for _, l := range set {
		requests[l.ID] = arrived(l)
		r.Detector.Warm(userAgentOf(l))
	}
	ours := bottest.Judge(set, func(l bottest.Request) bool {
		_, isBot, _ := bot.Score(r.Detector.Signals(requests[l.ID]), bot.Settings{})
		return isBot
	})
	r.judged("ours", ours, fmt.Sprintf("%d wrong", goalWrong), ours.Wrong <= goalWrong)
	theirs := bottest.Judge(set, func(l bottest.Request) bool { return crawlerdetect.IsCrawler(userAgentOf(l)) })
	r.judged("crawlerdetect", theirs, "", true)
	tallies := []bottest.Tally{ours, theirs}
	if third, err := isbot(ctx, set); err != nil {
		r.logf("isbot %s is left out, it needs node, npm and a registry: %v", isbotVersion, err)
	} else {
		r.judged("isbot "+isbotVersion, third, "", true)
		tallies = append(tallies, third)
	}
	r.kinds(tallies)
	r.cost(set, requests)
	return nil
}

// arrived converts a request of the set to the form in which the web process sees it.
func arrived(l bottest.Request) *http.Request {
	r := &http.Request{Method: l.Method, Header: l.Headers, RemoteAddr: "81.2.69.142:40000"}
	if l.Address != "" {
		r.RemoteAddr = l.Address + ":40000"
	}
	if l.Scheme == "https" {
		r.TLS = &tls.ConnectionState{}
	}
	return r
}

func userAgentOf(l bottest.Request) string {
	if v := l.Headers["User-Agent"]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func (r *run) judged(name string, t bottest.Tally, goal string, met bool) {
	r.add(fmt.Sprintf("bots among %d requests of programs and %d of people: %s", t.Found+t.Missed, t.Wrong+t.Spared, name),
		fmt.Sprintf("precision %.4f  recall %.3f  %d people wrongly called bots", t.Precision(), t.Recall(), t.Wrong), goal, met)
}

func (r *run) kinds(tallies []bottest.Tally) {
	for _, k := range tallies[0].Kinds {
		if !k.Bot {
			continue
		}
		shares := make([]string, len(tallies))
		for i, t := range tallies {
			shares[i] = fmt.Sprintf("%.2f", t.Kind(k.Name).Share())
		}
		r.add(fmt.Sprintf("share of %d %s that each detector finds, in the order above", k.Sent, k.Name), strings.Join(shares, ", "), "", true)
	}
}

func (r *run) cost(set []bottest.Request, requests map[string]*http.Request) {
	list := make([]*http.Request, len(set))
	for i, l := range set {
		list[i] = requests[l.ID]
	}
	result := testing.Benchmark(func(b *testing.B) { //nolint:thelper // no helper: the benchmark itself
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			bot.Score(r.Detector.Signals(list[i%len(list)]), bot.Settings{})
		}
	})
	r.add("describing and scoring a request whose user agent is known", fmt.Sprintf("%s, %d allocations",
		time.Duration(result.NsPerOp()), result.AllocsPerOp()), "0 allocations", result.AllocsPerOp() == 0)
}

const (
	isbotVersion = "5.2.3"
	isbotScript  = `const { isbot } = require("isbot");
		const list = JSON.parse(require("fs").readFileSync(0, "utf8"));
		process.stdout.write(JSON.stringify(list.map((agent) => isbot(agent))));`
)

func isbot(ctx context.Context, set []bottest.Request) (t bottest.Tally, err error) {
	dir, err := os.MkdirTemp("", "isbot-")
	if err != nil {
		return t, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	_, err = output(ctx, dir, nil, "npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--silent",
		"isbot@"+isbotVersion)
	if err != nil {
		return t, err
	}
	agents := make([]string, len(set))
	for i, l := range set {
		agents[i] = userAgentOf(l)
	}
	text, err := json.Marshal(agents)
	if err != nil {
		return t, err
	}
	answer, err := output(ctx, dir, text, "node", "-e", isbotScript)
	if err != nil {
		return t, err
	}
	var verdicts []bool
	if err := json.Unmarshal(answer, &verdicts); err != nil || len(verdicts) != len(set) {
		return t, fmt.Errorf("%d verdicts on %d requests: %w", len(verdicts), len(set), err)
	}
	i := -1
	return bottest.Judge(set, func(bottest.Request) bool { i++; return verdicts[i] }), nil
}

func output(ctx context.Context, dir string, input []byte, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, problem bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(input), &out, &problem
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w %.300s", name, err, problem.String())
	}
	return out.Bytes(), nil
}
