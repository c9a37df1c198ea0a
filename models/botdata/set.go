package botdata

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"fmt"
	"io"
	"net/netip"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/gaissmai/bart"

	"switchyard/models/bot"
	"switchyard/models/cond"
)

// Set holds at most one compiled list of each kind. The zero value and nil have only the built-in list of clouds.
type Set struct{ lists [kindCount]*Compiled }

//go:embed clouds.bin
var cloudsPacked []byte

// clouds returns the built-in networks of data centres. They are used only if no list of Datacenter is loaded.
var clouds = sync.OnceValue(func() *Compiled {
	entries, err := Unpack(cloudsPacked)
	if err != nil {
		panic(err) // the file is part of the program, and a test checks that it can be read
	}
	return Compile(Datacenter, entries)
})

// Compiled is a list in a form in which visitors can be looked up.
type Compiled struct {
	networks *bart.Lite
	domains  map[string]struct{}
	patterns *Patterns
}

// Compile prepares the entries of a List for look-ups. Entries that cannot be read match nothing.
func Compile(k Kind, entries []string) *Compiled {
	c := &Compiled{}
	switch k {
	case BadReferrer:
		c.domains = make(map[string]struct{}, len(entries))
		for _, e := range entries {
			c.domains[e] = struct{}{}
		}
	case Crawler:
		c.patterns = compilePatterns(entries)
	default:
		c.networks = &bart.Lite{}
		for _, e := range entries {
			if r := cond.ParseRange(e); r.IsValid() {
				for _, p := range r.Prefixes() {
					c.networks.Insert(p)
				}
			}
		}
	}
	return c
}

// Put sets the list of a kind; nil removes it.
func (s *Set) Put(k Kind, c *Compiled) { s.lists[k] = c }

// Remove removes the list c, unless another list has replaced it.
func (s *Set) Remove(k Kind, c *Compiled) {
	if s.lists[k] == c {
		s.lists[k] = nil
	}
}

func (s *Set) has(k Kind, addr netip.Addr) bool {
	var l *Compiled
	if s != nil {
		l = s.lists[k]
	}
	if l == nil && k == Datacenter {
		l = clouds()
	}
	return l != nil && l.networks.Lookup(addr)
}

// ProxyKind returns the name, such as tor, of the first kind whose networks contain an address, or "".
func (s *Set) ProxyKind(addr netip.Addr) string {
	if !addr.IsValid() {
		return ""
	}
	for _, k := range [...]Kind{Tor, VPN, Proxy, Datacenter} {
		if s.has(k, addr) {
			return kinds[k].name
		}
	}
	return ""
}

// Signals returns the signals of an IP address and of a referrer's domain. It leaves out signals that follow from ProxyKind.
func (s *Set) Signals(addr netip.Addr, referrer string) (fired bot.Signals) {
	if s == nil {
		return 0
	}
	if addr.IsValid() && s.has(SpamIP, addr) {
		fired |= bot.SpamIP
	}
	if l := s.lists[BadReferrer]; l != nil {
		// The domain itself, and then each parent domain.
		for domain, more := referrer, referrer != ""; more; _, domain, more = strings.Cut(domain, ".") {
			if _, bad := l.domains[domain]; bad {
				return fired | bot.BadReferrer
			}
		}
	}
	return fired
}

// Crawlers returns the patterns of the loaded list of crawlers, or nil if no such list is loaded.
func (s *Set) Crawlers() *Patterns {
	if s == nil || s.lists[Crawler] == nil {
		return nil
	}
	return s.lists[Crawler].patterns
}

// Patterns recognizes crawlers by their user agents. A check takes about 20 ns for each pattern that is plain text, and more for
// others.
type Patterns struct {
	plain    []string
	compiled []*regexp.Regexp
}

func compilePatterns(entries []string) *Patterns {
	p := &Patterns{}
	for _, e := range entries {
		re, err := regexp.Compile(e)
		if err != nil {
			continue
		}
		if text, isPlain := re.LiteralPrefix(); isPlain {
			p.plain = append(p.plain, text)
		} else {
			p.compiled = append(p.compiled, re)
		}
	}
	return p
}

// Match reports whether a user agent belongs to a crawler.
func (p *Patterns) Match(userAgent string) bool {
	return slices.ContainsFunc(p.plain, func(text string) bool { return strings.Contains(userAgent, text) }) ||
		slices.ContainsFunc(p.compiled, func(re *regexp.Regexp) bool { return re.MatchString(userAgent) })
}

// maxInstructions limits the instructions of all patterns of a list together. One instruction takes at most about 10 ns for each
// byte of a user agent.
const maxInstructions = 20_000

// checkPatterns refuses patterns that together need more than maxInstructions. Plain text needs none.
func checkPatterns(entries []string) error {
	sum, maxSize, heaviest := 0, 0, ""
	for _, e := range entries {
		tree, err := syntax.Parse(e, syntax.Perl)
		if err != nil {
			return fmt.Errorf("botdata: %w", err)
		}
		prog, err := syntax.Compile(tree.Simplify())
		if err != nil {
			return fmt.Errorf("botdata: %w", err)
		}
		if _, isPlain := prog.Prefix(); !isPlain {
			sum += len(prog.Inst)
			if len(prog.Inst) > maxSize {
				maxSize, heaviest = len(prog.Inst), e
			}
		}
	}
	if sum > maxInstructions {
		return fmt.Errorf("the patterns are too complex: together they have %d instructions, and at most %d are allowed; "+
			"%q has most, %d", sum, maxInstructions, short(heaviest), maxSize)
	}
	return nil
}

// Pack compresses the entries of a list.
func Pack(entries []string) ([]byte, error) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err == nil {
		_, err = io.WriteString(w, strings.Join(entries, "\n"))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("botdata: pack: %w", err)
	}
	return b.Bytes(), nil
}

// Unpack returns the entries that Pack has compressed.
func Unpack(packed []byte) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), 2*MaxFile))
	if err != nil {
		return nil, fmt.Errorf("botdata: unpack: %w", err)
	}
	if len(text) == 0 {
		return nil, nil
	}
	return strings.Split(string(text), "\n"), nil
}
