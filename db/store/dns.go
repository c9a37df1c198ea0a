package store

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// DNSAccounts accesses the accounts at DNS providers that customers have connected.
type DNSAccounts struct{ s *Store }

// DNSAccounts returns access to the DNS accounts.
func (s *Store) DNSAccounts() DNSAccounts { return DNSAccounts{s} }

var dnsColumns = db.Columns[models.DNSAccount]("")

// List lists the DNS accounts of an account in the order in which they were connected.
func (d DNSAccounts) List(ctx context.Context, account uuid.UUID) ([]models.DNSAccount, error) {
	return db.Select[models.DNSAccount](ctx, d.s.c, "dns accounts", `SELECT `+dnsColumns+`
		FROM dns_accounts WHERE account_id = $1 ORDER BY id`, account)
}

// Find returns a DNS account.
func (d DNSAccounts) Find(ctx context.Context, account, id uuid.UUID) (models.DNSAccount, error) {
	return db.Get[models.DNSAccount](ctx, d.s.c, "DNS account", `SELECT `+dnsColumns+`
		FROM dns_accounts WHERE account_id = $1 AND id = $2`, account, id)
}

// Named returns the DNS account to which a call refers. If it does not exist, the error is an invalid input with the given code.
func (d DNSAccounts) Named(ctx context.Context, account, id uuid.UUID, code string) (models.DNSAccount, error) {
	found, err := d.Find(ctx, account, id)
	if errors.Is(err, models.NotFound("DNS account")) {
		err = models.Invalid(code, "there is no such DNS account")
	}
	return found, err
}

var dnsCredentials = CredentialTable{"dns_accounts", "id", "DNS account"}

// Credentials returns all credentials of a DNS account, decrypted. The error is seal.ErrOpen if they can no longer be decrypted.
func (d DNSAccounts) Credentials(ctx context.Context, a models.DNSAccount) (map[string]string, error) {
	return dnsCredentials.Read(ctx, d.s, a.AccountID, a.ID, a.Settings)
}

const (
	insertDNS = `INSERT INTO dns_accounts (id, account_id, provider, label, settings, secrets) VALUES ($1, $2, $3, $4, $5, $6)`
	updateDNS = `UPDATE dns_accounts t SET provider = $3, label = $4, settings = $5, secrets = $6, saved_at = ` + NextSave + `,
		checked_at = NULL, failing_since = NULL, failure = '' WHERE id = $1 AND account_id = $2`
)

// Save connects a new DNS account, or changes the existing one with the given id. If label is nil, the label does not change. A
// blank credential keeps its stored value if the provider stays the same. Errors: not_found, invalid_credentials, too_many,
// no_encryption_key.
func (d DNSAccounts) Save(ctx context.Context, account, id uuid.UUID, p models.DNSProvider, label *string,
	sent map[string]string,
) (uuid.UUID, error) {
	return LockedTxOf(ctx, d.s, account, func(s *Store) (uuid.UUID, error) {
		q, a, stored := insertDNS, models.DNSAccount{ID: uuid.Must(uuid.NewV7()), AccountID: account}, map[string]string{}
		var err error
		if id != uuid.Nil {
			q = updateDNS
			a, stored, err = s.DNSAccounts().stored(ctx, account, id, p)
		} else {
			err = s.DNSAccounts().checkRoom(ctx, account)
		}
		if err != nil {
			return uuid.Nil, err
		}
		if label != nil {
			a.Label = *label
		}
		credentials, err := p.Complete(sent, stored)
		if err != nil {
			return uuid.Nil, err
		}
		open, sealed, err := dnsCredentials.Seal(s, account, a.ID, p.CredentialForm, credentials)
		if err != nil {
			return uuid.Nil, err
		}
		err = s.run(ctx, "save dns account", q, a.ID, account, p.Name, a.Label, db.Document(open), sealed)
		return a.ID, err
	})
}

// stored returns a DNS account with its credentials. The credentials are nil if it is at another provider than p.
func (d DNSAccounts) stored(ctx context.Context, account, id uuid.UUID, p models.DNSProvider) (
	a models.DNSAccount, credentials map[string]string, err error,
) {
	if a, err = d.Find(ctx, account, id); err != nil || a.Provider != p.Name {
		return a, nil, err
	}
	credentials, err = dnsCredentials.Stored(ctx, d.s, account, id, a.Settings)
	return a, credentials, err
}

func (d DNSAccounts) checkRoom(ctx context.Context, account uuid.UUID) error {
	have, err := db.Get[int](ctx, d.s.c, "dns accounts", `SELECT count(*) FROM dns_accounts WHERE account_id = $1`, account)
	if err == nil && have >= models.MaxDNSAccounts {
		err = models.Invalid("too_many", "at most %d DNS accounts can be connected", models.MaxDNSAccounts)
	}
	return err
}

// Remove disconnects a DNS account and deletes its credentials.
func (d DNSAccounts) Remove(ctx context.Context, account, id uuid.UUID) error {
	return d.s.execOne(ctx, "DNS account", `DELETE FROM dns_accounts WHERE account_id = $1 AND id = $2`, account, id)
}

const recordDNS = `
UPDATE dns_accounts SET checked_at = now(), failure = $4,
	failing_since = CASE WHEN $4 = '' THEN NULL ELSE coalesce(failing_since, now()) END
WHERE account_id = $1 AND id = $2 AND saved_at = $3`

// RecordResult records the result of a request to the provider. An empty failure means success. If the DNS account was changed
// after the caller had read it, nothing is recorded.
func (d DNSAccounts) RecordResult(ctx context.Context, a models.DNSAccount, failure string) error {
	return d.s.run(ctx, "result of dns account", recordDNS, a.AccountID, a.ID, a.SavedAt, failure)
}
