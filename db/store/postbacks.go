package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/models/notification"
	"switchyard/models/postback"
)

// PostbackNetwork has the data that is needed to read and authenticate a network's postbacks.
type PostbackNetwork struct {
	ID        uuid.UUID
	AccountID uuid.UUID
	Secret    string // empty: the network has no secret; postbacks with parameters then need none
	Scheme    string // scheme of the network's notifications; empty: the network sends postbacks with parameters
	postback.Network
}

const selectPostbackNetwork = `
SELECT account_id, postback_params, postback_scheme, status_map, postback_secret FROM networks WHERE id = $1`

// proofPlace returns the place of a postback's sealed proof. It contains no account, because the account may be unknown at first.
func proofPlace(postback uuid.UUID) seal.Place {
	return seal.Place{Table: "postbacks", Row: postback.String(), Column: "proof"}
}

// SealProof encrypts the proof that a postback's sender has sent.
func (s *Store) SealProof(ctx context.Context, id uuid.UUID, p postback.Proof) ([]byte, error) {
	return s.sealJSON(ctx, proofPlace(id), "db: seal proof of postback", p)
}

// OpenProof decrypts a proof that SealProof has encrypted. An empty sealed proof gives the empty proof. The error is seal.ErrOpen
// if the encryption key has changed.
func (s *Store) OpenProof(ctx context.Context, id uuid.UUID, sealed []byte) (p postback.Proof, err error) {
	if len(sealed) == 0 {
		return p, nil
	}
	err = s.openJSON(ctx, proofPlace(id), sealed, "db: proof of postback", &p)
	return p, err
}

// PostbackNetwork returns a network by the id in the address of a postback. It also finds deactivated networks, for postbacks
// that were accepted before the network was deactivated. ok is false for an unknown id.
func (s *Store) PostbackNetwork(ctx context.Context, id uuid.UUID) (n PostbackNetwork, ok bool, err error) {
	row, ok, err := db.First[struct {
		Account uuid.UUID `db:"account_id"`
		Params  []byte    `db:"postback_params"`
		Scheme  string    `db:"postback_scheme"`
		Words   []byte    `db:"status_map"`
		Sealed  []byte    `db:"postback_secret"`
	}](ctx, s.c, "network of postback", selectPostbackNetwork, id)
	if err != nil || !ok {
		return n, false, err
	}
	n.ID, n.AccountID, n.Scheme = id, row.Account, row.Scheme
	// Malformed settings are ignored. The common aliases still work.
	_ = json.Unmarshal(row.Params, &n.Params)
	_ = json.Unmarshal(row.Words, &n.Statuses)
	n.Statuses = notification.Statuses(n.Scheme, n.Statuses)
	if len(row.Sealed) > 0 {
		secret, err := s.box.Open(ctx, postbackSecretPlace(n.AccountID, id), row.Sealed)
		if err != nil {
			return n, false, fmt.Errorf("db: secret of network: %w", err)
		}
		n.Secret = string(secret)
	}
	return n, true, nil
}

const selectSecretParams = `
SELECT DISTINCT postback_params FROM networks WHERE account_id = $1 AND postback_params ? 'secret'`

// SecretParams lists the parameters, in lower case, that the settings of an account's networks name for secrets.
func (s *Store) SecretParams(ctx context.Context, account uuid.UUID) ([]string, error) {
	rows, err := db.Select[[]byte](ctx, s.c, "secret parameters", selectSecretParams, account)
	if err != nil {
		return nil, err
	}
	return db.Map(rows, func(params []byte) string {
		var n postback.Network
		_ = json.Unmarshal(params, &n.Params)
		return n.SecretParam()
	}), nil
}
