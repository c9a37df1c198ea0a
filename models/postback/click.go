package postback

import (
	"time"

	"github.com/google/uuid"
)

// A click id is possible if its time is at most oldestClick before now and at most newestClick after now.
const (
	oldestClick = 800 * 24 * time.Hour
	newestClick = time.Hour
)

// NamedClick returns the click that a message names. If the message names no click, or a click id that is not possible, reason says
// so, as a text for people. reason does not repeat the received text, which may be a secret in the wrong place.
func NamedClick(params map[string]string, n Network, now time.Time) (click uuid.UUID, reason string) {
	text := ClickID(params, n)
	if text == "" {
		return click, "it names no click: the parameter of the click id is missing, empty or still a macro"
	}
	click, ok := clickOf(text, now)
	if !ok {
		return uuid.Nil, "the click id that it sends is not a click id of this service"
	}
	return click, ""
}
