package acme

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"fmt"

	"github.com/mholt/acmez/v3"
	"github.com/mholt/acmez/v3/acme"

	"switchyard/db/certstore"
)

// accountAt returns our account at a CA, and creates it if necessary. All processes use the same key, for which a CA returns the
// same account, so it does not matter which process creates it.
func (i *Issuer) accountAt(ctx context.Context, ca *authority) (acme.Account, error) {
	ca.mu.Lock()
	defer ca.mu.Unlock()
	if ca.account != nil {
		return *ca.account, nil
	}
	der, err := i.o.Store.AccountKey(ctx, ca.Directory, i.o.Email, newAccountKey)
	if err != nil {
		return acme.Account{}, err
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return acme.Account{}, fmt.Errorf("acme: account key: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return acme.Account{}, fmt.Errorf("acme: account key: a %T", key)
	}
	account := acme.Account{TermsOfServiceAgreed: true, PrivateKey: signer}
	if i.o.Email != "" {
		account.Contact = []string{"mailto:" + i.o.Email}
	}
	if ca.EABKey != "" {
		err := account.SetExternalAccountBinding(ctx, ca.client.Client, acme.EAB{KeyID: ca.EABKey, MACKey: ca.EABSecret})
		if err != nil {
			return acme.Account{}, fmt.Errorf("acme: external account: %w", err)
		}
	}
	if account, err = ca.client.NewAccount(ctx, account); err != nil {
		return acme.Account{}, err
	}
	ca.account = &account
	return account, nil
}

func newAccountKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// solver stores the answers to HTTP-01 and TLS-ALPN-01 challenges in the database, where web processes find them.
type solver struct{ store *certstore.Store }

// Present implements acmez.Solver.
func (s solver) Present(ctx context.Context, c acme.Challenge) error {
	out := certstore.Challenge{Host: c.Identifier.Value, Token: c.Token, Answer: c.KeyAuthorization}
	if c.Type == acme.ChallengeTypeTLSALPN01 {
		pair, err := acmez.TLSALPN01ChallengeCert(c)
		if err != nil {
			return fmt.Errorf("acme: challenge: %w", err)
		}
		if out.PEM, err = encoded(pair); err != nil {
			return err
		}
	}
	return s.store.Present(ctx, out)
}

// CleanUp implements acmez.Solver. If it fails, the challenge is deleted after it has expired.
func (s solver) CleanUp(ctx context.Context, c acme.Challenge) error {
	return s.store.Withdraw(context.WithoutCancel(ctx), c.Identifier.Value, c.Token)
}
