// Package assistants is the authorization server (OAuth 2.1) through which people connect assistants that cannot use an API
// key.
//
// A program learns the server's addresses from the documents below /.well-known, registers itself or publishes a document about
// itself, and sends a person to the dashboard. If the person lets the program use an account, the dashboard sends the browser back
// to the program with a code, which the program exchanges for tokens. There are only public clients, codes with PKCE by S256, and
// refresh tokens that are replaced at each use. The tokens are valid at /mcp only.
package assistants

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"switchyard/api/middleware"
	"switchyard/api/route"
	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/netguard"
)

// The paths of the server.
const (
	AuthorizePath = "/oauth/authorize"
	TokenPath     = "/oauth/token" //nolint:gosec // a path, not a secret
	RevokePath    = "/oauth/revoke"
	RegisterPath  = "/oauth/register"
	ServerAbout   = "/.well-known/oauth-authorization-server"
	// ConnectPath is the page of the dashboard on which a person lets a program use an account, or refuses.
	ConnectPath = "/app/connect"
)

// Paths lists the paths that the server answers.
var Paths = []string{
	AuthorizePath, TokenPath, RevokePath, RegisterPath, ServerAbout, middleware.ResourceAbout, middleware.ResourceAbout + middleware.ResourcePath,
}

// Deps are the dependencies of the server.
type Deps struct {
	Store   *store.Store
	Rates   *kv.Rates
	BaseURL string
	Now     func() time.Time // default time.Now
}

// Routes returns the rows of the server.
func Routes(d Deps) []route.Route {
	if d.Now == nil {
		d.Now = time.Now
	}
	row := func(method, path, summary string, run func(*route.Call) (route.Raw, error)) route.Route {
		r := route.Route{
			Method: method, Path: path, Summary: summary, Scope: route.Ask, Public: true,
			Handle: route.Handler{Run: func(c *route.Call) (any, error) { return answered(run(c)) }},
		}
		return r.WithDefaults()
	}
	return []route.Route{
		row(http.MethodGet, middleware.ResourceAbout, "about the resource of assistants", d.aboutResource),
		row(http.MethodGet, middleware.ResourceAbout+middleware.ResourcePath, "about the resource of assistants", d.aboutResource),
		row(http.MethodGet, ServerAbout, "about the authorization server of assistants", d.aboutServer),
		row(http.MethodGet, AuthorizePath, "the page on which a person connects an assistant", d.authorize),
		row(http.MethodPost, TokenPath, "tokens for a code or a refresh token", d.token),
		row(http.MethodPost, RevokePath, "end a token", d.revoke),
		row(http.MethodPost, RegisterPath, "register a program", d.register),
	}
}

// oauthError is the body of an OAuth error answer.
type oauthError struct {
	Code  string `json:"error"`
	About string `json:"error_description,omitempty"`
}

var statuses = map[models.Kind]int{
	models.KindUnauthenticated: http.StatusUnauthorized, models.KindTooMany: http.StatusTooManyRequests,
	models.KindTooLarge: http.StatusRequestEntityTooLarge, models.KindUnavailable: http.StatusServiceUnavailable,
}

// answered turns an error that a client may see into an OAuth error answer.
func answered(answer route.Raw, err error) (any, error) {
	e, ok := models.AsError(err)
	if !ok {
		return answer, err
	}
	status := statuses[e.Kind]
	if status == 0 {
		status = http.StatusBadRequest
	}
	return jsonAnswer(status, oauthError{e.Code, e.Message})
}

func jsonAnswer(status int, v any) (route.Raw, error) {
	body, err := json.Marshal(v)
	return route.Raw{Status: status, Type: "application/json", Body: body}, err
}

// aboutKept allows programs to cache the documents for five minutes.
const aboutKept = "public, max-age=300"

// aboutResource describes the resource that accepts tokens, and names the server that issues them (RFC 9728).
func (d Deps) aboutResource(c *route.Call) (route.Raw, error) {
	c.Header().Set("Cache-Control", aboutKept)
	return jsonAnswer(http.StatusOK, map[string]any{
		"resource": Resource(d.BaseURL), "authorization_servers": []string{Issuer(d.BaseURL)}, "scopes_supported": models.AllRights,
		"bearer_methods_supported": []string{"header"}, "resource_name": "Switchyard", "resource_documentation": Issuer(d.BaseURL) + "/docs",
	})
}

// aboutServer lists the addresses of the server and what the server can do (RFC 8414).
func (d Deps) aboutServer(c *route.Call) (route.Raw, error) {
	c.Header().Set("Cache-Control", aboutKept)
	issuer, none := Issuer(d.BaseURL), []string{"none"} // there are only public clients
	return jsonAnswer(http.StatusOK, map[string]any{
		"issuer": issuer, "authorization_endpoint": issuer + AuthorizePath, "token_endpoint": issuer + TokenPath,
		"revocation_endpoint": issuer + RevokePath, "registration_endpoint": issuer + RegisterPath,
		"scopes_supported": models.AllRights, "response_types_supported": []string{"code"}, "response_modes_supported": []string{"query"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported": none, "revocation_endpoint_auth_methods_supported": none,
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
		"client_id_metadata_document_supported":          true,
		"service_documentation":                          issuer + "/docs",
	})
}

// maxQuery is the maximum length, in bytes, of the query that authorize passes on.
const maxQuery = 12 << 10

// authorize sends the browser to the page of the dashboard. The browser does not send the session's cookie with a navigation
// from another site. The page's own script therefore asks the dashboard what the program requests.
func (d Deps) authorize(c *route.Call) (route.Raw, error) {
	query := c.Request.URL.RawQuery
	if len(query) > maxQuery {
		return route.Raw{}, models.Invalid("invalid_request", "the query has at most %d bytes", maxQuery)
	}
	c.Header().Set("Location", Issuer(d.BaseURL)+ConnectPath+"?"+query)
	c.Header().Set("Referrer-Policy", "no-referrer")
	return route.Raw{Status: http.StatusFound, Type: "text/plain; charset=utf-8"}, nil
}

// limit counts a call from a client address, and returns an error if there are too many.
func (d Deps) limit(c *route.Call, name string, calls int, within time.Duration) error {
	w := d.Rates.AllowWithin(c.Context(), "assistant-"+name+":"+netguard.ClientPrefix(c.Client).String(), calls, within)
	if !w.Over {
		return nil
	}
	c.Header().Set("Retry-After", seconds(w.Reset))
	return models.Errorf(models.KindTooMany, "temporarily_unavailable", "too many calls from this address: try again later")
}

// recordEnd records in the audit log that an assistant was disconnected. It already is disconnected, so a failure is only logged.
func (d Deps) recordEnd(ctx context.Context, c *route.Call, ended *models.AssistantGrant) {
	e := models.AuditEntry{
		AccountID: ended.AccountID, Who: ended.ClientName, Address: c.Address(), Route: c.Route.Method + " " + c.Route.Path, Record: ended.ID.String(),
	}
	e.KeyID.UUID, e.KeyID.Valid = ended.ID, true
	if err := d.Store.AddAudit(ctx, e); err != nil {
		slog.ErrorContext(ctx, "end of an assistant not in the audit log", "request_id", c.RequestID, "error", err)
	}
}

// Serves reports whether a path belongs to the server.
func Serves(path string) bool {
	return slices.Contains(Paths, path)
}
