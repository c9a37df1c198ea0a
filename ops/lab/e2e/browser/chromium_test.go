package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/devstack"
)

// browser is a headless browser, which the test drives by the DevTools protocol over two pipes.
type browser struct {
	out io.Writer

	mu      sync.Mutex
	last    int
	pending map[int]chan reply
	pages   map[string]*page // by session
}

type page struct {
	*browser
	t        *testing.T
	session  string
	target   string
	context  string   // id of the browser context with the page's cookies and storage
	requests []string // since the last watch
	polling  bool     // a call of page.until is waiting for a condition
}

type reply struct {
	ID      int             `json:"id"`
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func openPage(t *testing.T) *page {
	t.Helper()
	return openBrowser(t).open(t)
}

// browserTool names the browsers that the tests can use. Debian's chromium-headless-shell is much smaller than Chromium.
var browserTool = devstack.Tool{
	Title: "Chromium",
	Programs: []string{
		"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
	},
	Globs: []string{"/usr/lib64/chromium-browser", "/Applications/Google Chrome.app/Contents/MacOS"},
	Packages: map[string]string{
		"apt-get": "chromium-headless-shell", "dnf": "chromium-headless", "apk": "chromium",
	},
}

// shared is the browser that all tests use. The first test that needs a browser starts it, and TestMain ends it.
var shared struct {
	sync.Mutex
	*browser
	end func()
}

// openBrowser returns the shared browser. The first call starts it. The test is skipped on a machine that has no browser and
// cannot install one.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	parttest.Needs(t, parttest.Browser)
	shared.Lock()
	defer shared.Unlock()
	if shared.browser == nil {
		if err := devstack.Install(t.Context(), os.Stderr, browserTool); err != nil {
			t.Skipf("no browser, and none can be installed here: %v", err)
		}
		program, _ := browserTool.Find()
		var err error
		if shared.browser, shared.end, err = startBrowser(program); err != nil {
			t.Fatal(err)
		}
	}
	return shared.browser
}

// startBrowser starts a browser. end stops it and removes its files.
func startBrowser(program string) (b *browser, end func(), err error) {
	dir, err := os.MkdirTemp("", "switchyard-browser-")
	if err != nil {
		return nil, nil, err
	}
	toBrowser, out, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	in, fromBrowser, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(program,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
		"--disable-renderer-backgrounding", "--disable-background-timer-throttling", "--window-size=1600,1000",
		"--host-resolver-rules=MAP *.test 127.0.0.1", "--user-data-dir="+dir, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser} // file descriptors 3 and 4, as the browser expects
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	_, _ = toBrowser.Close(), fromBrowser.Close()
	b = &browser{out: out, pending: map[int]chan reply{}, pages: map[string]*page{}}
	go b.receive(in)
	return b, func() {
		_ = out.Close() // the browser exits when its input is closed
		ended := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		ended.Stop()
		_ = os.RemoveAll(dir)
	}, nil
}

// open opens an empty page with its own cookies and storage.
func (b *browser) open(t *testing.T) *page {
	t.Helper()
	var own struct {
		ID string `json:"browserContextId"`
	}
	p := &page{browser: b, t: t}
	p.call("Target.createBrowserContext", nil, &own)
	p.context = own.ID
	t.Cleanup(func() {
		_ = b.request(context.WithoutCancel(t.Context()), "", "Target.disposeBrowserContext", map[string]any{"browserContextId": own.ID}, nil)
	})
	return p.tab()
}

// tab opens another empty page with the same cookies and storage.
func (p *page) tab() *page {
	p.t.Helper()
	tab := &page{browser: p.browser, t: p.t, context: p.context}
	var target struct {
		ID string `json:"targetId"`
	}
	tab.call("Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": p.context}, &target)
	var attached struct {
		Session string `json:"sessionId"`
	}
	tab.call("Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached)
	p.mu.Lock()
	defer p.mu.Unlock()
	tab.target, tab.session, p.pages[attached.Session] = target.ID, attached.Session, tab
	return tab
}

// receive hands each answer to the caller that waits for it. It also records the requests of pages and accepts their dialogs.
func (b *browser) receive(in io.ReadCloser) {
	defer in.Close()
	for r := bufio.NewReader(in); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var got reply
		if json.Unmarshal(text[:len(text)-1], &got) != nil {
			continue
		}
		b.mu.Lock()
		if waiting := b.pending[got.ID]; waiting != nil {
			waiting <- got
			delete(b.pending, got.ID)
		}
		var event struct{ Request struct{ URL string } }
		p := b.pages[got.Session]
		if got.Method == "Network.requestWillBeSent" && p != nil && json.Unmarshal(got.Params, &event) == nil {
			p.requests = append(p.requests, event.Request.URL)
		}
		if got.Method == "Page.javascriptDialogOpening" && p != nil {
			go func() {
				_ = b.request(p.t.Context(), p.session, "Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil)
			}()
		}
		b.mu.Unlock()
	}
}

