package timetext

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// parts are the parts of a text: a date, a time of day, a weekday and an offset, in any order in which programs write them.
type parts struct {
	rest string

	year, month, day int
	hasDate          bool // month and day are known; year may still follow, as in asctime
	weekday          int  // 0: not stated, 1: Sunday
	clock            time.Duration
	unit             time.Duration // precision of the time of day; 0: there is no time of day
	offset           *time.Location
}

// readParts reads a text part by part.
func readParts(s string, zone *time.Location) (Reading, error) {
	p := parts{rest: s}
	for p.rest != "" {
		if err := p.next(); err != nil {
			return Reading{}, err
		}
		p.rest = strings.TrimLeft(p.rest, " ,;")
	}
	return p.reading(zone)
}

func (p *parts) next() error {
	if p.unit == 0 {
		if ok, err := p.readClock(); ok || err != nil {
			return err
		}
	}
	if !p.hasDate {
		if ok, err := p.readDate(); ok || err != nil {
			return err
		}
	}
	if p.hasDate && p.year == 0 {
		if m := p.cut(yearAlone); m != nil {
			p.year = numberOf(m[1])
			return nil
		}
	}
	if p.unit != 0 && p.offset == nil {
		if ok, err := p.readOffset(); ok || err != nil {
			return err
		}
	}
	return p.readWord()
}

func (p *parts) cut(form *regexp.Regexp) []string {
	m := form.FindStringSubmatch(p.rest)
	if m == nil {
		return nil
	}
	p.rest = p.rest[len(m[0]):]
	return m
}

