package assistants_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"switchyard/api/apitest"
	"switchyard/api/assistants"
	"switchyard/models"
)

const (
	base     = "http://localhost" // BASE_URL of the test server
	redirect = "http://127.0.0.1:7777/callback"
	verifier = "a-verifier-that-is-long-enough-for-the-standard-0123456789"
)

// env is a program that connects to the service.
type env struct {
	*testing.T

	s    *apitest.Server
	http *http.Client // reaches the test server by the address of BASE_URL, and follows no redirects
}

func newEnv(t *testing.T, options ...apitest.Options) *env {
	t.Helper()
	s := apitest.New(t, options...)
	address := strings.TrimPrefix(s.URL, "http://")
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &env{t, s, &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is an answer of the OAuth server or of /mcp.
type answer struct {
	status int
	header http.Header
	data   map[string]any
}

func (e *env) send(method, path, contentType, body string, headers ...string) answer {
	e.Helper()
	req, err := http.NewRequestWithContext(e.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		e.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := e.http.Do(req)
	if err != nil {
		e.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		e.Fatal(err)
	}
	out := answer{status: res.StatusCode, header: res.Header}
	_ = json.Unmarshal(raw, &out.data) // a redirect has no JSON
	return out
}

func (e *env) want(a answer, status int, code string) answer {
	e.Helper()
	got, _ := a.data["error"].(string)
	if a.status != status || got != code {
		e.Fatalf("got %d %q, want %d %q: %v", a.status, got, status, code, a.data)
	}
	return a
}

func (e *env) form(path string, f url.Values, headers ...string) answer {
	e.Helper()
	return e.send(http.MethodPost, path, "application/x-www-form-urlencoded", f.Encode(), headers...)
}

func (e *env) register() string {
	e.Helper()
	body, _ := json.Marshal(map[string]any{"client_name": "Test Client", "redirect_uris": []string{redirect}})
	a := e.want(e.send(http.MethodPost, assistants.RegisterPath, "application/json", string(body)), http.StatusCreated, "")
	return a.data["client_id"].(string)
}

func request(client string) map[string]any {
	sum := sha256.Sum256([]byte(verifier))
	return map[string]any{
		"client_id": client, "redirect_uri": redirect, "response_type": "code", "code_challenge_method": "S256", "state": "a state",
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "scope": "read change", "resource": base + "/mcp",
	}
}

// with changes members of a request and returns the request. pairs has the names of the members, each followed by its new value.
func with(r map[string]any, pairs ...any) map[string]any {
	for i := 0; i+1 < len(pairs); i += 2 {
		r[pairs[i].(string)] = pairs[i+1]
	}
	return r
}

func queryOf(r map[string]any) string {
	q := url.Values{}
	for name, v := range r {
		if text, ok := v.(string); ok && name != "rights" {
			q.Set(name, text)
		}
	}
	return q.Encode()
}

// codeFor grants rights as a person does in the dashboard, and returns the code.
func (e *env) codeFor(person *apitest.Server, client string, rights models.Rights) string {
	e.Helper()
	var decided struct{ Redirect string }
	person.Do("POST", "/app/api/assistants", with(request(client), "rights", rights)).Want(http.StatusOK, "").Into(&decided)
	u, err := url.Parse(decided.Redirect)
	if err != nil {
		e.Fatal(err)
	}
	q := u.Query()
	if !strings.HasPrefix(decided.Redirect, redirect+"?") || q.Get("state") != "a state" || q.Get("iss") != base || q.Get("code") == "" {
		e.Fatalf("the person is sent back to %s, want the address of the program with a code", decided.Redirect)
	}
	return q.Get("code")
}

func codeForm(client, code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code}, "redirect_uri": {redirect},
		"code_verifier": {verifier}, "resource": {base + "/mcp"},
	}
}

func refreshForm(client, refresh string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {refresh}, "resource": {base + "/mcp"}}
}

// tokens are the tokens of an assistant.
type tokens struct{ access, refresh string }

