// Package seal keeps columns that hold secrets unreadable in the database: AES-256-GCM, each value bound to its
// account, table, row and column, so that a sealed value copied elsewhere does not open.
//
// Two kinds of secret: credentials of third parties (Seal) need ENCRYPTION_KEY and are refused without it; secrets of
// the service's own making (SealOwn: signing secrets, kept answers) fall back to a key that lies in the database
// itself, which keeps them out of casual sight and out of logs but not from somebody who holds a full dump.
package seal

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
)

// ErrNoKey says that this install has no ENCRYPTION_KEY; a client sees it as no_encryption_key.
var ErrNoKey = models.Invalid("no_encryption_key",
	"this install cannot store credentials yet: it has no encryption key")

// ErrOpen says that a sealed value does not open: another place, another key, or changed bytes.
var ErrOpen = errors.New("seal: value does not open")

// Place is where a sealed value lives. Row is the record's id, or its key in text form.
type Place struct {
	Account uuid.UUID
	Table   string
	Row     string
	Column  string
}

func (p Place) bytes() []byte {
	return fmt.Appendf(nil, "%s|%s|%s|%s", p.Account, p.Table, p.Row, p.Column)
}

// installKeyID marks values sealed under the key of the database.
const installKeyID = 0

// Box seals and opens. It is safe for use by many goroutines.
type Box struct {
	keys    []sealKey // current key first
	install func(context.Context) ([]byte, error)

	mu   sync.Mutex
	inst *sealKey // once read
}

type sealKey struct {
	id   byte
	aead cipher.AEAD
}

// New makes a box on a database. The first key, 32 bytes, seals; all keys open. No key at all is allowed.
func New(c db.Conn, keys ...[]byte) (*Box, error) {
	b := &Box{install: func(ctx context.Context) ([]byte, error) { return InstallSecret(ctx, c, "seal") }}
	for _, k := range keys {
		if len(k) == 0 {
			continue
		}
		sum := sha256.Sum256(k)
		made, err := newKey(1+sum[0]%255, k)
		if err != nil {
			return nil, err
		}
		b.keys = append(b.keys, made)
	}
	return b, nil
}

// InstallSecret derives a 32-byte secret for a purpose from the random value that the first migration put into the
// database. Every process of an install derives the same.
func InstallSecret(ctx context.Context, c db.Conn, purpose string) ([]byte, error) {
	var secret []byte
	if err := sqlx.GetContext(ctx, c, &secret, `SELECT secret FROM installation`); err != nil {
		return nil, fmt.Errorf("seal: install secret: %w", err)
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

// HasKey tells whether credentials of third parties can be stored.
func (b *Box) HasKey() bool { return len(b.keys) > 0 }

// Seal seals a third party's credential; without ENCRYPTION_KEY it is ErrNoKey.
func (b *Box) Seal(p Place, plain []byte) ([]byte, error) {
	if !b.HasKey() {
		return nil, ErrNoKey
	}
	return b.keys[0].seal(p, plain), nil
}

// SealOwn seals a secret of the service's own making, under the database's key when there is no other.
func (b *Box) SealOwn(ctx context.Context, p Place, plain []byte) ([]byte, error) {
	if b.HasKey() {
		return b.keys[0].seal(p, plain), nil
	}
	k, err := b.installKey(ctx)
	if err != nil {
		return nil, err
	}
	return k.seal(p, plain), nil
}

// Ready reads what SealOwn may need from the database, so that a later call inside a transaction waits for no second
// connection. After the first time it does nothing.
func (b *Box) Ready(ctx context.Context) error {
	if b.HasKey() {
		return nil
	}
	_, err := b.installKey(ctx)
	return err
}

// Open gives back what was sealed for this place, under the current key or an older one.
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

func (b *Box) installKey(ctx context.Context) (*sealKey, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inst == nil {
		secret, err := b.install(ctx)
		if err != nil {
			return nil, err
		}
		k, err := newKey(installKeyID, secret)
		if err != nil {
			return nil, err
		}
		b.inst = &k
	}
	return b.inst, nil
}

func (k sealKey) seal(p Place, plain []byte) []byte {
	return k.aead.Seal([]byte{k.id}, nil, plain, p.bytes())
}

func (k sealKey) open(p Place, sealed []byte) ([]byte, error) {
	plain, err := k.aead.Open(nil, nil, sealed[1:], p.bytes())
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}
