package browser

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"switchyard/models/parttest"
	"switchyard/ops/lab/fleet"
	"switchyard/workers/webhook"
)

type roomsEnv struct {
	*env
	receiver *fleet.Receiver
	refuses  atomic.Bool // the receiver answers 500
	link     string
}

const ownDomain = "go.rooms.test"

const browserAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"

const markup = `<img src=x onerror="wrongs=['run']">`

// TestDashboardRooms uses the pages for webhooks, bots, smartlinks and goals.
func TestDashboardRooms(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	dist, err := filepath.Abs("../../../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	b := roomsEnv{}
	b.receiver, err = fleet.NewReceiver(func(context.Context, fleet.Attempt) int {
		if b.refuses.Load() {
			return http.StatusInternalServerError
		}
		return http.StatusNoContent
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.receiver.Close() })
	b.env = newEnvOf(t, fleet.Options{Receiver: b.receiver, Env: []string{"DASHBOARD_DIR=" + dist}})
	b.signIn()
	b.setScreen(1440, "light")
	b.sets()
	b.delivers()
	b.verifies()
	b.scores()
	b.listsBots()
	b.leads()
	b.reaches()
	b.screens()
}

func (b *roomsEnv) sets() {
	b.t.Helper()
	var made struct {
		ID  string
		URL string `json:"tracking_url"`
	}
	create := func(path string, body map[string]any) {
		b.t.Helper()
		if err := b.api.Create(b.t.Context(), path, body, &made); err != nil {
			b.t.Fatal(err)
		}
	}
	create("/offers", map[string]any{"name": markup, "url": "https://offer.example/?c={clickid}"})
	create("/campaigns", map[string]any{"name": markup, "alias": "rooms-test", "offer_id": made.ID})
	b.link = made.URL
	create("/domains", map[string]any{"domain": ownDomain})
	if err := b.f.Command(b.t.Context(), nil, "domains", "verify", ownDomain); err != nil {
		b.t.Fatal(err)
	}
}

// delivers makes an endpoint whose first delivery fails, reads the reason, and sends the delivery again.
func (b *roomsEnv) delivers() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/webhooks")
	b.waitIdle()
	b.press("n")
	b.fill(byLabel("dialog", "URL"), "http://example.com/")
	b.tap(button("Create the endpoint"))
	b.waitText("The URL must be https")
	b.fill(byLabel("dialog", "URL"), b.receiver.URL("/in"))
	b.fill(byLabel("dialog", "Name"), markup)
	b.sound("webhook-new")
	b.tap(button("Create the endpoint"))
	b.waitText("It is shown this once.")
	b.receiver.SetSecret("/in", b.run(`document.querySelector('dialog pre').textContent`))
	b.sound("webhook-secret")
	b.tap(button("I’ve saved it"))
	b.refuses.Store(true)
	b.tap(button("Send a test"))
	b.waitText("The test was not delivered")
	b.until("the delivery is in the log", func() bool { return b.run(`document.querySelectorAll('tr[data-row]').length`) == "1" })
	b.run(`document.querySelector('tr[data-row]').focus()`)
	b.press("Enter")
	b.waitText("the endpoint answered 500")
	b.waitText(`"type": "ping"`)
	b.sound("webhook-delivery")
	b.refuses.Store(false)
	b.press("r")
	b.waitText("Delivered: 204")
	b.until("the log says that the delivery has arrived", func() bool {
		return strings.Contains(b.run(`document.querySelector('tr[data-row]').textContent`), "Delivered")
	})
	attempts := b.receiver.Attempts()
	if len(attempts) != 2 || attempts[0].EventID != attempts[1].EventID || attempts[0].Accepted() || !attempts[1].Accepted() {
		b.t.Fatalf("the receiver got the attempts %+v", attempts)
	}
	for _, a := range attempts {
		if a.Problem != "" {
			b.t.Errorf("the receiver found a fault in an attempt: %s", a.Problem)
		}
	}
	b.goTo(b.f.URL + "/app/webhooks?state=failed")
	b.waitText("No delivery passes these filters.")
}

// verifies runs the sample code of the webhooks page in each language that is installed, except Go. The code must accept only
// signatures of the service.
func (b *roomsEnv) verifies() {
	b.t.Helper()
	const secret, body = "the secret", `{"id":"1"}`
	now := time.Now()
	for _, l := range []struct{ name, program, flag, tail string }{
		{"Python", "python3", "-c", "\nimport sys\nprint(is_real(sys.argv[1], sys.argv[2].encode(), sys.argv[3]))"},
		{"Node.js", "node", "-e", "\nconsole.log(isReal(process.argv[1], process.argv[2], process.argv[3]))"},
		{"PHP", "php", "-r", "\necho isReal($argv[1], $argv[2], $argv[3]) ? 'true' : 'false';"},
		{"Go", "", "", ""},
	} {
		b.tap(button(l.name))
		b.until(l.name+" is shown", func() bool {
			return b.run(`document.querySelector('.verifier [aria-pressed=true]').textContent`) == l.name
		})
		text := b.run(`document.querySelector('.verifier pre').textContent`)
		if !strings.Contains(strings.ToLower(text), "hmac") {
			b.t.Errorf("%s: the verifier is %q", l.name, text)
		}
		program, err := exec.LookPath(l.program)
		if err != nil && l.program != "" {
			b.t.Run(l.name, func(t *testing.T) { t.Skip(l.program + " is not installed") })
		}
		if err != nil {
			continue
		}
		for _, c := range []struct {
			header string
			want   string
		}{
			{webhook.Sign([]byte(body), now, []byte(secret)), "true"},
			{webhook.Sign([]byte(body), now, []byte("the new one"), []byte(secret)), "true"},
			{webhook.Sign([]byte(body), now, []byte("another")), "false"},
			{webhook.Sign([]byte(body), now.Add(-time.Hour), []byte(secret)), "false"},
			{webhook.Sign([]byte(body+" "), now, []byte(secret)), "false"},
			{"nonsense", "false"},
		} {
			out, err := exec.CommandContext(b.t.Context(), program, l.flag, text+l.tail, c.header, body, secret).CombinedOutput()
			if got := strings.ToLower(strings.TrimSpace(string(out))); err != nil || got != c.want {
				b.t.Errorf("%s answers %q to %q, %v; want %s", l.name, out, c.header, err, c.want)
			}
		}
	}
}