func (p *page) requested() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// call sends a command to the browser and reads the answer into out, which may be nil.
func (p *page) call(method string, params map[string]any, out any) {
	p.t.Helper()
	if err := p.request(p.t.Context(), p.session, method, params, out); err != nil {
		p.t.Fatal(err)
	}
}

// request is like call, but returns the error. An empty session addresses the browser itself instead of a page.
func (b *browser) request(ctx context.Context, session, method string, params map[string]any, out any) error {
	answer := make(chan reply, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.pending[id] = answer
	b.mu.Unlock()
	ask := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		ask["sessionId"] = session
	}
	text, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		return fmt.Errorf("browser: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	select {
	case got := <-answer:
		if got.Error != nil {
			return fmt.Errorf("browser: %s: %s", method, got.Error.Message)
		}
		if out == nil {
			return nil
		}
		return json.Unmarshal(got.Result, out)
	case <-ctx.Done():
		return fmt.Errorf("browser: %s: %w", method, ctx.Err())
	}
}

// visit opens an address with the user and password that the browser would otherwise ask for.
func (p *page) visit(address, user, password string) {
	p.t.Helper()
	given := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	p.watch()
	p.call("Network.setExtraHTTPHeaders", map[string]any{"headers": map[string]any{"Authorization": given}}, nil)
	p.goTo(address)
}

// watch records the requests of the page from now on, and discards the recorded ones.
func (p *page) watch() {
	p.t.Helper()
	p.call("Network.enable", nil, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = nil
}

func (p *page) goTo(address string) {
	p.t.Helper()
	var went struct {
		Error string `json:"errorText"`
	}
	if p.call("Page.navigate", map[string]any{"url": address}, &went); went.Error != "" {
		p.t.Fatalf("browser: %s: %s", address, went.Error)
	}
}

// run evaluates a JavaScript expression in the page and returns the value as text, which is empty for null and undefined.
func (p *page) run(expression string) string {
	p.t.Helper()
	value, err := p.evaluate(expression)
	if err != nil && (!p.polling || !isClosed(err)) {
		p.t.Fatal(err)
	}
	return value
}

func isClosed(err error) bool {
	return strings.Contains(err.Error(), "navigated or closed") || strings.Contains(err.Error(), "context was destroyed") ||
		strings.Contains(err.Error(), "Cannot find context")
}

// evaluate is like run, but returns the error.
func (p *page) evaluate(expression string) (string, error) {
	var got struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	err := p.request(p.t.Context(), p.session, "Runtime.evaluate", map[string]any{"expression": "String((" + expression + ") ?? '')"}, &got)
	if err == nil && got.Exception != nil {
		err = fmt.Errorf("browser: %s: %s", expression, got.Exception.Text)
	}
	return got.Result.Value, err
}

// await waits for a promise and returns the text that it resolves to.
func (p *page) await(expression string) string {
	p.t.Helper()
	var got struct {
		Result    struct{ Value string }
		Exception *struct{ Text string } `json:"exceptionDetails"`
	}
	p.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true}, &got)
	if got.Exception != nil {
		p.t.Fatalf("browser: %s", got.Exception.Text)
	}
	return got.Result.Value
}

func (p *page) waitText(text string) {
	p.t.Helper()
	p.until("the page shows "+text, func() bool {
		shown, err := p.evaluate(`document.body?.innerText`)
		return err == nil && strings.Contains(shown, text)
	})
}

func (p *page) until(what string, ok func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), await.Timeout)
	defer cancel()
	was := p.polling
	p.polling = true
	err := client.Poll(ctx, 50*time.Millisecond, func() (bool, error) { return ok(), nil })
	p.polling = was
	if errors.Is(err, context.DeadlineExceeded) {
		p.t.Fatalf("this never happened: %s; the page shows:\n%s", what, p.run(`document.body?.innerText`))
	}
}

// click waits for the element that an expression finds and clicks its middle with the mouse.
func (p *page) click(element string) { p.mouse(element, "mouseMoved", "mousePressed", "mouseReleased") }

func (p *page) hover(element string) { p.mouse(element, "mouseMoved") }

func (p *page) mouse(element string, events ...string) {
	p.t.Helper()
	var at struct{ X, Y float64 }
	p.until("there is "+element, func() bool {
		place := p.run(`(e => { if (!e) return ''; e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();
			return r.width ? JSON.stringify({x: r.x + r.width / 2, y: r.y + r.height / 2}) : '' })(` + element + `)`)
		return place != "" && json.Unmarshal([]byte(place), &at) == nil
	})
	for _, event := range events {
		press := map[string]any{"type": event, "x": at.X, "y": at.Y}
		if event != "mouseMoved" {
			press["button"], press["clickCount"] = "left", 1
		}
		p.call("Input.dispatchMouseEvent", press, nil)
	}
}
