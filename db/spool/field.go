package spool

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// field encodes and decodes one member of T. The encoding is a tag, the length and the bytes. A member with the zero value is
// not written. Tags are stored on disk, so a tag must never be reused for another member.
type field[T any] struct {
	tag byte
	put func(b []byte, tag byte, v *T) []byte
	set func(v *T, p []byte) error
}

func appendFields[T any](b []byte, fields []field[T], v *T) []byte {
	for i := range fields {
		b = fields[i].put(b, fields[i].tag, v)
	}
	return b
}

// readFields decodes fields into v. It skips fields with unknown tags.
func readFields[T any](p []byte, fields []field[T], v *T) error {
	i := 0 // fields are written in the order of the table, so each search starts at the last match
	for len(p) > 0 {
		tag := p[0]
		n, w := binary.Uvarint(p[1:])
		if w <= 0 || n > uint64(len(p)-1-w) {
			return errCorrupt
		}
		body := p[1+w : 1+w+int(n)]
		p = p[1+w+int(n):]
		for range fields {
			f := &fields[i]
			if f.tag == tag {
				if err := f.set(v, body); err != nil {
					return fmt.Errorf("%w: field %d", errCorrupt, tag)
				}
				break
			}
			i = (i + 1) % len(fields)
		}
	}
	return nil
}

func appendBytes[B string | []byte](b []byte, tag byte, p B) []byte {
	b = binary.AppendUvarint(append(b, tag), uint64(len(p)))
	return append(b, p...)
}

func textField[T any](tag byte, at func(*T) *string) field[T] {
	return field[T]{tag, func(b []byte, tag byte, v *T) []byte {
		if s := *at(v); s != "" {
			return appendBytes(b, tag, s)
		}
		return b
	}, func(v *T, p []byte) error {
		*at(v) = CleanText(p)
		return nil
	}}
}

func bytesField[T any](tag byte, at func(*T) *[]byte) field[T] {
	return field[T]{tag, func(b []byte, tag byte, v *T) []byte {
		if p := *at(v); len(p) > 0 {
			return appendBytes(b, tag, p)
		}
		return b
	}, func(v *T, p []byte) error {
		*at(v) = bytes.Clone(p)
		return nil
	}}
}

func idField[T any](tag byte, at func(*T) *uuid.UUID) field[T] {
	return field[T]{tag, func(b []byte, tag byte, v *T) []byte {
		if id := at(v); *id != uuid.Nil {
			return appendBytes(b, tag, id[:])
		}
		return b
	}, func(v *T, p []byte) error {
		id, err := uuid.FromBytes(p)
		*at(v) = id
		return err
	}}
}

func moneyField[T any](tag byte, at func(*T) *decimal.Decimal) field[T] {
	return field[T]{tag, func(b []byte, tag byte, v *T) []byte {
		if d := at(v); !d.IsZero() {
			return appendBytes(b, tag, d.String())
		}
		return b
	}, func(v *T, p []byte) error {
		d, err := decimal.NewFromString(string(p))
		*at(v) = d
		return err
	}}
}

func addrField[T any](tag byte, at func(*T) *netip.Addr) field[T] {
	return field[T]{tag, func(b []byte, tag byte, v *T) []byte {
		a := at(v)
		switch {
		case !a.IsValid():
			return b
		case a.Is4():
			a4 := a.As4()
			return appendBytes(b, tag, a4[:])
		}
		a16 := a.As16()
		return appendBytes(b, tag, a16[:])
	}, func(v *T, p []byte) error {
		a, ok := netip.AddrFromSlice(p)
		if !ok {
			return errCorrupt
		}
		*at(v) = a
		return nil
	}}
}

// numberField encodes a whole number or a boolean as a varint.
func numberField[T any](tag byte, get func(*T) uint64, set func(*T, uint64)) field[T] {
	return field[T]{tag, func(b []byte, tag byte, v *T) []byte {
		n := get(v)
		if n == 0 {
			return b
		}
		var tmp [binary.MaxVarintLen64]byte
		return appendBytes(b, tag, binary.AppendUvarint(tmp[:0], n))
	}, func(v *T, p []byte) error {
		n, w := binary.Uvarint(p)
		if w != len(p) {
			return errCorrupt
		}
		set(v, n)
		return nil
	}}
}

// timeField encodes a time in whole milliseconds.
func timeField[T any](tag byte, at func(*T) *time.Time) field[T] {
	return numberField(tag, func(v *T) uint64 {
		if t := *at(v); !t.IsZero() {
			return uint64(t.UnixMilli())
		}
		return 0
	}, func(v *T, n uint64) { *at(v) = time.UnixMilli(int64(n)).UTC() })
}

// listField encodes a list as a JSON document. The code that appends the record must make sure that the texts of the list
// contain no zero character.
func listField[T, V any](tag byte, at func(*T) *[]V) field[T] {
	return field[T]{tag, func(b []byte, tag byte, v *T) []byte {
		list := *at(v)
		if len(list) == 0 {
			return b
		}
		raw, err := json.Marshal(list)
		if err != nil {
			return b // does not happen: every V in use can be encoded
		}
		return appendBytes(b, tag, raw)
	}, func(v *T, p []byte) error {
		return json.Unmarshal(p, at(v))
	}}
}

func intField[T any](tag byte, at func(*T) *int) field[T] {
	return numberField(tag, func(v *T) uint64 { return uint64(*at(v)) },
		func(v *T, n uint64) { *at(v) = int(n) })
}

func boolField[T any](tag byte, at func(*T) *bool) field[T] {
	return numberField(tag, func(v *T) uint64 {
		if *at(v) {
			return 1
		}
		return 0
	}, func(v *T, n uint64) { *at(v) = n != 0 })
}

// mapField encodes a map of texts. Each name and each text is its length followed by its bytes.
func mapField[T any](tag byte, at func(*T) *map[string]string) field[T] {
	return field[T]{tag, func(b []byte, tag byte, v *T) []byte {
		m := *at(v)
		if len(m) == 0 {
			return b
		}
		var body []byte
		for k, s := range m {
			for _, t := range [2]string{k, s} {
				body = append(binary.AppendUvarint(body, uint64(len(t))), t...)
			}
		}
		return appendBytes(b, tag, body)
	}, func(v *T, p []byte) error {
		m := map[string]string{}
		for len(p) > 0 {
			var name, text string
			for _, to := range []*string{&name, &text} {
				n, w := binary.Uvarint(p)
				if w <= 0 || n > uint64(len(p)-w) {
					return errCorrupt
				}
				*to = CleanText(p[w : w+int(n)])
				p = p[w+int(n):]
			}
			m[name] = text
		}
		*at(v) = m
		return nil
	}}
}

// CleanText returns p as text that PostgreSQL can store: it replaces invalid UTF-8 by U+FFFD and removes zero characters.
func CleanText[T string | []byte](p T) string {
	s := string(p)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return s
}
