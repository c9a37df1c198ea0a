package middleware

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/db/kv"
	"switchyard/models"
)

// authenticated finds the caller: by the key if there is an Authorization header, else by the session. It caches no callers, so a
// revoked key or an ended session is refused immediately.
func (p *Pipeline) authenticated(next step) step {
	return func(c *route.Call) envelope.Reply {
		credential, find := bearer(c.Request), p.keyHolder
		if _, sent := c.Request.Header["Authorization"]; !sent {
			if token := p.site.Token(c.Request); token != "" {
				credential, find = token, p.sessionHolder
			}
		}
		if window, ok := p.refusals.exhausted(credential); ok {
			return overLimit(c, window)
		}
		if err := find(c, credential); err != nil {
			return envelope.New(c, nil, err)
		}
		c.Credential = credential
		return next(c)
	}
}

// keyHolder finds the account of a key and sets it in the call, with the key's id and scope. If the call may
// carry an access token, assistantHolder handles such a token.
func (p *Pipeline) keyHolder(c *route.Call, key string) error {
	if models.LooksLikeAccessToken(key) && takesTokens(c) {
		return p.assistantHolder(c, key)
	}
	caller, err := p.store.Authenticate(c.Context(), key)
	if err != nil {
		p.challenge(c, err, key)
		return err
	}
	c.Account, c.KeyID, c.KeyScope = caller.Account, caller.KeyID, caller.Scope
	return nil
}

func bearer(r *http.Request) string {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(key)
}

// personCalls is the number of calls that a person may make in a minute. A person's calls do not count against the allowance of
// the account's keys.
const personCalls = 600

// limited counts the call. It refuses a call that the caller may not make, and any call beyond the minute's allowance.
func (p *Pipeline) limited(next step) step {
	return func(c *route.Call) envelope.Reply {
		bucket, limit := c.Account.ID.String(), c.Account.Allowances().CallsPerMinute
		if c.IsPerson() {
			bucket, limit = "person:"+c.Person.ID.String(), personCalls
		}
		window := p.rates.Allow(c.Context(), bucket, limit)
		setRateLimitHeaders(c.Header(), window)
		if err := checkAllowed(c); err != nil {
			return envelope.New(c, nil, err)
		}
		if window.Over {
			p.refusals.markExhausted(c.Credential, window)
			return overLimit(c, window)
		}
		return next(c)
	}
}

// overLimit refuses a call beyond the minute's allowance.
func overLimit(c *route.Call, w kv.Window) envelope.Reply {
	setRateLimitHeaders(c.Header(), w)
	reset := strconv.Itoa(seconds(w.Reset))
	c.Header().Set("Retry-After", reset)
	return envelope.New(c, nil, models.Errorf(models.KindTooMany, "rate_limited",
		"the %d calls of this minute are used; wait %s seconds", w.Limit, reset))
}

func setRateLimitHeaders(h http.Header, w kv.Window) {
	h.Set("RateLimit-Limit", strconv.Itoa(w.Limit))
	h.Set("RateLimit-Remaining", strconv.Itoa(w.Remaining))
	h.Set("RateLimit-Reset", strconv.Itoa(seconds(w.Reset)))
}

func checkAllowed(c *route.Call) error {
	switch {
	case c.IsPerson():
		return checkPerson(c)
	case c.Route.Callers == route.People:
		return models.Errorf(models.KindForbidden, "people_only", "this call is for people who are signed in, not for keys")
	case !c.Account.Allowances().API:
		return models.PlanLimit("the plan %q has no API", c.Account.Plan)
	case c.Route.Scope == route.Write && c.KeyScope == models.ScopeReadOnly && !mayPropose(c):
		return models.Errorf(models.KindForbidden, "read_only_key", "a read-only key cannot change anything")
	case c.Assistant != nil:
		return checkAssistant(c)
	}
	return nil
}

// seconds returns a duration in whole seconds, rounded up and at least 1, so that a waiting client does not come back too early.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// Unknown answers a call that no row serves: 405 if the path has rows for other methods, else 404. A call with a key or a session
// counts against the caller's limit.
func (p *Pipeline) Unknown(w http.ResponseWriter, r *http.Request, methods []string) {
	err := models.Errorf(models.KindNotFound, "not_found", "there is no such path; the page at /docs lists every path")
	if len(methods) > 0 {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		err = models.Errorf(models.KindMethod, "method_not_allowed", "this path has no method %.20s", r.Method)
	}
	refuse := func(c *route.Call) envelope.Reply { return envelope.New(c, nil, err) }
	steps := step(refuse)
	if bearer(r) != "" || p.site.Token(r) != "" {
		steps = p.authenticated(p.limited(refuse))
	}
	row := route.Route{Codes: route.Codes("404 not_found", "405 method_not_allowed")}.WithDefaults()
	p.answer(&row, w, r, nil, steps)
}
