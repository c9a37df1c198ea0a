package middleware

import (
	"net/http"
	"strings"
	"time"

	"switchyard/api/route"
	"switchyard/db/assistant"
	"switchyard/models"
)

// takesTokens reports whether a call may carry the access token of a connected assistant: at /mcp, and when a tool calls the API in
// this process. Everywhere else such a token is an unknown key.
func takesTokens(c *route.Call) bool {
	return c.Route.Tokens || route.ViaOf(c.Context()).Through == models.ViaMCP
}

// assistantHolder finds the connected assistant of an access token.
func (p *Pipeline) assistantHolder(c *route.Call, token string) error {
	caller, err := assistant.New(p.store).Authenticate(c.Context(), token, p.site.Resource(), time.Now())
	if err != nil {
		p.challenge(c, err, token)
		return err
	}
	rights := caller.Grant.Rights.Within(caller.Role)
	c.Account, c.KeyID, c.KeyScope, c.Role = caller.Account, caller.Grant.ID, rights.KeyScope(), caller.Role
	c.Assistant = &models.AssistantCaller{Rights: rights, Client: caller.Grant.ClientName, Person: caller.Person}
	return nil
}

// mayPropose reports whether an assistant may make this call because it only stores a proposal.
func mayPropose(c *route.Call) bool {
	return c.Assistant != nil && c.Route.Proposes && c.Assistant.Rights.Includes(models.RightsPropose)
}

// checkAssistant refuses a call that the person behind the assistant could not make. It also refuses each call for which a person
// must prove who they are, because an assistant cannot do this.
func checkAssistant(c *route.Call) error {
	if err := checkRole(c); err != nil {
		return err
	}
	if c.Route.Confirm {
		return errConfirm
	}
	return nil
}

// The resource /mcp, and the path of the documents about it (RFC 9728).
const (
	ResourcePath    = "/mcp"
	ResourceAbout   = "/.well-known/oauth-protected-resource"
	challengedScope = string(models.RightsRead) // the least that a program asks for; a person may grant more
)

// Resource returns the address at which access tokens are valid.
func (s *Site) Resource() string { return strings.TrimSuffix(s.url, "/") + ResourcePath }

// challenge sets the header that explains how to authenticate (RFC 6750 and 9728), if err refuses the caller as unauthenticated.
func (p *Pipeline) challenge(c *route.Call, err error, credential string) {
	e, ok := models.AsError(err)
	if !ok || e.Kind != models.KindUnauthenticated {
		return
	}
	p.site.SetChallenge(c.Header(), c.Route.Tokens, credential != "")
}

// SetChallenge sets the header WWW-Authenticate of an answer with the status 401. The argument tokens says whether access tokens
// are valid for the call, and invalid whether the caller has sent an invalid credential.
func (s *Site) SetChallenge(h http.Header, tokens, invalid bool) {
	text := `Bearer realm="switchyard"`
	if invalid && tokens {
		text += `, error="invalid_token"`
	}
	if tokens {
		text += `, resource_metadata="` + strings.TrimSuffix(s.url, "/") + ResourceAbout + ResourcePath + `", scope="` + challengedScope + `"`
	}
	h.Set("WWW-Authenticate", text)
}
