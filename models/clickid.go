package models

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"time"

	"github.com/google/uuid"
)

// ClickIDLen is the length of a click id in its text form: 22 base-62 characters hold the 128 bits of a UUID.
const ClickIDLen = 22

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

var base62Value = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range base62 {
		t[base62[i]] = int8(i)
	}
	return t
}()

var errClickID = errors.New("models: not a click id")

// NewClickID returns the id of a click that happens now. It is a UUIDv7: ids sort by time and cannot be guessed.
func NewClickID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// AppendClickID appends the text form of a click id: 22 base-62 characters. The texts sort like the ids, by time.
func AppendClickID(dst []byte, id uuid.UUID) []byte {
	hi, lo := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	var out [ClickIDLen]byte
	for i := ClickIDLen - 1; i >= 0; i-- {
		var rem uint64
		hi, rem = hi/62, hi%62
		lo, rem = bits.Div64(rem, lo, 62)
		out[i] = base62[rem]
	}
	return append(dst, out[:]...)
}

// FormatClickID returns the text form of a click id.
func FormatClickID(id uuid.UUID) string {
	return string(AppendClickID(make([]byte, 0, ClickIDLen), id))
}

// ParseClickID parses the text form of a click id. Any other text is an error.
func ParseClickID(s string) (uuid.UUID, error) {
	var id uuid.UUID
	if len(s) != ClickIDLen {
		return id, errClickID
	}
	var hi, lo uint64
	for i := range ClickIDLen {
		v := base62Value[s[i]]
		if v < 0 {
			return id, errClickID
		}
		top, low := bits.Mul64(lo, 62)
		over, mid := bits.Mul64(hi, 62)
		low, carry := bits.Add64(low, uint64(v), 0)
		mid, carry = bits.Add64(mid, top, carry)
		if over != 0 || carry != 0 {
			return id, errClickID
		}
		hi, lo = mid, low
	}
	binary.BigEndian.PutUint64(id[:8], hi)
	binary.BigEndian.PutUint64(id[8:], lo)
	return id, nil
}

// ClickTime returns the time at which a click id was made, in whole milliseconds in UTC.
func ClickTime(id uuid.UUID) time.Time {
	ms := int64(binary.BigEndian.Uint64(id[:8]) >> 16)
	return time.UnixMilli(ms).UTC()
}

// FloorClickID returns a lower bound of the ids of clicks at t or later. It also bounds the ids of other records, because they are
// UUIDv7 too.
func FloorClickID(t time.Time) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(max(t.UnixMilli(), 0))<<16)
	return id
}
