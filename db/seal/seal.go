// Package seal encrypts secrets for the database with AES-256-GCM. A value is bound to its account, table, row and column, and
// cannot be decrypted at any other place.
//
// Seal is for credentials of third parties and needs ENCRYPTION_KEY. SealForService is for secrets of the service itself, such as
// stored answers. Without ENCRYPTION_KEY it uses a key from the database, which hides the secrets from logs and from a casual
// look, but not from an attacker who has a full dump.
package seal

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// ErrNoKey means that this install has no ENCRYPTION_KEY. A client sees it as no_encryption_key.
var ErrNoKey = models.Invalid("no_encryption_key",
	"this install cannot store credentials yet: it has no encryption key")

// ErrOpen means that a sealed value cannot be decrypted: it was sealed for another place or under another key, or was changed.
var ErrOpen = errors.New("seal: the value cannot be decrypted")

// Place is where a sealed value is stored. Row is the id or another key.
type Place struct {
	Account uuid.UUID
	Table   string
	Row     string
	Column  string
}

func (p Place) bytes() []byte {
	return fmt.Appendf(nil, "%s|%s|%s|%s", p.Account, p.Table, p.Row, p.Column)
}

// installKeyID marks values sealed with the key from the database.
const installKeyID = 0

// Box seals and opens values. It is safe for concurrent use.
type Box struct {
	keys    []sealKey // the first key seals new values
	install func(context.Context) ([]byte, error)

	installed atomic.Pointer[sealKey] // key of the database, once read
}

type sealKey struct {
	id   byte
	aead cipher.AEAD
}

// New makes a box for a database. A key has 32 bytes. Empty keys are ignored. The first key seals new values, and all keys can
// open values. Without a key, only SealForService can seal.
func New(c db.Conn, keys ...[]byte) (*Box, error) {
	b := &Box{install: func(ctx context.Context) ([]byte, error) { return InstallSecret(ctx, c, "seal") }}
	for _, k := range keys {
		if len(k) == 0 {
			continue
		}
		sum := sha256.Sum256(k)
		key, err := newKey(1+sum[0]%255, k)
		if err != nil {
			return nil, err
		}
		b.keys = append(b.keys, key)
	}
	return b, nil
}

// InstallSecret derives a 32-byte secret for a purpose from the random value in the database. Every process of an install derives
// the same secret.
func InstallSecret(ctx context.Context, c db.Conn, purpose string) ([]byte, error) {
	secret, err := db.Get[[]byte](ctx, c, "install secret", `SELECT secret FROM installation`)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte("switchyard "+purpose+" "), secret...))
	return sum[:], nil
}

func newKey(id byte, key []byte) (sealKey, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealKey{}, fmt.Errorf("seal: key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return sealKey{}, fmt.Errorf("seal: key: %w", err)
	}
	return sealKey{id, aead}, nil
}

// HasKey reports whether credentials of third parties can be stored.
func (b *Box) HasKey() bool { return len(b.keys) > 0 }

// Seal seals a third party's credential. Without ENCRYPTION_KEY the error is ErrNoKey.
func (b *Box) Seal(p Place, plain []byte) ([]byte, error) {
	if !b.HasKey() {
		return nil, ErrNoKey
	}
	return b.keys[0].seal(p, plain), nil
}

// SealForService seals a secret of the service itself. Without ENCRYPTION_KEY it uses the key from the database.
func (b *Box) SealForService(ctx context.Context, p Place, plain []byte) ([]byte, error) {
	k, err := b.serviceKey(ctx)
	if err != nil {
		return nil, err
	}
	return k.seal(p, plain), nil
}

func (b *Box) serviceKey(ctx context.Context) (*sealKey, error) {
	if b.HasKey() {
		return &b.keys[0], nil
	}
	return b.installKey(ctx)
}

// Ready reads from the database what SealForService needs. A SealForService inside a transaction then needs no second
// connection. Later calls of Ready do nothing.
func (b *Box) Ready(ctx context.Context) error {
	_, err := b.serviceKey(ctx)
	return err
}

// Open decrypts a value that was sealed for this place under any of the keys. The error is ErrOpen if the value cannot be decrypted.
func (b *Box) Open(ctx context.Context, p Place, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 {
		return nil, ErrOpen
	}
	if sealed[0] == installKeyID {
		k, err := b.installKey(ctx)
		if err != nil {
			return nil, err
		}
		return k.open(p, sealed)
	}
	for _, k := range b.keys {
		if k.id != sealed[0] {
			continue
		}
		if plain, err := k.open(p, sealed); err == nil {
			return plain, nil
		}
	}
	return nil, ErrOpen
}

// installKey returns the key that the database stores for this install. It is read once per process.
func (b *Box) installKey(ctx context.Context) (*sealKey, error) {
	if k := b.installed.Load(); k != nil {
		return k, nil
	}
	secret, err := b.install(ctx)
	if err != nil {
		return nil, err
	}
	k, err := newKey(installKeyID, secret)
	if err != nil {
		return nil, err
	}
	b.installed.Store(&k)
	return &k, nil
}

func (k sealKey) seal(p Place, plain []byte) []byte {
	return k.aead.Seal([]byte{k.id}, nil, plain, p.bytes()) //nolint:gosec // the cipher chooses a random nonce
}

func (k sealKey) open(p Place, sealed []byte) ([]byte, error) {
	plain, err := k.aead.Open(nil, nil, sealed[1:], p.bytes())
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}