func tokensOf(a answer) tokens {
	access, _ := a.data["access_token"].(string)
	refresh, _ := a.data["refresh_token"].(string)
	return tokens{access, refresh}
}

func (e *env) connect(person *apitest.Server, client string, rights models.Rights) tokens {
	e.Helper()
	return tokensOf(e.want(e.form(assistants.TokenPath, codeForm(client, e.codeFor(person, client, rights))), http.StatusOK, ""))
}

func (e *env) call(token, method, params string) answer {
	e.Helper()
	return e.send(http.MethodPost, "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`,
		"Authorization", "Bearer "+token)
}

func (e *env) toolsOf(token string) (names []string) {
	e.Helper()
	a := e.call(token, "tools/list", "{}")
	if a.status != http.StatusOK {
		e.Fatalf("the list of tools gets the status %d with %v, want 200", a.status, a.data)
	}
	result, _ := a.data["result"].(map[string]any)
	list, _ := result["tools"].([]any)
	for _, t := range list {
		names = append(names, t.(map[string]any)["name"].(string))
	}
	return names
}

// decider is a person who opens the page of the dashboard on which an assistant is connected.
type decider struct {
	*env

	person *apitest.Server
	asked  string // the rights that the program asked for, as the page showed them at the latest visit
	away   bool
}

// decide opens the authorization address of an assistant as the person's browser does, and grants the right to propose.
func (d *decider) decide(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	if d.away {
		return nil, errors.New("there is no person at the page")
	}
	path, query, _ := strings.Cut(strings.TrimPrefix(args.URL, base), "?")
	sent := d.want(d.send(http.MethodGet, path+"?"+query, "", ""), http.StatusFound, "")
	if to := sent.header.Get("Location"); to != base+"/app/connect?"+query || sent.header.Get("Set-Cookie") != "" {
		d.Errorf("the authorization address leads to %s, want the page of the dashboard and no cookie", to)
	}
	var page struct {
		Client struct {
			ID, Name, Host, Kind string
			RedirectHost         string `json:"redirect_host"`
		}
		Rights []string
		Asked  string
	}
	d.person.Do("GET", "/app/api/assistants/request?"+query, nil).Want(http.StatusOK, "").Into(&page)
	if page.Client.Name != "Test Client" || page.Client.Kind != "registered" || page.Client.RedirectHost != "127.0.0.1" || len(page.Rights) != 3 {
		d.Errorf("the page shows %+v, want the registered program Test Client and three rights", page)
	}
	d.asked = page.Asked
	values, _ := url.ParseQuery(query)
	body := map[string]any{"rights": "propose"}
	for name := range values {
		body[name] = values.Get(name)
	}
	var decided struct{ Redirect string }
	d.person.Do("POST", "/app/api/assistants", body).Want(http.StatusOK, "").Into(&decided)
	u, err := url.Parse(decided.Redirect)
	if err != nil {
		return nil, err
	}
	return &auth.AuthorizationResult{Code: u.Query().Get("code"), State: u.Query().Get("state"), Iss: u.Query().Get("iss")}, nil
}

