package matchkey

import "strings"

// Consent is what a message says about the person's consent to the use of their data for ads.
type Consent int

// The values of Consent.
const (
	ConsentUnknown Consent = iota
	ConsentGranted
	ConsentDenied
)

// ConsentParam is the parameter of a message that says whether the person has agreed.
const ConsentParam = "consent"

// ReadConsent reads the word in a message.
func ReadConsent(word string) Consent {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "granted", "consent_granted", "true", "yes", "y", "1":
		return ConsentGranted
	case "denied", "consent_denied", "false", "no", "n", "0":
		return ConsentDenied
	}
	return ConsentUnknown
}

const (
	noConsent = "nothing says that the person has agreed: send consent=granted"
	denied    = "the person has not agreed"
)

// Receive returns the hashes of a message's personal data that may be kept, and the keys whose values are not kept. Without
// consent, nothing is kept.
func Receive(p Person, consent Consent, country string) (Hashes, []Dropped) {
	if consent == ConsentGranted {
		return Hash(p, country)
	}
	reason := noConsent
	if consent == ConsentDenied {
		reason = denied
	}
	var dropped []Dropped
	for _, name := range Names {
		if strings.TrimSpace(p[name]) != "" {
			dropped = append(dropped, Dropped{name, reason})
		}
	}
	return Hashes{}, dropped
}
