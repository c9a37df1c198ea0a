package cond

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"
)

// regexTest searches for patterns. A choice of plain texts, such as "bot|crawl|spider", is replaced by a search for these texts,
// which takes a hundredth of the time.
type regexTest struct {
	parts    containsTest
	patterns []pattern
}

type pattern struct {
	*regexp.Regexp
	Cost // Steps is the number of instructions; each instruction costs one step for each byte
}

// maxProgram is the maximum number of instructions of a condition's patterns. It is twice the number that MaxSteps allows for
// maxText bytes, so more would exceed the budget anyway.
const maxProgram = 2 * MaxSteps / maxText

func newRegexTest(values []string) (tester, *Error) {
	t := &regexTest{}
	var plain []string
	size := 0
	for i, s := range values {
		if len(s) > MaxPattern {
			return nil, &Error{Reason: BadRegex, Item: i, Detail: "it is longer than 1024 bytes"}
		}
		tree, err := syntax.Parse(s, syntax.Perl|syntax.FoldCase)
		if err != nil {
			return nil, &Error{Reason: BadRegex, Item: i, Detail: err.Error()}
		}
		if texts, ok := choices(tree); ok && len(plain)+len(texts) <= MaxItems {
			plain = append(plain, texts...)
			continue
		}
		patternSize := sizeOf(tree)
		if size += patternSize; size > maxProgram {
			together := ""
			if patternSize <= maxProgram {
				together = " together with those before it"
			}
			return nil, &Error{Reason: BadRegex, Item: i, Detail: "it is too complex" + together +
				": use the operator contains with a list of texts instead"}
		}
		p, err := newPattern(s, tree)
		if err != nil {
			return nil, &Error{Reason: BadRegex, Item: i, Detail: err.Error()}
		}
		t.patterns = append(t.patterns, p)
	}
	t.parts = newContainsTest(plain)
	return t, nil
}

func newPattern(text string, tree *syntax.Regexp) (p pattern, err error) {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return p, err
	}
	p.Steps = len(prog.Inst)
	for i := range prog.Inst {
		p.Bytes += 40 + 4*cap(prog.Inst[i].Rune)
	}
	p.Bytes = 2048 + 3*p.Bytes // an anchored pattern is compiled twice, and using a pattern needs the same memory again
	p.Regexp, err = regexp.Compile("(?i:" + text + ")")
	return p, err
}

func sizeOf(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)/64
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n = min(n+sizeOf(sub), maxProgram+1)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxProgram+1)
}

// choices returns the texts of a pattern that is only a choice of texts. ok is false for any other pattern, or for more than
// MaxItems texts.
func choices(re *syntax.Regexp) (texts []string, ok bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, re.Flags&syntax.FoldCase != 0 || !slices.ContainsFunc(re.Rune, hasCase)
	case syntax.OpCharClass:
		return lettersOf(re.Rune)
	case syntax.OpCapture:
		return choices(re.Sub[0])
	case syntax.OpQuest:
		texts, ok = choices(re.Sub[0])
		return append(texts, ""), ok
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			more, ok := choices(sub)
			if texts = append(texts, more...); !ok || len(texts) > MaxItems {
				return nil, false
			}
		}
		return texts, true
	case syntax.OpConcat:
		texts = []string{""}
		for _, sub := range re.Sub {
			ends, ok := choices(sub)
			if !ok || len(texts)*len(ends) > MaxItems {
				return nil, false
			}
			texts = product(texts, ends)
		}
		return texts, true
	}
	return nil, false
}

func product(begins, ends []string) (texts []string) {
	for _, a := range begins {
		for _, b := range ends {
			texts = append(texts, a+b)
		}
	}
	return texts
}

// lettersOf returns the letters of a small character class, ignoring case. ok is false if the class is large, or has a letter in
// only one case.
func lettersOf(ranges []rune) (texts []string, ok bool) {
	var all []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if all = append(all, r); len(all) > MaxItems {
				return nil, false
			}
		}
	}
	for _, r := range all {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if !slices.Contains(all, other) {
				return nil, false
			}
		}
		if text := string(appendFold(nil, string(r))); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts, true
}

func hasCase(r rune) bool { return unicode.SimpleFold(r) != r }

func (t *regexTest) test(f *Facts, c *compiled) verdict {
	if !t.parts.empty() && t.parts.test(f, c) == yes {
		return yes
	}
	if len(t.patterns) == 0 {
		return no
	}
	text, written := c.value(f)
	for i := range t.patterns {
		p := &t.patterns[i]
		if !f.countSteps(p.Steps * (len(text) + len(written) + 1)) {
			return no
		}
		if written != nil && p.Match(written) || written == nil && p.MatchString(text) {
			return yes
		}
	}
	return no
}

// value returns the value to which patterns are applied. The result `text` is a text or a version, as received. For any other
// value, the result `written` has the form that Folded returns.
func (c *compiled) value(f *Facts) (text string, written []byte) {
	if c.attr < numAttrs && attributes[c.attr].kind != kindText && attributes[c.attr].kind != kindVersion {
		return "", f.Folded(c.attr)
	}
	return c.raw(f), nil
}

func (t *regexTest) cost() Cost {
	sum := t.parts.cost()
	for i := range t.patterns {
		sum = sum.Plus(Cost{t.patterns[i].Steps * maxText, t.patterns[i].Bytes})
	}
	return sum
}
