package models

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"time"
)

// DomainCheck is what a look at a domain found. What could not be asked is nil: that is never the same as wrong.
type DomainCheck struct {
	At      time.Time `json:"at"`
	Points  *bool     `json:"points"` // DNS leads to the tracker
	HTTPS   *bool     `json:"https"`  // it answers over HTTPS with a certificate that browsers take
	Proven  bool      `json:"proven"` // this install itself answered at the domain
	Proof   *string   `json:"proof"`  // of the account, in DNS: ProofTXT, ProofCNAME or ProofNone
	Records []string  `json:"records"`
	Detail  string    `json:"detail"`
}

// DomainState is a domain after a check.
type DomainState struct {
	Domain
	Checked    DomainCheck
	WrongSince *time.Time // nil: it is not
}

const (
	// UnverifyAfter is how long a verified domain may lead elsewhere.
	UnverifyAfter = 3 * 24 * time.Hour
	// checkedFor is how long a domain that is not verified is looked at.
	checkedFor = 30 * 24 * time.Hour
)

// NextCheck returns when a domain is looked at again. A domain that is not verified is looked at less and less often, for 30
// days from when it was added or began to lead elsewhere. After that, ok is false.
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

// DomainChallengePath is where this install proves, at any host, that a request to the host reaches it.
const DomainChallengePath = "/.well-known/switchyard-domain"

// DomainNonce is the form of a challenge: the parameter nonce.
var DomainNonce = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

// DomainProof returns the answer to a challenge at a host. Only this install knows the secret, so another server that answers
// for every host cannot give it.
func DomainProof(secret []byte, host, nonce string) string {
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte("switchyard-domain\n" + host + "\n" + nonce)) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}
