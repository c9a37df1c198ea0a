package form

import (
	"switchyard/models"
	"switchyard/models/bind"
)

// ProtectionBody is a change of a landing page's protection. A field that is left out keeps its value. Null resets a field to
// its default.
type ProtectionBody struct {
	Enabled        bind.Opt[bool]     `json:"enabled"`
	Mode           bind.Opt[string]   `json:"mode" enum:"off,click,signed" doc:"off, click or signed"`
	TTLSeconds     bind.Opt[int]      `json:"ttlSeconds" bad:"invalid_input" min:"60" max:"86400"`
	BindIP         bind.Opt[bool]     `json:"bindIp"`
	BindUserAgent  bind.Opt[bool]     `json:"bindUserAgent"`
	SingleUse      bind.Opt[bool]     `json:"singleUse"`
	BlockBots      bind.Opt[bool]     `json:"blockBots"`
	Countries      bind.Opt[[]string] `json:"countries" bad:"invalid_input" trim:"true" unique:"true" format:"iso_country" maxItems:"300" doc:"country codes of two letters"`
	DenyCountries  bind.Opt[[]string] `json:"denyCountries" bad:"invalid_input" trim:"true" unique:"true" format:"iso_country" maxItems:"300" doc:"country codes of two letters"`
	Devices        bind.Opt[[]string] `json:"devices" trim:"true" case:"lower" unique:"true" enum:"desktop,mobile,tablet,console,tv,wearable,car,bot,unknown" doc:"device types"`
	Referrers      bind.Opt[[]string] `json:"referrers" bad:"invalid_input" trim:"true" case:"lower" unique:"true" itemLength:"255" maxItems:"100" format:"domain" doc:"domains, up to 255 characters each"`
	FallbackURL    bind.Opt[string]   `json:"fallbackUrl" bad:"invalid_fallback" trim:"true" maxLength:"4000" format:"routable" doc:"http(s), or empty"`
	FallbackStatus bind.Opt[int]      `json:"fallbackStatus" enum:"302,403,404" doc:"302, 403 or 404"`
}

// Change applies the body to a protection.
func (b ProtectionBody) Change(p *models.Protection) {
	def := models.DefaultProtection()
	b.Enabled.Into(&p.Enabled, def.Enabled)
	b.Mode.Into(&p.Mode, def.Mode)
	b.TTLSeconds.Into(&p.TTLSeconds, def.TTLSeconds)
	b.BindIP.Into(&p.BindIP, def.BindIP)
	b.BindUserAgent.Into(&p.BindUserAgent, def.BindUserAgent)
	b.SingleUse.Into(&p.SingleUse, def.SingleUse)
	b.BlockBots.Into(&p.BlockBots, def.BlockBots)
	b.Countries.Into(&p.Countries, def.Countries)
	b.DenyCountries.Into(&p.DenyCountries, def.DenyCountries)
	b.Devices.Into(&p.Devices, def.Devices)
	b.Referrers.Into(&p.Referrers, def.Referrers)
	b.FallbackURL.Into(&p.FallbackURL, def.FallbackURL)
	b.FallbackStatus.Into(&p.FallbackStatus, def.FallbackStatus)
}
