package dashboard

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/models"
)

func keys() []route.Route {
	return []route.Route{
		ownerRoute("GET", "/keys", "keys of the account", route.Handle(listKeys)),
		ownerRoute("POST", "/keys", "make a key; it is shown once", route.HandleBody(createKey),
			"400 required too_long invalid_scope invalid_expiry").Creates(),
		ownerRoute("POST", "/keys/{id}/rotate", "replace a key; the old one stays valid for a day", route.Handle(rotateKey), "404 not_found", "409 not_active"),
		ownerRoute("DELETE", "/keys/{id}", "end a key at once", route.Handle(revokeKey), "404 not_found"),
	}
}

// KeyRow is an API key. Key is the clear text, which only the calls that make a key return.
type KeyRow struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	Scope     string    `json:"scope"`
	Hint      string    `json:"hint"`
	State     string    `json:"state" enum:"active,rotated,expired,revoked"`
	CreatedAt string    `json:"created_at"`
	ExpiresAt *string   `json:"expires_at"`
	UsedAt    *string   `json:"used_at" doc:"when the key was last used, accurate to a few minutes; null: it was never used"`
	Key       string    `json:"key,omitempty"`
}

// KeyList is the keys of an account.
type KeyList struct {
	Rows []KeyRow `json:"rows"`
}

func keyRow(k models.Key) KeyRow {
	return KeyRow{
		ID: k.ID, Name: k.Name, Scope: k.Scope, Hint: k.Hint, State: k.State(time.Now()),
		CreatedAt: answer.Stamp(k.CreatedAt), ExpiresAt: answer.StampOrNull(k.ExpiresAt), UsedAt: answer.StampOrNull(k.UsedAt),
	}
}

func listKeys(c *route.Call) (KeyList, error) {
	list, err := c.Store.ListKeys(c.Context(), c.Account.ID)
	return KeyList{answer.Each(list, keyRow)}, err
}

type keyBody struct {
	Name  string `json:"name" required:"true" maxLength:"255" trim:"true"`
	Scope string `json:"scope"`
	Days  int    `json:"days"`
}

func createKey(c *route.Call, b keyBody) (KeyRow, error) {
	if b.Scope != models.ScopeFull && b.Scope != models.ScopeReadOnly {
		return KeyRow{}, models.Invalid("invalid_scope", "the scope is full or read_only")
	}
	if !slices.Contains(models.KeyDays, b.Days) {
		return KeyRow{}, models.Invalid("invalid_expiry", "days must be 30, 90 or 365, or 0 for a key that does not expire")
	}
	k, secret, err := c.Store.CreateKey(c.Context(), c.Account.ID, b.Name, b.Scope, time.Duration(b.Days)*24*time.Hour)
	return keyWithSecret(k, secret), err
}

func keyWithSecret(k models.Key, secret string) KeyRow {
	row := keyRow(k)
	row.Key = secret
	return row
}

func rotateKey(c *route.Call) (KeyRow, error) {
	if _, err := c.Store.FindKey(c.Context(), c.Account.ID, c.ID); err != nil {
		return KeyRow{}, err
	}
	k, secret, err := c.Store.RotateKey(c.Context(), c.ID)
	return keyWithSecret(k, secret), err
}

func revokeKey(c *route.Call) (KeyRow, error) {
	if _, err := c.Store.FindKey(c.Context(), c.Account.ID, c.ID); err != nil {
		return KeyRow{}, err
	}
	k, err := c.Store.RevokeKey(c.Context(), c.ID)
	return keyRow(k), err
}
