package certstore

import (
	"context"
	"errors"
	"time"

	"switchyard/db"
	"switchyard/db/seal"
)

// Challenge is a proof that a CA requests from a host: an answer by HTTP, or a certificate in a TLS handshake.
type Challenge struct {
	Host   string `db:"host"`
	Token  string `db:"token"`
	Answer string `db:"answer"`
	PEM    []byte `db:"sealed"` // private key and certificate for the handshake; nil: the answer is sent by HTTP
}

const (
	challengeTime = 10 * time.Minute // a challenge that its issuer does not withdraw expires after this time
	maxChallenges = 2000             // maximum length of the list that Challenges returns
)

func challengePlace(host, token string) seal.Place { return place("acme_challenges", host+" "+token) }

const putChallenge = `
INSERT INTO acme_challenges (host, token, answer, sealed, expires_at) VALUES ($1, $2, $3, $4, now() + $5 * interval '1 second')
ON CONFLICT (host, token) DO UPDATE SET answer = excluded.answer, sealed = excluded.sealed, expires_at = excluded.expires_at`

// Present stores a challenge, which every web process then answers.
func (s *Store) Present(ctx context.Context, c Challenge) error {
	var sealed []byte
	if c.PEM != nil {
		var err error
		if sealed, err = s.box.Seal(challengePlace(c.Host, c.Token), c.PEM); err != nil {
			return err
		}
	}
	return s.change(ctx, AboutChallenges, func(tx db.Conn) error {
		return db.Run(ctx, tx, "challenge", putChallenge, c.Host, c.Token, c.Answer, sealed, challengeTime.Seconds())
	})
}

// Withdraw ends a challenge.
func (s *Store) Withdraw(ctx context.Context, host, token string) error {
	return db.Run(ctx, s.c, "challenge", `DELETE FROM acme_challenges WHERE host = $1 AND token = $2`, host, token)
}

// Challenges lists at most maxChallenges open challenges, newest first. Challenges that cannot be decrypted are left out.
func (s *Store) Challenges(ctx context.Context) ([]Challenge, error) {
	const q = `SELECT host, token, answer, sealed FROM acme_challenges WHERE expires_at > now() ORDER BY expires_at DESC LIMIT $1`
	stored, err := db.Select[Challenge](ctx, s.c, "challenges", q, maxChallenges)
	if err != nil {
		return nil, err
	}
	list := stored[:0]
	for _, c := range stored {
		if c.PEM != nil {
			c.PEM, err = s.box.Open(ctx, challengePlace(c.Host, c.Token), c.PEM)
			if errors.Is(err, seal.ErrOpen) {
				continue // an issuer with another encryption key has sealed it
			}
			if err != nil {
				return nil, err
			}
		}
		list = append(list, c)
	}
	return list, nil
}
