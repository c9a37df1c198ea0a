package main

import (
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"switchyard/ops/lab/fleet"
	"switchyard/workers/webhook"
)

// roomsBoard is a board with a customer's server that takes webhooks.
type roomsBoard struct {
	*board
	receiver *fleet.Receiver
	refuses  atomic.Bool // the receiver answers 500
}

// markup is a name that must show as text.
const markup = `<img src=x onerror="wrongs=['run']">`

// TestDashboardRooms: a webhook that failed is read and sent again, and the code that checks its signature works.
func TestDashboardRooms(t *testing.T) {
	t.Parallel()
	dist, err := filepath.Abs("../../api/dashboard/dist")
	if err != nil {
		t.Fatal(err)
	}
	b := roomsBoard{}
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
	b.board = openBoardOf(t, fleet.Options{Receiver: b.receiver, Env: []string{"DASHBOARD_DIR=" + dist}})
	b.signIn()
	b.look(1440, "light")
	b.delivers()
	b.verifies()
}

// delivers makes an endpoint whose first delivery fails, reads why, and sends it again by a key.
func (b *roomsBoard) delivers() {
	b.t.Helper()
	b.goTo(b.f.URL + "/app/webhooks")
	b.settled()
	b.press("n")
	b.fill(byLabel("dialog", "Address"), "http://example.com/")
	b.tap(button("Make the endpoint"))
	b.shows("It has to be an https address")
	b.fill(byLabel("dialog", "Address"), b.receiver.URL("/in"))
	b.fill(byLabel("dialog", "Name"), markup)
	b.sound("webhook-new")
	b.tap(button("Make the endpoint"))
	b.shows("It is shown this once.")
	b.receiver.SetSecret("/in", b.run(`document.querySelector('dialog pre').textContent`))
	b.sound("webhook-secret")
	b.tap(button("I have kept it"))
	b.refuses.Store(true)
	b.tap(button("Send a test"))
	b.shows("The test was not delivered")
	b.until("it is in the log", func() bool { return b.run(`document.querySelectorAll('tr[data-row]').length`) == "1" })
	b.run(`document.querySelector('tr[data-row]').focus()`)
	b.press("Enter")
	b.shows("the endpoint answered 500")
	b.shows(`"type": "ping"`)
	b.sound("webhook-delivery")
	b.refuses.Store(false)
	b.press("r")
	b.shows("Delivered: 204")
	b.until("the log says so", func() bool {
		return strings.Contains(b.run(`document.querySelector('tr[data-row]').textContent`), "Delivered")
	})
	attempts := b.receiver.Attempts()
	if len(attempts) != 2 || attempts[0].EventID != attempts[1].EventID || attempts[0].Accepted() || !attempts[1].Accepted() {
		b.t.Fatalf("the receiver had %+v", attempts)
	}
	for _, a := range attempts {
		if a.Problem != "" {
			b.t.Errorf("an attempt: %s", a.Problem)
		}
	}
	b.goTo(b.f.URL + "/app/webhooks?state=failed")
	b.shows("No delivery passes these filters.")
}

// verifies runs the code that the screen gives away, where its language is installed: it believes what the service signs
// and nothing else.
func (b *roomsBoard) verifies() {
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
