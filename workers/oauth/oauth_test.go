package oauth_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	dboauth "switchyard/db/oauth"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers/oauth"
	"switchyard/workers/providers/oauth/oauthtest"
	"switchyard/workers/providers/rest/resttest"
)

// TestExchange checks that a sign-in becomes a connection, once, and that its secrets are stored nowhere in clear.
func TestExchange(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.startWorker()
	for _, p := range models.SignInProviders {
		id, _ := w.attempt(p.Name)
		got, err := do(w, jobs.ExchangeOAuth, jobs.OAuthAttemptArgs{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		c := w.connection(got.ID)
		if got.Provider != p.Name || got.UserName != "jane@example.com" || c.Status != models.OAuthActive || c.Provider != p.Name || c.ExpiresAt == nil {
			t.Errorf("%+v, %+v", got, c)
		}
		_, err = do(w, jobs.ExchangeOAuth, jobs.OAuthAttemptArgs{ID: id})
		wantCode(t, err, "signin_expired")
	}
	w.SetAdAccounts(models.Meta, "7")
	for _, c := range w.list() {
		if _, err := do(w, jobs.ListAdAccounts, jobs.OAuthAccountsArgs{Connection: c.ID}); err != nil {
			t.Error(err)
		}
	}
	w.attempt(models.GoogleAds)
	dump := w.dump()
	if strings.Contains(dump, oauthtest.Canary) {
		t.Error("a secret can be read in PostgreSQL or Redis")
	}
	if !strings.Contains(dump, "oauth:exchange") || !strings.Contains(dump, "jane@example.com") {
		t.Error("the dump lacks data that must be stored")
	}
}

func (w *env) list() []models.OAuthConnection {
	w.Helper()
	all, err := dboauth.NewConnections(w.store).List(w.Context(), w.account)
	if err != nil {
		w.Fatal(err)
	}
	return all
}

// TestAttempts checks that a state accepts one code, only before it expires, and only for its own account.
func TestAttempts(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	ctx, attempts := t.Context(), dboauth.NewAttempts(w.store)
	id, state := w.attempt(models.GoogleAds)
	_, err := attempts.RecordCode(ctx, state, "another", w.Now())
	wantCode(t, err, "signin_expired")
	_, err = attempts.Find(ctx, state, w.Now())
	wantCode(t, err, "signin_expired")
	_, _, err = attempts.Consume(ctx, uuid.New(), id, w.Now())
	wantCode(t, err, "signin_expired")
	_, late, err := attempts.Begin(ctx, w.account, models.Meta, redirect, w.Now())
	if err != nil {
		t.Fatal(err)
	}
	if a, err := attempts.Find(ctx, late, w.Now()); err != nil || a.Account != "A" || a.Provider != models.Meta || len(a.Verifier) < 43 {
		t.Errorf("%+v, %v", a, err)
	}
	w.advance(models.OAuthAttemptTime)
	_, err = attempts.RecordCode(ctx, late, "code", w.Now())
	wantCode(t, err, "signin_expired")
	_, _, err = attempts.Consume(ctx, w.account, id, w.Now())
	wantCode(t, err, "signin_expired")
	var states []string
	for range 25 { // more than the limit of sign-ins in progress, so the oldest ones are deleted
		_, s, err := attempts.Begin(ctx, w.account, models.Meta, redirect, w.Now())
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
	}
	_, err = attempts.Find(ctx, states[0], w.Now())
	wantCode(t, err, "signin_expired")
	if _, err := attempts.Find(ctx, states[24], w.Now()); err != nil {
		t.Error(err)
	}
}

// TestExchangeFails checks that a failure of the platform leaves the account unconnected.
func TestExchangeFails(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.startWorker()
	id, _ := w.attempt(models.MicrosoftAds)
	w.Break(resttest.Echo)
	_, err := do(w, jobs.ExchangeOAuth, jobs.OAuthAttemptArgs{ID: id})
	wantCode(t, err, "signin_refused")
	if len(w.list()) != 0 {
		t.Error("the account is connected after a failed sign-in")
	}
}

// TestScopes checks that a sign-in may allow ads or uploads alone, and that a sign-in that allows neither is refused.
func TestScopes(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.startWorker()
	for missing, scope := range map[models.OAuthUse]string{
		models.OAuthAds: models.GoogleAdsScope, models.OAuthUploads: models.GoogleUploadsScope,
	} {
		w.Untick(scope)
		c := w.connection(w.connect(models.GoogleAds))
		if got := models.MissingUses(c.Provider, c.Scopes); len(got) != 1 || got[0] != missing {
			t.Errorf("%v is missing, want %s", got, missing)
		}
		for _, use := range models.OAuthUses {
			token, err := w.connections.TokensFor(use, w.account, c.ID).Token(t.Context())
			switch {
			case use == missing:
				if wantCode(t, err, "credentials"); !strings.Contains(err.Error(), scope) {
					t.Errorf("%v does not name %s", err, scope)
				}
			case err != nil || token == "":
				t.Errorf("%s without %s: %v", use, missing, err)
			}
		}
	}
	w.Untick(models.GoogleAdsScope, models.GoogleUploadsScope)
	id, _ := w.attempt(models.GoogleAds)
	_, err := do(w, jobs.ExchangeOAuth, jobs.OAuthAttemptArgs{ID: id})
	wantCode(t, err, "signin_refused")
	w.Untick()
	c := w.connection(w.connect(models.GoogleAds))
	if got := models.MissingUses(c.Provider, c.Scopes); len(got) != 0 {
		t.Errorf("%v is missing after another sign-in", got)
	}
}

// TestSeveralPeople checks that each person has a separate connection, and keeps it after signing in again.
func TestSeveralPeople(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	first := w.connect(models.GoogleAds)
	w.SignIn(oauthtest.User{ID: "u-2", Name: "joe@example.com"})
	second, other := w.connect(models.GoogleAds), w.connect(models.Meta)
	if again := w.connect(models.GoogleAds); again != second || first == second || other == second {
		t.Errorf("the connections are %s, %s and %s, and signing in again gives %s, want the second", first, second, other, again)
	}
	if c, err := dboauth.NewConnections(w.store).First(t.Context(), w.account, models.GoogleAds); err != nil || c.ID != first {
		t.Errorf("the first connection is %s, %v", c.ID, err)
	}
	for i := range models.MaxOAuthConnections - 3 {
		w.SignIn(oauthtest.User{ID: uuid.NewString(), Name: strings.Repeat("x", i)})
		w.connect(models.Meta)
	}
	_, _, err := dboauth.NewAttempts(w.store).Begin(t.Context(), w.account, models.Meta, redirect, w.Now())
	wantCode(t, err, "too_many")
}

// TestOneRefresh checks that only one of many callers renews a token, and that all get the new token.
func TestOneRefresh(t *testing.T) {
	t.Parallel()
	for _, p := range models.SignInProviders {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			id := w.connect(p.Name)
			refreshes := w.Refreshes() // Meta's sign-in includes a refresh
			before, err := w.connections.TokensOf(w.account, id).Token(t.Context())
			if err != nil || w.Refreshes() != refreshes {
				t.Fatalf("the first token took %d refreshes (error %v), want none", w.Refreshes()-refreshes, err)
			}
			w.advance(59*time.Minute + 30*time.Second)
			const processes, callers = 3, 4
			_, release := w.BlockRefreshes()
			defer release()
			// The platform answers when all other callers wait for the renewal.
			var waiting sync.Map
			var waiters atomic.Int32
			got := make(chan string, processes*callers)
			for n := range processes {
				for i := range callers {
					k := w.process(func(ctx context.Context, d time.Duration) error {
						if _, known := waiting.LoadOrStore([2]int{n, i}, true); !known && waiters.Add(1) == processes*callers-1 {
							release()
						}
						return wait(ctx, d)
					})
					go func() {
						token, err := k.TokensOf(w.account, id).Token(w.Context())
						if err != nil {
							token = err.Error()
						}
						got <- token
					}()
				}
			}
			first := await.Recv(t, got)
			for range processes*callers - 1 {
				if token := await.Recv(t, got); token != first {
					t.Errorf("two callers got the tokens %q and %q, want the same", token, first)
				}
			}
			if w.Refreshes() != refreshes+1 || first == before || !strings.HasPrefix(first, oauthtest.Canary) {
				t.Errorf("%d refreshes gave the token %q, want a new token after one refresh", w.Refreshes()-refreshes, first)
			}
			w.advance(59*time.Minute + 30*time.Second)
			if second, err := w.connections.TokensOf(w.account, id).Token(t.Context()); err != nil || second == first {
				t.Errorf("%v", err)
			}
		})
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// TestDeadHolder checks that if the process that renews tokens dies, another process renews them after the lease.
func TestDeadHolder(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.connect(models.MicrosoftAds)
	w.advance(time.Hour)
	dead := uuid.New()
	if ok, err := dboauth.NewConnections(w.store).ClaimRefresh(t.Context(), w.connection(id), dead, time.Hour); !ok || err != nil {
		t.Fatal(ok, err)
	}
	asked := make(chan struct{}, 100)
	k := w.process(func(ctx context.Context, _ time.Duration) error {
		select {
		case asked <- struct{}{}:
		default:
		}
		return wait(ctx, time.Millisecond)
	})
	got := make(chan error, 1)
	go func() {
		_, err := k.TokensOf(w.account, id).Token(w.Context())
		got <- err
	}()
	await.Recv(t, asked)
	if w.Refreshes() != 0 {
		t.Error("the token was renewed although another process has the lease")
	}
	dbtest.Exec(t, w.db, `UPDATE oauth_connections SET lease_until = now() WHERE account_id = $1`, w.account)
	if err := await.Recv(t, got); err != nil || w.Refreshes() != 1 {
		t.Errorf("%d refreshes, %v", w.Refreshes(), err)
	}
	c := w.connection(id) // the dead process comes back with an outdated answer
	if ok, err := dboauth.NewConnections(w.store).SetRefreshed(t.Context(), c, dead, models.OAuthGrant{}, w.Now()); ok || err != nil {
		t.Errorf("the dead process saved its outdated answer: %v", err)
	}
}

// TestRevoked checks that a revoked sign-in is marked and no longer renewed, and that it works again after the next sign-in.
func TestRevoked(t *testing.T) {
	t.Parallel()
	for _, p := range models.SignInProviders {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			id := w.connect(p.Name)
			tokens := w.connections.TokensOf(w.account, id)
			w.Revoke()
			old, err := tokens.Token(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = tokens.Renew(t.Context(), old)
			wantCode(t, err, "credentials")
			asked := w.Refreshes()
			_, err = tokens.Token(t.Context())
			wantCode(t, err, "credentials")
			c := w.connection(id)
			if w.Refreshes() != asked || c.Status != models.OAuthRevoked || c.Failure == "" || c.Since == nil || strings.Contains(c.Failure, oauthtest.Canary) {
				t.Errorf("%d refreshes, %+v", w.Refreshes(), c)
			}
			if list, err := dboauth.NewConnections(w.store).Troubled(t.Context(), w.account, w.Now()); err != nil || len(list) != 1 {
				t.Errorf("%v, %v", list, err)
			}
			if again := w.connect(p.Name); again != id || w.connection(id).Status != models.OAuthActive || w.connection(id).Since != nil {
				t.Errorf("%+v", w.connection(again))
			}
			if _, err := tokens.Token(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRenew checks that a refused token is renewed once, however often the refusal is reported.
func TestRenew(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.connect(models.GoogleAds)
	tokens := w.connections.TokensOf(w.account, id)
	old, err := tokens.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if fresh, err := tokens.Renew(t.Context(), old); err != nil || fresh == old || w.Refreshes() != 1 {
			t.Errorf("%d refreshes, %v", w.Refreshes(), err)
		}
	}
	_, err = w.connections.TokensOf(uuid.New(), id).Token(t.Context())
	wantCode(t, err, "not_connected")
	_, err = w.connections.TokensOf(w.account, uuid.New()).Token(t.Context())
	wantCode(t, err, "not_connected")
}

// TestSweep checks that only tokens that expire soon are renewed, and that a failing platform is asked again.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.startWorker()
	sweep := func() {
		t.Helper()
		if _, err := do(w, jobs.SweepOAuth, jobs.Tick{At: w.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	id := w.connect(models.MicrosoftAds)
	w.SetLifetime(60 * 24 * time.Hour)
	w.connect(models.Meta)
	abandoned, _, err := dboauth.NewAttempts(w.store).Begin(t.Context(), w.account, models.Meta, redirect, w.Now())
	if err != nil {
		t.Fatal(err)
	}
	w.SetLifetime(time.Hour)
	exchanged := w.Refreshes() // Meta's sign-in includes a refresh
	w.advance(50 * time.Minute)
	if sweep(); w.Refreshes() != exchanged {
		t.Error("a token was renewed early")
	}
	if strings.Contains(w.dump(), abandoned.ID.String()) {
		t.Error("a sign-in that was never completed is kept")
	}
	w.advance(5 * time.Minute)
	w.Break(resttest.Down)
	sweep()
	if c := w.connection(id); c.Status != models.OAuthActive || c.Failure == "" || c.Since == nil {
		t.Errorf("%+v", c)
	}
	w.Break(resttest.None)
	if sweep(); w.Refreshes() != exchanged {
		t.Error("the platform was asked again at once")
	}
	w.advance(2 * time.Minute)
	sweep()
	if c := w.connection(id); c.Failure != "" || c.Since != nil || c.RefreshedAt == nil || w.Refreshes() != exchanged+1 {
		t.Errorf("%+v, %d refreshes", c, w.Refreshes()-exchanged)
	}
	w.advance(54 * 24 * time.Hour) // Meta's token has six days left, and Microsoft's has expired
	if sweep(); w.Refreshes() != exchanged+3 {
		t.Errorf("%d refreshes, want 3", w.Refreshes()-exchanged)
	}
}

// TestListAdAccounts checks the list of ad accounts of a connection, and the code of each error.
func TestListAdAccounts(t *testing.T) {
	t.Parallel()
	for _, p := range models.SignInProviders {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			w.startWorker()
			list := func(of uuid.UUID) ([]jobs.AdAccount, error) {
				return do(w, jobs.ListAdAccounts, jobs.OAuthAccountsArgs{Connection: of})
			}
			_, err := list(uuid.New())
			wantCode(t, err, "not_connected")
			id := w.connect(p.Name)
			w.SetAdAccounts(p.Name, "1234567890")
			refreshes := w.Refreshes()
			if p.Name != models.Meta { // Meta's expired token cannot be renewed
				w.Expire()
				refreshes++
			}
			got, err := list(id)
			if err != nil || len(got) == 0 || got[len(got)-1].ID != "1234567890" || w.Refreshes() != refreshes {
				t.Errorf("%+v, %v", got, err)
			}
			w.Break(resttest.Echo)
			_, err = list(id)
			wantCode(t, err, p.Refused)
			w.Break(resttest.None)
			w.Revoke()
			_, err = list(id)
			wantCode(t, err, "credentials")
		})
	}
}

// TestConnectionDeletedWhileWaiting checks that a caller gets no token if the connection is deleted while the token is renewed.
func TestConnectionDeletedWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.connect(models.GoogleAds)
	w.advance(time.Hour)
	entered, release := w.BlockRefreshes()
	got := make(chan error, 1)
	go func() {
		_, err := w.connections.TokensOf(w.account, id).Token(w.Context())
		got <- err
	}()
	await.Recv(t, entered)
	if err := dboauth.NewConnections(w.store).Remove(t.Context(), w.account, id); err != nil {
		t.Fatal(err)
	}
	release()
	wantCode(t, await.Recv(t, got), "not_connected")
	if err := dboauth.NewConnections(w.store).Remove(t.Context(), w.account, id); !errors.Is(err, models.NotFound("connection")) {
		t.Errorf("removing the connection a second time: %v, want not found", err)
	}
}

var _ interface {
	Token(ctx context.Context) (string, error)
	Renew(ctx context.Context, refused string) (string, error)
} = (*oauth.Tokens)(nil)
