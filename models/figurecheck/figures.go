package figurecheck

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

type figure struct {
	written  string
	readings []reading // possible meanings; empty: the meaning is not known
	percent  bool
	about    bool // a word or a sign before the number says that it is rounded
}

// reading is one possible meaning of a number. 1.234 can mean more than a thousand or little more than one, but 1,234 is always
// more than a thousand.
type reading struct {
	value decimal.Decimal
	step  decimal.Decimal // value of the last written place: 0.01 for 1.25, 100 for 1.2k
}

// contains reports whether the facts confirm a figure. If total is true, the sum of a column confirms it too.
func (k *facts) contains(f figure, total bool) bool {
	for _, r := range f.readings {
		step := r.step
		if f.about {
			step = decimal.Max(step, lastPlace(r.value))
		}
		half := step.Div(two)
		near := func(n decimal.Decimal) bool { return n.Sub(r.value).Abs().LessThanOrEqual(half) }
		if slices.ContainsFunc(k.numbers, func(n decimal.Decimal) bool { return near(n) || f.percent && near(n.Mul(hundred)) }) ||
			total && slices.ContainsFunc(k.sums, near) {
			return true
		}
	}
	return false
}

var (
	two     = decimal.NewFromInt(2)
	hundred = decimal.NewFromInt(100)
)

// lastPlace returns the value of the last place whose digit is not zero, but at least 1: 100 for 1200. It returns 0 for 0.
func lastPlace(n decimal.Decimal) decimal.Decimal {
	if n.IsZero() {
		return n
	}
	place := decimal.NewFromInt(1)
	for n.Mod(place.Mul(ten)).IsZero() {
		place = place.Mul(ten)
	}
	return place
}

var ten = decimal.NewFromInt(10)

var noFigures = []*regexp.Regexp{
	regexp.MustCompile(`https?://\S+`),
	regexp.MustCompile(`[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f-]{22}`),
	regexp.MustCompile(`\b\d{4}-\d{2}(-\d{2})?([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?\b`),                  // 2026-11-02 10:30
	regexp.MustCompile(`\b\d{1,2}[./]\d{1,2}[./]\d{4}\b`),                                                // 2.11.2026
	regexp.MustCompile(`\b\d{1,2}:\d{2}(:\d{2})?\b`),                                                     // 10:30
	regexp.MustCompile(`(?i)\b\d{1,2}(st|nd|rd|th)?\.? ` + months + `\.?,?( \d{4})?\b`),                  // 2 November 2026
	regexp.MustCompile(`(?i)\b` + months + `\.? \d{1,2}(st|nd|rd|th)?(\s?[-–]\s?\d{1,2})?(,? \d{4})?\b`), // Nov 2-9, 2026
	regexp.MustCompile(`(?i)\b` + months + ` \d{4}\b`),
	regexp.MustCompile(`(?i)\b\d{1,3}[- ](minutes?|hours?|days?|weeks?|months?|years?)\b`),
	regexp.MustCompile(`(?i)\btop[- ]\d{1,2}\b`),
	regexp.MustCompile(`(?m)^\s*(#+\s*)?\(?\d{1,2}[.)]\s`), // item number of a list
}

const months = `(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)`

var number = regexp.MustCompile(`\d(?:[\d,.'’_\x{00a0}\x{202f}]*\d)?`)

// approximate matches a word or a sign before a figure that is rounded, such as about or ~.
var approximate = regexp.MustCompile(`(?i)(\b(about|around|approximately|roughly|nearly|almost|some|circa|ca\.?|over|under|more than|less than)|[~≈])\s*[$€£¥]?$`)

func figures(sentence string) []figure {
	for _, pattern := range noFigures {
		sentence = pattern.ReplaceAllString(sentence, " ")
	}
	var out []figure
	for _, at := range number.FindAllStringIndex(sentence, -1) {
		before, _ := utf8.DecodeLastRuneInString(sentence[:at[0]])
		written, tail := sentence[at[0]:at[1]], sentence[at[1]:]
		scale, suffix := magnitude(tail)
		after, _ := utf8.DecodeRuneInString(tail[len(suffix):])
		if isWord(before) || isWord(after) { // the number is a part of a word, such as sub1 or 4chan
			continue
		}
		rest := strings.TrimLeft(tail[len(suffix):], " \u00a0\u202f")
		f := figure{written: written + suffix, percent: strings.HasPrefix(rest, "%"), about: approximate.MatchString(sentence[:at[0]])}
		if f.percent {
			f.written += "%"
		}
		for _, r := range readings(written) {
			f.readings = append(f.readings, reading{r.Mul(scale), decimal.New(1, r.Exponent()).Mul(scale)})
		}
		out = append(out, f)
	}
	return out
}

var (
	grouped  = regexp.MustCompile(`^\d{1,3}(?:([,.'’_\x{00a0}\x{202f}])\d{3})+(?:[,.]\d+)?$`)
	decimals = regexp.MustCompile(`^(\d+)(?:[,.](\d+))?$`)
	marks    = strings.NewReplacer(",", "", ".", "", "'", "", "’", "", "_", "", "\u00a0", "", "\u202f", "")
)

const maxDigits = 30

func readings(written string) (out []decimal.Decimal) {
	if len(written) > maxDigits {
		return nil
	}
	thousands := grouped.MatchString(written)
	if m := decimals.FindStringSubmatch(written); m != nil && (!thousands || !strings.Contains(written, ",")) {
		text := m[1]
		if m[2] != "" {
			text += "." + m[2]
		}
		out = append(out, decimal.RequireFromString(text))
	}
	if !thousands {
		return out
	}
	whole, fraction := written, "" // the last separator begins the fraction if it occurs only once and after another separator
	if i := strings.LastIndexAny(written, ",."); i >= 0 && strings.ContainsAny(written[:i], ",.'’_\u00a0\u202f") &&
		!strings.Contains(written[:i], written[i:i+1]) {
		whole, fraction = written[:i], "."+written[i+1:]
	}
	return append(out, decimal.RequireFromString(marks.Replace(whole)+fraction)) // never panics: the text is a number
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '#')
}

// magnitude returns the scale of a suffix, such as the k in 1.2k.
func magnitude(tail string) (scale decimal.Decimal, suffix string) {
	for _, m := range []struct {
		suffix string
		power  int32
	}{{"k", 3}, {"K", 3}, {"M", 6}, {"m", 6}, {" thousand", 3}, {" million", 6}, {"bn", 9}, {"B", 9}, {" billion", 9}} {
		if strings.HasPrefix(tail, m.suffix) {
			if r, _ := utf8.DecodeRuneInString(tail[len(m.suffix):]); !isWord(r) {
				return decimal.New(1, m.power), m.suffix
			}
		}
	}
	return decimal.NewFromInt(1), ""
}
