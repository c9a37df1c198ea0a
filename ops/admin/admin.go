// Package admin manages accounts, keys and domains for the command line.
package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
)

// Account is an account as operators see it.
type Account struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	Plan      string    `json:"plan"`
	CreatedAt string    `json:"created_at"`
}

// Key is a key as operators see it. Secret is the key itself, and only calls that make a key return it.
type Key struct {
	ID        uuid.UUID `json:"id"`
	Secret    string    `json:"key,omitempty"`
	AccountID uuid.UUID `json:"account_id"`
	Name      string    `json:"name"`
	Scope     string    `json:"scope"`
	Hint      string    `json:"hint"`
	State     string    `json:"state"`
	CreatedAt string    `json:"created_at"`
	ExpiresAt *string   `json:"expires_at"`
}

// Admin manages the records of a store.
type Admin struct {
	Store   *store.Store
	BaseURL string
	// Dashboard and Tracker are hosts that no account can have: the host of the dashboard, and TRACKING_HOST with all names
	// below it.
	Dashboard, Tracker string
}

// CreateAccount makes an account on a plan. Errors: required, invalid_plan.
func (a Admin) CreateAccount(ctx context.Context, name, plan string) (Account, error) {
	name = strings.TrimSpace(name)
	if err := cmp.Or(checkName(name), checkPlan(plan)); err != nil {
		return Account{}, err
	}
	created, err := a.Store.CreateAccount(ctx, name, plan)
	return accountRecord(created), err
}

// UpdateAccount changes the name and the plan of an account. An empty argument keeps the stored value. Records beyond
// the allowances of a smaller plan stay. Errors: invalid_id, not_found, required, invalid_plan.
func (a Admin) UpdateAccount(ctx context.Context, account, name, plan string) (Account, error) {
	id, err := parseID("account", account)
	if err != nil {
		return Account{}, err
	}
	if name != "" {
		name = strings.TrimSpace(name)
		if err := checkName(name); err != nil {
			return Account{}, err
		}
	}
	if plan != "" {
		if err := checkPlan(plan); err != nil {
			return Account{}, err
		}
	}
	changed, err := a.Store.UpdateAccount(ctx, id, name, plan)
	return accountRecord(changed), hint(err, listAccounts)
}

// DeleteAccount deletes an account with everything in it. yes must be the name of the account. Errors: invalid_id, not_found,
// not_confirmed.
func (a Admin) DeleteAccount(ctx context.Context, account, yes string, progress func(string, int64)) (Account, error) {
	found, err := a.Account(ctx, account)
	if err != nil {
		return Account{}, err
	}
	if yes != found.Name {
		return Account{}, models.Invalid("not_confirmed", "this deletes the account %q with all its records, clicks, "+
			"figures and keys, for ever; to confirm, give its name: --yes %q", found.Name, found.Name)
	}
	return found, a.Store.DeleteAccount(ctx, found.ID, progress)
}

func checkName(name string) error {
	if name == "" || utf8.RuneCountInString(name) > 255 {
		return models.Invalid("required", "an account needs a name of at most 255 characters")
	}
	return nil
}

func checkPlan(plan string) error {
	if _, ok := models.PlanNamed(plan); ok {
		return nil
	}
	names := db.Map(models.Plans, func(p models.Plan) string { return p.Name })
	return models.Invalid("invalid_plan", "there is no plan %q; the plans are %s", plan, strings.Join(names, ", "))
}

// Accounts lists all accounts, newest first.
func (a Admin) Accounts(ctx context.Context) ([]Account, error) {
	list, err := a.Store.ListAccounts(ctx)
	return db.Map(list, accountRecord), err
}

// NewKey holds the settings of a new key.
type NewKey struct {
	Account string
	Name    string
	Scope   string
	Days    int
}

// CreateKey makes a key. The Secret cannot be read again later.
func (a Admin) CreateKey(ctx context.Context, n NewKey) (Key, error) {
	account, err := parseID("account", n.Account)
	if err != nil {
		return Key{}, err
	}
	if n.Scope != models.ScopeFull && n.Scope != models.ScopeReadOnly {
		return Key{}, models.Invalid("invalid_scope", "the scope is full or read_only, not %q", n.Scope)
	}
	if !slices.Contains(models.KeyDays, n.Days) {
		return Key{}, models.Invalid("invalid_expiry", "a key is valid for 30, 90 or 365 days; 0 means without end")
	}
	if utf8.RuneCountInString(n.Name) > 255 {
		return Key{}, models.Invalid("too_long", "a key's name has at most 255 characters")
	}
	k, secret, err := a.Store.CreateKey(ctx, account, n.Name, n.Scope, time.Duration(n.Days)*24*time.Hour)
	return keyRecord(k, secret), hint(err, listAccounts)
}

// Keys lists the keys of an account, newest first.
func (a Admin) Keys(ctx context.Context, account string) ([]Key, error) {
	found, err := a.Account(ctx, account)
	if err != nil {
		return nil, err
	}
	list, err := a.Store.ListKeys(ctx, found.ID)
	return db.Map(list, func(k models.Key) Key { return keyRecord(k, "") }), err
}

// RotateKey replaces a key. The old key stays valid for one day.
func (a Admin) RotateKey(ctx context.Context, key string) (Key, error) {
	id, err := parseID("key", key)
	if err != nil {
		return Key{}, err
	}
	k, secret, err := a.Store.RotateKey(ctx, id)
	return keyRecord(k, secret), hint(err, listKeys)
}

// RevokeKey ends a key immediately, in every process.
func (a Admin) RevokeKey(ctx context.Context, key string) (Key, error) {
	id, err := parseID("key", key)
	if err != nil {
		return Key{}, err
	}
	k, err := a.Store.RevokeKey(ctx, id)
	return keyRecord(k, ""), hint(err, listKeys)
}

const listAccounts = "`switchyard accounts list` shows all"

const listKeys = "`switchyard keys list --account ID` lists the keys of an account"

func hint(err error, where string) error {
	if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound {
		return models.Errorf(e.Kind, e.Code, "%s; %s", e.Message, where)
	}
	return err
}

func parseID(what, text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, models.Invalid("invalid_id", "the %s's id must be a UUID, not %q", what, fmt.Sprintf("%.60s", text))
	}
	return id, nil
}

func accountRecord(a models.Account) Account {
	return Account{ID: a.ID, Name: a.Name, Plan: a.Plan, CreatedAt: stamp(a.CreatedAt)}
}

func keyRecord(k models.Key, secret string) Key {
	out := Key{
		ID: k.ID, Secret: secret, AccountID: k.AccountID, Name: k.Name, Scope: k.Scope, Hint: k.Hint,
		State: k.State(time.Now()), CreatedAt: stamp(k.CreatedAt),
	}
	if k.ExpiresAt != nil {
		s := stamp(*k.ExpiresAt)
		out.ExpiresAt = &s
	}
	return out
}

func stamp(t time.Time) string { return t.UTC().Format(models.EventTimeFormat) }
