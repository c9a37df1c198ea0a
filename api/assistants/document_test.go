package assistants_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/assistants"
	"switchyard/db/assistant"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

// TestDocumentClient: a client whose id is the address of its document connects without registration.
func TestDocumentClient(t *testing.T) {
	t.Parallel()
	const id = "https://claude.example/client.json"
	e := newEnv(t)
	person := e.s.SignIn(models.RoleMember)
	reads, name, failure := 0, "Claude", error(nil)
	jobstest.Answer(e.s.Jobs, jobs.ReadClient, func(_ uuid.UUID, args jobs.ReadClientArgs) (jobs.ReadClientAnswer, error) {
		if reads++; failure != nil {
			return jobs.ReadClientAnswer{}, failure
		}
		return jobs.ReadClientAnswer{Name: name}, assistant.New(e.s.Store).StoreClient(t.Context(), models.AssistantClient{
			ID: args.ID, Kind: models.ClientDocument, Name: name, RedirectURIs: []string{redirect},
		}, time.Now())
	})
	fetch := func() (page struct {
		Client struct {
			Name, Host, Kind string
			RedirectHost     string `json:"redirect_host"`
		}
	},
	) {
		t.Helper()
		person.Do("GET", "/app/api/assistants/request?"+queryOf(request(id)), nil).Want(http.StatusOK, "").Into(&page)
		return page
	}
	person.Do("POST", "/app/api/assistants", with(request(id), "rights", "read")).Want(http.StatusBadRequest, "invalid_client") // not read yet
	failure = models.Invalid("invalid_client", "the document of this client cannot be read")
	person.Do("GET", "/app/api/assistants/request?"+queryOf(request(id)), nil).Want(http.StatusBadRequest, "invalid_client")
	failure = nil
	for range 2 {
		if page := fetch(); page.Client.Name != "Claude" || page.Client.Host != "claude.example" || page.Client.Kind != "document" || page.Client.RedirectHost != "127.0.0.1" {
			t.Errorf("the page shows %+v, want what the document says", page)
		}
	}
	if reads != 2 {
		t.Errorf("%d reads, want the one that failed and one more", reads)
	}
	dbtest.Exec(t, e.s.DB, `UPDATE assistant_clients SET read_at = now() - interval '25 hours'`)
	name = "Claude by Acme"
	if page := fetch(); page.Client.Name != name || reads != 3 {
		t.Errorf("a day later the page shows %+v after %d reads, want the new name after 3 reads", page, reads)
	}
	token := e.connect(person, id, models.RightsPropose)
	e.toolsOf(token.access)
	e.want(e.form(assistants.TokenPath, refreshForm(id, token.refresh)), http.StatusOK, "")
	if rows := connected(person); len(rows) != 1 || rows[0].Client.Host != "claude.example" {
		t.Errorf("the connected assistants are %+v, want one at claude.example", rows)
	}
	dbtest.Exec(t, e.s.DB, `UPDATE assistant_clients SET read_at = now() - interval '25 hours'`)
	for range 40 {
		if person.Do("GET", "/app/api/assistants/request?"+queryOf(request(id)), nil).Code == "rate_limited" {
			return
		}
		dbtest.Exec(t, e.s.DB, `UPDATE assistant_clients SET read_at = now() - interval '25 hours'`)
	}
	t.Error("a person can have any number of documents read, want the error rate_limited")
}
