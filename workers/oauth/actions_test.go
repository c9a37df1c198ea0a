package oauth_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/integration"
	"switchyard/db/oauth"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers/providers/oauth/oauthtest"
	"switchyard/workers/providers/rest/resttest"
)

// source makes a traffic source with the settings of a platform.
func (w *env) source(at string, credentials map[string]string) uuid.UUID {
	w.Helper()
	id, off := uuid.New(), false
	dbtest.Exec(w, w.db, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, $3)`, id, w.account, id.String())
	p, _ := models.SourceProviderNamed(at)
	if err := integration.NewSources(w.store).Save(w.Context(), w.account, id, integration.SourceConnect{
		Provider: p, Credentials: credentials, Enabled: &off, Next: w.Now(),
	}); err != nil {
		w.Fatal(err)
	}
	return id
}

// accountOf has the settings that name an ad account, by platform.
var accountOf = map[string]map[string]string{
	models.GoogleAds: {"customer_id": "1234567890"}, models.MicrosoftAds: {"account_id": "176", "customer_id": "250"},
}

// TestConversionActions checks that a created action becomes the target of the source's uploads. Creating it again finds the same
// action.
func TestConversionActions(t *testing.T) {
	t.Parallel()
	for at, credentials := range accountOf {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			w.startWorker()
			w.connect(at)
			source := w.source(at, credentials)
			create := func(name string) jobs.ConversionAction {
				t.Helper()
				made, err := do(w, jobs.CreateConversionAction, jobs.CreateConversionActionArgs{Source: source, Name: name})
				if err != nil {
					t.Fatal(err)
				}
				return made
			}
			made := create("Sales")
			i, err := integration.NewSources(w.store).Find(t.Context(), w.account, source)
			if err != nil {
				t.Fatal(err)
			}
			if at == models.GoogleAds && (i.ConversionAction != "customers/1234567890/conversionActions/"+made.ID || made.ReadyAt != nil || i.UploadsReadyAt != nil) {
				t.Errorf("%+v, conversions go to %q", made, i.ConversionAction)
			}
			ready := w.Now().Add(2 * time.Hour).Truncate(time.Millisecond)
			if at == models.MicrosoftAds && (i.ConversionAction != "Sales" || made.ReadyAt == nil || i.UploadsReadyAt == nil ||
				!i.UploadsReadyAt.Truncate(time.Millisecond).Equal(ready)) {
				t.Errorf("%+v, conversions go to %q from %v on", made, i.ConversionAction, i.UploadsReadyAt)
			}
			w.advance(time.Minute)
			again := create("Sales")
			if again.ID != made.ID || (again.ReadyAt == nil) != (made.ReadyAt == nil) || again.ReadyAt != nil && !again.ReadyAt.Truncate(time.Millisecond).Equal(ready) {
				t.Errorf("%+v, at first %+v", again, made)
			}
			list, err := do(w, jobs.ListConversionActions, jobs.ConversionActionsArgs{Source: source})
			if err != nil || len(list) != 1 || list[0].ID != made.ID || (list[0].ReadyAt == nil) != (made.ReadyAt == nil) {
				t.Errorf("%+v, %v", list, err)
			}
			// The worker dies before it records the created action.
			dbtest.Exec(t, w.db, `UPDATE source_integrations SET conversion_action = '', uploads_ready_at = NULL`)
			late := w.Now().Add(2 * time.Hour).Truncate(time.Millisecond)
			if found := create("Sales"); found.ID != made.ID || (found.ReadyAt == nil) != (made.ReadyAt == nil) ||
				found.ReadyAt != nil && !found.ReadyAt.Truncate(time.Millisecond).Equal(late) {
				t.Errorf("after a crash: %+v, at first %+v", found, made)
			}
			if got := w.Actions(at); len(got) != 1 {
				t.Errorf("the platform has the actions %v, want one", got)
			}
		})
	}
}

// TestConversionActionErrors checks which errors listing and creating conversion actions return.
func TestConversionActionErrors(t *testing.T) {
	t.Parallel()
	for at, credentials := range accountOf {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			w.startWorker()
			want := func(source uuid.UUID, code string) {
				t.Helper()
				_, listed := do(w, jobs.ListConversionActions, jobs.ConversionActionsArgs{Source: source})
				wantCode(t, listed, code)
				_, created := do(w, jobs.CreateConversionAction, jobs.CreateConversionActionArgs{Source: source, Name: "Sales"})
				wantCode(t, created, code)
			}
			want(uuid.New(), "not_platform_ab")
			want(w.source("propellerads", nil), "not_platform_ab")
			named, nameless := w.source(at, credentials), w.source(at, nil)
			want(named, "not_connected")
			w.connect(at)
			want(nameless, map[string]string{models.GoogleAds: "no_customer_id", models.MicrosoftAds: "no_account_id"}[at])
			w.Break(resttest.Echo)
			p, _ := models.SignInProviderNamed(at)
			want(named, p.Refused)
			w.Break(resttest.None)
			w.SignIn(oauthtest.User{ID: "u-2", Name: "joe@example.com"})
			second := w.connect(at)
			dbtest.Exec(t, w.db, `UPDATE source_integrations SET oauth_connection_id = NULL`)
			want(named, "not_connected") // there are two connections and none was chosen
			if err := oauth.NewConnections(w.store).Remove(t.Context(), w.account, second); err != nil {
				t.Fatal(err)
			}
			w.Revoke()
			want(named, "credentials")
		})
	}
}

// TestSignInAgain checks that the traffic sources of an account that disconnects and signs in again are connected to the new
// sign-in, unless there are several sign-ins to choose from.
func TestSignInAgain(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	at := models.GoogleAds
	first := w.connect(at)
	source, other := w.source(at, accountOf[at]), w.source(models.MicrosoftAds, nil)
	connectionOf := func(source uuid.UUID) uuid.UUID {
		t.Helper()
		i, err := integration.NewSources(w.store).Find(t.Context(), w.account, source)
		if err != nil {
			t.Fatal(err)
		}
		return i.ConnectionID.UUID
	}
	if connectionOf(source) != first || connectionOf(other) != uuid.Nil {
		t.Fatalf("%s, %s", connectionOf(source), connectionOf(other))
	}
	remove := func(id uuid.UUID) {
		t.Helper()
		if err := oauth.NewConnections(w.store).Remove(t.Context(), w.account, id); err != nil {
			t.Fatal(err)
		}
	}
	if remove(first); connectionOf(source) != uuid.Nil {
		t.Errorf("after the disconnection, the source uses %s, want none", connectionOf(source))
	}
	w.SignIn(oauthtest.User{ID: "u-2", Name: "joe@example.com"})
	again := w.connect(at)
	if again == first || connectionOf(source) != again || connectionOf(other) != uuid.Nil {
		t.Errorf("after another sign-in %s the source uses %s, the other source %s", again, connectionOf(source), connectionOf(other))
	}
	w.SignIn(oauthtest.User{ID: "u-3", Name: "jim@example.com"})
	third := w.connect(at)
	if connectionOf(source) != again {
		t.Errorf("after a further sign-in the source uses %s, want the same as before", connectionOf(source))
	}
	remove(again)
	if w.connect(at) != third || connectionOf(source) != third { // the third user signs in again, and the account has no other connection
		t.Errorf("the source uses %s, want %s", connectionOf(source), third)
	}
}
