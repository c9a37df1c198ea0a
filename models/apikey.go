package models

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"strings"
)

const (
	keyPrefix   = "sy_"
	keyRandom   = 24 // base-62 digits, 142 bits
	keyChecksum = 6  // base-62 digits of a CRC-32
	keyLength   = len(keyPrefix) + 1 + keyRandom + keyChecksum
)

// NewAPIKey makes a random key of a scope: "sy_", f or r for the scope, 24 base-62 digits, and a checksum of all of
// these.
func NewAPIKey(scope string) string {
	letter := "f"
	if scope == ScopeReadOnly {
		letter = "r"
	}
	body := keyPrefix + letter + randomBase62(keyRandom)
	return body + checksum(body)
}

// LooksLikeAPIKey reports whether text has the form and the checksum of a key. A mistyped key costs no query.
func LooksLikeAPIKey(text string) bool {
	if len(text) != keyLength || !strings.HasPrefix(text, keyPrefix) {
		return false
	}
	body, sum := text[:keyLength-keyChecksum], text[keyLength-keyChecksum:]
	return checksum(body) == sum
}

// HashAPIKey is the SHA-256 of a key, by which the store finds it. A key is random enough to need no slow hash.
func HashAPIKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// HintOfAPIKey is what lists show of a key: its first seven and last four characters. It is empty for a text that is
// too short.
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

// randomBase62 gives n random base-62 digits. It skips bytes from 248 (4*62) on, so that every digit is equally
// likely.
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
