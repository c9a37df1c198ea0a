package dns

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"switchyard/workers/egress"
)

// timeout is for one request.
const timeout = 10 * time.Second

// api is the HTTP API of a provider.
type api struct {
	out  *egress.Client
	base string
	now  func() time.Time
	// sign adds the credentials to a request.
	sign func(r *http.Request, body []byte)
	// failed finds the provider's text in an answer that tells a failure by a successful status; nil: none does.
	failed func(body []byte) string
	// busy reports whether a failure with another status than 429 asks for fewer requests, by the provider's text; nil: none
	// does.
	busy func(text string) bool
	// secrets are what no error may contain.
	secrets *[]string
	// denied reports whether a failure with another status than 401 and 403 refuses the credentials, by the provider's
	// text; nil: none does.
	denied func(text string) bool
}

// request is a call of an API. Body is nil, url.Values, []byte or what JSON is made of.
type request struct {
	method string
	path   string
	query  url.Values
	body   any
	kind   string // content type of a []byte
	header map[string]string
}

// get asks for a path and reads the answer's JSON.
func (a api) get(ctx context.Context, path string, query url.Values, into any) error {
	return a.do(ctx, request{method: http.MethodGet, path: path, query: query}, into)
}

// post sends JSON and reads the answer's JSON; nil: the answer does not matter.
func (a api) post(ctx context.Context, path string, body, into any) error {
	return a.do(ctx, request{method: http.MethodPost, path: path, body: body}, into)
}

// do sends a request and reads the answer's JSON. Errors: *failure, or those of the client.
func (a api) do(ctx context.Context, r request, into any) error {
	answer, err := a.send(ctx, r)
	if err != nil || into == nil {
		return err
	}
	return decode(answer.Body, into)
}

func decode(body []byte, into any) error {
	if json.Unmarshal(body, into) != nil {
		return errForm
	}
	return nil
}

var errForm = errors.New("the provider's answer has another form than documented")

// send sends a request and gives a successful answer.
func (a api) send(ctx context.Context, r request) (out egress.Answer, err error) {
	to := a.base + r.path
	if len(r.query) > 0 {
		to += "?" + r.query.Encode()
	}
	body, kind, err := encoded(r)
	if err != nil {
		return out, err
	}
	req, cancel, err := egress.Request(ctx, timeout, r.method, to, bytes.NewReader(body))
	if err != nil {
		return out, errors.New("the provider's address cannot be read")
	}
	defer cancel()
	req.Header.Set("Accept", "application/json")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if a.sign != nil {
		a.sign(req, body)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	if out, err = a.out.Do(req); err != nil {
		return out, err
	}
	return out, a.refusal(out)
}

func encoded(r request) (body []byte, kind string, err error) {
	switch b := r.body.(type) {
	case nil:
		return nil, "", nil
	case []byte:
		return b, r.kind, nil
	case url.Values:
		return []byte(b.Encode()), "application/x-www-form-urlencoded", nil
	default:
		body, err = json.Marshal(b)
		return body, "application/json", err
	}
}

// refusal is the failure that an answer tells.
func (a api) refusal(answer egress.Answer) error {
	f := &failure{status: answer.Status}
	if f.status/100 != 2 {
		f.text = complaint(answer.Body)
	}
	if a.failed != nil && f.text == "" {
		f.text = a.failed(answer.Body)
	}
	switch {
	case f.status/100 == 2 && f.text == "":
		return nil
	case f.status/100 == 2:
		f.status = 0
	}
	f.refused = a.denied != nil && a.denied(f.text)
	f.busy = a.busy != nil && a.busy(f.text)
	return f
}

// hide adds a secret that was got by the credentials.
func (a api) hide(secret string) { *a.secrets = append(*a.secrets, secret) }

// failure is a provider's refusal of a request. Text is the provider's own.
type failure struct {
	status  int // 0: the provider told it by a successful one
	text    string
	refused bool // its credentials
	busy    bool
}

// Error is for a person.
func (f *failure) Error() string {
	text := f.text
	if text != "" {
		text = ": " + text
	}
	switch {
	case f.Unwrap() != nil:
		return f.Unwrap().Error() + text
	case f.status == 0:
		return "the provider refused" + text
	}
	return fmt.Sprintf("the provider answered %d%s", f.status, text)
}

// Unwrap gives ErrRefused or ErrBusy, if it is one.
func (f *failure) Unwrap() error {
	switch {
	case f.refused, f.status == http.StatusUnauthorized, f.status == http.StatusForbidden:
		return ErrRefused
	case f.busy, f.status == http.StatusTooManyRequests:
		return ErrBusy
	}
	return nil
}

// hasStatus reports whether an error is a failure with a status.
func hasStatus(err error, status int) bool {
	var f *failure
	return errors.As(err, &f) && f.status == status
}

// header is a sign that sets a header.
func header(name, value string) func(*http.Request, []byte) {
	return func(r *http.Request, _ []byte) { r.Header.Set(name, value) }
}

// bearer is a sign by a token.
func bearer(token string) func(*http.Request, []byte) {
	return header("Authorization", "Bearer "+token)
}

// told are the members in which providers say in words what is wrong.
var told = map[string]bool{
	"message": true, "msg": true, "detail": true, "details": true, "error": true, "errors": true, "error_description": true,
	"reason": true, "description": true, "title": true,
}

// maxComplaint is how much of a provider's words is shown, in characters.
const maxComplaint = 300

// complaint finds the words in the JSON of an error, whatever its envelope: texts of members that are known for words,
// and texts in lists. An answer of another kind has none.
func complaint(body []byte) string {
	var words []string
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := collect(dec, false, &words, 0); err != nil {
		return ""
	}
	return strings.Join(words, "; ")
}

// collect reads a value. words are kept of texts if inWords, and in lists.
func collect(dec *json.Decoder, inWords bool, words *[]string, depth int) error {
	t, err := dec.Token()
	if err != nil || depth > 20 {
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	switch t := t.(type) {
	case string:
		if inWords && t != "" {
			*words = append(*words, t)
		}
	case json.Delim:
		for dec.More() {
			in := t == '[' // a list of texts is a list of complaints
			if t == '{' {
				key, err := dec.Token()
				if err != nil {
					return err
				}
				name, _ := key.(string)
				in = told[strings.ToLower(name)]
			}
			if err := collect(dec, in, words, depth+1); err != nil {
				return err
			}
		}
		_, err = dec.Token() // the end
		return err
	}
	return nil
}

// shown is an error for a person: without secrets, in one line, not too long.
func (g *guarded) shown(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, s := range g.secrets {
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s)} {
			text = strings.ReplaceAll(text, form, "***")
		}
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")), " ")
	if runes := []rune(text); len(runes) > maxComplaint {
		text = string(runes[:maxComplaint]) + "…"
	}
	return &shownError{text, err}
}

type shownError struct {
	text  string
	cause error
}

func (e *shownError) Error() string { return e.text }

// Is tells ErrRefused and ErrBusy. Nothing else of the cause is reachable: it may contain secrets.
func (e *shownError) Is(target error) bool {
	return (target == ErrRefused || target == ErrBusy) && errors.Is(e.cause, target)
}
