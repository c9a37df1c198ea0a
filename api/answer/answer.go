// Package answer holds code that the packages of the API share. It formats times and ids for answers, declares answers that
// several operations give, and declares error codes and parameters that many operations have.
package answer

import (
	"net/url"
	"time"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/db"
	"switchyard/models"
)

// IDCodes are the error codes of a call that names a record by its id.
var IDCodes = route.Codes("400 invalid_id", "404 not_found")

// FlowCodes are the errors of a call that checks a flow.
var FlowCodes = route.Codes("400 no_streams duplicate_rule_name duplicate_path_name invalid_action " +
	"invalid_stream_type invalid_transition invalid_rule_group invalid_cap destination_required lander_required " +
	"invalid_destination invalid_destination_url zero_weights invalid_filter zero_path_weights multiple_defaults")

// QueryID is the parameter of each DELETE that names its record in the query, as ?id=.
var QueryID = []route.Param{{Name: "id", Type: "uuid", Required: true, Doc: "the record's id"}}

// DeletedAnswer is the answer to a DELETE that removes a record for good.
type DeletedAnswer struct {
	ID      uuid.UUID `json:"id"`
	Deleted bool      `json:"deleted"`
}

// Deleted makes the answer to the DELETE of a record.
func Deleted(id uuid.UUID) DeletedAnswer { return DeletedAnswer{id, true} }

// Figures are the columns of clicks, conversions and money that lists of records show for a range of days.
type Figures = models.FigureRow

// Stamp formats a time for an answer, in UTC.
func Stamp(t time.Time) string { return t.UTC().Format(models.EventTimeFormat) }

// StampOrNull formats a time like Stamp. If there is no time, it returns nil, which becomes null in the answer.
func StampOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(Stamp(*t))
}

// ClickID formats the id of a click. The zero id is null in the answer.
func ClickID(id uuid.UUID) *string {
	if id == uuid.Nil {
		return nil
	}
	return new(models.FormatClickID(id))
}

// Each calls the function convert with every item of a list and returns the results. It never returns nil.
func Each[T, A any](list []T, convert func(T) A) []A { return db.Map(list, convert) }

// Cursor returns the cursor of the next page. At the end of a list it returns nil, which becomes null in the answer.
func Cursor(next string) *string { return OrNull(next) }

// OrNull returns a pointer to v. For an empty text, an empty id or 0 it returns nil, which becomes null in the answer.
func OrNull[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// ValueOrZero returns the value that p points to.
func ValueOrZero[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// MaskedURL returns the scheme and the host of an address, and a mask in place of the rest, which may contain a token.
func MaskedURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return models.MaskedSecret
	}
	return u.Scheme + "://" + u.Host + "/" + models.MaskedSecret
}
