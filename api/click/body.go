package click

import (
	"errors"
	"io"
	"net/http"
)

func readBody(w http.ResponseWriter, r *http.Request, limit int64, tooLarge, broken error) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, tooLarge
	}
	if err != nil {
		return nil, broken
	}
	return body, nil
}
