package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"switchyard/models"
	"switchyard/ops/admin"
)

const accountName = "Demo"

// Email is the address of the demo account's owner.
const Email = "demo@localhost"

// Account is the demo account of an install. The service stores only a hash of an API key, so the account's key is kept in a file
// in DATA_DIR, with mode 0600.
type Account struct {
	ID  string `json:"account"`
	Key string `json:"key"`
	URL string `json:"url"` // the address at which the service last answered

	NewKey bool `json:"-"`
}

func path(dir string) string { return filepath.Join(dir, "demo.json") }

// Open returns the account that is saved in dir, if its key is still valid. Otherwise it creates a new key, and an account if needed.
func Open(ctx context.Context, a admin.Admin, dir string) (Account, error) {
	var saved Account
	text, err := os.ReadFile(path(dir))
	if err == nil {
		err = json.Unmarshal(text, &saved)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return saved, fmt.Errorf("demo: %s: %w", path(dir), err)
	}
	caller, err := a.Store.Authenticate(ctx, saved.Key)
	if err == nil && caller.Account.ID.String() == saved.ID {
		return saved, nil
	}
	if e, ok := models.AsError(err); err != nil && (!ok || e.Kind != models.KindUnauthenticated) {
		return saved, err
	}
	saved.ID, err = find(ctx, a)
	if err != nil {
		return saved, err
	}
	key, err := a.CreateKey(ctx, admin.NewKey{Account: saved.ID, Name: "demo", Scope: models.ScopeFull})
	if err != nil {
		return saved, err
	}
	saved.Key, saved.NewKey = key.Secret, true
	return saved, saved.Save(dir)
}

func find(ctx context.Context, a admin.Admin) (string, error) {
	list, err := a.Accounts(ctx)
	if err != nil {
		return "", err
	}
	for _, account := range list {
		if account.Name == accountName {
			return account.ID.String(), nil
		}
	}
	created, err := a.CreateAccount(ctx, accountName, "scale")
	return created.ID.String(), err
}

// Save writes the account to its file in dir.
func (a Account) Save(dir string) error {
	text, err := json.MarshalIndent(a, "", "  ")
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(path(dir), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("demo: save the account: %w", err)
	}
	return nil
}
