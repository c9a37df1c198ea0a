package tool

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
)

func documentTools() []Tool {
	return []Tool{{
		Name: "search_docs", Title: "Search the documentation", Kind: Reads, Repeatable: true,
		About:  "Finds passages of the documentation by their words. It covers tracking links, tokens, postbacks, rules, platforms and every call of the API. In English. Reads only.",
		Params: []Param{need(Param{Name: "q", Doc: "a few words, such as: postback payout currency"}), limit(5, 10)},
		Answer: []Member{many("passages", "the best first; page is the PAGE in switchyard://docs/PAGE", "page heading passage")},
		Run: func(_ context.Context, c *Call) (Values, error) {
			return Values{"passages": c.Docs.Search(c.Args.Text("q"), c.Args.whole("limit", 5))}, nil
		},
	}}
}

type passage struct {
	page, heading, text string
	words               map[string]int
	length              int
}

const maxPassage = 1200

// Library holds the passages of the documentation, so that each search need not read the pages again.
type Library struct {
	passages []passage
	words    int
}

// NewLibrary cuts pages into passages and counts their words.
func NewLibrary(pages []Page) *Library {
	l := &Library{}
	for _, p := range pages {
		for _, s := range passages(p) {
			l.passages, l.words = append(l.passages, s), l.words+s.length
		}
	}
	return l
}

// Search returns the passages that fit the words best, by BM25. A nil library returns no passages.
func (l *Library) Search(q string, most int) []object {
	if l == nil {
		return nil
	}
	all, total := l.passages, l.words
	scores := make([]float64, len(all))
	for _, w := range slices.Compact(slices.Sorted(slices.Values(wordsOf(q)))) {
		in := 0
		for _, s := range all {
			if s.words[w] > 0 {
				in++
			}
		}
		idf := math.Log(1 + (float64(len(all)-in)+0.5)/(float64(in)+0.5))
		for i, s := range all {
			const k, b = 1.2, 0.75 // the usual constants
			f := float64(s.words[w])
			scores[i] += idf * f * (k + 1) / (f + k*(1-b+b*float64(s.length)*float64(len(all))/float64(total)))
		}
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	out := []object{}
	for _, i := range order[:min(most, len(order))] {
		if scores[i] > 0 {
			out = append(out, object{"page": all[i].page, "heading": all[i].heading, "passage": document(all[i].text)})
		}
	}
	return out
}

// document is a passage of our own documentation. Unlike a text of a stranger, it is not cleaned, and it is not cut to
// maxText.
type document string

// passages cuts a page at its headings, and cuts a section that is longer than maxPassage at its line ends.
func passages(p Page) (out []passage) {
	heading, text := p.Name, ""
	end := func() {
		if s := strings.TrimSpace(text); s != "" {
			words := map[string]int{}
			list := wordsOf(heading + " " + s)
			for _, w := range list {
				words[w]++
			}
			out = append(out, passage{p.Name, heading, s, words, len(list)})
		}
		text = ""
	}
	for line := range strings.Lines(p.Text) {
		if strings.HasPrefix(line, "#") {
			end()
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
			continue
		}
		if len(text) > 0 && len(text)+len(line) > maxPassage {
			end()
		}
		text += line
	}
	end()
	return out
}

// wordsOf returns the words of a text in lower case, without the s of a plural.
func wordsOf(s string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if len(w) > 3 {
			w = strings.TrimSuffix(w, "s")
		}
		out = append(out, w)
	}
	return out
}
