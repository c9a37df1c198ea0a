// Package envelope makes the reply to a call. A JSON reply has the members data and error, except the answer of a public route. The
// kind of an error decides the HTTP status.
package envelope

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strconv"

	"switchyard/api/route"
	"switchyard/db"
	"switchyard/models"
)

// Status is the HTTP status of each kind of error.
var Status = map[models.Kind]int{
	models.KindInternal:        http.StatusInternalServerError,
	models.KindInvalid:         http.StatusBadRequest,
	models.KindUnauthenticated: http.StatusUnauthorized,
	models.KindPayment:         http.StatusPaymentRequired,
	models.KindForbidden:       http.StatusForbidden,
	models.KindNotFound:        http.StatusNotFound,
	models.KindMethod:          http.StatusMethodNotAllowed,
	models.KindConflict:        http.StatusConflict,
	models.KindTooLarge:        http.StatusRequestEntityTooLarge,
	models.KindUnprocessable:   http.StatusUnprocessableEntity,
	models.KindTooMany:         http.StatusTooManyRequests,
	models.KindBadGateway:      http.StatusBadGateway,
	models.KindUnavailable:     http.StatusServiceUnavailable,
}

const jsonType = "application/json; charset=utf-8"

// Reply is an answer ready to be written. Its JSON form is stored for a repeated request.
type Reply struct {
	Status int    `json:"status"`
	Type   string `json:"type"`
	Name   string `json:"name,omitempty"` // file name of a download; empty: no download
	Body   []byte `json:"body"`
	Code   string `json:"-"` // the error's code; empty: no error

	file route.File // replaces Body if the answer is a file
}

// New makes the reply to a call from the answer and the error of its handler.
func New(c *route.Call, answer any, err error) Reply {
	status := c.Route.Status
	if later, ok := errors.AsType[*route.LaterError](err); ok {
		status, answer, err = http.StatusAccepted, route.JobRef{Job: later.Job}, nil
	}
	if err != nil {
		return Failure(c.Context(), c.RequestID, err)
	}
	if s, ok := answer.(route.Static); ok {
		c.Header().Set("Cache-Control", "no-cache") // clients check before each use whether their stored answer has changed
		return Static(c.Header(), c.Request, status, s)
	}
	if raw, ok := answer.(route.Raw); ok {
		return Reply{Status: raw.Status, Type: raw.Type, Body: raw.Body}
	}
	if file, ok := answer.(route.File); ok {
		return Reply{Status: status, Type: file.Type, Name: file.Name, file: file}
	}
	if !c.Route.Public {
		answer = members{Data: answer}
	}
	body, err := marshal(answer)
	if err != nil {
		return Failure(c.Context(), c.RequestID, fmt.Errorf("envelope: %w", err))
	}
	return Reply{Status: status, Type: jsonType, Body: body}
}

// members is the JSON object around an answer or an error.
type members struct {
	Data  any `json:"data"`
	Error any `json:"error"`
}

// internalError is the code of errors that a client can do nothing about. Their details are not sent.
const internalError = "internal_error"

// Failure makes the reply to an error.
func Failure(ctx context.Context, requestID string, err error) Reply {
	shown, ok := models.AsError(err)
	switch {
	case ok && (shown.Kind != models.KindInternal || shown.Code != internalError): // the client may see this error, such as not_configured
	case db.BadData(err):
		// A value passed every check, but PostgreSQL refuses it.
		slog.WarnContext(ctx, "value refused by the database", "request_id", requestID, "error", err)
		shown = models.Invalid("invalid_input", "a value cannot be stored")
	case errors.Is(err, context.Canceled), errors.Is(ctx.Err(), context.Canceled):
		// The client has disconnected and will not read this answer.
		shown = models.Errorf(models.KindUnavailable, "unavailable", "the request was given up")
	case db.Unavailable(err):
		slog.ErrorContext(ctx, "database unavailable", "request_id", requestID, "error", err)
		shown = models.Errorf(models.KindUnavailable, "unavailable", "the service cannot reach its data; try again shortly")
	default:
		slog.ErrorContext(ctx, "request failed", "request_id", requestID, "error", err)
		shown = models.Errorf(models.KindInternal, internalError, "something failed on our side; request %s", requestID)
	}
	body, _ := marshal(members{Error: Error{shown.Message, shown.Code}}) // two texts always marshal
	return Reply{Status: Status[shown.Kind], Type: jsonType, Body: body, Code: shown.Code}
}

// Error is the error member of an answer.
type Error struct {
	Message string `json:"message" doc:"text for a person"`
	Code    string `json:"code" doc:"a fixed word for programs, on which clients can branch"`
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// IsFile reports whether the reply is a file, which is read while it is written.
func (r Reply) IsFile() bool { return r.file.Write != nil }

// Write sends the reply. It returns false if a file was not sent completely. The caller must then break the connection.
// Otherwise the client takes the file for complete.
func (r Reply) Write(ctx context.Context, w http.ResponseWriter) (complete bool) {
	h := w.Header()
	h.Set("Content-Type", r.Type)
	if r.Status != http.StatusNotModified {
		h.Set("Content-Length", strconv.FormatInt(int64(len(r.Body))+r.file.Size, 10))
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Name != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": r.Name}))
	}
	w.WriteHeader(r.Status)
	if !r.IsFile() {
		_, _ = w.Write(r.Body) // a client that has disconnected is not an error
		return true
	}
	if err := r.file.Write(ctx, w); err != nil {
		slog.WarnContext(ctx, "download broken off", "error", err)
		return false
	}
	return true
}
