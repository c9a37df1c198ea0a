package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
)

// ErrRefused says that the provider does not accept the credentials. ErrBusy says that it asks for fewer requests.
var (
	ErrRefused = errors.New("the provider refused the credentials")
	ErrBusy    = errors.New("the provider is being asked too often")
)

// FailureError is a provider's refusal of a request. Text has the provider's own words, if the answer has any.
type FailureError struct {
	Status  int // 0: the provider reported the failure with a successful status
	Text    string
	Cause   string        // from API.Explain
	Code    string        // from API.Coded
	Refused bool          // the provider refuses the credentials
	Busy    bool          // the provider asks for fewer requests
	After   time.Duration // the wait that the provider asks for; 0: none
	// RequestID is the provider's id of the request, by which an operator can ask the provider about it.
	RequestID string
}

// requestIDs are the headers in which providers send the id of a request.
var requestIDs = []string{"X-Request-Id", "Request-Id", "X-Fb-Trace-Id", "X-Amzn-Requestid", "Cf-Ray"}

// maxRefusal is the maximum number of bytes that are used of an answer with another status than 2xx. In any answer, the search for
// the id of the request ends there too.
const maxRefusal = 64 << 10

// refusal returns the failure that an answer reports, or nil.
func (a API) refusal(answer egress.Answer) error {
	f := &FailureError{Status: answer.Status}
	if f.Status/100 != 2 {
		answer.Body = answer.Body[:min(len(answer.Body), maxRefusal)]
		f.Text = Complaint(answer.Body)
	}
	if a.Failed != nil && f.Text == "" {
		f.Text = a.Failed(answer.Body)
	}
	switch {
	case f.Status/100 == 2 && f.Text == "":
		return nil
	case f.Status/100 == 2:
		f.Status = 0
	}
	f.RequestID = RequestID(answer)
	if a.Coded != nil {
		f.Code = a.Coded(answer.Body)
	}
	f.Busy = f.Status == http.StatusTooManyRequests || a.Busy != nil && a.Busy(f)
	f.Refused = !f.Busy && (f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden || a.Denied != nil && a.Denied(f))
	if a.Explain != nil {
		f.Cause = a.Explain(f)
	}
	if f.Busy || f.Status >= 500 {
		f.After = RetryAfter(answer.Header.Get("Retry-After"), a.Now)
	}
	return f
}

// requestMember finds the JSON member in which providers send the id of a request.
var requestMember = regexp.MustCompile(`(?i)"(?:request_?id|fbtrace_id|trackingid)"\s*:\s*"([^"\\]{1,100})"`)

// RequestID returns the provider's id of a request from its answer, or "". The id may contain a secret that the provider repeats.
func RequestID(answer egress.Answer) string {
	for _, name := range requestIDs {
		if id := answer.Header.Get(name); id != "" {
			return id
		}
	}
	if found := requestMember.FindSubmatch(answer.Body[:min(len(answer.Body), maxRefusal)]); found != nil {
		return string(found[1])
	}
	return ""
}

// maxAfter is the longest pause that is accepted from a provider.
const maxAfter = time.Hour

