package jobrow

import (
	"encoding/json"

	"switchyard/models"
)

// Cause is the error of an attempt as the row stores it.
type Cause struct {
	models.Error        // what the client may see
	Detail       string `json:"detail,omitempty"` // for operators
}

const maxDetail = 1000 // bytes

// CauseOf returns the cause of an error. An error that is not a *models.Error becomes internal_error, with its text as the
// detail. The detail also has the provider's id of a failed request.
func CauseOf(err error) Cause {
	if e, ok := models.AsError(err); ok {
		out := Cause{Error: *e}
		if models.RequestOf(err) != "" {
			out.Detail = detailOf(e.Message, err)
		}
		return out
	}
	return Cause{
		Error:  models.Error{Kind: models.KindInternal, Code: "internal_error", Message: "the job did not succeed"},
		Detail: detailOf(err.Error(), err),
	}
}

func detailOf(text string, err error) string {
	if len(text) > maxDetail {
		text = text[:maxDetail]
	}
	if request := models.RequestOf(err); request != "" {
		text += " (provider request " + request + ")"
	}
	return text
}

// json encodes the cause. It removes NUL and invalid UTF-8, which jsonb refuses.
func (c Cause) json() []byte {
	for _, s := range []*string{&c.Code, &c.Message, &c.Detail} {
		*s = models.Storable(*s)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err) // cannot happen: the fields are strings and a number
	}
	return raw
}
