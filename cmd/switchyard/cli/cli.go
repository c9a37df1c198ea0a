// Package cli implements the command line of the service. Each process type and each operator's tool is a sub-command.
//
// The package parses the flags, connects the parts of the service, and contains the HTTP servers of the web process. Each
// command is a field of cli or of its parent command. A command without sub-commands has a Run method.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"switchyard/models/botdata"
)

// cli lists the commands in the order in which help shows them.
type cli struct {
	Up       upCmd       `cmd:"" help:"Run everything in one process, on private servers where no URL is set."`
	Web      webCmd      `cmd:"" help:"Serve HTTP: the API, tracking links, postbacks and the operators' pages."`
	Worker   workerCmd   `cmd:"" help:"Carry out jobs."`
	Clock    clockCmd    `cmd:"" help:"Start scheduled jobs. Several clocks may run; one of them is active."`
	Jobs     jobsCmd     `cmd:"" help:"List jobs, run failed ones again."`
	Config   configCmd   `cmd:"" help:"List every setting with its value, default and meaning."`
	Plans    plansCmd    `cmd:"" help:"List the plans that accounts may be on."`
	Migrate  migrateCmd  `cmd:"" help:"Bring the database's schema up to date."`
	Backup   backupCmd   `cmd:"" help:"Write the whole database into one file."`
	Restore  restoreCmd  `cmd:"" help:"Load a backup into an empty database."`
	Accounts accountsCmd `cmd:"" help:"Make, change, delete and list accounts."`
	Keys     keysCmd     `cmd:"" help:"Make, list, rotate and revoke API keys."`
	Users    usersCmd    `cmd:"" help:"Let people into the dashboard, and list them."`
	Domains  domainsCmd  `cmd:"" help:"List, add, verify and reject accounts' own tracking domains."`
	OAuth    oauthCmd    `cmd:"" name:"oauth" help:"Connect accounts to ad platforms by sign-in."`
	Geo      geoCmd      `cmd:"" help:"List the geo databases of this install."`
	Data     dataCmd     `cmd:"" help:"Load lists of networks, referrers and crawlers for bot detection."`
	Rates    ratesCmd    `cmd:"" help:"Import and list exchange rates."`
	Clicks   clicksCmd   `cmd:"" help:"Copy clicks to ClickHouse for reports, compare the copy, and move the clicks back."`
	Privacy  privacyCmd  `cmd:"" help:"Export or erase the data that is stored about a visitor."`
	OpenAPI  openapiCmd  `cmd:"" name:"openapi" help:"Print the description of the API."`
	Demo     demoCmd     `cmd:"" help:"Send visitors to the demo account of a running service."`
	Version  versionCmd  `cmd:"" help:"Show the version."`
	Devstack devstackCmd `cmd:"" hidden:"" help:"Run private PostgreSQL and Redis servers for development and tests."`
}

// env holds the environment and the output of a command.
type env struct {
	getenv func(string) string
	stdout io.Writer
	stderr io.Writer
}

// exitError is the exit code of a program that a command ran. The program has printed its own message.
type exitError int

// Error implements error.
func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError reports a wrong command line. The process then exits with code 2.
type usageError struct{ error }

// Main runs the command line of the process, and exits with its code.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, &env{getenv: os.Getenv, stdout: os.Stdout, stderr: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(exitCode(os.Stderr, err))
}

func run(ctx context.Context, e *env, args []string) error {
	exited := -1
	parser, err := kong.New(&cli{},
		kong.Name("switchyard"),
		kong.Description("Click tracking and traffic routing. Settings are environment variables: see `switchyard config`."),
		kong.Writers(e.stdout, e.stderr),
		kong.Exit(func(code int) { exited = code }), // kong would exit after help
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(e),
		kong.Vars{"kinds": strings.Join(botdata.Names(), ",")},
	)
	if err != nil {
		return fmt.Errorf("command line: %w", err)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 {
		return nil
	}
	if err != nil {
		return usageError{fmt.Errorf("%w; `switchyard --help` lists the commands, `switchyard COMMAND --help` their flags", err)}
	}
	return parsed.Run()
}

// exitCode reports err on w and chooses the program's exit code.
func exitCode(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exitError](err); ok {
		return int(code)
	}
	_, _ = fmt.Fprintln(w, "switchyard:", err)
	if _, ok := errors.AsType[usageError](err); ok {
		return 2
	}
	return 1
}
