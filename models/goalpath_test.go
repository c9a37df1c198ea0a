package models

import "testing"

func TestGoalPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/thanks": "/thanks", "/thanks?a=1#top": "/thanks", "https://shop.test/thanks?a=1": "/thanks", "https://shop.test": "/",
		"/#/thanks": "/#/thanks", "https://shop.test/app/?a=1#/thanks?b=2": "/app/#/thanks", "/#!/thanks": "/#!/thanks",
		"/#thanks": "/", "/#": "/", "": "", "/a#?/b": "/a", "/d%C3%A4nk/*": "/d%C3%A4nk/*",
	} {
		if got := GoalPath(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestMatchesPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"/thanks", "/thanks", true},
		{"/thanks", "/thanks/", true},
		{"/thanks/", "/thanks", true},
		{"/thanks", "/thanks2", false},
		{"/thanks", "/", false},
		{"", "/", false},
		{"/dänk/ok", "/d%C3%A4nk/ok", true}, // the form that a browser writes
		{"/d%c3%a4nk/ok", "/d%C3%A4nk/ok/", true},
		{"/d%C3%A4nk/ok", "/dänk/ok", true},
		{"/dä*", "/d%C3%A4nk", true},
		{"/c d", "/c%20d", true},
		{"/50%", "/50%", true}, // not a percent code
		{"/50%", "/50%25", true},
		{"/#/thanks", "/#/thanks", true},
		{"/#/thanks", "/", false},
		{"/", "/#/thanks", false},
		{"/shop/*", "/shop/shoes", true},
		{"/shop/*", "/shops", false},
		{"/*", "/anything", true},
	} {
		if got := MatchesPath(c.pattern, c.path); got != c.want {
			t.Errorf("the pattern %s matches the path %s: %t, want %t", c.pattern, c.path, got, c.want)
		}
	}
}
