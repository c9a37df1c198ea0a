package postback

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
)

// Authentic reports whether a message proves that its sender has the network's secret. The proof is the secret itself (given),
// or the hex HMAC-SHA256 of the raw query or body (signature over signedText). If the network has no secret, every message is
// authentic.
func Authentic(secret, given, signature, signedText string) bool {
	if secret == "" {
		return true
	}
	if given != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(given)) == 1 {
		return true
	}
	sum, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(signature), "sha256="))
	if err != nil || len(sum) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signedText))
	return hmac.Equal(sum, mac.Sum(nil))
}
