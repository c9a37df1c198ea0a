package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models"
)

// Networks accesses the affiliate networks of accounts.
type Networks struct{ integrations[models.Network] }

// Networks returns access to the affiliate networks.
func (s *Store) Networks() Networks {
	return Networks{integrations[models.Network]{records[models.Network]{s, networkTable}}}
}

var networkTable = newTable(table[models.Network]{
	name: "networks", what: "network", removed: "deactivated_at",
	joined: `, t.postback_secret IS NOT NULL AS has_secret`, allowance: allowedIntegrations,
	prepare: readChangesAgain,
})

// readChangesAgain makes the next imports read the changes of orders again if the network's map of statuses has changed. Earlier
// imports have refused orders whose status the old map lacked.
func readChangesAgain(ctx context.Context, s *Store, n, old *models.Network) error {
	if maps.EqualFunc(n.StatusMap, old.StatusMap, slices.Equal) {
		return nil
	}
	return s.run(ctx, "read changes again", `UPDATE network_integrations SET changes_to = NULL, older_from = NULL, changes_at = now()
		WHERE account_id = $1 AND network_id = $2`, n.AccountID, n.ID)
}

// Create adds a network under a new id, if the plan's allowance of integrations has room.
func (k Networks) Create(ctx context.Context, n models.Network) (models.Network, error) {
	return k.write(ctx, n, networkTable.create)
}

// Update saves every field of a network, except whether it is active. If the secret is empty, the saved secret stays.
func (k Networks) Update(ctx context.Context, n models.Network) (models.Network, error) {
	return k.write(ctx, n, networkTable.change)
}

// write saves a network by the function save, and then its secret if there is one.
func (k Networks) write(ctx context.Context, n models.Network,
	save func(context.Context, *Store, models.Network) (models.Network, error),
) (models.Network, error) {
	if n.PostbackSecret == "" {
		return save(ctx, k.s, n)
	}
	if err := k.s.box.Ready(ctx); err != nil {
		return n, fmt.Errorf("db: seal secret of network: %w", err)
	}
	return TxOf(ctx, k.s, func(s *Store) (models.Network, error) {
		saved, err := save(ctx, s, n)
		if err != nil {
			return n, err
		}
		sealed, err := s.box.SealForService(ctx, postbackSecretPlace(saved.AccountID, saved.ID), []byte(n.PostbackSecret))
		if err != nil {
			return n, fmt.Errorf("db: seal secret of network: %w", err)
		}
		saved.HasPostbackSecret = true
		err = s.execOne(ctx, networkTable.what, networkTable.set(`postback_secret = $3`), saved.AccountID, saved.ID, sealed)
		return saved, err
	})
}

const selectSealed = `
SELECT id, postback_secret FROM networks
WHERE account_id = $1 AND id = ANY ($2::uuid[]) AND postback_secret IS NOT NULL`

// Secrets returns the decrypted secrets of networks of an account, by network id. A secret is left out if it cannot be decrypted
// because ENCRYPTION_KEY has changed.
func (k Networks) Secrets(ctx context.Context, account uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	sealed, err := db.Pairs[uuid.UUID, []byte](ctx, k.s.c, "secrets of networks", selectSealed, account, db.UUIDs(ids))
	open := make(map[uuid.UUID]string, len(sealed))
	for id, value := range sealed {
		secret, err := k.s.box.Open(ctx, postbackSecretPlace(account, id), value)
		if errors.Is(err, seal.ErrOpen) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("db: secret of network: %w", err)
		}
		open[id] = string(secret)
	}
	return open, err
}

func postbackSecretPlace(account, network uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "networks", Row: network.String(), Column: "postback_secret"}
}
