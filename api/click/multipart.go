package click

import (
	"bytes"
	"io"
	"mime/multipart"

	"switchyard/models"
	"switchyard/models/postback"
)

// addParts takes the fields of a multipart form, which is what PHP's curl sends by default. Files are passed over.
func addParts(params map[string]string, body []byte, boundary string) error {
	form := multipart.NewReader(bytes.NewReader(body), boundary)
	for range postback.MaxParams {
		part, err := form.NextPart()
		if err == io.EOF { //nolint:errorlint // the reader returns it bare
			return nil
		}
		if err != nil {
			return models.Invalid("bad_body", "the body is not a form")
		}
		if part.FileName() != "" {
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, 4*postback.MaxValue))
		if err != nil {
			return models.Invalid("bad_body", "the body is not a form")
		}
		addParam(params, part.FormName(), string(value))
	}
	return nil
}
