package v1

import (
	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
)

// LanderToggle decides whether PATCH /landers changes the status or the protection. If is_active is not a boolean, the error is
// invalid_input. For other kinds of records it is invalid_status.
type LanderToggle struct {
	bind.ID
	IsActive bind.Opt[bool] `json:"is_active" null:"refused" doc:"true resumes the landing page, false pauses it; if is_active is sent, protection is ignored"`
}

// LanderPatch is the body of PATCH /landers.
type LanderPatch struct {
	LanderToggle
	Protection bind.Opt[form.ProtectionBody] `json:"protection" bad:"bad_body" doc:"which visitors see the page"`
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
	saved, err := c.Store.Landers().Protect(c.Context(), c.Account.ID, id, patch.Protection.Value.Change)
	return LanderPatchAnswer{ID: id, Protection: &saved}, err
}
