package seal_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/seal"
)

// TestSeal checks that a sealed value opens only at its place and in a box that has its key, and that SealForService works
// without a key.
func TestSeal(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	ctx := t.Context()
	box := func(keys ...byte) *seal.Box {
		var list [][]byte
		for _, k := range keys {
			list = append(list, bytes.Repeat([]byte{k}, 32))
		}
		b, err := seal.New(d, list...)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	place := seal.Place{Account: uuid.New(), Table: "t", Row: "r", Column: "c"}
	old, both, other, none := box(1), box(2, 1), box(3), box()

	sealed, err := old.Seal(place, []byte("secret"))
	if err != nil || bytes.Contains(sealed, []byte("secret")) {
		t.Fatalf("the sealed value is %q, %v, want a value that does not contain the secret", sealed, err)
	}
	for _, b := range []*seal.Box{old, both} {
		if plain, err := b.Open(ctx, place, sealed); err != nil || string(plain) != "secret" {
			t.Errorf("the sealed value opens as %q, %v, want secret", plain, err)
		}
	}
	elsewhere := place
	elsewhere.Column = "d"
	for name, try := range map[string]func() ([]byte, error){
		"another key":   func() ([]byte, error) { return other.Open(ctx, place, sealed) },
		"no key":        func() ([]byte, error) { return none.Open(ctx, place, sealed) },
		"another place": func() ([]byte, error) { return old.Open(ctx, elsewhere, sealed) },
		"changed":       func() ([]byte, error) { return old.Open(ctx, place, append(sealed[:len(sealed):len(sealed)], 0)) },
		"empty":         func() ([]byte, error) { return old.Open(ctx, place, nil) },
	} {
		if _, err := try(); !errors.Is(err, seal.ErrOpen) {
			t.Errorf("%s: %v, want ErrOpen", name, err)
		}
	}

	if _, err := none.Seal(place, nil); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("sealing without a key: %v, want ErrNoKey", err)
	}
	internal, err := none.SealForService(ctx, place, []byte("internal"))
	if err != nil {
		t.Fatal(err)
	}
	// An install that gets a key later still opens the values that it sealed without the key.
	for _, b := range []*seal.Box{none, box(), both} {
		if plain, err := b.Open(ctx, place, internal); err != nil || string(plain) != "internal" {
			t.Errorf("the service's sealed value opens as %q, %v, want internal", plain, err)
		}
	}
	if _, err := box().Open(ctx, place, internal[:1]); !errors.Is(err, seal.ErrOpen) {
		t.Errorf("a sealed value that was cut off: %v, want ErrOpen", err)
	}
}
