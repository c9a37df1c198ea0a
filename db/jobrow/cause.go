package jobrow

import (
	"encoding/json"
	"strings"

	"switchyard/models"
)

// Cause is the error of an attempt in the form that the row stores.
type Cause struct {
	models.Error        // what the client may see
	Detail       string `json:"detail,omitempty"` // for operators
}

const maxDetail = 1000 // bytes

// CauseOf returns the cause of an error. An error that is not a *models.Error becomes internal_error, with its text as the
// detail. If a provider's request failed, the detail names the request.
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

// json drops what jsonb refuses: NUL and broken UTF-8.
func (c Cause) json() []byte {
	for _, s := range []*string{&c.Code, &c.Message, &c.Detail} {
		*s = strings.ReplaceAll(strings.ToValidUTF8(*s, ""), "\x00", "")
	}
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings and a number
	}
	return raw
}
