// Package cli implements sy, the command line for customers. It calls the API with a key, and reads other trackers for the
// command import.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/posener/complete"
	"github.com/willabides/kongplete"
	"golang.org/x/term"

	switchyard "switchyard/api/clients/go"
)

// globals are the flags of every command.
type globals struct {
	Output  string `short:"o" enum:"table,json,csv,yaml" default:"table" help:"Form of the output: table, json, csv or yaml."`
	Profile string `help:"Profile to use, instead of SWITCHYARD_PROFILE."`
	Debug   bool   `help:"Print each request to standard error, without the key."`
}

// cli lists the commands in the order in which help shows them.
type cli struct {
	globals

	Login      loginCmd      `cmd:"" help:"Store the address of the service and a key in a profile."`
	Logout     logoutCmd     `cmd:"" help:"Delete a profile."`
	Profiles   profilesCmd   `cmd:"" help:"List the profiles."`
	Get        getCmd        `cmd:"" help:"List records, or show one by its name or id."`
	Report     reportCmd     `cmd:"" help:"Show figures by up to five dimensions."`
	Compare    compareCmd    `cmd:"" help:"Show the figures of two periods next to each other."`
	Trace      traceCmd      `cmd:"" help:"Show where a click went and why."`
	Tail       tailCmd       `cmd:"" help:"Follow clicks, conversions or unmatched postbacks."`
	Simulate   simulateCmd   `cmd:"" help:"Show where a described visitor would go. Nothing is recorded."`
	Check      checkCmd      `cmd:"" help:"Show what is wrong or unknown about a campaign. --fail-on sets when the command exits with 1."`
	Export     exportCmd     `cmd:"" help:"Write everything that the account has set up, as one document."`
	Diff       diffCmd       `cmd:"" help:"Show what a document would change. Exits with 2 if it would change something."`
	Apply      applyCmd      `cmd:"" help:"Change the account to what a document says."`
	Import     importCmd     `cmd:"" help:"Read another tracker from this machine, show what would change, and apply the changes."`
	Undo       undoCmd       `cmd:"" help:"Undo a document that was applied."`
	Pause      pauseCmd      `cmd:"" help:"Pause records."`
	Resume     resumeCmd     `cmd:"" help:"Let paused records work again."`
	MCP        mcpCmd        `cmd:"" name:"mcp" help:"Connect an assistant that can only start local commands."`
	API        apiCmd        `cmd:"" name:"api" help:"Call a path of the API."`
	Completion completionCmd `cmd:"" help:"Print a script that completes commands in a shell."`
	Version    versionCmd    `cmd:"" help:"Show the version."`
}

// The codes that the process exits with.
const (
	exitFailed  = 1
	exitDiffers = 2
	exitRefused = 3
)

// exitError ends the process with a code. Its text is empty if the command has already printed everything.
type exitError struct {
	code int
	text string
}

// Error implements error.
func (e exitError) Error() string { return e.text }

// env holds the environment, the streams and the flags of a command.
type env struct {
	getenv         func(string) string
	stdin          io.Reader
	stdout, stderr io.Writer
	colour         bool // standard output is a terminal, and NO_COLOR is not set
	ask            bool // standard input is a terminal
	secret         func() ([]byte, error)
	now            func() time.Time
	globals
}

// Main runs the command line of the process, and exits with its code.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Run runs a command line and returns its exit code. On terminals it asks for missing input and uses colours.
func Run(ctx context.Context, args []string, getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	in, out := terminal(stdin), terminal(stdout)
	e := &env{
		getenv: getenv, stdin: stdin, stdout: stdout, stderr: stderr, now: time.Now, ask: in >= 0,
		colour: out >= 0 && getenv("NO_COLOR") == "",
		secret: func() ([]byte, error) { return term.ReadPassword(in) },
	}
	err := e.run(ctx, args)
	if err == nil {
		return 0
	}
	code := exitFailed
	if own, ok := errors.AsType[exitError](err); ok {
		code = own.code
	} else if refused, ok := errors.AsType[*switchyard.APIError](err); ok && refused.Status < 500 {
		code = exitRefused
	}
	for _, text := range []string{err.Error(), nextStep(err)} {
		if text != "" {
			_, _ = fmt.Fprintln(stderr, "sy:", text)
		}
	}
	return code
}

