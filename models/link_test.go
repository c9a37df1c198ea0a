package models_test

import (
	"testing"
	"time"

	"switchyard/models"
)

// TestLinkState checks that two failures in a row break a link, and that a broken link is reported only once, until it works again.
func TestLinkState(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var s models.LinkState
	for i, c := range []struct {
		fails, broke, broken bool
		failures             int
	}{
		{false, false, false, 0},
		{true, false, false, 1},
		{false, false, false, 0},
		{true, false, false, 1},
		{true, true, true, 2},
		{true, false, true, 3},
		{false, false, false, 0},
		{true, false, false, 1},
		{true, true, true, 2},
	} {
		at = at.Add(time.Hour)
		r := models.LinkResult{At: at}
		if c.fails {
			r.Error = "the page answered 500"
		}
		var broke bool
		s, broke = s.Checked(r)
		if broke != c.broke || s.Failures != c.failures || (s.BrokenAt != nil) != c.broken ||
			(s.FailingSince != nil) != c.fails || !s.CheckedAt.Equal(at) {
			t.Errorf("check %d: broke is %t and the state is %+v, want %+v", i, broke, s, c)
		}
	}
	if s.FailingSince == nil || !s.FailingSince.Equal(at.Add(-time.Hour)) {
		t.Errorf("failing since %v, want the time of the first of the last two checks, which both failed", s.FailingSince)
	}
}

// TestBrokenAfter checks that an outage of a few minutes does not break a link, even if a person checks the link again and
// again.
func TestBrokenAfter(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var s models.LinkState
	check := func(after time.Duration) (broke bool) {
		s, broke = s.Checked(models.LinkResult{At: at.Add(after), Error: "the page answered 500"})
		return broke
	}
	for _, after := range []time.Duration{0, time.Second, models.BrokenAfter - time.Second} {
		if check(after) || s.Failures != 1 {
			t.Errorf("a check %s after the first failure breaks the link or counts as another failure: %+v", after, s)
		}
	}
	if !check(models.BrokenAfter) || s.Failures != 2 {
		t.Errorf("a failure BrokenAfter after the first does not break the link: %+v", s)
	}
}

func TestScreenState(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	var s models.ScreenState
	for i, c := range []struct {
		threats []string
		listed  bool
	}{
		{nil, false},
		{[]string{"MALWARE", "B", "MALWARE"}, true},
		{[]string{"MALWARE"}, false},
		{nil, false},
		{[]string{"MALWARE"}, true},
	} {
		var listed bool
		s, listed = s.Screened(at.Add(time.Duration(i)*time.Hour), c.threats)
		if listed != c.listed || (s.UnsafeAt != nil) != (len(c.threats) > 0) || i == 1 && len(s.Threats) != 2 {
			t.Errorf("look-up %d: listed is %t and the state is %+v, want %+v", i, listed, s, c)
		}
	}
}
