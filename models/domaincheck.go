package models

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"time"
)

// DomainCheck is the result of a check of a domain. A nil field is not known.
type DomainCheck struct {
	At           time.Time `json:"at"`
	Points       *bool     `json:"points"` // whether DNS leads to the tracker
	HTTPS        *bool     `json:"https"`  // whether the domain answers over HTTPS with a certificate that browsers accept
	AnsweredHere bool      `json:"proven"` // whether this install itself answered at the domain
	Proof        *string   `json:"proof"`  // the account's proof in DNS: ProofTXT, ProofCNAME or ProofNone
	Records      []string  `json:"records"`
	Detail       string    `json:"detail"`
}

// DomainState is a domain together with the result of a check.
type DomainState struct {
	Domain
	Checked    DomainCheck
	WrongSince *time.Time // since when checks have found the domain wrong; nil: it is not wrong
}

const (
	// UnverifyAfter is the time for which a domain stays verified although it leads elsewhere or has no proof.
	UnverifyAfter = 3 * 24 * time.Hour
	// checkedFor is the time for which a domain that is not verified is still checked.
	checkedFor = 30 * 24 * time.Hour
)

// RegistrationEndsSoon is the remaining time of a registration below which the account gets an alert.
const RegistrationEndsSoon = 30 * 24 * time.Hour

// NextCheck returns the time of the next check of a domain. A verified domain is checked every day, or every hour while it is
// wrong. Any other domain is checked at growing intervals, for 30 days since it was added or became wrong. After that, ok is
// false.
func (s DomainState) NextCheck() (at time.Time, ok bool) {
	const day = 24 * time.Hour
	began := s.CreatedAt.Time
	if s.WrongSince != nil && s.WrongSince.After(began) {
		began = *s.WrongSince
	}
	wait, age := time.Duration(0), s.Checked.At.Sub(began)
	switch {
	case s.IsVerified && s.WrongSince != nil:
		wait = time.Hour
	case s.IsVerified:
		wait = day
	case age < day:
		wait = 10 * time.Minute
	case age < 3*day:
		wait = time.Hour
	case age < checkedFor:
		wait = 6 * time.Hour
	default:
		return at, false
	}
	return s.Checked.At.Add(wait), true
}

// DomainChallengePath is the path at which this install answers challenges, for any host. The answer proves that a request to the
// host reaches this install.
const DomainChallengePath = "/.well-known/switchyard-domain"

// DomainNonce matches the parameter nonce, which is the challenge.
var DomainNonce = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

// DomainProof returns the answer to a challenge at a host. Only this install knows the secret, so no other server can give this
// answer.
func DomainProof(secret []byte, host, nonce string) string {
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte("switchyard-domain\n" + host + "\n" + nonce)) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}
