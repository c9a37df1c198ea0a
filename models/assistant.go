package models

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
)

// Rights is what a connected assistant may do on an account. Rights are the scopes of OAuth.
type Rights string

// The rights. Each includes all rights before it.
const (
	RightsRead    Rights = "read"
	RightsPropose Rights = "propose" // store proposals that people then apply
	RightsChange  Rights = "change"
)

// AllRights lists all rights, the weakest first.
var AllRights = []Rights{RightsRead, RightsPropose, RightsChange}

// Includes reports whether the rights include other rights. Unknown rights include nothing.
func (r Rights) Includes(other Rights) bool {
	return slices.Contains(AllRights, r) && slices.Index(AllRights, r) >= slices.Index(AllRights, other)
}

// Scope returns the rights, with all rights that they include, as the scope of a token.
func (r Rights) Scope() string {
	var names []string
	for _, other := range AllRights {
		if r.Includes(other) {
			names = append(names, string(other))
		}
	}
	return strings.Join(names, " ")
}

// KeyScope returns the scope of the API key with which an assistant with these rights acts.
func (r Rights) KeyScope() string {
	if r.Includes(RightsChange) {
		return ScopeFull
	}
	return ScopeReadOnly
}

// RightsOfRole lists the rights that a person with a role can give to an assistant.
func RightsOfRole(role Role) []Rights {
	switch {
	case role.Includes(RoleContributor):
		return AllRights
	case role.Includes(RoleViewer):
		return AllRights[:1]
	}
	return nil
}

// Within returns the rights if the role allows them, or else the strongest rights that the role allows.
func (r Rights) Within(role Role) Rights {
	allowed := RightsOfRole(role)
	switch {
	case len(allowed) == 0:
		return ""
	case slices.Contains(allowed, r):
		return r
	}
	return allowed[len(allowed)-1]
}

// RightsOfScope returns the strongest rights in a scope. It ignores unknown names. A scope without rights means the right to
// read.
func RightsOfScope(scope string) Rights {
	asked := RightsRead
	for _, name := range strings.Fields(scope) {
		if r := Rights(name); r.Includes(asked) {
			asked = r
		}
	}
	return asked
}

// The kinds of clients of assistants.
const (
	ClientRegistered = "registered" // the client sent its data to POST /oauth/register
	ClientDocument   = "document"   // the client publishes its data at the URL that is its id
)

// AssistantClient is a program with which people connect an assistant. It chooses its own name, which can be anything.
type AssistantClient struct {
	ID           string    `db:"id"`
	Kind         string    `db:"kind"`
	Name         string    `db:"name"`
	RedirectURIs []string  `db:"redirect_uris"`
	ReadAt       time.Time `db:"read_at"`
}

// Host returns the host that is responsible for the client: the host of its document, or else the host of the redirect address.
func (c AssistantClient) Host(redirect string) string {
	if c.Kind == ClientDocument {
		redirect = c.ID
	}
	u, err := url.Parse(redirect)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// Allows reports whether the client may redirect to an address. The address must be one of the client's. Only the port
// of an address of the local machine may differ, because a program there chooses a free port (RFC 8252).
func (c AssistantClient) Allows(redirect string) bool {
	if !ValidRedirect(redirect) {
		return false
	}
	return slices.Contains(c.RedirectURIs, redirect) || slices.ContainsFunc(c.RedirectURIs, func(own string) bool {
		a, b := withoutPort(own), withoutPort(redirect)
		return a != "" && a == b
	})
}

// withoutPort returns an http address without its port, or "" for any other address.
func withoutPort(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme != "http" {
		return ""
	}
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(redirect, "http://"), u.Host)
	return "http://" + host + rest
}

const (
	maxRedirects  = 20
	maxRedirect   = 2000 // bytes
	maxClientName = 80   // characters
)

var loopbackHosts = []string{"127.0.0.1", "::1", "localhost"}

// ValidRedirect reports whether an address can be a client's redirect address. It must be https, or http on the local machine,
// and have no fragment, user or wildcard.
func ValidRedirect(redirect string) bool {
	u, err := url.Parse(redirect)
	if err != nil || len(redirect) > maxRedirect || strings.ContainsAny(redirect, "#*\\ ") || u.User != nil || u.Hostname() == "" || u.Opaque != "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && slices.Contains(loopbackHosts, u.Hostname())
}

// IsClientDocument reports whether a client's id can be the URL of its document. Such a URL is https and has a path without dot
// segments. It has neither a user nor a fragment.
func IsClientDocument(id string) bool {
	u, err := url.Parse(id)
	if err != nil || len(id) > maxRedirect || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Contains(id, "#") {
		return false
	}
	segments := strings.Split(u.Path, "/")
	return len(u.Path) > 1 && !slices.Contains(segments, ".") && !slices.Contains(segments, "..")
}

// ClientMetadata is the data that a client sends about itself (RFC 7591). Members that this service does not use are left out.
type ClientMetadata struct {
	ClientID                string   `json:"client_id"`
	ClientName              string   `json:"client_name"`
	RedirectURIs            []string `json:"redirect_uris"`
	GrantTypes              []string `json:"grant_types"`
	ResponseTypes           []string `json:"response_types"`
	TokenEndpointAuthMethod string   `json:"token_endpoint_auth_method"`
}

