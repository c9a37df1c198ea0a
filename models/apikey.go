package models

import (
	"crypto/rand"
	"hash/crc32"
	"strings"
)

const (
	keyPrefix   = "sy_"
	keyRandom   = 24 // base-62 digits, 142 bits
	keyChecksum = 6  // base-62 digits of a CRC-32
	keyLength   = len(keyPrefix) + 1 + keyRandom + keyChecksum
)

// NewAPIKey makes a random key with a scope. It consists of "sy_", the letter f or r for the scope, 24 base-62 digits, and a
// checksum of everything before it.
func NewAPIKey(scope string) string {
	letter := "f"
	if scope == ScopeReadOnly {
		letter = "r"
	}
	body := keyPrefix + letter + randomBase62(keyRandom)
	return body + checksum(body)
}

// LooksLikeAPIKey reports whether text has the form and the checksum of a key. So a mistyped key is refused without a query.
func LooksLikeAPIKey(text string) bool {
	if len(text) != keyLength || !strings.HasPrefix(text, keyPrefix) {
		return false
	}
	body, sum := text[:keyLength-keyChecksum], text[keyLength-keyChecksum:]
	return checksum(body) == sum
}

// HintOfAPIKey returns the part of a key that lists show: the first seven and the last four characters.
func HintOfAPIKey(key string) string {
	if len(key) < keyLength {
		return ""
	}
	return key[:7] + "..." + key[len(key)-4:]
}

func checksum(body string) string {
	n := crc32.ChecksumIEEE([]byte(body))
	out := make([]byte, keyChecksum)
	for i := range out {
		out[keyChecksum-1-i] = base62[n%62]
		n /= 62
	}
	return string(out)
}

// randomBase62 returns n random base-62 digits. It skips bytes of 248 (4*62) and above, so that every digit is equally likely.
func randomBase62(n int) string {
	out, buf := make([]byte, 0, n), make([]byte, 2*n)
	for len(out) < n {
		_, _ = rand.Read(buf) // never fails: the runtime stops the program instead
		for _, b := range buf {
			if b < 248 && len(out) < n {
				out = append(out, base62[b%62])
			}
		}
	}
	return string(out)
}
