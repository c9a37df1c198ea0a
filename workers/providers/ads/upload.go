package ads

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/token"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// Event is a conversion that a platform is told of.
type Event struct {
	ID        string    // ours, of the conversion: the same whenever the platform hears of it
	Action    string    // models.UploadNew and the like
	Time      time.Time // of the conversion: the same too
	ChangedAt time.Time // when it became so
	Value     decimal.Decimal
	Currency  string

	// Of the click.
	Click     string // its id
	Clicked   time.Time
	Query     string // of the tracking link, as received
	IP        string // empty: not known, or not the whole one
	UserAgent string
}

// param is a parameter of the tracking link.
func (e Event) param(name string) string { return token.QueryParam(e.Query, name) }

// amount is the value as a number of JSON.
func (e Event) amount() any { return jsonNumber(e.Value.String()) }

type jsonNumber string

// MarshalJSON implements json.Marshaler.
func (n jsonNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// Verdict is what came of an event. The zero Verdict: it is not decided.
type Verdict struct {
	Result string        // models.UploadAccepted and the like; models.UploadPending: it is to be sent again
	Reason string        // for a person; without secrets
	After  time.Duration // of a pending one: when
}

// UploadError is why a platform decided nothing. It contains no credential.
type UploadError struct {
	text    string
	After   time.Duration // when the platform may be asked again, if it says so
	Refused bool          // it does not take the credentials, or they are missing: only the account can help
}

// Error is for a person.
func (e *UploadError) Error() string { return e.text }

// UploadOptions are those of an Uploader.
type UploadOptions struct {
	Options
	// GoogleClicks has conversions sent to Google by UploadClickConversions, which only projects that used it before June 2026
	// may; else by the Data Manager API.
	GoogleClicks bool
}

// Uploader uploads conversions to ad platforms. Safe for concurrent use.
type Uploader struct{ o UploadOptions }

// NewUploader makes an Uploader.
func NewUploader(o UploadOptions) *Uploader {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Uploader{o}
}

// uploads is how conversions are uploaded to a platform.
type uploads struct {
	base   string
	most   int           // events in one request
	oldest time.Duration // that a conversion may be
	// click gives the platform's click id of an event; empty: it has none. clicks names the parameters that it looks for.
	click  func(e Event) string
	clicks string
	// lacks names what the connection needs and does not have; empty: nothing.
	lacks func(u *uploading) string
	// head adds to the headers of every request, beside the token.
	head func(u *uploading, h map[string]string)
	// secret is the credential that is the token; empty: tokens are of a sign-in.
	secret string
	// send tells of conversions, change of what became of them. change nil: it cannot be told.
	send, change func(ctx context.Context, u *uploading, events []Event) ([]Verdict, error)
	// fixed says why an event cannot be changed later, though others can; nil: all can.
	fixed func(e Event) string
	// tries reports whether send can be tried without counting.
	tries func(u *uploading) bool
	// fault reads a failure from an answer, which may have a successful status; nil: there is none.
	fault func(status int, body []byte) *fault
}

// uploadPlatforms are the platforms that take conversions, by the name of their provider.
var uploadPlatforms = map[string]uploads{
	models.GoogleAds:    googleUploads,
	models.MicrosoftAds: microsoftUploads,
	models.Meta:         metaUploads,
	"tiktok":            tiktokUploads,
}

// fault is a failure as a platform tells it.
type fault struct {
	text    string
	expired bool // the token is no longer good
	refused bool // so are the credentials, or the account may not do it
	after   time.Duration
	event   bool           // an event is to blame, for which the whole request was refused
	at      map[int]string // which ones, if the platform says so, and why
}

// Upload is a connection that uploads conversions. It is for one goroutine.
type Upload struct{ u *uploading }

// uploading is a connection while conversions are uploaded.
type uploading struct {
	rest.API
	uploads

	c      map[string]string // credentials
	action string            // the conversion action, goal or name of event that they are uploaded as
	shadow bool
	tokens Tokens
	o      UploadOptions
	asked  int
}

// uploadPatience is how long one request waits for a platform that is busy or fails.
const uploadPatience = 20 * time.Second

// Requests of a connection: at most so many at once, and one more after each interval.
const (
	uploadBurst    = 10
	uploadInterval = 500 * time.Millisecond
)

// Open makes a connection. key names it, for its pace. tokens is nil if nobody has signed in. In shadow nothing that is sent
// counts.
func (c *Uploader) Open(provider, key string, credentials map[string]string, tokens Tokens, action string, shadow bool) (*Upload, error) {
	p, known := models.SourceProviderNamed(provider)
	how, ok := uploadPlatforms[provider]
	if !known || !ok {
		return nil, fmt.Errorf("ads: %q takes no conversions", provider)
	}
	_, secrets := p.Split(credentials)
	u := &uploading{uploads: how, c: credentials, action: action, shadow: shadow, tokens: tokens, o: c.o}
	u.API = rest.API{
		Out: c.o.Egress, Base: how.base, Now: c.o.Now, Patience: uploadPatience, Wait: c.o.Wait, Timeout: c.o.Timeout,
		Asked: func() { u.asked++ },
	}.Keep(append(slices.Collect(maps.Values(secrets)), c.o.DeveloperToken)...)
	if c.o.Pace != nil {
		u.Pace = c.o.Pace("upload:"+key, uploadBurst, uploadInterval)
	}
	if c.o.URL != "" {
		u.Base = c.o.URL + "/" + provider
	}
	return &Upload{u}, nil
}

// Most is how many events one request takes.
func (c *Upload) Most() int { return c.u.most }

// Requests is how many there were.
func (c *Upload) Requests() int { return c.u.asked }

// mostRefused is how many requests one call makes at most to find the events for which others were refused.
const mostRefused = 100

// Send tells the platform of events and gives a verdict for each, in their order. Events may be sent again: the platform
// knows them by their ids. With an error, *UploadError, some verdicts may be there all the same.
func (c *Upload) Send(ctx context.Context, events []Event) ([]Verdict, error) {
	out := make([]Verdict, len(events))
	if lack := c.u.lacks(c.u); lack != "" {
		return out, &UploadError{text: lack, Refused: true}
	}
	var fresh, changed []int
	for i, e := range events {
		switch why := c.u.unfit(e); {
		case why != "":
			out[i] = Verdict{Result: models.UploadSkipped, Reason: why}
		case c.u.shadow && (e.Action != models.UploadNew || !c.u.tries(c.u)):
			out[i] = Verdict{Result: models.UploadShadow, Reason: "not sent"}
		case e.Action == models.UploadNew:
			fresh = append(fresh, i)
		default:
			changed = append(changed, i)
		}
	}
	err := c.u.all(ctx, c.u.send, fresh, events, out)
	if err == nil {
		err = c.u.all(ctx, c.u.change, changed, events, out)
	}
	if c.u.shadow {
		for i, v := range out {
			switch v.Result {
			case models.UploadAccepted:
				out[i] = Verdict{Result: models.UploadShadow, Reason: "tried: the platform takes it"}
			case models.UploadRejected:
				out[i] = Verdict{Result: models.UploadShadow, Reason: "tried: the platform refuses it: " + v.Reason}
			}
		}
	}
	return out, c.u.uploadError(err)
}

// unfit says why an event is not sent; empty: it is.
func (u *uploading) unfit(e Event) string {
	switch {
	case u.click(e) == "":
		return "its click has no " + u.clicks
	case e.Action != models.UploadNew && u.change == nil && e.Action == models.UploadRetract:
		return "cannot be taken back: the platform has no way to"
	case e.Action != models.UploadNew && u.change == nil:
		return "cannot be changed: the platform has no way to"
	case e.Action != models.UploadNew && u.fixed != nil && u.fixed(e) != "":
		return u.fixed(e)
	case u.Now().Sub(e.Time) > u.oldest:
		return fmt.Sprintf("too old: the platform takes conversions of the last %d days", int(u.oldest.Hours()/24))
	}
	return ""
}

type sendFunc = func(ctx context.Context, u *uploading, events []Event) ([]Verdict, error)

// all sends the events at places in requests that are not too long.
func (u *uploading) all(ctx context.Context, send sendFunc, at []int, events []Event, out []Verdict) error {
	refused := 0
	for part := range slices.Chunk(at, u.most) {
		if err := u.part(ctx, send, part, events, out, &refused); err != nil {
			return err
		}
	}
	return nil
}

// part sends some events. If the platform refuses all of them for some, those are rejected and the others sent again; if it
// does not say for which, they are found by halves.
func (u *uploading) part(ctx context.Context, send sendFunc, at []int, events []Event, out []Verdict, refused *int) error {
	for len(at) > 0 {
		if *refused > mostRefused {
			for _, i := range at {
				out[i] = Verdict{Result: models.UploadPending, Reason: "too many others were refused with it"}
			}
			return nil
		}
		list := make([]Event, len(at))
		for n, i := range at {
			list[n] = events[i]
		}
		verdicts, err := send(ctx, u, list)
		f, failed := errorsAsFault(err)
		if !failed || !f.event {
			for n, v := range verdicts {
				v.Reason = u.shown(v.Reason)
				out[at[n]] = v
			}
			return err
		}
		*refused++
		if len(at) == 1 {
			out[at[0]] = Verdict{Result: models.UploadRejected, Reason: u.shown(f.reason(0))}
			return nil
		}
		left := at[:0:0]
		for n, i := range at {
			if _, bad := f.at[n]; bad {
				out[i] = Verdict{Result: models.UploadRejected, Reason: u.shown(f.reason(n))}
			} else {
				left = append(left, i)
			}
		}
		if len(left) < len(at) {
			at = left
			continue
		}
		half := len(at) / 2
		if err := u.part(ctx, send, at[:half], events, out, refused); err != nil {
			return err
		}
		at = at[half:]
	}
	return nil
}

func (f *fault) reason(n int) string {
	if why := f.at[n]; why != "" {
		return why
	}
	return f.text
}

func (u *uploading) shown(text string) string {
	if text == "" {
		return ""
	}
	return u.Shown(errors.New(text)).Error()
}

// faultError is a fault as an error.
type faultError struct{ *fault }

// Error implements error.
func (e *faultError) Error() string { return e.text }

// post sends JSON and reads the answer's JSON. header are names and values. A token that is no longer good is replaced once.
func (u *uploading) post(ctx context.Context, api rest.API, path string, body, into any, header ...string) error {
	var refused string
	for try := 0; ; try++ {
		access, err := u.access(ctx, refused)
		if err != nil {
			return err
		}
		head := map[string]string{}
		for i := 0; i+1 < len(header); i += 2 {
			head[header[i]] = header[i+1]
		}
		if u.head(u, head); head["Access-Token"] == "" {
			head["Authorization"] = "Bearer " + access
		}
		answer, err := api.Send(ctx, rest.Request{Method: http.MethodPost, Path: path, Body: body, Header: head, Repeat: true})
		f := u.told(answer, err)
		switch {
		case f != nil && f.expired && try == 0 && u.secret == "":
			refused = access
			continue
		case f != nil:
			if f.after > 0 && u.Pace != nil {
				u.Pace.Pause(context.WithoutCancel(ctx), f.after)
			}
			return &faultError{f}
		case err != nil:
			return err
		}
		return rest.Decode(answer.Body, into)
	}
}

// told is the failure that an answer tells in the platform's own way; nil: none.
func (u *uploading) told(answer egress.Answer, err error) *fault {
	f := (*fault)(nil)
	if answer.Status != 0 {
		f = u.fault(answer.Status, answer.Body)
	}
	var failed *rest.FailureError
	if f != nil && errors.As(err, &failed) {
		f.after = max(f.after, failed.After)
		if f.text == "" {
			f.text = failed.Error()
		}
		if failed.RequestID != "" {
			f.text += " (request " + failed.RequestID + ")"
		}
	}
	return f
}

// access is the token of the next request.
func (u *uploading) access(ctx context.Context, refused string) (access string, err error) {
	switch {
	case u.secret != "":
		return u.c[u.secret], nil
	case u.tokens == nil:
		return "", &UploadError{text: "the platform is not connected: sign in at it first", Refused: true}
	case refused != "":
		access, err = u.tokens.Renew(ctx, refused)
	default:
		access, err = u.tokens.Token(ctx)
	}
	if e, ok := models.AsError(err); ok {
		return "", &UploadError{text: e.Message, Refused: true}
	}
	u.Hide(access)
	return access, err
}

// uploadError is an error as the caller gets it.
func (u *uploading) uploadError(err error) error {
	var ready *UploadError
	var failed *rest.FailureError
	if f, ok := errorsAsFault(err); ok {
		return &UploadError{text: u.shown("the platform: " + f.text), After: f.after, Refused: f.refused || f.expired}
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ready):
		return ready
	}
	out := &UploadError{text: u.shown(err.Error())}
	if errors.As(err, &failed) {
		out.After, out.Refused = failed.After, failed.Refused
	}
	return out
}

// missing says which fields of the connection are empty.
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

// errorsAsFault finds the fault in an error.
func errorsAsFault(err error) (*fault, bool) {
	if f, ok := errors.AsType[*faultError](err); ok {
		return f.fault, true
	}
	return nil, false
}

// moved is a fault about events whose places among others are these.
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

// indexIn reads the number in the first pair of brackets behind a name: 3 of "events[3].time".
func indexIn(text, name string) (n int, ok bool) {
	_, rest, found := strings.Cut(text, name+"[")
	digits, _, closed := strings.Cut(rest, "]")
	if !found || !closed {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0
}

// accepted are the verdicts of events that were all accepted.
func accepted(events []Event, reason string) []Verdict {
	out := make([]Verdict, len(events))
	for i := range out {
		out[i] = Verdict{Result: models.UploadAccepted, Reason: reason}
	}
	return out
}
