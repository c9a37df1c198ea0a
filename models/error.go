package models

import (
	"errors"
	"fmt"
)

// Kind is the kind of a failure. It determines the HTTP status. Clients distinguish failures by the code, which can occur with
// several kinds.
type Kind uint8

// The kinds of failure, each with its HTTP status.
const (
	KindInternal        Kind = iota // 500
	KindInvalid                     // 400
	KindUnauthenticated             // 401
	KindPayment                     // 402
	KindForbidden                   // 403
	KindNotFound                    // 404
	KindMethod                      // 405
	KindConflict                    // 409
	KindTooLarge                    // 413
	KindUnprocessable               // 422
	KindTooMany                     // 429
	KindBadGateway                  // 502
	KindUnavailable                 // 503
)

// Error is a failure that a client may see. Code is for programs, Message for people. Any other error reaches the client only
// as internal_error.
type Error struct {
	Kind    Kind   `json:"kind"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns the code and the message in one line.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Is compares kind and code for errors.Is.
func (e *Error) Is(target error) bool {
	t, ok := errors.AsType[*Error](target)
	return ok && t.Kind == e.Kind && t.Code == e.Code
}

// Errorf returns an Error of a kind with a formatted message.
func Errorf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid returns the error for a value that the client must change: HTTP 400.
func Invalid(code, format string, args ...any) *Error {
	return Errorf(KindInvalid, code, format, args...)
}

// Conflict returns the error for a request that conflicts with existing records: HTTP 409.
func Conflict(code, format string, args ...any) *Error {
	return Errorf(KindConflict, code, format, args...)
}

// NotFound returns the error for a record that this account does not have, whether or not another account has it.
func NotFound(what string) *Error {
	return Errorf(KindNotFound, "not_found", "there is no such %s", what)
}

// PlanLimit returns the error for a request that the plan does not allow: HTTP 402.
func PlanLimit(format string, args ...any) *Error {
	return Errorf(KindPayment, "plan_limit", format, args...)
}

// AsError finds the Error inside err.
func AsError(err error) (*Error, bool) { return errors.AsType[*Error](err) }

// WithRequest adds to an error the id that a provider gave the failed request. Operators quote it to the provider, and clients
// do not see it. An empty id changes nothing.
func WithRequest(err error, request string) error {
	if err == nil || request == "" {
		return err
	}
	return &requestError{err, request}
}

// RequestOf returns the id that a provider gave the failed request, or "" if err does not carry one.
func RequestOf(err error) string {
	var failed interface{ ProviderRequest() string }
	if errors.As(err, &failed) {
		return failed.ProviderRequest()
	}
	return ""
}

type requestError struct {
	error

	request string
}

// Unwrap returns the error without the request id.
func (e *requestError) Unwrap() error { return e.error }

// ProviderRequest returns the request id, for RequestOf.
func (e *requestError) ProviderRequest() string { return e.request }
