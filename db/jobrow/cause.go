package jobrow

import (
	"encoding/json"
	"strings"

	"switchyard/models"
)

// Cause is the error of an attempt as the row has it.
type Cause struct {
	models.Error        // what the client may see
	Detail       string `json:"detail,omitempty"` // for operators
}

const maxDetail = 1000 // bytes

// CauseOf makes the cause of an error. One that is no *models.Error becomes internal_error, with its text as the
// detail.
func CauseOf(err error) Cause {
	if e, ok := models.AsError(err); ok {
		return Cause{Error: *e}
	}
	detail := err.Error()
	if len(detail) > maxDetail {
		detail = detail[:maxDetail]
	}
	return Cause{
		Error:  models.Error{Kind: models.KindInternal, Code: "internal_error", Message: "the job did not succeed"},
		Detail: detail,
	}
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
