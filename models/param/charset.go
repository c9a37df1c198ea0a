package param

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// Clues describe a sender, for texts that are not UTF-8.
//
// A stated charset is believed. Without one, a text is converted only if exactly one readable text can be made from it. Clues first
// tries the charsets of the visitor's language if that is Chinese, Japanese, Korean or written in Cyrillic letters. It then accepts
// a text that is Russian by its pairs of letters. It also accepts a text in letters of ASCII with a few other letters, if all charsets of
// Western and Central Europe have these letters at the same place. Every other text is empty, so that no letter becomes another letter.
type Clues struct {
	// Charset is the label of the stated charset, as in Content-Type. If it is empty, the parameters charset, _charset_ and ie
	// may state it.
	Charset  string
	Language string // the Accept-Language header
}

const (
	maxGuessed   = 64      // texts of one message whose charset is guessed
	maxGuessable = 4 << 10 // bytes of a text whose charset is guessed
)

// Decode converts the names and values of parameters to UTF-8. A name or a value that cannot be converted becomes empty. A
// parameter that loses its value in this way is marked as lost.
func (c Clues) Decode(list []Param) {
	for i := range list {
		if c.Charset == "" && list[i].StatesCharset() {
			c.Charset = list[i].Value
		}
	}
	d := decoder{clues: c, stated: findCharset(c.Charset)}
	for i := range list {
		d.foreign = d.foreign || isOther(list[i].Name) || isOther(list[i].Value)
	}
	for i := range list {
		list[i].decode(&d)
	}
}

func (p *Param) decode(d *decoder) {
	value := d.utf8(p.Value)
	p.Name, p.Value, p.IsLost = d.utf8(p.Name), value, p.Value != "" && value == ""
}

// isOther reports whether a text is neither UTF-8 nor the beginning of a text in UTF-8.
func isOther(text string) bool {
	if utf8.ValidString(text) {
		return false
	}
	_, cut := withoutCutRune(text)
	return !cut
}

// StatesCharset reports whether a parameter states the charset of all parameters, and that this is not UTF-8.
func (p *Param) StatesCharset() bool {
	switch p.Name {
	case "charset", "_charset_", "ie":
		return findCharset(p.Value) != nil
	}
	return false
}

// UTF8 returns a text in UTF-8, or an empty text if the conversion would be a guess.
func (c Clues) UTF8(text string) string {
	d := decoder{clues: c, stated: findCharset(c.Charset)}
	return d.utf8(text)
}

// findCharset returns a charset by its label. It returns nil for UTF-8, UTF-16 and a label that the HTML standard does not know.
func findCharset(label string) encoding.Encoding {
	if label == "" || len(label) > 40 {
		return nil
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return nil
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8", "utf-16be", "utf-16le", "replacement", "x-user-defined":
		return nil
	}
	return e
}

// decoder converts the texts of one message.
type decoder struct {
	clues   Clues
	stated  encoding.Encoding // nil: none
	foreign bool              // a text of the message is not UTF-8
	guessed int               // texts whose charset was guessed
}

func (d *decoder) utf8(text string) string {
	if !d.isForeign(text) {
		return text
	}
	if d.stated != nil {
		if s, ok := convert(d.stated, text); ok || !utf8.ValidString(text) {
			return s
		}
		return text
	}
	if s, ok := withoutCutRune(text); ok {
		return s
	}
	if d.guessed++; d.guessed > maxGuessed || len(text) > maxGuessable {
		return ""
	}
	return guess(text, d.clues.Language)
}

// isForeign reports whether a text has to be converted. Two bytes of a double-byte charset may look like a letter of UTF-8. If such a
// charset is stated, a text counts as UTF-8 only if it has three letters beyond ASCII, or a letter of three bytes. The same rule
// applies without a stated charset if another text of the message is not UTF-8, but only to letters that are very rare.
func (d *decoder) isForeign(text string) bool {
	if !utf8.ValidString(text) {
		return true
	}
	if d.stated == nil && !d.foreign {
		return false
	}
	if d.stated != nil && strings.IndexByte(text, '\x1b') >= 0 {
		return isName(d.stated, "iso-2022-jp")
	}
	letters := 0
	for _, r := range text {
		switch {
		case r >= 0x800, d.stated == nil && r >= utf8.RuneSelf && (r < 0x250 || 0x370 <= r && r < 0x530):
			return false
		case r >= utf8.RuneSelf:
			letters++
		}
	}
	return 0 < letters && letters < 3 && (d.stated == nil || isDoubleByte(d.stated))
}

func isDoubleByte(e encoding.Encoding) bool {
	return isName(e, "gbk", "gb18030", "big5", "shift_jis", "euc-jp", "euc-kr")
}

func isName(e encoding.Encoding, names ...string) bool {
	name, _ := htmlindex.Name(e)
	return slices.Contains(names, name)
}

// convert returns a text in UTF-8. ok is false, and the text empty, if a byte has no meaning in the charset.
func convert(e encoding.Encoding, text string) (s string, ok bool) {
	s, err := e.NewDecoder().String(text)
	if err != nil {
		return "", false
	}
	for _, r := range s {
		if r == utf8.RuneError || 0x80 <= r && r < 0xa0 || 0xe000 <= r && r < 0xf900 {
			return "", false
		}
	}
	return s, true
}

// withoutCutRune removes the beginning of a last character from a text of UTF-8 that its sender has cut at a number of bytes. ok
// is false for any other text, and for a text without another character beyond ASCII.
func withoutCutRune(text string) (s string, ok bool) {
	for n := 1; n < utf8.UTFMax && n < len(text); n++ {
		tail := text[len(text)-n:]
		if !utf8.RuneStart(tail[0]) {
			continue
		}
		s = text[:len(text)-n]
		return s, !utf8.FullRuneInString(tail) && utf8.ValidString(s) && len(s) > utf8.RuneCountInString(s)
	}
	return "", false
}
