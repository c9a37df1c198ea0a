package routing

import (
	"encoding/json"
	"slices"
	"strings"

	"switchyard/models"
	"switchyard/models/token"
)

// Guard is the compiled protection of a landing page. The redirect calls Admits. The page itself asks at /lp/verify whether a
// visitor came through the redirect.
type Guard struct {
	models.Protection
	Fallback *token.Template // nil: refused visitors are sent nowhere
}

// newGuard returns nil if the protection is off, or if its settings cannot be read.
func newGuard(saved json.RawMessage) *Guard {
	p := models.DefaultProtection()
	// If the settings cannot be read, every visitor is let in. This costs the page's owner less than a page that refuses everyone.
	if len(saved) == 0 || json.Unmarshal(saved, &p) != nil || !p.Enabled {
		return nil
	}
	return &Guard{Protection: p, Fallback: compileURL(p.FallbackURL)}
}

// Admits reports whether BlockBots and the lists let a visitor in. If a list of allowed countries, devices or referrers is set, a
// visitor with an unknown value is refused. A list of denied countries does not refuse an unknown country.
func (g *Guard) Admits(c *models.Click) bool {
	switch {
	case g.BlockBots && c.IsBot,
		len(g.Countries) > 0 && !slices.Contains(g.Countries, c.Country),
		c.Country != "" && slices.Contains(g.DenyCountries, c.Country),
		len(g.Devices) > 0 && !slices.Contains(g.Devices, c.DeviceType),
		len(g.Referrers) > 0 && !slices.ContainsFunc(g.Referrers, func(d string) bool { return within(c.ReferrerDomain, d) }):
		return false
	}
	return true
}

// within reports whether a host is a domain or one of its subdomains.
func within(host, domain string) bool {
	below, ok := strings.CutSuffix(strings.ToLower(host), domain)
	return ok && (below == "" || strings.HasSuffix(below, "."))
}
