package cli

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/api/oauth"
	"switchyard/db"
	dboauth "switchyard/db/oauth"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/admin"
	"switchyard/ops/config"
)

// oauthCmd manages the connections of accounts to ad platforms.
type oauthCmd struct {
	Connect    oauthConnect    `cmd:"" help:"Sign in at an ad platform, in a browser of this machine."`
	List       oauthList       `cmd:"" help:"List the connections of an account."`
	Disconnect oauthDisconnect `cmd:"" help:"Delete a connection and its tokens."`
}

type oauthList struct{ accountFlags }

// Run implements the command.
func (c *oauthList) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		list, err := a.Connections(ctx, c.Account)
		return list, connectionRows(list...), err
	})
}

type oauthDisconnect struct {
	ID      string `arg:"" help:"Id of the connection."`
	Account string `help:"Id of the account." required:""`
	JSON    bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *oauthDisconnect) Run(ctx context.Context, e *env) error {
	return withAdmin(ctx, e, c.JSON, func(a admin.Admin) (any, []string, error) {
		removed, err := a.Disconnect(ctx, c.Account, c.ID)
		return removed, connectionRows(removed), err
	})
}

func connectionRows(list ...admin.Connection) []string {
	return tableOf("ID\tPROVIDER\tSTATUS\tCONNECTED\tUSER\tERROR", list, func(c admin.Connection) []string {
		return []string{c.ID.String(), c.Provider, c.Status, c.ConnectedAt, dash(c.UserName), dash(c.Error)}
	})
}

type oauthConnect struct {
	Provider string `arg:"" help:"Name of the ad platform, such as google_ads or meta."`
	Account  string `help:"Id of the account." required:""`
	Port     int    `help:"Port of this machine to which the platform sends the browser; 0: any free port." default:"8976"`
	JSON     bool   `help:"Print one JSON value."`
}

// loopbackPath is the path on this machine to which the platform sends the browser back.
const loopbackPath = "/oauth/callback"

// Run implements the command. A job exchanges the code for tokens, so a worker must be running.
func (c *oauthConnect) Run(ctx context.Context, e *env) error {
	if _, ok := models.SignInProviderNamed(c.Provider); !ok {
		names := db.Map(models.SignInProviders, func(p models.SignInProvider) string { return p.Name })
		return usageError{fmt.Errorf("there is no sign-in at %q; use one of %s", c.Provider, strings.Join(names, ", "))}
	}
	return withQueue(ctx, e, func(cfg config.Config, d *db.DB, r jobs.Redis) error {
		s, err := openStore(cfg, d)
		if err != nil {
			return err
		}
		a := admin.Admin{Store: s}
		account, err := a.Account(ctx, c.Account)
		if err != nil {
			return err
		}
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)))
		if err != nil {
			return fmt.Errorf("port %d cannot be opened, choose another with --port: %w", c.Port, err)
		}
		defer func() { _ = l.Close() }() // needed if the server never started
		_, port, _ := net.SplitHostPort(l.Addr().String())
		redirect := "http://localhost:" + port + loopbackPath
		attempt, state, err := dboauth.NewAttempts(s).Begin(ctx, account.ID, c.Provider, redirect, time.Now())
		if err != nil {
			return err
		}
		address, err := signInApps(cfg).Address(c.Provider, state, attempt.Verifier, redirect)
		if err != nil {
			return err
		}
		e.logf("this redirect URI must be registered at the platform: %s", redirect)
		e.logf("open this address in a browser of this machine, within %d minutes:", int(models.OAuthAttemptTime.Minutes()))
		e.logf("%s", address)
		code, err := catchCode(ctx, l, state)
		if err != nil {
			return err
		}
		done, err := oauth.Complete(ctx, dboauth.NewAttempts(s), jobs.Connect(r), state, code)
		if err != nil {
			return err
		}
		connection, err := a.Connection(ctx, c.Account, done.ID.String())
		if err != nil {
			return err
		}
		return e.print(c.JSON, connection, connectionRows(connection)...)
	})
}

// catchCode waits until the browser sends the code of the sign-in with this state.
func catchCode(ctx context.Context, l net.Listener, state string) (code string, err error) {
	ctx, cancel := context.WithTimeout(ctx, models.OAuthAttemptTime)
	defer cancel()
	type callback struct{ code, refused string }
	got := make(chan callback, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		if r.URL.Path != loopbackPath || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(state)) != 1 {
			http.NotFound(w, r)
			return
		}
		select {
		case got <- callback{q.Get("code"), q.Get("error")}:
		default: // there is a result already
		}
		_, _ = w.Write([]byte("You can close this page: the terminal says how it went.\n"))
	})}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l)
	}()
	defer func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(limited) != nil {
			_ = server.Close()
		}
		<-served
	}()
	select {
	case <-ctx.Done():
		return "", errors.New("nobody has signed in")
	case b := <-got:
		if b.code == "" || b.refused != "" {
			return "", fmt.Errorf("the platform gave no access: %.100q", b.refused)
		}
		return b.code, nil
	}
}