func numberOf(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

var (
	clockForm   = regexp.MustCompile(`^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,20})|:([0-9]{3}))?)?`)
	dotClock    = regexp.MustCompile(`^([0-9]{2})\.([0-9]{2})\.([0-9]{2})(?:\.([0-9]{3,9}))?$`)
	bareClock   = regexp.MustCompile(`^[Tt]([0-9]{2})(?:([0-9]{2})(?:([0-9]{2})(?:[.,]([0-9]{1,20}))?)?)?`)
	amPM        = regexp.MustCompile(`^ ?([AaPp])\.? ?[Mm](?:\.|\b)`)
	joinedClock = regexp.MustCompile(`^(?:[Tt_]|[Aa][Tt] |[-:]|\+)([0-9]{1,2}[:.][0-9]{2})`)
	signedClock = regexp.MustCompile(`^[-+][0-9]{1,2}:[0-9]{2}(?:$|[^:0-9])`)
)

// readClock reads a time of day, and the letter, word or sign that joins it to the date before it.
func (p *parts) readClock() (bool, error) {
	if p.hasDate && joinedClock.MatchString(p.rest) {
		if signedClock.MatchString(p.rest) { // 2026-03-04+02:00 is a date with an offset, or a date and a time
			return false, ErrForm
		}
		p.rest = strings.TrimLeft(p.rest, "TtAa_-:+ ")
	}
	m := p.cut(clockForm)
	switch {
	case m != nil:
		m[4] += m[5]
	case p.hasDate:
		if m = p.cut(dotClock); m == nil {
			m = p.cut(bareClock)
		}
	}
	if m == nil {
		return false, nil
	}
	hour, minute, second := numberOf(m[1]), numberOf(m[2]), numberOf(m[3])
	if h := p.cut(amPM); h != nil {
		if hour < 1 || hour > 12 {
			return false, ErrForm
		}
		if hour %= 12; h[1] == "p" || h[1] == "P" {
			hour += 12
		}
	}
	leap := second == 60 && minute == 59
	midnight := hour == 24 && minute == 0 && second == 0 && strings.Trim(m[4], "0") == ""
	if hour > 23 && !midnight || minute > 59 || second > 59 && !leap || len(p.rest) > 0 && isDigit(p.rest[0]) {
		return false, ErrForm
	}
	p.clock = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second +
		fractionOf(m[4], time.Second)
	switch {
	case m[3] != "":
		p.unit = fractionUnit(m[4], time.Second)
	case m[2] != "":
		p.unit = time.Minute
	default:
		p.unit = time.Hour
	}
	return true, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

var (
	offset = regexp.MustCompile(`^([-+]?)([0-9]{1,2})(?::?([0-9]{2}))?(?:$|[^0-9:.])`)
	// zoneWord matches the abbreviation of a zone, but not a name such as Europe/Paris.
	zoneWord = regexp.MustCompile(`^([A-Za-z]{1,5})(?:$|[^A-Za-z/_])`)
	// zoneComment matches the name of a zone that follows an offset and repeats it: (CET), [Europe/Paris].
	zoneComment = regexp.MustCompile(`^(?:\([^()]*\)|\[[^\[\]]*\])$`)
)

// zones lists the offsets of abbreviations in hours. CST, IST and BST are missing, because each is the name of several zones.
var zones = map[string]int{
	"z": 0, "utc": 0, "gmt": 0, "ut": 0, "uct": 0, "wet": 0, "west": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3, "jst": 9,
	"aest": 10, "aedt": 11, "est": -5, "edt": -4, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
}

// readOffset reads an offset, the abbreviation of a zone, or both.
func (p *parts) readOffset() (bool, error) {
	if m := zoneWord.FindStringSubmatch(p.rest); m != nil {
		word := strings.ToLower(m[1])
		hours, known := zones[word]
		if !known {
			return false, nil
		}
		p.rest = p.rest[len(m[1]):]
		if hours == 0 && word != "z" && word != "wet" { // GMT+0100, UTC 02:00
			p.rest = strings.TrimLeft(p.rest, " ")
			if ok, err := p.readSigned(); ok || err != nil {
				return ok, err
			}
		}
		p.offset = time.FixedZone("", hours*60*60)
		return true, nil
	}
	ok, err := p.readSigned()
	if !ok || err != nil {
		return ok, err
	}
	if m := zoneWord.FindStringSubmatch(p.rest); m != nil && strings.ToUpper(m[1]) == m[1] { // +0100 CET
		p.rest = p.rest[len(m[1]):]
	}
	return true, nil
}

// A missing sign is a plus that was decoded as a space. An offset without a sign has at least two digits, or four after a time of
// day without seconds.
func (p *parts) readSigned() (bool, error) {
	m := offset.FindStringSubmatch(p.rest)
	if m == nil || p.year == 0 && yearAlone.MatchString(p.rest) {
		return false, nil
	}
	hours, minutes := numberOf(m[2]), numberOf(m[3])
	if hours > 14 || minutes > 59 || m[1] == "" && (len(m[2]) < 2 || m[3] == "" && p.unit > time.Second) {
		return false, ErrZone
	}
	secondsEast := (hours*60 + minutes) * 60
	if m[1] == "-" {
		secondsEast = -secondsEast
	}
	p.offset = time.FixedZone("", secondsEast)
	length := len(m[0])
	if !isDigit(m[0][length-1]) {
		length--
	}
	p.rest = strings.TrimLeft(p.rest[length:], " ")
	return true, nil
}

// readWord reads a weekday, a word without a meaning, or a comment.
func (p *parts) readWord() error {
	if p.offset != nil && p.cut(zoneComment) != nil {
		return nil
	}
	m := p.cut(wordForm)
	if m == nil {
		return ErrForm
	}
	word := strings.ToLower(m[1])
	if day := indexOf(weekdays, word); day > 0 && p.weekday == 0 {
		p.weekday = day
		return nil
	}
	if word == "at" || word == "on" {
		return nil
	}
	if p.unit != 0 && p.offset == nil {
		return ErrZone
	}
	return ErrForm
}

var wordForm = regexp.MustCompile(`^([A-Za-z]+)\.?`)

func (p *parts) reading(zone *time.Location) (Reading, error) {
	if !p.hasDate || p.year == 0 {
		return Reading{}, ErrForm
	}
	if p.offset != nil {
		zone = p.offset
	}
	day := time.Date(p.year, time.Month(p.month), p.day, 0, 0, 0, 0, time.UTC)
	if day.Day() != p.day || int(day.Month()) != p.month || p.day == 0 {
		return Reading{}, ErrNoDate
	}
	if p.weekday != 0 && int(day.Weekday()) != p.weekday-1 {
		return Reading{}, ErrWeekday
	}
	if p.unit == 0 {
		return Reading{time.Date(p.year, day.Month(), p.day, 0, 0, 0, 0, zone), 24 * time.Hour}, nil
	}
	return Reading{time.Date(p.year, day.Month(), p.day, 0, 0, int(p.clock/time.Second), int(p.clock%time.Second), zone), p.unit}, nil
}