// RetryAfter returns the wait that a Retry-After header asks for, given in seconds or as a date. Any other value is 0.
func RetryAfter(header string, now func() time.Time) time.Duration {
	var wait time.Duration
	if n, err := strconv.Atoi(header); err == nil {
		wait = time.Duration(min(max(n, 0), int(maxAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil && now != nil {
		wait = at.Sub(now())
	}
	return min(max(wait, 0), maxAfter)
}

// Error returns a text for a person.
func (f *FailureError) Error() string {
	text := f.Text
	if text != "" {
		text = ": " + text
	}
	switch {
	case f.Cause != "":
		return f.Cause + text
	case f.Unwrap() != nil:
		return f.Unwrap().Error() + text
	case f.Status == 0:
		return "the provider refused" + text
	}
	return fmt.Sprintf("the provider answered %d%s", f.Status, text)
}

// Unwrap returns ErrRefused or ErrBusy if the failure is one of these.
func (f *FailureError) Unwrap() error {
	switch {
	case f.Refused:
		return ErrRefused
	case f.Busy:
		return ErrBusy
	}
	return nil
}

// HasStatus reports whether an error is a *FailureError with the given status.
func HasStatus(err error, status int) bool {
	f, ok := errors.AsType[*FailureError](err)
	return ok && f.Status == status
}

// messageMembers has the JSON members in which providers describe an error in words.
var messageMembers = map[string]bool{
	"message": true, "msg": true, "detail": true, "details": true, "error": true, "errors": true, "error_description": true,
	"reason": true, "description": true, "title": true, "errormessage": true, "publicmessage": true, "err_msg": true,
}

// maxComplaint is the maximum length of a provider's words, in characters.
const maxComplaint = 300

// Complaint returns the words with which the JSON of an error describes it, or "". It collects the texts of the members in
// messageMembers, and all texts in lists, down to 20 levels.
func Complaint(body []byte) string {
	var words []string
	dec := json.NewDecoder(bytes.NewReader(body))
	_ = collect(dec, false, &words, 0) // an error is ignored: the words before the end of a cut answer count
	return strings.Join(words, "; ")
}

// collect reads a JSON value and adds to words the texts in it that Complaint collects. inWords says that the value itself counts
// if it is a text.
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
			in := t == '['
			if t == '{' {
				key, err := dec.Token()
				if err != nil {
					return err
				}
				name, _ := key.(string)
				in = messageMembers[strings.ToLower(name)]
			}
			if err := collect(dec, in, words, depth+1); err != nil {
				return err
			}
		}
		_, err = dec.Token()
		return err
	}
	return nil
}

// Secrets are texts that are replaced by *** in the texts of providers. They are safe for concurrent use.
type Secrets struct {
	mu   sync.Mutex
	list []string // longest first, because a secret may be a part of another secret
}

// Add adds secrets. Empty texts are ignored.
func (s *Secrets) Add(list ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range list {
		if secret != "" {
			s.list = append(s.list, secret)
		}
	}
	slices.SortStableFunc(s.list, func(a, b string) int { return len(b) - len(a) })
}

// Text converts a text for a person: without secrets, in one line, not too long. s may be nil if there are no secrets.
func (s *Secrets) Text(text string) string {
	if s == nil {
		s = &Secrets{}
	}
	s.mu.Lock()
	for _, secret := range s.list {
		for _, form := range formsOf(secret) {
			text = strings.ReplaceAll(text, form, "***")
		}
	}
	s.mu.Unlock()
	text = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")), " ")
	if runes := []rune(text); len(runes) > maxComplaint {
		text = string(runes[:maxComplaint]) + "…"
	}
	return text
}

// escape matches an escaped byte of an address.
var escape = regexp.MustCompile(`%[0-9A-F]{2}`)

// formsOf returns the forms in which a provider may repeat a secret.
func formsOf(secret string) []string {
	quoted, _ := json.Marshal(secret)
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret), string(quoted[1 : len(quoted)-1])}
	for _, form := range forms[1:3] {
		forms = append(forms, escape.ReplaceAllStringFunc(form, strings.ToLower))
	}
	return forms
}

func (s *Secrets) publicError(err error) error {
	if err == nil {
		return nil
	}
	request := models.RequestOf(err)
	if f, ok := errors.AsType[*FailureError](err); ok {
		request = f.RequestID
	}
	return &publicError{s.Text(err.Error()), s.Text(request), err}
}

type publicError struct {
	text    string
	request string
	cause   error
}

func (e *publicError) Error() string { return e.text }

// ProviderRequest returns the provider's id of the request, for models.RequestOf.
func (e *publicError) ProviderRequest() string { return e.request }

// Is reports for ErrRefused and ErrBusy whether the cause is that error. For any other target it returns false, because the cause
// may contain secrets.
func (e *publicError) Is(target error) bool {
	return (target == ErrRefused || target == ErrBusy) && errors.Is(e.cause, target)
}
