package v1

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/models"
	"switchyard/models/check"
)

// LanderToggle is what decides which of its two things PATCH /landers does. Unlike other records, a landing page has
// no invalid_status: is_active that is not a boolean is invalid_input.
type LanderToggle struct {
	bind.ID
	IsActive bind.Opt[bool] `json:"is_active" doc:"when sent, pauses or resumes, and protection is not read"`
}

// LanderPatch is the body of PATCH /landers.
type LanderPatch struct {
	LanderToggle
	Protection bind.Opt[ProtectionBody] `json:"protection" bad:"bad_body" doc:"who is shown the page"`
}

// ProtectionBody changes a landing page's protection: a member left out is kept, null goes back to its default.
type ProtectionBody struct {
	Enabled        bind.Opt[bool]     `json:"enabled"`
	Mode           bind.Opt[string]   `json:"mode" doc:"off, click or signed"`
	TTLSeconds     bind.Opt[int]      `json:"ttlSeconds" min:"60" max:"86400"`
	BindIP         bind.Opt[bool]     `json:"bindIp"`
	BindUserAgent  bind.Opt[bool]     `json:"bindUserAgent"`
	SingleUse      bind.Opt[bool]     `json:"singleUse"`
	BlockBots      bind.Opt[bool]     `json:"blockBots"`
	Countries      bind.Opt[[]string] `json:"countries" maxItems:"300" doc:"two letters each"`
	DenyCountries  bind.Opt[[]string] `json:"denyCountries" maxItems:"300" doc:"two letters each"`
	Devices        bind.Opt[[]string] `json:"devices" doc:"device types"`
	Referrers      bind.Opt[[]string] `json:"referrers" maxItems:"100" doc:"domains, up to 255 characters each"`
	FallbackURL    bind.Opt[string]   `json:"fallbackUrl" bad:"invalid_fallback" doc:"http(s), or empty"`
	FallbackStatus bind.Opt[int]      `json:"fallbackStatus" doc:"302, 403 or 404"`
}

// LanderPatchAnswer has the status when that was changed, and else the protection.
type LanderPatchAnswer struct {
	ID         uuid.UUID          `json:"id"`
	Status     string             `json:"status,omitempty" enum:"active,paused"`
	Protection *models.Protection `json:"protection,omitempty"`
}

func patchLander(c *route.Call, b LanderToggle) (LanderPatchAnswer, error) {
	id, err := b.RecordID()
	if err != nil {
		return LanderPatchAnswer{}, err
	}
	if b.IsActive.Set {
		if b.IsActive.Null {
			return LanderPatchAnswer{}, models.Invalid("invalid_input", "is_active must be true or false")
		}
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

// change writes what was sent into a protection and checks the result.
func (b ProtectionBody) change(p *models.Protection) error {
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
	return checkProtection(p)
}

// set gives a field what was sent for it; null is the default, left out changes nothing.
func set[T any](field *T, sent bind.Opt[T], def T) {
	if sent.Set {
		*field = sent.Or(def)
	}
}

// The limits of a protection.
const (
	minProtectionTTL = 60
	maxProtectionTTL = 86_400
	maxCountries     = 300 // more than there are
	maxReferrers     = 100
	maxReferrer      = 255 // characters
)

// checkProtection refuses what is no protection and puts its texts into the form in which they are compared.
func checkProtection(p *models.Protection) error {
	p.FallbackURL = strings.TrimSpace(p.FallbackURL)
	if utf8.RuneCountInString(p.FallbackURL) > check.MaxURL || p.FallbackURL != "" && !isAddress(p.FallbackURL) {
		return models.Invalid("invalid_fallback", "protection.fallbackUrl must be an http or https address of at most "+
			"%d characters, or empty", check.MaxURL)
	}
	switch {
	case !slices.Contains([]string{models.ProtectOff, models.ProtectClick, models.ProtectSigned}, p.Mode):
		return models.Invalid("invalid_input", "protection.mode must be off, click or signed")
	case p.TTLSeconds < minProtectionTTL || p.TTLSeconds > maxProtectionTTL:
		return models.Invalid("invalid_input", "protection.ttlSeconds must be from %d to %d",
			minProtectionTTL, maxProtectionTTL)
	case !slices.Contains([]int{302, 403, 404}, p.FallbackStatus):
		return models.Invalid("invalid_input", "protection.fallbackStatus must be 302, 403 or 404")
	}
	lists := []struct {
		name string
		list *[]string
		most int
		form func(string) string
		ok   func(string) bool
	}{
		{"countries", &p.Countries, maxCountries, strings.ToUpper, isCountry},
		{"denyCountries", &p.DenyCountries, maxCountries, strings.ToUpper, isCountry},
		{
			"devices", &p.Devices, len(models.DeviceTypes), strings.ToLower,
			func(s string) bool { return slices.Contains(models.DeviceTypes, s) },
		},
		{
			"referrers", &p.Referrers, maxReferrers, strings.ToLower,
			func(s string) bool { return utf8.RuneCountInString(s) <= maxReferrer },
		},
	}
	for _, l := range lists {
		tidy := []string{}
		for _, item := range *l.list {
			item = l.form(strings.TrimSpace(item))
			if item == "" || !l.ok(item) {
				return models.Invalid("invalid_input", "protection.%s holds what does not belong there", l.name)
			}
			if !slices.Contains(tidy, item) {
				tidy = append(tidy, item)
			}
			if len(tidy) > l.most {
				return models.Invalid("invalid_input", "protection.%s may have at most %d items", l.name, l.most)
			}
		}
		*l.list = tidy
	}
	return nil
}

func isCountry(s string) bool {
	_, err := check.Country(s)
	return err == nil
}
