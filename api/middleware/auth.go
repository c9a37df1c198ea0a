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

// authenticated finds the caller by the key. It looks the key up on every call, so a revoked one is refused at once. A
// key whose calls of the minute are used is not looked up.
func (p *Pipeline) authenticated(next step) step {
	return func(c *route.Call) envelope.Reply {
		key := bearer(c.Request)
		if window, ok := p.refusals.used(key); ok {
			return overLimit(c, window)
		}
		caller, err := p.store.Authenticate(c.Context(), key)
		if err != nil {
			if e, ok := models.AsError(err); ok && e.Kind == models.KindUnauthenticated {
				c.Header().Set("WWW-Authenticate", `Bearer realm="switchyard"`)
			}
			return envelope.Of(c, nil, err)
		}
		c.Account, c.KeyID, c.KeyScope = caller.Account, caller.KeyID, caller.Scope
		return next(c)
	}
}

func bearer(r *http.Request) string {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(key)
}

// limited counts the call. It refuses a call that the key may not make, then one beyond the minute's allowance. Every
// answer from here on has the RateLimit headers.
func (p *Pipeline) limited(next step) step {
	return func(c *route.Call) envelope.Reply {
		plan := c.Account.Allowances()
		window := p.rates.Allow(c.Context(), c.Account.ID.String(), plan.CallsPerMinute)
		tell(c.Header(), window)
		if err := allowed(c, plan); err != nil {
			return envelope.Of(c, nil, err)
		}
		if window.Over {
			p.refusals.use(bearer(c.Request), window)
			return overLimit(c, window)
		}
		return next(c)
	}
}

// overLimit refuses a call beyond the minute's allowance.
func overLimit(c *route.Call, w kv.Window) envelope.Reply {
	tell(c.Header(), w)
	reset := strconv.Itoa(seconds(w.Reset))
	c.Header().Set("Retry-After", reset)
	return envelope.Of(c, nil, models.Errorf(models.KindTooMany, "rate_limited",
		"the %d calls of this minute are used; wait %s seconds", w.Limit, reset))
}

// tell sets the RateLimit headers.
func tell(h http.Header, w kv.Window) {
	h.Set("RateLimit-Limit", strconv.Itoa(w.Limit))
	h.Set("RateLimit-Remaining", strconv.Itoa(w.Remaining))
	h.Set("RateLimit-Reset", strconv.Itoa(seconds(w.Reset)))
}

func allowed(c *route.Call, plan models.Plan) error {
	if !plan.API {
		return models.PlanLimit("the plan %q has no API", c.Account.Plan)
	}
	if c.Route.Scope == route.Write && c.KeyScope == models.ScopeReadOnly {
		return models.Errorf(models.KindForbidden, "read_only_key", "a read-only key cannot change anything")
	}
	return nil
}

// seconds rounds up to at least 1, so that a client that waits is not early.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// Unknown answers a call that no row serves: 405 if the path has rows for other methods, else 404. A call with a key
// counts against its limit.
func (p *Pipeline) Unknown(w http.ResponseWriter, r *http.Request, methods []string) {
	err := models.Errorf(models.KindNotFound, "not_found", "there is no such path; the page at /docs shows every one")
	if len(methods) > 0 {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		err = models.Errorf(models.KindMethod, "method_not_allowed", "this path has no method %.20s", r.Method)
	}
	refuse := func(c *route.Call) envelope.Reply { return envelope.Of(c, nil, err) }
	steps := step(refuse)
	if bearer(r) != "" {
		steps = p.authenticated(p.limited(refuse))
	}
	row := route.Route{Codes: route.Codes("404 not_found", "405 method_not_allowed")}.WithDefaults()
	p.answer(&row, w, r, nil, steps)
}
