package v1

import (
	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/models"
	"switchyard/models/bind"
)

// LanderToggle is the part of the body that decides whether PATCH /landers changes the status or the protection. Unlike other
// records, a landing page has no error invalid_status. If is_active is not a boolean, the error is invalid_input.
type LanderToggle struct {
	bind.ID
	IsActive bind.Opt[bool] `json:"is_active" null:"refused" doc:"when sent, pauses or resumes, and protection is not read"`
}

// LanderPatch is the body of PATCH /landers.
type LanderPatch struct {
	LanderToggle
	Protection bind.Opt[ProtectionBody] `json:"protection" bad:"bad_body" doc:"who is shown the page"`
}

// ProtectionBody changes a landing page's protection. A field that is left out keeps its value. Null resets a field to its default.
type ProtectionBody struct {
	Enabled        bind.Opt[bool]     `json:"enabled"`
	Mode           bind.Opt[string]   `json:"mode" enum:"off,click,signed" doc:"off, click or signed"`
	TTLSeconds     bind.Opt[int]      `json:"ttlSeconds" bad:"invalid_input" min:"60" max:"86400"`
	BindIP         bind.Opt[bool]     `json:"bindIp"`
	BindUserAgent  bind.Opt[bool]     `json:"bindUserAgent"`
	SingleUse      bind.Opt[bool]     `json:"singleUse"`
	BlockBots      bind.Opt[bool]     `json:"blockBots"`
	Countries      bind.Opt[[]string] `json:"countries" bad:"invalid_input" trim:"true" unique:"true" format:"iso_country" maxItems:"300" doc:"two letters each"`
	DenyCountries  bind.Opt[[]string] `json:"denyCountries" bad:"invalid_input" trim:"true" unique:"true" format:"iso_country" maxItems:"300" doc:"two letters each"`
	Devices        bind.Opt[[]string] `json:"devices" trim:"true" case:"lower" unique:"true" enum:"desktop,mobile,tablet,console,tv,wearable,car,bot,unknown" doc:"device types"`
	Referrers      bind.Opt[[]string] `json:"referrers" bad:"invalid_input" trim:"true" case:"lower" unique:"true" itemLength:"255" maxItems:"100" format:"domain" doc:"domains, up to 255 characters each"`
	FallbackURL    bind.Opt[string]   `json:"fallbackUrl" bad:"invalid_fallback" trim:"true" maxLength:"4000" format:"routable" doc:"http(s), or empty"`
	FallbackStatus bind.Opt[int]      `json:"fallbackStatus" enum:"302,403,404" doc:"302, 403 or 404"`
}

// LanderPatchAnswer has the status if the call changed the status. Otherwise it has the protection.
type LanderPatchAnswer struct {
	ID         uuid.UUID          `json:"id"`
	Status     string             `json:"status,omitempty" enum:"active,paused"`
	Protection *models.Protection `json:"protection,omitempty"`
}

func patchLander(c *route.Call, b LanderToggle) (LanderPatchAnswer, error) {
	id := b.RecordID()
	if b.IsActive.Set {
		err := c.Store.Landers().SetActive(c.Context(), c.Account.ID, id, b.IsActive.Value)
		return LanderPatchAnswer{ID: id, Status: models.StatusOf(b.IsActive.Value)}, err
	}
	var patch LanderPatch
	if err := bind.Decode(c.Body, &patch); err != nil {
		return LanderPatchAnswer{}, err
	}
	if !patch.Protection.Given() {
		return LanderPatchAnswer{}, models.Invalid("bad_body", "is_active or the object protection is required")
	}
	saved, err := c.Store.Landers().Protect(c.Context(), c.Account.ID, id, patch.Protection.Value.change)
	return LanderPatchAnswer{ID: id, Protection: &saved}, err
}

// change copies the fields that the call sent to a protection.
func (b ProtectionBody) change(p *models.Protection) {
	def := models.DefaultProtection()
	set(&p.Enabled, b.Enabled, def.Enabled)
	set(&p.Mode, b.Mode, def.Mode)
	set(&p.TTLSeconds, b.TTLSeconds, def.TTLSeconds)
	set(&p.BindIP, b.BindIP, def.BindIP)
	set(&p.BindUserAgent, b.BindUserAgent, def.BindUserAgent)
	set(&p.SingleUse, b.SingleUse, def.SingleUse)
	set(&p.BlockBots, b.BlockBots, def.BlockBots)
	set(&p.Countries, b.Countries, def.Countries)
	set(&p.DenyCountries, b.DenyCountries, def.DenyCountries)
	set(&p.Devices, b.Devices, def.Devices)
	set(&p.Referrers, b.Referrers, def.Referrers)
	set(&p.FallbackURL, b.FallbackURL, def.FallbackURL)
	set(&p.FallbackStatus, b.FallbackStatus, def.FallbackStatus)
}

// set assigns a value that the call sent to a field. Null assigns the default. A field that was left out does not change.
func set[T any](field *T, sent bind.Opt[T], def T) {
	if sent.Set {
		*field = sent.Or(def)
	}
}
