package foreign

import (
	"regexp"
	"slices"
)

// The trackers whose click ids are recognised.
const (
	Keitaro    = "keitaro"
	Binom      = "binom"
	Voluum     = "voluum"
	RedTrack   = "redtrack"
	BeMob      = "bemob"
	ClickFlare = "clickflare"
)

// Trackers lists the trackers.
var Trackers = []string{Keitaro, Binom, Voluum, RedTrack, BeMob, ClickFlare}

// clickForms has a pattern for each tracker's click ids. The patterns are wide, because trackers have changed their ids over the
// years. A click id that no pattern matches loses a conversion. Another text that matches costs only a request to the old tracker.
var clickForms = map[string]*regexp.Regexp{
	Keitaro:    regexp.MustCompile(`^[a-z0-9_.-]{8,64}$`),
	Binom:      regexp.MustCompile(`^[A-Za-z0-9]{6,64}$`),
	Voluum:     regexp.MustCompile(`^[dw][A-Za-z0-9]{23}$`),
	RedTrack:   regexp.MustCompile(`^[0-9a-f]{24}$`),
	BeMob:      regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`),
	ClickFlare: regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`),
}

// Known reports whether a tracker is one of Trackers.
func Known(tracker string) bool { return slices.Contains(Trackers, tracker) }

// IsClick reports whether a text has the form of a tracker's click ids.
func IsClick(tracker, text string) bool {
	form := clickForms[tracker]
	return form != nil && form.MatchString(text)
}
