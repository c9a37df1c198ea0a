package postback

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// The bounds of the time in a click id. A message whose click id is outside these bounds does not wait for its click.
const (
	oldestClick = 800 * 24 * time.Hour
	newestClick = time.Hour
)

// NamedClick returns the click that a message names. If the message names no click, or an impossible one, reason tells a person
// so. reason does not repeat the received text, which may be a secret in the wrong place.
func NamedClick(params map[string]string, n Network, now time.Time) (click uuid.UUID, reason string) {
	text := ClickID(params, n)
	if text == "" {
		return click, "it names no click: the parameter of the click id is missing, empty or still a macro"
	}
	click, err := models.ParseClickID(text)
	if at := models.ClickTime(click); err != nil || now.Sub(at) > oldestClick || at.Sub(now) > newestClick {
		return uuid.Nil, "what it says as its click is not a click id of this service"
	}
	return click, ""
}
