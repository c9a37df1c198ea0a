package ads

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// faultError wraps a fault as an error.
type faultError struct{ *fault }

func (e *faultError) Error() string { return e.text }

// post sends JSON and reads the answer's JSON.
func (u *uploading) post(ctx context.Context, api rest.API, path string, body, into any) error {
	return u.call(ctx, api, rest.Request{Method: http.MethodPost, Path: path, Body: body, Repeat: true}, into)
}

// call sends a request and reads the answer's JSON. It replaces an expired token of a sign-in once.
func (u *uploading) call(ctx context.Context, api rest.API, r rest.Request, into any) error {
	return withRenewal(ctx, uploadTokens{u}, "", func(token string) (stale bool, err error) {
		u.Hide(token)
		headers := map[string]string{}
		r.Header = headers
		if u.headers != nil {
			u.headers(u, headers)
		}
		if headers["Access-Token"] == "" {
			headers["Authorization"] = "Bearer " + token
		}
		answer, err := api.Send(ctx, r)
		f := u.reportedFault(answer, err)
		switch {
		case f != nil:
			if f.after > 0 && u.Pace != nil {
				u.Pace.Pause(context.WithoutCancel(ctx), f.after)
			}
			return f.expired && u.secret == "", &faultError{f}
		case err != nil:
			return false, err
		}
		return false, rest.Decode(answer.Body, into)
	})
}

// reportedFault returns the failure that an answer reports, or nil.
func (u *uploading) reportedFault(answer egress.Answer, err error) *fault {
	if answer.Status == 0 || answer.Status/100 == 2 && !u.faultIn200 {
		return nil
	}
	f := u.fault(answer.Status, answer.Body)
	if f == nil {
		return nil
	}
	f.request = rest.RequestID(answer)
	if failed, ok := errors.AsType[*rest.FailureError](err); ok {
		f.after = max(f.after, failed.After)
		if f.text == "" {
			f.text = failed.Error()
		}
	}
	return f
}

// statusFault returns the failure that the status of an answer stands for.
func statusFault(status int, text string) *fault {
	f := &fault{text: cmp.Or(text, strconv.Itoa(status))}
	switch status {
	case http.StatusTooManyRequests:
		f.after = uploadPause
	case http.StatusUnauthorized, http.StatusForbidden:
		f.refused = true
	}
	return f
}

// uploadPause is the minimum wait after too many requests.
const uploadPause = time.Minute

// Outcome is the later result of a request that a platform has accepted.
type Outcome struct {
	Done   bool
	Result string // models.UploadAccepted or UploadRejected, for all events of the request
	Reason string // for a person; without secrets
	// Known says that the platform already had all events of the request: an earlier request has arrived.
	Known bool
	// Again is the wait before the events are sent once more, because some came too early; 0: they are not sent again.
	Again time.Duration
}

// Outcome asks the platform for the later result of a request. If the platform's first answer is final, the request counts as
// done and accepted.
func (c *Upload) Outcome(ctx context.Context, request string) (Outcome, error) {
	if c.u.outcome == nil {
		return Outcome{Done: true, Result: models.UploadAccepted}, nil
	}
	out, err := c.u.outcome(ctx, c.u, request)
	out.Reason = c.u.publicText(out.Reason)
	return out, c.u.uploadError(err)
}

// uploadTokens implements Tokens by the connection's secret or a sign-in. An error that only the account can fix is an
// *UploadError.
type uploadTokens struct{ *uploading }

func (t uploadTokens) Token(ctx context.Context) (string, error) {
	switch {
	case t.secret != "":
		return t.c[t.secret], nil
	case t.tokens == nil:
		return "", &UploadError{text: "the platform is not connected: sign in there first", Refused: true}
	}
	token, err := t.tokens.Token(ctx)
	return token, refusedToken(err)
}

func (t uploadTokens) Renew(ctx context.Context, refused string) (string, error) {
	token, err := t.tokens.Renew(ctx, refused)
	return token, refusedToken(err)
}

func refusedToken(err error) error {
	if e, ok := models.AsError(err); ok {
		return &UploadError{text: e.Message, Refused: true}
	}
	return err
}

func (u *uploading) uploadError(err error) error {
	var ready *UploadError
	var failed *rest.FailureError
	if f, ok := asFault(err); ok {
		return &UploadError{
			text: u.publicText("the platform: " + f.text), request: u.publicText(f.request), After: f.after, Refused: f.refused || f.expired,
			Stop: f.stop,
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ready):
		return ready
	}
	out := &UploadError{text: u.publicText(err.Error())}
	if errors.As(err, &failed) {
		out.request, out.After, out.Refused = u.publicText(failed.RequestID), failed.After, failed.Refused
	}
	return out
}

// missing names the empty fields of the connection, or returns "".
func (u *uploading) missing(fields ...string) string {
	var list []string
	for _, name := range fields {
		if u.c[name] == "" {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "the connection has no " + strings.Join(list, " and no ")
}

func asFault(err error) (*fault, bool) {
	if f, ok := errors.AsType[*faultError](err); ok {
		return f.fault, true
	}
	return nil, false
}

// moved returns a copy of the fault for another list of events. The request's event i is at places[i] in that list.
func (f *fault) moved(places []int) *fault {
	out := *f
	out.at = map[int]string{}
	for n, why := range f.at {
		if n < len(places) {
			out.at[places[n]] = why
		}
	}
	return &out
}

// indexIn returns the number in brackets after the first occurrence of a name: 3 for "events" in "events[3].time".
func indexIn(text, name string) (n int, ok bool) {
	_, rest, found := strings.Cut(text, name+"[")
	digits, _, closed := strings.Cut(rest, "]")
	if !found || !closed {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0
}

func accepted(events []Event, reason string) []Verdict {
	out := make([]Verdict, len(events))
	for i := range out {
		out[i] = Verdict{Result: models.UploadAccepted, Reason: reason}
	}
	return out
}
