package dashboard

import (
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/assistants"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/assistant"
	"switchyard/jobs"
	"switchyard/models"
)

// assistants returns the routes with which people connect and disconnect assistants. A viewer can give an
// assistant only the right to read.
func (d Deps) assistants() []route.Route {
	request := personRoute("GET", "/assistants/request", "the request of a program that wants to connect an assistant", route.Handle(d.findRequest),
		"400 invalid_client invalid_redirect invalid_request", "403 mcp_off", "429 rate_limited", "503 unavailable").
		WithQuery(requestParams...).Awaits(readClientJob.Answer())
	decide := personRoute("POST", "/assistants", "connect an assistant, or refuse it", route.HandleBody(d.decideRequest),
		"400 required too_long too_many invalid_client invalid_redirect invalid_request invalid_rights", "403 mcp_off role_required")
	decide.Confirm, decide.Repeats = true, true
	return []route.Route{
		request, decide,
		personRoute("GET", "/assistants", "connected assistants: an owner sees all of the account, other people see their own", route.Handle(d.listAssistants)),
		personRoute("DELETE", "/assistants/{id}", "end a connected assistant at once", route.Handle(revokeAssistant), "404 not_found"),
	}
}

// requestParams are the parameters with which a program sends a person to the page that asks for a decision (RFC 6749, 7636 and
// 8707).
var requestParams = []route.Param{
	{Name: "client_id"},
	{Name: "redirect_uri"},
	{Name: "response_type", Doc: "must be code"},
	{Name: "code_challenge", Doc: "SHA-256 of the verifier, in base64url"},
	{Name: "code_challenge_method", Doc: "must be S256"},
	{Name: "scope", Doc: "the rights that the program asks for: read, propose or change, separated by spaces"},
	{Name: "resource", Doc: "the address of /mcp, which is also the default"},
	{Name: "state"},
}

// ConnectRequest is the request of a program that wants to connect an assistant.
type ConnectRequest struct {
	Client  ConnectClient   `json:"client"`
	Account ConnectAccount  `json:"account"`
	Rights  []models.Rights `json:"rights" doc:"what the person may grant, the weakest first"`
	Asked   models.Rights   `json:"asked" doc:"what the program asks for, as far as the person may grant it"`
}

// ConnectClient is the program that asks.
type ConnectClient struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Host         string `json:"host" doc:"for a client with a document: the host that publishes the document; otherwise the host to which the program redirects"`
	Kind         string `json:"kind" enum:"registered,document"`
	RedirectHost string `json:"redirect_host" doc:"the host to which the browser goes next"`
}

// ConnectAccount is the account of the session.
type ConnectAccount struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// readClientJob declares that a call may wait for a job, which reads the document of a client.
var readClientJob = slow.New(jobs.ReadClient, func(jobs.ReadClientAnswer) ConnectRequest { return ConnectRequest{} })

// Limits of reading documents. Reading a document is a request to an address that the program chose.
const (
	documentsPerPerson = 30
	documentsWithin    = time.Hour
	documentTime       = 20 * time.Second
)

// readClient lets a worker read the document of a client, and waits for the worker. A document that was read a short time ago is
// not read again.
func (d Deps) readClient(c *route.Call, id string) error {
	if !models.IsClientDocument(id) {
		return nil
	}
	known, ok, err := assistant.New(c.Store).FindClient(c.Context(), id)
	if err != nil || ok && time.Since(known.ReadAt) < models.ClientDocumentLife {
		return err
	}
	name := "assistant-document:" + c.Person.ID.String()
	if d.Rates.AllowWithin(c.Context(), name, documentsPerPerson, documentsWithin).Over {
		return models.Errorf(models.KindTooMany, "rate_limited", "too many programs have asked to connect: wait an hour")
	}
	h, err := jobs.Submit(c.Context(), d.Jobs, jobs.ReadClient, c.Account.ID, jobs.ReadClientArgs{ID: id})
	if err != nil {
		return err
	}
	c.ReleasePlace()
	_, err = jobs.AwaitTimeout(c.Context(), h, documentTime)
	if errors.Is(err, jobs.ErrPending) {
		err = models.Errorf(models.KindUnavailable, "unavailable", "reading the program's document takes longer than usual: try again")
	}
	return err
}

func (d Deps) findRequest(c *route.Call) (ConnectRequest, error) {
	r := assistants.Request{
		ClientID: c.Query.Get("client_id"), RedirectURI: c.Query.Get("redirect_uri"), ResponseType: c.Query.Get("response_type"),
		CodeChallenge: c.Query.Get("code_challenge"), CodeChallengeMethod: c.Query.Get("code_challenge_method"),
		Scope: c.Query.Get("scope"), Resource: c.Query.Get("resource"), State: c.Query.Get("state"),
	}
	if err := d.checkAssistants(c); err != nil {
		return ConnectRequest{}, err
	}
	if err := d.readClient(c, r.ClientID); err != nil {
		return ConnectRequest{}, err
	}
	client, err := assistants.Check(c.Context(), c.Store, d.BaseURL, r)
	if err != nil {
		return ConnectRequest{}, err
	}
	redirect, _ := url.Parse(r.RedirectURI) // Check has parsed it
	return ConnectRequest{
		Client:  ConnectClient{client.ID, client.Name, client.Host(r.RedirectURI), client.Kind, redirect.Hostname()},
		Account: ConnectAccount{c.Account.ID, c.Account.Name},
		Rights:  models.RightsOfRole(c.Role), Asked: models.RightsOfScope(r.Scope).Within(c.Role),
	}, nil
}