// scores lowers the threshold. The page says how many more clicks would then count as bots.
func (b *roomsEnv) scores() {
	b.t.Helper()
	type score struct {
		Score  int
		Clicks int64
	}
	type settings struct {
		Threshold int
		Scores    []score
	}
	var before, after settings
	b.suspect()
	b.until("a click has a score below the threshold", func() bool {
		err := b.api.Get(b.t.Context(), "/bot-detection", &before)
		return err == nil && slices.ContainsFunc(before.Scores, func(s score) bool { return s.Score >= 20 && s.Score < before.Threshold })
	})
	to := before.Threshold - 1
	moved := func() (clicks int64) {
		for _, s := range before.Scores {
			if s.Score >= to && s.Score < before.Threshold {
				clicks += s.Clicks
			}
		}
		return clicks
	}
	for moved() == 0 {
		to--
	}
	const slider = `document.querySelector('.histogram input')`
	b.until("the number of clicks that would become bots is shown", func() bool { // later findings about a click change its score too
		if err := b.api.Get(b.t.Context(), "/bot-detection", &before); err != nil {
			return false
		}
		b.goTo(b.f.URL + "/app/bots")
		b.waitIdle()
		b.fill(slider, strconv.Itoa(to))
		text := strings.ReplaceAll(b.run(`document.querySelector('.threshold [role=status]').textContent`), ",", "")
		return strings.HasPrefix(text, fmt.Sprintf("%d click", moved())) && strings.Contains(text, "would become")
	})
	b.tap(button("As a table"))
	b.waitText("Counts as")
	b.tap(button("As a plot"))
	if got := b.run(`[...document.querySelectorAll('.signals .firing small')].some(e => parseFloat(e.textContent) > 0)`); got != "true" {
		b.t.Error("no signal shows its share")
	}
	b.sound("bots-moved")
	b.tap(button("Save the scoring"))
	b.waitText("changed between visitor and bot, of")
	if err := b.api.Get(b.t.Context(), "/bot-detection", &after); err != nil || after.Threshold != to {
		b.t.Errorf("the threshold is %d, %v; want %d", after.Threshold, err, to)
	}
}

// suspect follows the link without an Accept-Language header, which every browser sends.
func (b *roomsEnv) suspect() {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.link, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0")
	req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	b.until("the link is live", func() bool {
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusFound
	})
}

// listsBots enters a range that covers every visitor, which is refused, and then other values. It denies a repeated address, and
// undoes that.
func (b *roomsEnv) listsBots() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/bots?tab=lists")
	b.waitIdle()
	b.press("n")
	b.run(`(e => { e.value = 'ip_range'; e.dispatchEvent(new Event('change', {bubbles: true})); return 1 })(document.querySelector('dialog select'))`)
	b.fill(byLabel("dialog", "Values"), "0.0.0.0/0")
	b.tap(saveForm)
	b.waitText("The entry is meant for everybody")
	b.fill(byLabel("dialog", "Values"), "203.0.113.0/28\n198.51.100.7 # seen twice\n")
	b.fill(byLabel("dialog", "Note"), markup)
	b.waitText("2 values")
	b.sound("bots-add")
	b.tap(saveForm)
	b.waitText("2 values are on the list")
	b.until("the entry is listed", func() bool { return b.run(`document.querySelectorAll('tr[data-row]').length`) == "1" })
	b.sound("bots-lists")
	b.tap(`document.querySelector('tr[data-row] button')`)
	b.tap(`document.querySelector('dialog .btn.danger')`)
	b.waitText("No entries yet.")
	b.visit(b.link)
	b.visit(b.link)
	b.until("the clicks are stored", func() bool {
		var repeats struct{ Rows []struct{ IP string } }
		err := b.api.Get(b.t.Context(), "/logs/repeat-ips?min_hits=2&limit=2000", &repeats)
		return err == nil && strings.Contains(fmt.Sprint(repeats.Rows), "{127.0.0.1}")
	})
	b.goTo(b.f.URL + "/app/bots?tab=repeat&hits=2&w=today")
	deny := `document.querySelector('button[aria-label="Deny 127.0.0.1"]')`
	b.tap(deny)
	b.waitText("127.0.0.1 is denied")
	var list struct {
		Rows []struct{ Attribute, Value string }
	}
	if err := b.api.Get(b.t.Context(), "/bot-lists", &list); err != nil || len(list.Rows) != 1 || list.Rows[0].Value != "127.0.0.1" {
		b.t.Errorf("the lists are %+v, want the denied address: %v", list, err)
	}
	b.sound("bots-repeat")
	b.tap(button("Undo"))
	b.until("the address can be denied again", func() bool { return b.run(`!!`+deny) == "true" })
}