// terminal returns the file descriptor of a stream that is a terminal, and -1 for any other stream.
func terminal(stream any) int {
	if f, ok := stream.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return int(f.Fd())
	}
	return -1
}

// nextSteps maps an error code of the service to the next step for the user.
var nextSteps = map[string]string{
	"unauthenticated": "The key is not valid. Make one in the dashboard under API keys, then run `sy login`.",
	"read_only_key":   "This key may only read. Run `sy login` with a full key.",
	"rate_limited":    "The account has made too many calls. Try again in a minute.",
	"stale":           "A record has changed since the plan was made. Run `sy diff` again, look at it, then `sy apply`.",
	"not_planned":     "Run `sy diff` again.",
	"has_refused":     "Correct what the plan shows as refused, or add --skip-refused.",
	"plan_limit":      "`sy api GET /plan` shows what the plan of the account allows.",
}

func nextStep(err error) string {
	if _, ok := errors.AsType[*switchyard.APIError](err); ok {
		return nextSteps[switchyard.Code(err)]
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
		return "The service cannot be reached. `sy profiles` shows its address; SWITCHYARD_URL takes precedence."
	}
	return ""
}

// parser returns the parser of the command line. After the parser has printed help, it calls the function `exited`.
func (e *env) parser(ctx context.Context, exited func(int)) (*kong.Kong, *cli, error) {
	var c cli
	p, err := kong.New(&c,
		kong.Name("sy"),
		kong.Description("Switchyard from the command line. It exits with 0 if all is well, 1 if it failed, 2 if something differs and 3 if the service refused."),
		kong.Writers(e.stdout, e.stderr), kong.Exit(exited), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(e),
		kong.Vars{"kinds": strings.Join(kindNames(), ", "), "pausable": strings.Join(pausable(), ", ")},
	)
	return p, &c, err
}

func (e *env) run(ctx context.Context, args []string) error {
	exited := false
	p, c, err := e.parser(ctx, func(int) { exited = true })
	if err != nil {
		return fmt.Errorf("command line: %w", err)
	}
	if e.getenv("COMP_LINE") != "" {
		kongplete.Complete(p, kongplete.WithPredictor("kind", complete.PredictSet(kindNames()...)),
			kongplete.WithPredictor("pausable", complete.PredictSet(pausable()...)))
		if exited {
			return nil
		}
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := p.Parse(args)
	if exited {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w; `sy --help` lists the commands, `sy COMMAND --help` their flags", err)
	}
	e.globals = c.globals
	return parsed.Run()
}

// client returns a client with the address and the key of the profile or of the environment.
func (e *env) client() (*switchyard.Client, error) {
	p, err := e.profile()
	if err != nil {
		return nil, err
	}
	return e.clientOf(p), nil
}

func (e *env) clientOf(p profile) *switchyard.Client {
	c := switchyard.New(p.URL, p.Key)
	c.UserAgent = "sy/" + version()
	if e.Debug {
		c.HTTP = &http.Client{Transport: debugging{e.stderr, p.Key}}
	}
	return c
}

// debugging prints requests and the status of their answers.
type debugging struct {
	w   io.Writer
	key string
}

// RoundTrip implements http.RoundTripper.
func (d debugging) RoundTrip(r *http.Request) (*http.Response, error) {
	text := "> " + r.Method + " " + r.URL.String() + "\n"
	if r.Body != nil && r.ContentLength > 0 {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(strings.NewReader(string(raw)))
		text += "> " + string(raw) + "\n"
	}
	_, _ = io.WriteString(d.w, strings.ReplaceAll(text, d.key, "***"))
	began := time.Now()
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		_, _ = fmt.Fprintf(d.w, "< %s in %d ms\n", resp.Status, time.Since(began).Milliseconds())
	}
	return resp, err
}

// readFile reads a file, or standard input for "-".
func (e *env) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(e.stdin)
	}
	return os.ReadFile(filepath.Clean(name))
}

// paint colours a text on a terminal: 31 red, 32 green, 33 yellow.
func (e *env) paint(colour int, text string) string {
	if !e.colour {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}
