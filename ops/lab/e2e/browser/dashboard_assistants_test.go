package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"switchyard/models/parttest"
)

// assistantProgram is a program that connects as an assistant.
type assistantProgram struct {
	t         *testing.T
	handler   *auth.AuthorizationCodeHandler
	redirect  string
	addresses chan string     // the addresses to which the program sends the browser
	returned  chan url.Values // the query parameters with which the browser comes back
}

const programName = "Claude <b>of</b> Test"

func newAssistantProgram(t *testing.T) *assistantProgram {
	t.Helper()
	p := &assistantProgram{t: t, addresses: make(chan string, 1), returned: make(chan url.Values, 1)}
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			p.returned <- r.URL.Query()
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>back</title><link rel=\"icon\" href=\"data:,\"><p>You can close this page."))
	}))
	t.Cleanup(back.Close)
	p.redirect = back.URL + "/back"
	var err error
	p.handler, err = auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: programName, RedirectURIs: []string{p.redirect}, TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}},
		RequestRefreshToken: true,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			p.addresses <- args.URL
			select {
			case got := <-p.returned:
				return &auth.AuthorizationResult{Code: got.Get("code"), State: got.Get("state"), Iss: got.Get("iss")}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// connect connects the program to a service. The function grant must open the page at the given address and answer it, as the
// person would.
func (p *assistantProgram) connect(service string, grant func(address string)) (session *sdk.ClientSession, address string) {
	p.t.Helper()
	failed := make(chan error, 1)
	go func() {
		var err error
		session, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(p.t.Context(),
			&sdk.StreamableClientTransport{Endpoint: service + "/mcp", OAuthHandler: p.handler, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
		failed <- err
	}()
	select {
	case err := <-failed:
		p.t.Fatalf("the program connects without asking the person: %v", err)
	case address = <-p.addresses:
	}
	grant(address)
	if err := <-failed; err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = session.Close() })
	return session, address
}

func (p *assistantProgram) answers(service, token string) int {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, service+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestDashboardAssistants: a person lets a program read, revokes it, and refuses another request. A revoked program is refused.
func TestDashboardAssistants(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	b := newEnv(t)
	b.setScreen(1440, "light")
	var made struct {
		URL string `json:"owner_url"`
	}
	if err := b.f.Command(t.Context(), &made, "accounts", "create", "--name", "Buyers", "--plan", "growth", "--email", "ana@example.com"); err != nil {
		t.Fatal(err)
	}
	b.welcome(made.URL, "Ana")
	b.signOut()
	p := newAssistantProgram(t)
	session, address := p.connect(b.f.URL, b.grantsReading)
	b.waitText("You can close this page.")
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "whoami"})
	if err != nil || result.IsError || !strings.Contains(result.Content[0].(*sdk.TextContent).Text, "Buyers") {
		t.Fatalf("the first call of the program fails: %v %+v", err, result)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, listed := range list.Tools {
		if !listed.Annotations.ReadOnlyHint {
			t.Errorf("an assistant that may read is offered %s", listed.Name)
		}
	}
	b.revokesAssistant(p)
	b.refusesAssistant(p, address)
}

func (b *env) grantsReading(address string) {
	b.t.Helper()
	b.goTo(address)
	b.signInAs("ana@example.com", "")
	b.waitText(programName + " asks to use an account.")
	b.waitText("127.0.0.1")
	b.waitText("Buyers")
	for _, width := range []int{1440, 390} {
		b.setScreen(width, "dark")
		b.sound("connect-" + strconv.Itoa(width))
	}
	b.setScreen(1440, "light")
	if got := b.run(`[...document.querySelectorAll('.rights input')].map(e => e.value).join(' ')`); got != "read propose change" {
		b.t.Errorf("an owner can grant %q, want read, propose and change", got)
	}
	b.tap(`document.querySelector('.rights input[value=read]')`)
	b.tap(button("Allow"))
}

// revokesAssistant revokes the program on the screen of keys. Its token is refused immediately.
func (b *env) revokesAssistant(p *assistantProgram) {
	b.t.Helper()
	source, err := p.handler.TokenSource(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	token, err := source.Token()
	if err != nil {
		b.t.Fatal(err)
	}
	if got := p.answers(b.f.URL, token.AccessToken); got != http.StatusOK {
		b.t.Errorf("before the program is revoked, its call is answered %d", got)
	}
	b.goTo(b.f.URL + "/app/keys")
	b.watch() // the page of the program was on another host
	b.waitText("Connected assistants")
	b.waitText(programName)
	for _, width := range []int{1440, 390} {
		b.setScreen(width, "light")
		b.sound("assistants-" + strconv.Itoa(width))
	}
	b.setScreen(1440, "light")
	b.tap(`document.querySelector('[aria-label^="Revoke Claude"]')`)
	b.tap(`document.querySelector('dialog[open] .btn.danger')`)
	b.waitText("is no longer connected")
	b.waitText("No assistant is connected.")
	if got := p.answers(b.f.URL, token.AccessToken); got != http.StatusUnauthorized {
		b.t.Errorf("after the program is revoked, its call is answered %d", got)
	}
}

// refusesAssistant refuses the program's request on the page at the given address. A request with the redirect address of another
// program cannot be granted.
func (b *env) refusesAssistant(p *assistantProgram, address string) {
	b.t.Helper()
	b.goTo(address)
	b.tap(button("Refuse"))
	b.waitText("You can close this page.")
	if got := <-p.returned; got.Get("error") != "access_denied" || got.Get("code") != "" || got.Get("state") == "" {
		b.t.Errorf("the refused program gets %v, want access_denied without a code", got)
	}
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	query := u.Query()
	query.Set("redirect_uri", "https://evil.example/")
	b.goTo(b.f.URL + "/app/connect?" + query.Encode())
	b.watch()
	b.waitText("This assistant cannot be connected")
	b.waitText("an address that is not its own")
	b.sound("connect-refused")
}
