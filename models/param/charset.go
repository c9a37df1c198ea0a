package param

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// Clues describe the sender of texts that are perhaps not in UTF-8.
//
// A stated charset is used. If no charset is stated, a text that is not in UTF-8 is converted only if exactly one readable text can
// be made from it. If the visitor's languages are Chinese, Japanese, Korean or written in Cyrillic letters, the charsets of
// these languages are tried first. If these charsets give no readable text, the Cyrillic charsets are tried together with the charsets
// of Western and Central Europe. A UTF-8 text that was cut within its last character loses only that character. Any other text becomes
// empty, so that no letter ever becomes a different letter.
type Clues struct {
	// Charset is the label of the stated charset, as in Content-Type. If it is empty, Decode looks for it in the parameters charset,
	// _charset_ and ie.
	Charset  string
	Language string // the visitor's languages, as in Accept-Language
}

const (
	maxGuessed   = 64      // maximum number of texts of one message for which a charset is guessed
	maxGuessable = 4 << 10 // maximum length in bytes of a text for which a charset is guessed
)

// Decode converts the names and values of parameters to UTF-8. If a name or value cannot be converted, it becomes empty. A
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

func isOther(text string) bool {
	if utf8.ValidString(text) {
		return false
	}
	_, cut := withoutCutRune(text)
	return !cut
}

// StatesCharset reports whether a parameter states a charset that findCharset returns.
func (p *Param) StatesCharset() bool {
	switch p.Name {
	case "charset", "_charset_", "ie":
		return findCharset(p.Value) != nil
	}
	return false
}

// UTF8 returns a text in UTF-8, converted by the rules of Clues. It returns an empty text if these rules give no readable text.
func (c Clues) UTF8(text string) string {
	d := decoder{clues: c, stated: findCharset(c.Charset)}
	return d.utf8(text)
}

// findCharset returns a charset by its label. It returns nil for labels that Decode cannot use, such as UTF-8, UTF-16 and
// labels that the HTML standard does not have.
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

type decoder struct {
	clues   Clues
	stated  encoding.Encoding // nil: no charset is stated, or findCharset does not return it
	foreign bool
	guessed int
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

// isForeign reports whether a text must be converted. Two bytes of a double-byte charset can look like a letter in UTF-8. So
// valid UTF-8 with only one or two such letters is converted in two cases: a double-byte charset is stated, or no charset is
// stated, another text is not UTF-8, and the letters are not Latin, Greek or Cyrillic. Valid UTF-8 with an escape character is
// converted if ISO-2022-JP is stated.
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

// convert returns a text in UTF-8.
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

// withoutCutRune removes the last character of a UTF-8 text if it is incomplete, because the sender has cut the text at a number
// of bytes. ok is false for any other text, and for a text without another character outside ASCII.
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