// checkAssistants refuses to connect assistants if the install or the account has switched them off.
func (d Deps) checkAssistants(c *route.Call) error {
	if d.NoMCP || !c.Account.Assistants {
		return models.Errorf(models.KindForbidden, "mcp_off", "assistants are switched off, for this account by an owner under Settings, or for the whole service by its operator")
	}
	return nil
}

// connectBody is a person's decision about a request.
type connectBody struct {
	assistants.Request

	Rights  models.Rights `json:"rights" doc:"what the person grants; not needed if refused is true"`
	Refused bool          `json:"refused"`
}

// ConnectDecision is the answer to a decision: where the browser goes next.
type ConnectDecision struct {
	Redirect string `json:"redirect" doc:"an address of the program, with the code or the error"`
}

func (d Deps) decideRequest(c *route.Call, b connectBody) (ConnectDecision, error) {
	if err := d.checkAssistants(c); err != nil {
		return ConnectDecision{}, err
	}
	client, err := assistants.Check(c.Context(), c.Store, d.BaseURL, b.Request)
	if err != nil {
		return ConnectDecision{}, err
	}
	if b.Refused {
		c.Checked = true // nothing has changed
		return ConnectDecision{assistants.Redirect(d.BaseURL, b.Request, url.Values{"error": {"access_denied"}})}, nil
	}
	switch {
	case !slices.Contains(models.AllRights, b.Rights):
		return ConnectDecision{}, models.Invalid("invalid_rights", "rights are read, propose or change")
	case !slices.Contains(models.RightsOfRole(c.Role), b.Rights):
		return ConnectDecision{}, models.Errorf(models.KindForbidden, "role_required", "a %s cannot let an assistant %s", c.Role, b.Rights)
	}
	id, code, err := assistant.New(c.Store).Grant(c.Context(), assistant.Request{
		Account: c.Account.ID, Person: c.Person, Client: client, Rights: b.Rights,
		Redirect: b.RedirectURI, Challenge: b.CodeChallenge, Resource: assistants.Resource(d.BaseURL),
	}, time.Now())
	c.ID = id // the record that the entry of the audit log names
	c.RecordField("client", client.Name)
	c.RecordField("rights", b.Rights)
	return ConnectDecision{assistants.Redirect(d.BaseURL, b.Request, url.Values{"code": {code}})}, err
}

// AssistantRow is a connected assistant.
type AssistantRow struct {
	ID        uuid.UUID       `json:"id"`
	Client    AssistantClient `json:"client"`
	Person    AssistantPerson `json:"person"`
	Rights    models.Rights   `json:"rights" enum:"read,propose,change"`
	CreatedAt string          `json:"created_at"`
	UsedAt    *string         `json:"used_at" doc:"when the assistant was last used, accurate to a few minutes; null: it was never used"`
}

// AssistantClient is the program of a connected assistant.
type AssistantClient struct {
	Name string `json:"name"`
	Host string `json:"host"`
}

// AssistantPerson is the person who has connected an assistant.
type AssistantPerson struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// AssistantList is the connected assistants that a person sees.
type AssistantList struct {
	Rows    []AssistantRow `json:"rows"`
	Enabled bool           `json:"enabled" doc:"false: the account or the whole service has switched assistants off, so all of them are refused"`
}

// onlyOwn limits people who are not owners to their own assistants.
func onlyOwn(c *route.Call) uuid.NullUUID {
	return uuid.NullUUID{UUID: c.Person.ID, Valid: !c.Role.Includes(models.RoleOwner)}
}

// listAssistants also lists assistants while they are switched off, so that people can end them before they are switched on again.
func (d Deps) listAssistants(c *route.Call) (AssistantList, error) {
	list, err := assistant.New(c.Store).List(c.Context(), c.Account.ID, onlyOwn(c), time.Now())
	return AssistantList{Enabled: d.checkAssistants(c) == nil, Rows: answer.Each(list, func(g models.AssistantGrant) AssistantRow {
		return AssistantRow{
			g.ID,
			AssistantClient{g.ClientName, g.ClientHost},
			AssistantPerson{g.PersonID, g.Person},
			g.Rights,
			answer.Stamp(g.CreatedAt), answer.StampOrNull(g.UsedAt),
		}
	})}, err
}

func revokeAssistant(c *route.Call) (answer.DeletedAnswer, error) {
	return answer.Deleted(c.ID), assistant.New(c.Store).Revoke(c.Context(), c.Account.ID, c.ID, onlyOwn(c), time.Now())
}
