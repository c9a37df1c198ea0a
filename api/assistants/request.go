package assistants

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"switchyard/api/middleware"
	"switchyard/db/assistant"
	"switchyard/db/store"
	"switchyard/models"
)

// Request is an authorization request, with which a program asks a person for rights (RFC 6749, 7636 and 8707).
type Request struct {
	ClientID            string `json:"client_id" required:"true" maxLength:"2000"`
	RedirectURI         string `json:"redirect_uri" required:"true" maxLength:"2000"`
	ResponseType        string `json:"response_type" maxLength:"100"`
	CodeChallenge       string `json:"code_challenge" maxLength:"200"`
	CodeChallengeMethod string `json:"code_challenge_method" maxLength:"20"`
	Scope               string `json:"scope" maxLength:"1000"`
	Resource            string `json:"resource" maxLength:"2000"`
	State               string `json:"state" maxLength:"4000"`
}

// Resource returns the address of /mcp, at which tokens of assistants are valid.
func Resource(baseURL string) string {
	return strings.TrimSuffix(baseURL, "/") + middleware.ResourcePath
}

// isResource reports whether a URL is the address of /mcp. Scheme and host may be in upper case, and a slash may follow.
func isResource(baseURL, asked string) bool {
	u, err := url.Parse(asked)
	if err != nil {
		return false
	}
	u.Scheme, u.Host, u.Path = strings.ToLower(u.Scheme), strings.ToLower(u.Host), strings.TrimSuffix(u.Path, "/")
	return u.String() == Resource(baseURL)
}

// challengeForm is the form of an S256 challenge: 32 bytes in base64url.
var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Check validates a request and returns its client. Errors: invalid_client, invalid_redirect, invalid_request. The browser is never
// redirected with these errors, because the redirect address may belong to an attacker.
func Check(ctx context.Context, s *store.Store, baseURL string, r Request) (models.AssistantClient, error) {
	client, ok, err := assistant.New(s).FindClient(ctx, r.ClientID)
	switch {
	case err != nil:
		return client, err
	case !ok:
		return client, models.Invalid("invalid_client", "the program that asks is not known here: start again in the program")
	case !client.Allows(r.RedirectURI):
		return client, models.Invalid("invalid_redirect", "the program asks to go to an address that is not its own: do not connect it")
	case r.ResponseType != "code":
		return client, models.Invalid("invalid_request", "response_type must be code")
	case r.CodeChallengeMethod != "S256" || !challengeForm.MatchString(r.CodeChallenge):
		return client, models.Invalid("invalid_request", "the program must send a code_challenge by S256")
	case r.Resource != "" && !isResource(baseURL, r.Resource):
		return client, models.Invalid("invalid_request", "the program asks for another service: its resource must be %s", Resource(baseURL))
	}
	return client, nil
}

// Redirect returns the address to which the browser goes with an answer.
func Redirect(baseURL string, r Request, answer url.Values) string {
	u, err := url.Parse(r.RedirectURI)
	if err != nil {
		return "" // Check has parsed it
	}
	if r.State != "" {
		answer.Set("state", r.State)
	}
	answer.Set("iss", Issuer(baseURL))
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += answer.Encode()
	return u.String()
}

// Issuer returns the name of the authorization server: the service's address.
func Issuer(baseURL string) string { return strings.TrimSuffix(baseURL, "/") }
