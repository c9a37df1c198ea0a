package cond

import (
	"net/netip"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"switchyard/models"
)

// Source looks up query parameters and request headers. Names of headers are passed in canonical form. An empty result means
// unknown.
type Source interface {
	Param(name string) string
	Header(name string) string
}

// Facts holds the known facts about one visitor at one moment. In the zero value nothing is known. Only one goroutine may use
// Facts, because a match stores folded text in them. Matches after Reset use the same memory again.
type Facts struct {
	text    [numAttrs]string
	num     [numAttrs]int64
	known   [(numAttrs + 63) / 64]uint64 // a bit for each attribute
	steps   int                          // number of steps since Reset
	addr    netip.Addr
	source  Source
	now     time.Time
	zone    *time.Location
	timed   bool // true after readClock has set minute, and day, hour and date in num
	minute  int  // minute of the day in local time
	folded  [numAttrs]span
	scratch []byte
	pairs   [4]textPairs // for the texts searched last: the pairs of neighbouring bytes in each
	hashes  [4]textHash  // for the texts that a Screen looked up last: the hash of each
}

type textPairs struct {
	text span
	set  pairs
}

type textHash struct {
	text span
	sum  uint32
}

type span struct{ from, to int32 }

// Reset clears the facts. It keeps the memory.
func (f *Facts) Reset() {
	scratch := f.scratch[:0]
	*f = Facts{scratch: scratch}
}

// Exhausted reports whether the decision has used more than MaxSteps. Match then returns false.
func (f *Facts) Exhausted() bool { return f.steps > MaxSteps }

// countSteps adds to the steps of the decision. It returns false if the decision is exhausted.
func (f *Facts) countSteps(steps int) bool {
	f.steps = min(f.steps+steps, MaxSteps+1)
	return !f.Exhausted()
}

// SetText sets an attribute that is a text or a version. An empty text means that the value is unknown.
func (f *Facts) SetText(a Attr, v string) {
	f.text[a], f.folded[a] = v, span{}
	f.setKnown(a, v != "")
}

// SetInt sets a numeric attribute. Zero is a known value.
func (f *Facts) SetInt(a Attr, v int64) {
	f.num[a], f.folded[a] = v, span{}
	f.setKnown(a, true)
}

// SetBool sets is_unique or is_bot.
func (f *Facts) SetBool(a Attr, v bool) {
	n := int64(0)
	if v {
		n = 1
	}
	f.SetInt(a, n)
}

// SetIP sets the IP address and ip_version. An IPv4 address mapped into IPv6 counts as IPv4.
func (f *Facts) SetIP(addr netip.Addr) {
	addr = addr.Unmap().WithZone("")
	f.addr, f.folded[IP] = addr, span{}
	f.setKnown(IP, addr.IsValid())
	f.setKnown(IPVersion, false)
	if addr.IsValid() {
		f.SetInt(IPVersion, int64(4+2*b2i(addr.Is6()))) // 4 or 6
	}
}

// SetTime sets the moment and the time zone. A nil zone means UTC.
func (f *Facts) SetTime(now time.Time, zone *time.Location) {
	if zone == nil {
		zone = time.UTC
	}
	f.now, f.zone, f.timed = now, zone, false
	for _, a := range [...]Attr{DayOfWeek, HourOfDay, Date, Schedule} {
		f.folded[a] = span{}
		f.setKnown(a, !now.IsZero())
	}
}

// clickText and clickFact each read one attribute from a click. The lists of them are made from the rows of `attributes`.
type (
	clickText struct {
		attr Attr
		at   func(*models.Click) *string
	}
	clickFact struct {
		attr Attr
		set  func(*Facts, Attr, *models.Click)
	}
)

var clickTexts, clickFacts = func() (texts []clickText, facts []clickFact) {
	for i, known := range attributes[:len(attrByName)] {
		a, row := Attr(i), known.row
		switch {
		case row == nil || row.Sub > 0:
		case row.Text != nil:
			texts = append(texts, clickText{a, row.Text})
		case row.Addr != nil:
			facts = append(facts, clickFact{a, func(f *Facts, _ Attr, c *models.Click) { f.SetIP(*row.Addr(c)) }})
		case row.ASN != nil:
			facts = append(facts, clickFact{a, func(f *Facts, a Attr, c *models.Click) {
				f.SetInt(a, int64(*row.ASN(c)))
				f.setKnown(a, *row.ASN(c) != 0)
			}})
		case row.Int != nil:
			facts = append(facts, clickFact{a, func(f *Facts, a Attr, c *models.Click) { f.SetInt(a, int64(*row.Int(c))) }})
		case row.Bool != nil:
			facts = append(facts, clickFact{a, func(f *Facts, a Attr, c *models.Click) { f.SetBool(a, *row.Bool(c)) }})
		}
	}
	return texts, facts
}()

