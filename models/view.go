package models

import (
	"time"

	"github.com/google/uuid"
)

// Limits of saved views and notes.
const (
	MaxViews     = 100  // views of a person; the same limit applies to shared views of an account
	MaxNotes     = 2000 // notes of an account
	MaxViewGroup = 5    // dimensions by which a view groups
	MaxViewValue = 500  // characters of a value of a filter
)

// View is a saved way to look at a report, under a name.
type View struct {
	ID        uuid.UUID     `db:"id"`
	UserID    uuid.NullUUID `db:"user_id"`
	Author    string        `db:"author"` // the person's name when the view was saved
	Name      string        `db:"name"`
	Shared    bool          `db:"shared"` // every person on the account sees it
	Report    ViewReport    `db:"report,json"`
	UpdatedAt time.Time     `db:"updated_at"`
}

// ViewReport holds the settings of a report that a view saves.
type ViewReport struct {
	Group     []string     `json:"group" required:"true" maxItems:"5" doc:"dimensions by which the report is grouped"`
	Filters   []ViewFilter `json:"filters" maxItems:"30"`
	Columns   []string     `json:"columns" maxItems:"30" doc:"figures; empty: the usual figures"`
	Formulas  string       `json:"formulas" maxLength:"520" doc:"more columns, separated by commas: formulas of figures, such as profit/conversions"`
	Sort      string       `json:"sort" maxLength:"110" doc:"a figure, a dimension of the group, or = followed by one of the formulas; with a minus in front: descending"`
	Flat      bool         `json:"flat" doc:"each row shows all dimensions, instead of nested rows"`
	MinClicks int          `json:"min_clicks" min:"0" max:"1000000000"`
	Having    string       `json:"having" maxLength:"500" doc:"conditions on figures, as in GET /reports/performance; empty: none"`
}

// ViewFilter keeps the rows that have one of the values in a dimension or, if Not is set, all other rows.
type ViewFilter struct {
	Dimension string   `json:"dimension" required:"true" maxLength:"60"`
	Values    []string `json:"values" required:"true" maxItems:"100"`
	Not       bool     `json:"not" doc:"keep the rows without these values"`
}

// Note is a person's note on a moment of a chart.
type Note struct {
	ID         uuid.UUID     `db:"id"`
	UserID     uuid.NullUUID `db:"user_id"`
	Author     string        `db:"author"`
	At         time.Time     `db:"at"`
	Text       string        `db:"text"`
	CampaignID uuid.NullUUID `db:"campaign_id"`
	Campaign   string        `db:"campaign"`
	UpdatedAt  time.Time     `db:"updated_at"`
}

// RecordedChange is a change to an account's setup that may have changed its figures.
type RecordedChange struct {
	ID         uuid.UUID     `db:"id"`
	At         time.Time     `db:"at"`
	By         string        `db:"by"`        // person, key or copilot; copilot means a suggestion, a proposal or a rule
	Who        string        `db:"who"`       // name of the person, the key or the rule
	Via        string        `db:"via"`       // mcp if an assistant made it, or empty
	Client     string        `db:"client"`    // name that the assistant's program gives itself
	Operation  string        `db:"operation"` // method and path of the call
	Kind       string        `db:"kind"`
	RecordID   uuid.NullUUID `db:"record_id"`
	Record     string        `db:"record"` // the record's current name; empty: it has no name, or is deleted
	CampaignID uuid.NullUUID `db:"campaign_id"`
	Fields     []string      `db:"fields"`
	Title      string        `db:"title"` // only for a change by the Copilot
	UndoneAt   *time.Time    `db:"undone_at"`
}

// ParseNoteTime parses the time of a note, UTC, from 2000 to 2100.
func ParseNoteTime(text string) (time.Time, error) {
	at, err := time.Parse(time.DateTime, text)
	if err != nil || at.Year() < 2000 || at.Year() > 2100 {
		return at, Invalid("invalid_date", "at is YYYY-MM-DD HH:MM:SS, UTC")
	}
	return at, nil
}
