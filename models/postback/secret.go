package postback

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
)

// Authentic reports whether a message proves that its sender has the secret of the network: by the secret itself
// (given), or by the hex HMAC-SHA256 of its raw query or body (signature over signedText). Without a secret every
// message is authentic.
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
