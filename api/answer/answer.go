// Package answer has what the packages of the API share: the forms of values in answers, figures, and the codes and
// parameters of many rows.
package answer

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/models"
)

// IDCodes are the errors of a call that names a record.
var IDCodes = route.Codes("400 invalid_id", "404 not_found")

// FlowCodes are the errors of a call that checks a flow: FLOW-ERR in the documentation.
var FlowCodes = route.Codes("400 no_streams duplicate_rule_name duplicate_path_name invalid_action " +
	"invalid_stream_type invalid_transition invalid_rule_group invalid_cap destination_required lander_required " +
	"invalid_destination invalid_destination_url zero_weights invalid_filter zero_path_weights multiple_defaults")

// QueryID is the parameter of every DELETE by query.
var QueryID = []route.Param{{Name: "id", Type: "uuid", Required: true, Doc: "the record's id"}}

// DeletedAnswer is the answer to a DELETE of a record for good.
type DeletedAnswer struct {
	ID      uuid.UUID `json:"id"`
	Deleted bool      `json:"deleted"`
}

// Deleted makes the answer to the DELETE of a record.
func Deleted(id uuid.UUID) DeletedAnswer { return DeletedAnswer{id, true} }

// Figures are the columns of clicks, conversions and money that lists show for their window.
type Figures = models.FigureRow

// Stamp is a time as answers show it.
func Stamp(t time.Time) string { return t.UTC().Format(models.EventTimeFormat) }

// StampOrNull shows no time as null.
func StampOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := Stamp(*t)
	return &text
}

// Each applies show to every item of a list. The result is never nil.
func Each[T, A any](list []T, show func(T) A) []A {
	out := make([]A, len(list))
	for i, item := range list {
		out[i] = show(item)
	}
	return out
}

// Cursor shows the end of a list as null.
func Cursor(next string) *string { return OrNull(next) }

// OrNull shows no text, no id and zero as null.
func OrNull[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}