// TestWholeFlow connects the client of the SDK: it finds the server, registers, sends a person to the page, and calls a tool.
func TestWholeFlow(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	owner := e.s.SignIn(models.RoleOwner)
	visitor := &decider{env: e, person: owner}
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		Client: e.http,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Test\u202e Client", RedirectURIs: []string{redirect}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		AuthorizationCodeFetcher: visitor.decide,
	})
	if err != nil {
		t.Fatal(err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "Says Something Else", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: base + "/mcp", HTTPClient: e.http, OAuthHandler: handler, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if visitor.asked != "read" {
		t.Errorf("the page shows that the program asks for %q, want read, as the challenge says", visitor.asked)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Contains(names, "propose_change") || !slices.Contains(names, "run_report") || slices.Contains(names, "apply_proposal") || slices.Contains(names, "request_test_postback") {
		t.Errorf("an assistant with the right to propose is offered the tools %v, want only tools that read or propose", names)
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "whoami", Arguments: map[string]any{}})
	if err != nil || result.IsError {
		t.Fatalf("the tool whoami answers %+v, error %v", result, err)
	}
	rows := connected(owner)
	if len(rows) != 1 || rows[0].Client.Name != "Test Client" || rows[0].Rights != "propose" || rows[0].UsedAt == nil {
		t.Fatalf("the connected assistants are %+v, want one that was used, with the right to propose", rows)
	}
	owner.Do("DELETE", "/app/api/assistants/"+rows[0].ID, nil).Want(http.StatusOK, "")
	visitor.away = true // a client that is refused asks the person again
	if _, err := session.ListTools(t.Context(), nil); err == nil {
		t.Error("a revoked assistant still gets answers")
	}
}

// row is a connected assistant in the list.
type row struct {
	ID     string
	Client struct{ Name, Host string }
	Person struct{ ID, Name string }
	Rights string
	UsedAt *string `json:"used_at"`
}

func connected(person *apitest.Server) []row {
	var list struct{ Rows []row }
	person.Do("GET", "/app/api/assistants", nil).Want(http.StatusOK, "").Into(&list)
	return list.Rows
}

// TestDocuments checks that the documents about the server have the members that the standards require, and that a refused call of
// /mcp refers to them.
func TestDocuments(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	text := func(a answer, name string) string { s, _ := a.data[name].(string); return s }
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		about := e.want(e.send(http.MethodGet, path, "", ""), http.StatusOK, "")
		servers, _ := about.data["authorization_servers"].([]any)
		if text(about, "resource") != base+"/mcp" || len(servers) != 1 || servers[0] != base {
			t.Errorf("%s describes %v, want the resource /mcp and this server", path, about.data)
		}
	}
	about := e.want(e.send(http.MethodGet, assistants.ServerAbout, "", ""), http.StatusOK, "")
	for name, want := range map[string]string{
		"issuer": base, "authorization_endpoint": base + "/oauth/authorize", "token_endpoint": base + "/oauth/token",
		"registration_endpoint": base + "/oauth/register", "revocation_endpoint": base + "/oauth/revoke",
	} {
		if text(about, name) != want {
			t.Errorf("%s is %v, want %s", name, about.data[name], want)
		}
	}
	for name, want := range map[string]string{
		"response_types_supported": `["code"]`, "code_challenge_methods_supported": `["S256"]`, "token_endpoint_auth_methods_supported": `["none"]`,
		"grant_types_supported": `["authorization_code","refresh_token"]`, "scopes_supported": `["read","propose","change"]`,
		"authorization_response_iss_parameter_supported": "true", "client_id_metadata_document_supported": "true",
	} {
		if raw, _ := json.Marshal(about.data[name]); string(raw) != want {
			t.Errorf("%s is %s, want %s", name, raw, want)
		}
	}
	for header, token := range map[string]string{
		`Bearer realm="switchyard", resource_metadata="` + base + `/.well-known/oauth-protected-resource/mcp", scope="read"`:                        "",
		`Bearer realm="switchyard", error="invalid_token", resource_metadata="` + base + `/.well-known/oauth-protected-resource/mcp", scope="read"`: models.NewAccessToken(),
	} {
		if a := e.call(token, "tools/list", "{}"); a.status != http.StatusUnauthorized || a.header.Get("WWW-Authenticate") != header {
			t.Errorf("a call of /mcp gets the status %d with WWW-Authenticate %s, want 401 with %s", a.status, a.header.Get("WWW-Authenticate"), header)
		}
	}
	if got := e.s.As(models.NewAccessToken()).Do("GET", "/offers", nil).Want(http.StatusUnauthorized, "unauthenticated").Header.Get("WWW-Authenticate"); bytes.Contains([]byte(got), []byte("resource_metadata")) {
		t.Errorf("a refusal of the API names the resource of assistants: %s", got)
	}
}
