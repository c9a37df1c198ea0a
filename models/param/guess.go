package param

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// family holds the charsets in which texts of a script are written. The function readable gets the text before (raw) and after
// decoding.
type family struct {
	charsets []encoding.Encoding
	readable func(raw, text string) bool
}

var (
	cyrillic = []encoding.Encoding{charmap.Windows1251, charmap.KOI8R, charmap.KOI8U, charmap.CodePage866, charmap.ISO8859_5}

	slavic    = family{cyrillic, func(_, text string) bool { return isRussian(text, 2, 85) }}
	chinese   = family{[]encoding.Encoding{simplifiedchinese.GBK}, isChinese}
	taiwanese = family{[]encoding.Encoding{traditionalchinese.Big5}, isTaiwanese}

	// families holds the family of each language. Western and Central European languages are missing, because a text in one of
	// them looks readable in the charsets of all of them.
	families = map[string]family{
		"ru": slavic, "uk": slavic, "be": slavic, "bg": slavic, "mk": slavic, "kk": slavic, "ky": slavic, "tg": slavic, "tt": slavic,
		"zh": chinese, "zh-tw": taiwanese, "zh-hk": taiwanese, "zh-mo": taiwanese, "zh-hant": taiwanese,
		"ja": {[]encoding.Encoding{japanese.ShiftJIS, japanese.EUCJP}, isJapanese},
		"ko": {[]encoding.Encoding{korean.EUCKR}, isKorean},
		// A text in one of these languages also looks readable in other charsets, so its charset is never guessed.
		"he": {}, "iw": {}, "el": {}, "th": {}, "ar": {}, "fa": {},
	}

	// otherFamilies holds the families that guess tries after the families of the visitor's languages.
	otherFamilies = []family{
		{[]encoding.Encoding{charmap.Windows1250, charmap.Windows1252, charmap.Windows1254, charmap.Windows1257}, isLatin},
		{cyrillic, func(_, text string) bool { return isRussian(text, 5, 85) }},
	}
)

const maxLanguages = 4

// guess returns a text in UTF-8. If the text can be read in several ways or in no way, it returns an empty text.
func guess(text, languages string) string {
	for range maxLanguages {
		var tag string
		tag, languages, _ = strings.Cut(languages, ",")
		tag, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), ";")
		f, known := familyOf(tag)
		if !known {
			continue
		}
		s, several := decode(text, f)
		if s != "" || several || len(f.charsets) == 0 {
			return s
		}
	}
	s, _ := decode(text, otherFamilies...)
	return s
}

// familyOf returns the family of a language tag.
func familyOf(tag string) (f family, known bool) {
	for {
		if f, known = families[tag]; known {
			return f, true
		}
		i := strings.LastIndexByte(tag, '-')
		if i < 0 {
			return f, false
		}
		tag = tag[:i]
	}
}

// decode decodes a text with the charsets and returns the only readable result. If there are several results, it returns an empty
// text and true.
func decode(text string, list ...family) (s string, several bool) {
	for _, f := range list {
		for _, e := range f.charsets {
			t, ok := convert(e, text)
			if !ok || !f.readable(text, t) || t == s {
				continue
			}
			if s != "" {
				return "", true
			}
			s = t
		}
	}
	return s, false
}

// signs are the characters outside ASCII, besides letters, that a Latin or Cyrillic text may contain.
const signs = "\u00a0«»„“”‘’–—…№€°"

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

func hasUsualSigns(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(signs, r)
	})
}

// isLatin reports whether a text looks like a text in Latin letters with some letters outside ASCII. At least half of the
// letters of each word must be ASCII letters. A capital letter outside ASCII may stand only at the beginning of a word.
func isLatin(_, text string) bool {
	found := false
	for _, word := range words(text) {
		foreign, ascii := 0, 0
		for i, r := range word {
			switch {
			case r < utf8.RuneSelf:
				ascii++
			case !unicode.Is(unicode.Latin, r) || i > 0 && unicode.IsUpper(r) || r == 'ª' || r == 'º':
				return false
			default:
				foreign++
			}
		}
		if foreign > ascii {
			return false
		}
		found = found || foreign > 0
	}
	return found && hasUsualSigns(text)
}

