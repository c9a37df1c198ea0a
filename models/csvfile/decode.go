// Package csvfile reads CSV in the forms that spreadsheets, networks and ad platforms write: in UTF-8, UTF-16, windows-1251 or
// windows-1252, with commas, semicolons, tabs or bars, with line breaks of any system, and with lines above the header.
//
// Files are not trusted. Work and memory are linear in their length.
package csvfile

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// The charsets that Decode recognizes, with their IANA names.
const (
	UTF8        = "utf-8"
	UTF16LE     = "utf-16le"
	UTF16BE     = "utf-16be"
	Windows1251 = "windows-1251"
	Windows1252 = "windows-1252"
)

// ErrBinary says that a file is not text.
var ErrBinary = errors.New("this is no text file: save it as CSV in UTF-8")

var decoders = map[string]encoding.Encoding{
	UTF16LE: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), UTF16BE: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	Windows1251: charmap.Windows1251, Windows1252: charmap.Windows1252,
}

// Decode returns the text of a file without its byte order mark, and its charset. A byte order mark of UTF-16 determines the
// charset. For a file without such a mark, Decode guesses the charset from the bytes. The error is ErrBinary.
func Decode(raw []byte) (text, charset string, err error) {
	charset = charsetOf(raw)
	if decoder := decoders[charset]; decoder != nil {
		if raw, err = decoder.NewDecoder().Bytes(raw); err != nil {
			return "", charset, ErrBinary
		}
	}
	text = strings.TrimPrefix(string(raw), "\uFEFF")
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
		return "", charset, ErrBinary
	}
	return text, charset, nil
}

func charsetOf(raw []byte) string {
	even, odd := zeros(raw)
	manyZeros := (even+odd)*4 >= len(raw) && len(raw)%2 == 0
	switch {
	case bytes.HasPrefix(raw, []byte("\xFF\xFE")):
		return UTF16LE
	case bytes.HasPrefix(raw, []byte("\xFE\xFF")):
		return UTF16BE
	case manyZeros && odd > 0 && even == 0:
		return UTF16LE
	case manyZeros && even > 0 && odd == 0:
		return UTF16BE
	case utf8.Valid(raw):
		return UTF8
	case isCyrillic(raw):
		return Windows1251
	}
	return Windows1252
}

func zeros(raw []byte) (even, odd int) {
	for i, b := range raw {
		if b == 0 {
			if i%2 == 0 {
				even++
			} else {
				odd++
			}
		}
	}
	return even, odd
}

// isCyrillic reports whether bytes look like windows-1251. In that charset, all letters of a word are outside ASCII, while in the
// languages of windows-1252 such letters occur alone or in pairs.
func isCyrillic(raw []byte) bool {
	run := 0
	for _, b := range raw {
		if b < 0xC0 && b != 0xA8 && b != 0xB8 { // the last two are the letter yo
			run = 0
		} else if run++; run == 3 {
			return true
		}
	}
	return false
}

// FromText returns a text without a byte order mark. Text that is not UTF-8, or has zero bytes, is decoded with Decode. The error
// is ErrBinary.
func FromText(text string) (string, error) {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return strings.TrimPrefix(text, "\uFEFF"), nil
	}
	text, _, err := Decode([]byte(text))
	return text, err
}
