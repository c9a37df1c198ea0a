package cond_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"switchyard/models/cond"
)

// TestTextAgainstStrings compares the searches with package strings.
func TestTextAgainstStrings(t *testing.T) {
	t.Parallel()
	plain := map[string]func(s, v string) bool{
		"equals":   func(s, v string) bool { return s == v },
		"contains": strings.Contains, "starts_with": strings.HasPrefix, "ends_with": strings.HasSuffix,
	}
	f := &cond.Facts{}
	rapid.Check(t, func(rt *rapid.T) {
		f.Reset()
		// The long texts have about maxPairs (256) bytes.
		text := rapid.StringMatching(`[abXé ]{1,12}|[a-cZ]{250,262}`).Draw(rt, "text")
		values := rapid.SliceOfN(rapid.StringMatching(`[abxé]{1,5}`), 1, 10).Draw(rt, "values")
		attr := rapid.SampledFrom([]cond.Attr{cond.Named("user_agent"), cond.Named("region"), cond.URL}).Draw(rt, "attribute")
		f.SetText(cond.Named("user_agent"), "other text")
		f.SetText(cond.Named("region"), "more text")
		for range 2 { // the second time with a changed text
			f.SetText(attr, text)
			for operator, holds := range plain {
				list := make([]any, len(values))
				want := false
				for i, v := range values {
					list[i] = v
					want = want || holds(strings.ToLower(text), strings.ToLower(v))
				}
				m, err := cond.Compile([]cond.Condition{{Attribute: attr.String(), Operator: operator, Value: list}}, "")
				if err != nil {
					rt.Fatal(err)
				}
				if got := m.Match(f); got != want {
					rt.Fatalf("the text %q %s %q: %v, want %v", text, operator, values, got, want)
				}
			}
			// SetText must discard the folded form of the old text.
			text = "b" + string([]rune(text)[utf8.RuneCountInString(text)/2:])
		}
	})
}
