package assistants

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"switchyard/api/route"
	"switchyard/db/assistant"
	"switchyard/models"
)

// Limits of calls from one client address, and of one body. The services of large assistants send the calls of many people from few
// addresses.
const (
	tokensPerAddress    = 600
	tokensWithin        = time.Minute
	registersPerAddress = 20
	registersWithin     = time.Hour
	maxForm             = 16 << 10 // bytes of a body
)

func seconds(d time.Duration) string {
	return strconv.Itoa(max(1, int(d.Round(time.Second).Seconds())))
}

func body(c *route.Call, mediaType string) ([]byte, error) {
	if got, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type")); err != nil || got != mediaType {
		return nil, models.Invalid("invalid_request", "the body must be %s", mediaType)
	}
	raw, err := io.ReadAll(io.LimitReader(c.Request.Body, maxForm+1))
	switch {
	case err != nil:
		return nil, models.Invalid("invalid_request", "the body ended early")
	case len(raw) > maxForm:
		return nil, models.Errorf(models.KindTooLarge, "invalid_request", "the body has at most %d bytes", maxForm)
	}
	return raw, nil
}

// form reads the form of a call of a public client. Such a client has no secret, so it sends no Authorization header.
func (d Deps) form(c *route.Call) (url.Values, error) {
	if err := d.limit(c, "token", tokensPerAddress, tokensWithin); err != nil {
		return nil, err
	}
	raw, err := body(c, "application/x-www-form-urlencoded")
	if err != nil {
		return nil, err
	}
	f, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, models.Invalid("invalid_request", "the body is not a form")
	}
	for name, values := range f {
		if len(values) > 1 {
			return nil, models.Invalid("invalid_request", "%.40q is given more than once", name)
		}
	}
	switch {
	case c.Request.Header.Get("Authorization") != "" || f.Get("client_secret") != "":
		c.Header().Set("WWW-Authenticate", `Basic realm="switchyard"`)
		return nil, models.Errorf(models.KindUnauthenticated, "invalid_client", "clients have no secret here: send client_id in the form, without a secret or an Authorization header")
	case f.Get("client_id") == "":
		return nil, models.Invalid("invalid_request", "client_id is missing")
	}
	return f, nil
}

// tokenAnswer is the answer with new tokens (RFC 6749, 5.1).
type tokenAnswer struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// token exchanges a code or a refresh token for tokens.
func (d Deps) token(c *route.Call) (route.Raw, error) {
	f, err := d.form(c)
	if err != nil {
		return route.Raw{}, err
	}
	x := assistant.Exchange{
		Client: f.Get("client_id"), Redirect: f.Get("redirect_uri"), Verifier: f.Get("code_verifier"), Scope: f.Get("scope"),
	}
	if asked := f.Get("resource"); asked != "" {
		if !isResource(d.BaseURL, asked) {
			return route.Raw{}, models.Invalid("invalid_target", "the resource must be %s", Resource(d.BaseURL))
		}
		x.Resource = Resource(d.BaseURL)
	}
	var tokens assistant.Tokens
	switch secret := assistant.New(d.Store); f.Get("grant_type") {
	case "authorization_code":
		tokens, err = secret.RedeemCode(c.Context(), f.Get("code"), x, d.Now())
	case "refresh_token":
		tokens, err = secret.Refresh(c.Context(), f.Get("refresh_token"), x, d.Now())
	case "":
		err = models.Invalid("invalid_request", "grant_type is missing")
	default:
		err = models.Invalid("unsupported_grant_type", "grant_type is authorization_code or refresh_token")
	}
	if err != nil {
		return route.Raw{}, err
	}
	return jsonAnswer(http.StatusOK, tokenAnswer{
		AccessToken: tokens.Access, TokenType: "Bearer", ExpiresIn: int(models.AccessTokenLife.Seconds()),
		RefreshToken: tokens.Refresh, Scope: tokens.Rights.Scope(),
	})
}

// revoke ends a token that a program no longer needs (RFC 7009). A revoked refresh token disconnects the assistant. An unknown
// token is not an error.
func (d Deps) revoke(c *route.Call) (route.Raw, error) {
	f, err := d.form(c)
	if err != nil {
		return route.Raw{}, err
	}
	if f.Get("token") == "" {
		return route.Raw{}, models.Invalid("invalid_request", "token is missing")
	}
	ended, err := assistant.New(d.Store).RevokeToken(c.Context(), f.Get("token"), f.Get("client_id"), d.Now())
	if err != nil {
		return route.Raw{}, err
	}
	if ended != nil {
		d.recordEnd(c.Context(), c, ended)
	}
	return jsonAnswer(http.StatusOK, struct{}{})
}

// registered is the answer to a registration (RFC 7591, 3.2.1).
type registered struct {
	ClientID                string   `json:"client_id"`
	ClientIDIssuedAt        int64    `json:"client_id_issued_at"`
	ClientName              string   `json:"client_name"`
	RedirectURIs            []string `json:"redirect_uris"`
	GrantTypes              []string `json:"grant_types"`
	ResponseTypes           []string `json:"response_types"`
	TokenEndpointAuthMethod string   `json:"token_endpoint_auth_method"`
	Scope                   string   `json:"scope"`
}

// register stores a program that registers itself. Every registered program is a public client, whatever it asks for.
func (d Deps) register(c *route.Call) (route.Raw, error) {
	raw, err := body(c, "application/json")
	if err != nil {
		return route.Raw{}, err
	}
	var m models.ClientMetadata
	if json.Unmarshal(raw, &m) != nil {
		return route.Raw{}, models.Invalid("invalid_client_metadata", "the body is not the JSON of a registration")
	}
	client, err := m.Client()
	if err != nil {
		return route.Raw{}, err
	}
	if err := d.limit(c, "register", registersPerAddress, registersWithin); err != nil {
		return route.Raw{}, err
	}
	now := d.Now()
	client.ID, client.Kind = models.NewClientID(), models.ClientRegistered
	if err := assistant.New(d.Store).StoreClient(c.Context(), client, now); err != nil {
		return route.Raw{}, err
	}
	return jsonAnswer(http.StatusCreated, registered{
		ClientID: client.ID, ClientIDIssuedAt: now.Unix(), ClientName: client.Name, RedirectURIs: client.RedirectURIs,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		Scope: models.RightsChange.Scope(),
	})
}