// isChinese reports whether all characters outside ASCII are signs or among the 3,755 that GB 2312 lists as common. If a text in a
// charset with single bytes is decoded as Chinese, most characters are rare ones. isChinese returns false if the same bytes can be
// read as Korean syllables.
func isChinese(raw, text string) bool {
	korean, ok := convert(korean.EUCKR, raw)
	return isWide(text, unicode.Han) && hasPairs(raw, 0xb0, 0xd7) && (!ok || !isKorean(raw, korean))
}

func isTaiwanese(raw, text string) bool {
	if !isWide(text, unicode.Han) {
		return false
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] >= utf8.RuneSelf {
			if raw[i] < 0xa4 || raw[i] > 0xc6 {
				return false
			}
			i++
		}
	}
	return true
}

// isJapanese reports whether a text is Japanese and contains Kana. Kana is required, because a text in another charset often gives
// Kanji when it is decoded as Japanese.
func isJapanese(_, text string) bool {
	kana := strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) })
	return kana && isWide(text, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func isKorean(raw, text string) bool {
	return isWide(text, unicode.Hangul) && hasPairs(raw, 0xb0, 0xc8)
}

// isWide reports whether a text contains characters of the given scripts and, outside ASCII, only these and full-width signs. It
// refuses half-width Katakana, because each byte from A1 to DF can be read as such a character in Shift JIS.
func isWide(text string, scripts ...*unicode.RangeTable) bool {
	found := false
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
		case 0xff61 <= r && r <= 0xff9f:
			return false
		case unicode.In(r, scripts...):
			found = true
		case 0x3000 <= r && r <= 0x303f, 0xff00 <= r && r <= 0xff60, r == 'ー':
		default:
			return false
		}
	}
	return found
}

// hasPairs reports whether the bytes outside ASCII are pairs whose first byte is from low to high or, for signs, from A1 to A3.
func hasPairs(raw string, low, high byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] < utf8.RuneSelf {
			continue
		}
		if i+1 == len(raw) || raw[i+1] <= 0xa0 || (raw[i] < low || raw[i] > high) && (raw[i] < 0xa1 || raw[i] > 0xa3) {
			return false
		}
		i++
	}
	return true
}

// isRussian reports whether a text is Russian, judged by the pairs of letters in its words. The text must have at least minPairs
// pairs, and at least the given percentage of them must be frequent in Russian. A Cyrillic word must not contain ASCII letters, and
// may have a capital letter only at its beginning.
func isRussian(text string, minPairs, percent int) bool {
	pairs, frequent := 0, 0
	for _, word := range words(text) {
		last := rune(0)
		cyrillic, ascii := 0, 0
		for i, r := range word {
			switch {
			case r < utf8.RuneSelf:
				ascii++
				continue
			case !unicode.Is(unicode.Cyrillic, r) || i > 0 && unicode.IsUpper(r):
				return false
			}
			r = unicode.ToLower(r)
			if cyrillic++; cyrillic > 1 {
				if pairs++; russianPairs[[2]rune{last, r}] {
					frequent++
				}
			}
			last = r
		}
		if cyrillic > 0 && ascii > 0 {
			return false
		}
	}
	return pairs >= minPairs && 100*frequent >= percent*pairs && hasUsualSigns(text)
}

var russianPairs = func() map[[2]rune]bool {
	m := map[[2]rune]bool{}
	for _, row := range strings.Fields(`
		а:бвгджзийклмнпрстхчшюя б:аелиоруыщ в:адеиклнорстуы г:адлоиру д:аевлнорутиь е:бвгдежзийклмнпрстхчшщ
		ж:адение з:адамнвоыь и:вгдежзийклмнпрстхцчшюя й:нстк к:аеиолрутв л:аеиоуыьюя м:аеиоуныпя н:аеионуыьтя
		о:бвгджзийклмнпрстхчшщюе п:аелоруиыь р:аевиолмнтуыья с:аевиклмнопртуыья т:аевиолнруыьья у:бвгджзклмнпрстчшщюе
		ф:аоир х:ноаиод ц:аиеыо ч:аеиншту ш:аеиклнь щ:иеа ы:вейлмнрстхш ь:кнсшюя э:ктлн ю:бдтщчн я:влмнстдзхщ`) {
		first, seconds, _ := strings.Cut(row, ":")
		a, _ := utf8.DecodeRuneInString(first)
		for _, b := range seconds {
			m[[2]rune{a, b}] = true
		}
	}
	return m
}()
