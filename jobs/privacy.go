package jobs

import (
	"time"

	"github.com/google/uuid"
)

// EraseArgs select all clicks with the id of a visitor, one click, or both. The other fields are the progress of the job.
type EraseArgs struct {
	Visitor uuid.UUID `json:"visitor,omitzero"`
	Click   uuid.UUID `json:"click,omitzero"`

	After  uuid.UUID   `json:"after,omitzero"` // the last click that was processed
	Until  time.Time   `json:"until,omitzero"` // only clicks before this time are processed
	Erased EraseAnswer `json:"erased,omitzero"`
}

// EraseAnswer counts the rows from which the visitor's data was removed.
type EraseAnswer struct {
	Clicks          int64 `json:"clicks"`
	SmartlinkClicks int64 `json:"smartlink_clicks"`
	Postbacks       int64 `json:"postbacks"`
	SiteEvents      int64 `json:"site_events"`
}

// EraseVisitor removes the data that describes a visitor from all rows. Figures do not change.
var EraseVisitor = Define[EraseArgs, EraseAnswer]("privacy:erase", resumable)
