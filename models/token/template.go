package token

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Token is one placeholder of a template.
type Token struct {
	Name Name
	N    int    // number of a sub-parameter, from 1
	Arg  string // the NAME of param.NAME
}

// Values gives the values of the tokens for one click.
type Values interface {
	// AppendToken appends the unencoded value of a token, or nothing if the token has no value. It is never called
	// for date, random, sample or timestamp. It is called for a conversion's tokens only while a postback is filled
	// in.
	AppendToken(dst []byte, t Token) []byte
	// Now returns the time of the click. Its location is the time zone for a {date} without a zone.
	Now() time.Time
	Random() uint64
}

// Template is a compiled URL. It is immutable, and any number of goroutines may use it.
type Template struct {
	source string
	parts  []part
}

// part is a literal text or a placeholder.
type part struct {
	text string                            // the literal text, the NAME of param.NAME, or the argument of date, random or sample
	fill func(dst []byte, v Values) []byte // set for date, random, sample, timestamp, and status with words
	name Name
	n    uint8
	raw  bool
}

func (p *part) token() Token { return Token{Name: p.name, N: int(p.n), Arg: p.text} }

// maxValue is the maximum number of bytes that a value may add to a URL before encoding. A longer value is cut.
const maxValue = 2048

// Compile compiles the URL of a redirect. Unknown tokens stay unchanged, and so do tokens of conversions.
func Compile(url string) *Template { return compile(url, false) }

// CompilePostback compiles the URL of a postback. Unknown tokens are removed.
func CompilePostback(url string) *Template { return compile(url, true) }

func compile(url string, postback bool) *Template {
	t := &Template{source: url}
	_, end := authority(url)
	t.literal(url[:end])
	for rest := url[end:]; rest != ""; {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			t.literal(rest)
			break
		}
		t.literal(rest[:open])
		size, inner := brace(rest[open:])
		text := rest[open : open+size]
		rest = rest[open+size:]
		p, ok := parse(inner)
		switch {
		case ok && (postback || !p.name.isConversionToken()):
			t.parts = append(t.parts, p)
		case !postback || inner == "": // a brace that opens no placeholder is text
			t.literal(text)
		}
	}
	return t
}

// Source returns the URL from which the template was compiled.
func (t *Template) Source() string { return t.source }

// ID returns an id of the template's URL. The same URL has the same id in every process.
func (t *Template) ID() uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(t.source)) }

// Uses reports whether a token occurs in the template.
func (t *Template) Uses(n Name) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.name == n })
}

// AddedParam returns the parameter that the redirect adds to the URL to pass on the click id. It returns the given
// parameter, in which the offer's network takes the click id. It returns an empty text if a token of the URL already gives the
// click id.
func (t *Template) AddedParam(param string) string {
	if t.Uses(ClickID) {
		return ""
	}
	return param
}

// Expand appends the URL with its values filled in.
func (t *Template) Expand(dst []byte, v Values) []byte {
	for i := range t.parts {
		p := &t.parts[i]
		if p.name == None {
			dst = append(dst, p.text...)
			continue
		}
		mark := len(dst)
		if p.fill != nil {
			dst = p.fill(dst, v)
		} else {
			dst = v.AppendToken(dst, p.token())
		}
		if len(dst)-mark > maxValue {
			dst = dst[:mark+maxValue]
		}
		allowed := &unreserved
		if p.raw {
			allowed = &inURL
		}
		dst = encode(dst, mark, allowed)
	}
	return dst
}

// Marked returns the URL with a mark in the place of each token.
func (t *Template) Marked(mark string) string {
	var b strings.Builder
	for i := range t.parts {
		if p := &t.parts[i]; p.name == None && p.fill == nil {
			b.WriteString(p.text)
		} else {
			b.WriteString(mark)
		}
	}
	return b.String()
}

// A brace that does not begin a placeholder counts as a placeholder of one byte without content. {{name}} belongs to another
// program and is returned as a whole.
func brace(s string) (size int, inner string) {
	if strings.HasPrefix(s, "{{") {
		if i := strings.Index(s, "}}"); i > 2 {
			return i + 2, s[1 : i+1]
		}
	}
	i := strings.IndexAny(s[1:], "{}") + 1
	if i < 2 || s[i] == '{' {
		return 1, ""
	}
	return i + 1, s[1:i]
}

// The text is encoded so that it fits on one line of a header.
func (t *Template) literal(s string) {
	if s == "" {
		return
	}
	text := string(encode([]byte(s), 0, &inTemplate))
	if n := len(t.parts); n > 0 && t.parts[n-1].name == None {
		t.parts[n-1].text += text
		return
	}
	t.parts = append(t.parts, part{text: text})
}

func parse(inner string) (part, bool) {
	if name, ok := strings.CutPrefix(inner, "_"); ok {
		p, ok := parse(name)
		p.raw = true
		return p, ok && !strings.HasPrefix(name, "_")
	}
	name, arg, hasArg := strings.Cut(inner, ":")
	if hasArg {
		if build := structured[strings.ToLower(name)]; build != nil {
			return build(arg)
		}
	}
	t, ok := Lookup(inner)
	p := part{text: t.Arg, name: t.Name, n: uint8(t.N)}
	switch t.Name {
	case Date:
		return newDate("")
	case Timestamp:
		p.fill = func(dst []byte, v Values) []byte { return strconv.AppendInt(dst, v.Now().Unix(), 10) }
	}
	return p, ok
}

var structured = map[string]func(arg string) (part, bool){
	"date": newDate, "random": newRandom, "sample": newSample, "status": newStatus,
}

func newRandom(arg string) (part, bool) {
	from, to, ok := strings.Cut(arg, ",")
	lo, err1 := strconv.ParseInt(strings.TrimSpace(from), 10, 64)
	hi, err2 := strconv.ParseInt(strings.TrimSpace(to), 10, 64)
	const limit = 1 << 53
	if !ok || err1 != nil || err2 != nil || lo > hi || lo < -limit || hi > limit {
		return part{}, false
	}
	return part{name: Random, text: arg, fill: func(dst []byte, v Values) []byte {
		return strconv.AppendInt(dst, lo+int64(v.Random()%uint64(hi-lo+1)), 10)
	}}, true
}

func newSample(arg string) (part, bool) {
	options := strings.Split(arg, "|")
	return part{name: Sample, text: arg, fill: func(dst []byte, v Values) []byte {
		return append(dst, options[v.Random()%uint64(len(options))]...)
	}}, arg != ""
}

// newStatus builds the token {status:approved=1,rejected=0}, which lists the source's words for statuses.
func newStatus(arg string) (part, bool) {
	words := map[string]string{}
	for item := range strings.SplitSeq(arg, ",") {
		status, word, ok := strings.Cut(item, "=")
		if !ok {
			return part{}, false
		}
		words[strings.ToLower(strings.TrimSpace(status))] = strings.TrimSpace(word)
	}
	return part{name: Status, fill: func(dst []byte, v Values) []byte {
		return append(dst, words[string(v.AppendToken(nil, Token{Name: Status}))]...)
	}}, true
}