// SetClick sets the attributes that are recorded with a click, except ids. The caller sets the texts of the ids that are needed.
// Most sub-parameters are empty. An empty one is set only if it replaces a known text.
func (f *Facts) SetClick(c *models.Click) {
	for i := range clickTexts {
		f.SetText(clickTexts[i].attr, *clickTexts[i].at(c))
	}
	for i := range c.Subs {
		if a := firstSub + Attr(i); c.Subs[i] != "" || f.Known(a) {
			f.SetText(a, c.Subs[i])
		}
	}
	for i := range clickFacts {
		clickFacts[i].set(f, clickFacts[i].attr, c)
	}
}

// SetSource sets the source of param.<name> and header.<name>.
func (f *Facts) SetSource(s Source) { f.source = s }

// Known reports whether an attribute has a value.
func (f *Facts) Known(a Attr) bool { return a < numAttrs && f.known[a/64]&(1<<(a%64)) != 0 }

// Text returns an attribute's value as text, or "" if it is unknown. Numbers and addresses are formatted, which allocates.
func (f *Facts) Text(a Attr) string {
	if !f.Known(a) {
		return ""
	}
	if attributes[a].kind == kindText || attributes[a].kind == kindVersion {
		return f.text[a]
	}
	return string(f.appendText(nil, a))
}

func (f *Facts) setKnown(a Attr, known bool) {
	if known {
		f.known[a/64] |= 1 << (a % 64)
	} else {
		f.known[a/64] &^= 1 << (a % 64)
	}
}

func (f *Facts) number(a Attr) int64 {
	if a >= DayOfWeek && a <= Schedule {
		f.readClock()
	}
	return f.num[a]
}

func (f *Facts) readClock() {
	if f.timed {
		return
	}
	local := f.now.In(f.zone)
	y, m, d := local.Date()
	f.num[DayOfWeek] = int64((local.Weekday()+6)%7) + 1
	f.num[HourOfDay] = int64(local.Hour())
	f.num[Date] = int64(y*10000 + int(m)*100 + d)
	f.minute = local.Hour()*60 + local.Minute()
	f.timed = true
}

func (f *Facts) appendText(dst []byte, a Attr) []byte {
	switch attributes[a].kind {
	case kindText, kindVersion:
		return append(dst, f.text[a]...)
	case kindBool:
		return strconv.AppendBool(dst, f.num[a] != 0)
	case kindIP:
		return f.addr.AppendTo(dst)
	case kindDate:
		f.readClock()
		return f.now.In(f.zone).AppendFormat(dst, time.DateOnly)
	case kindSchedule:
		return f.now.In(f.zone).AppendFormat(dst, "Mon 15:04")
	default:
		return strconv.AppendInt(dst, f.number(a), 10)
	}
}

// Fold returns a text folded: texts that differ only in upper and lower case become equal.
func Fold(text string) []byte { return appendFold(nil, text) }

// Folded returns the folded value of a known attribute. The bytes stay valid until Reset.
func (f *Facts) Folded(a Attr) []byte {
	if s := f.folded[a]; s.to > s.from {
		return f.scratch[s.from:s.to]
	}
	from := len(f.scratch)
	if k := attributes[a].kind; k == kindText || k == kindVersion {
		f.scratch = appendFold(f.scratch, f.text[a])
	} else {
		f.scratch = f.appendText(f.scratch, a)
		lowerASCII(f.scratch[from:])
	}
	f.folded[a] = span{int32(from), int32(len(f.scratch))}
	return f.scratch[from:]
}

func (f *Facts) pairsOf(a Attr, value []byte) *pairs {
	p := &f.pairs[a%Attr(len(f.pairs))]
	if p.text != f.folded[a] {
		p.text, p.set = f.folded[a], pairsOf(value)
	}
	return &p.set
}

func (f *Facts) hashOf(a Attr) uint32 {
	h := &f.hashes[a%Attr(len(f.hashes))]
	if s := f.folded[a]; s != h.text || s == (span{}) {
		h.sum = hashOf(f.Folded(a))
		h.text = f.folded[a]
	}
	return h.sum
}

func lowerASCII(b []byte) {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
}

// appendFold appends the folded form of s. Bytes that are not UTF-8 stay unchanged.
func appendFold(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, unicode.ToLower(unicode.ToUpper(r)))
		}
		i += n
	}
	return dst
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