// Client returns the client that the metadata describe, without an id. Errors: invalid_redirect_uri, invalid_client_metadata.
func (m ClientMetadata) Client() (AssistantClient, error) {
	c := AssistantClient{Name: CleanClientName(m.ClientName), RedirectURIs: m.RedirectURIs}
	switch {
	case len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxRedirects:
		return c, Invalid("invalid_redirect_uri", "redirect_uris must have 1 to %d addresses", maxRedirects)
	case len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, "authorization_code"):
		return c, Invalid("invalid_client_metadata", "grant_types must contain authorization_code")
	case len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code"):
		return c, Invalid("invalid_client_metadata", "response_types must contain code")
	}
	for _, redirect := range m.RedirectURIs {
		if !ValidRedirect(redirect) {
			return c, Invalid("invalid_redirect_uri", "a redirect address begins with https://, or with http:// on this machine, and has no fragment, user or wildcard")
		}
	}
	if c.Name == "" {
		c.Name = c.Host(c.RedirectURIs[0])
	}
	return c, nil
}

// ParseClientDocument returns the client that the document at a URL describes. The document's client_id must be that URL.
// Redirect addresses that this service does not accept are left out, because they may be for other services. Error:
// invalid_client.
func ParseClientDocument(address string, body []byte) (AssistantClient, error) {
	var m ClientMetadata
	if json.Unmarshal(body, &m) != nil {
		return AssistantClient{}, Invalid("invalid_client", "the document of this client is not a JSON object with the expected members")
	}
	m.RedirectURIs = slices.DeleteFunc(m.RedirectURIs, func(redirect string) bool { return !ValidRedirect(redirect) })
	switch {
	case m.ClientID != address:
		return AssistantClient{}, Invalid("invalid_client", "the document of this client has another client_id")
	case CleanClientName(m.ClientName) == "":
		return AssistantClient{}, Invalid("invalid_client", "the document of this client has no client_name")
	case strings.HasPrefix(m.TokenEndpointAuthMethod, "client_secret"):
		return AssistantClient{}, Invalid("invalid_client", "the document of this client asks for a secret, and a public document cannot have one")
	}
	c, err := m.Client()
	if e, ok := AsError(err); ok {
		return c, Invalid("invalid_client", "the document of this client is not accepted: %s", e.Message)
	}
	c.ID, c.Kind = address, ClientDocument
	return c, nil
}

// CleanClientName returns the printable characters of a name that a program has chosen for itself, up to maxClientName characters.
// Characters that change the direction of text do not count as printable.
func CleanClientName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	return strings.TrimSpace(Cut(strings.TrimSpace(name), maxClientName))
}

// Prefixes of the secrets of assistants, and of the ids of registered clients.
const (
	accessPrefix  = "sy_at_"
	refreshPrefix = "sy_rt_"
	codePrefix    = "sy_ac_"
	clientPrefix  = "sy_client_"
	tokenLength   = 43 // characters of NewToken
)

// NewAccessToken returns a random access token.
func NewAccessToken() string { return accessPrefix + NewToken() }

// NewRefreshToken returns a random refresh token.
func NewRefreshToken() string { return refreshPrefix + NewToken() }

// NewAuthorizationCode returns a random authorization code.
func NewAuthorizationCode() string { return codePrefix + NewToken() }

// NewClientID returns a random id for a client that registers.
func NewClientID() string { return clientPrefix + NewToken() }

// LooksLikeAccessToken reports whether a text has the form of an access token.
func LooksLikeAccessToken(text string) bool {
	return strings.HasPrefix(text, accessPrefix) && len(text) == len(accessPrefix)+tokenLength
}

// Lifetimes of the secrets of assistants. A refresh token is replaced at each use, so an assistant that is not used for
// RefreshTokenLife must be connected again.
const (
	AuthorizationCodeLife = time.Minute
	AccessTokenLife       = 10 * time.Minute
	RefreshTokenLife      = 30 * 24 * time.Hour
	// ClientDocumentLife is the time after which a client's document is read again.
	ClientDocumentLife = 24 * time.Hour
)

// AssistantGrant is a connected assistant: a client that acts for a person on an account. It has the same id as its API key.
type AssistantGrant struct {
	ID         uuid.UUID  `db:"id"`
	AccountID  uuid.UUID  `db:"account_id"`
	PersonID   uuid.UUID  `db:"user_id"`
	Person     string     `db:"person"` // the person's name or, without a name, the e-mail address
	ClientID   string     `db:"client_id"`
	ClientName string     `db:"client_name"`
	ClientHost string     `db:"client_host"`
	Rights     Rights     `db:"rights"`
	Resource   string     `db:"resource"`
	CreatedAt  time.Time  `db:"created_at"`
	UsedAt     *time.Time `db:"used_at"` // precise to a few minutes; nil: never
}

// AssistantCaller is the connected assistant that makes a call. Rights are the granted rights, limited to what the person's
// present role allows.
type AssistantCaller struct {
	Rights Rights
	Client string
	Person Person
}
