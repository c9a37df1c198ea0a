package click

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/netip"
	"time"

	"github.com/google/uuid"
)

// signer makes and reads the keys of protected landing pages. All processes of an install have the same secret, so each can read
// the keys of the others. A key is text in URL-safe base64: version, flags, expiry, click, page, and an HMAC-SHA256, cut to 16
// bytes, over these and over the data that the key is bound to.
type signer []byte

// landerKey is the content of a key.
type landerKey struct {
	click     uuid.UUID
	lander    uuid.UUID
	expires   time.Time // whole seconds
	bindIP    bool      // the key is bound to the visitor's network: /24, or /64 for IPv6
	bindAgent bool
}

const (
	keyVersion   = 1
	keyBindIP    = 1               // flag
	keyBindAgent = 2               // flag
	keyBody      = 2 + 8 + 16 + 16 // bytes of version and flags, expiry, click and page
	keyMAC       = 16              // bytes of the HMAC
)

var keyLen = base64.RawURLEncoding.EncodedLen(keyBody + keyMAC)

var (
	errKey   = errors.New("click: not a key of this install")
	errBound = errors.New("click: the key belongs to another visitor")
)

// append appends the key of a click to dst, for a visitor with this address and user agent.
func (s signer) append(dst []byte, k landerKey, ip netip.Addr, agent string) []byte {
	var b [keyBody + keyMAC]byte
	b[0] = keyVersion
	if k.bindIP {
		b[1] |= keyBindIP
	}
	if k.bindAgent {
		b[1] |= keyBindAgent
	}
	binary.BigEndian.PutUint64(b[2:], uint64(k.expires.Unix())) //nolint:gosec // after 1970
	copy(b[10:], k.click[:])
	copy(b[26:], k.lander[:])
	copy(b[keyBody:], s.sum(b[:keyBody], ip, agent))
	return base64.RawURLEncoding.AppendEncode(dst, b[:])
}

// parse reads the key that a visitor brought. It returns errKey if the text is not a key of this install, and errBound if the key
// is bound to another visitor.
func (s signer) parse(text string, ip netip.Addr, agent string) (landerKey, error) {
	var k landerKey
	if len(text) != keyLen {
		return k, errKey
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || b[0] != keyVersion {
		return k, errKey
	}
	if !hmac.Equal(b[keyBody:], s.sum(b[:keyBody], ip, agent)) {
		if b[1]&(keyBindIP|keyBindAgent) != 0 {
			return k, errBound // or forged: the two look the same
		}
		return k, errKey
	}
	k.bindIP, k.bindAgent = b[1]&keyBindIP != 0, b[1]&keyBindAgent != 0
	k.expires = time.Unix(int64(binary.BigEndian.Uint64(b[2:])), 0) //nolint:gosec // we wrote it
	k.click, k.lander = uuid.UUID(b[10:26]), uuid.UUID(b[26:42])
	return k, nil
}

// sum returns the HMAC of a key's body, and of the visitor's network and user agent if the flags in the body bind the key to them.
func (s signer) sum(body []byte, ip netip.Addr, agent string) []byte {
	m := hmac.New(sha256.New, s)
	m.Write(body)
	if body[1]&keyBindIP != 0 {
		if ip = ip.Unmap(); ip.IsValid() {
			bits := 24
			if ip.Is6() {
				bits = 64
			}
			if p, err := ip.WithZone("").Prefix(bits); err == nil {
				m.Write([]byte(p.String()))
			}
		}
	}
	m.Write([]byte{0})
	if body[1]&keyBindAgent != 0 {
		m.Write([]byte(agent))
	}
	return m.Sum(nil)[:keyMAC]
}
