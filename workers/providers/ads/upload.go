package ads

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/matchkey"
	"switchyard/models/token"
	"switchyard/workers/providers/platform"
)

// Event is a conversion that is sent to a platform.
type Event struct {
	ID        string    // our id of the conversion, the same each time that it is sent
	Action    string    // models.UploadNew and the like
	Time      time.Time // time of the conversion; like ID, it is the same each time that the conversion is sent
	ChangedAt time.Time // time of the change that this event reports
	Value     decimal.Decimal
	Currency  string

	// Fields of the click.
	Click     string // the click's id
	Clicked   time.Time
	Query     string // query of the tracking link, as received
	IP        string // empty: not known, or stored only in part
	Country   string // the visitor's, as two letters; empty: not known
	UserAgent string
	Page      string // address of the web page that the visitor was sent to; empty: not known
	Referrer  string // address of the page with the ad, as the visitor's browser reported it; empty: not known

	Keys matchkey.Keys // hashed personal data that may be sent to the platform
}

func (e Event) param(name string) string { return token.QueryParam(e.Query, name) }

// amount returns the value as a JSON number.
func (e Event) amount() any { return jsonNumber(e.Value.String()) }

type jsonNumber string

func (n jsonNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// Verdict is the result for an event. The zero Verdict means that there is no result yet.
type Verdict struct {
	Result string        // models.UploadAccepted and the like; models.UploadPending: send it again
	Reason string        // for a person; without secrets
	After  time.Duration // for a pending event: the wait before it is sent again
	// Request is the platform's id of the request that contained an accepted event, if the platform reports the outcome later.
	// See Outcome.
	Request string
}

// UploadError says why an upload or a request for an outcome failed. It contains no credential.
type UploadError struct {
	text    string
	request string
	After   time.Duration // wait before the platform may be asked again; 0: the platform names none
	Refused bool          // the credentials are refused or missing, so only the account can help
	Stop    bool          // the platform refuses every event because of a setting, so only the account can help
}

// Error returns a text for a person.
func (e *UploadError) Error() string { return e.text }

// ProviderRequest returns the platform's id of the request that failed.
func (e *UploadError) ProviderRequest() string { return e.request }

// UploadOptions are the options of an Uploader.
type UploadOptions struct {
	Options
	// GoogleClicks sends conversions to Google by UploadClickConversions. Google allows this only to projects that used it
	// before June 2026. If false, the Data Manager API is used.
	GoogleClicks bool
}

// Uploader uploads conversions to ad platforms. Safe for concurrent use.
type Uploader struct{ o UploadOptions }

// NewUploader makes an Uploader.
func NewUploader(o UploadOptions) *Uploader {
	o.Options.Options = o.WithDefaults()
	return &Uploader{o}
}

// uploads describes how to upload conversions to a platform.
type uploads struct {
	base      string
	maxEvents int           // maximum number of events in one request
	maxAge    time.Duration // maximum age of a conversion
	click     func(e Event) string
	clicks    string
	// whyUnfit returns the reason why the platform cannot take a new conversion; nil: it can take all.
	whyUnfit func(e Event) string
	// needs names what the connection lacks; nil: the fields that the provider's row marks for conversions are needed.
	needs func(u *uploading) string
	// headers adds headers to every request, in addition to the token; nil: no further headers.
	headers func(u *uploading, h map[string]string)
	// secret names the credential that is the token; empty: the tokens come from a sign-in.
	secret string
	// send uploads conversions. change reports later changes of conversions; nil: the platform accepts no changes.
	send, change func(ctx context.Context, u *uploading, events []Event) ([]Verdict, error)
	// singleBy names a credential. If the connection has it, a request may have only one event.
	singleBy string
	// whyFixed returns the reason why the platform cannot take this change of a conversion; nil: it can take all changes.
	whyFixed  func(e Event) string
	validates bool // the platform can check events without counting them
	// outcome asks for the outcome of a request; nil: the platform's first answer is final.
	outcome func(ctx context.Context, u *uploading, request string) (Outcome, error)
	// fault reads the failure that an answer reports.
	fault func(status int, body []byte) *fault
	// faultIn200 says that an answer with a successful status may report a failure.
	faultIn200 bool
}

var uploadPlatforms = map[string]uploads{
	models.GoogleAds:    googleUploads,
	models.MicrosoftAds: microsoftUploads,
	models.Meta:         metaUploads,
	"tiktok":            tiktokUploads,
	models.Snapchat:     snapchatUploads,
	models.Pinterest:    pinterestUploads,
	models.Reddit:       redditUploads,
	"openai_ads":        openAIUploads,
}

var tokenUploads = map[string]uploads{models.MicrosoftAds: uetUploads}

// fault is a failure as a platform reports it.
type fault struct {
	text    string
	request string         // the platform's id of the request
	expired bool           // the token is no longer valid
	refused bool           // the credentials are refused, or the account lacks the permission
	scope   bool           // the token lacks a scope
	stop    bool           // the destination of the events is refused, so no event of the connection can be accepted
	after   time.Duration  // wait before the platform may be asked again; 0: the platform names none
	event   bool           // the whole request was refused because of some of its events
	at      map[int]string // reason of each refused event, by its index in the request, if the platform names the refused events
	// verdicts are the results of all events, if the platform reports a failure although it has dealt with each event.
	verdicts []Verdict
}

// Upload is a connection that uploads conversions. It is for one goroutine.
type Upload struct{ u *uploading }

type uploading struct {
	platform.Session
	uploads

	row    models.SourceProvider
	c      map[string]string // credentials
	action string            // the conversion action, goal or event name for the uploads
	shadow bool
	tokens Tokens
	o      UploadOptions
}

// uploadRetryTime is how long one request waits for a platform that is busy or fails.
const uploadRetryTime = 20 * time.Second

// uploadRate limits the requests of a connection.
var uploadRate = platform.Rate{Burst: 10, Interval: 500 * time.Millisecond}

// Open makes a connection. key is the name of the connection for its rate limit. tokens is nil without a sign-in. In shadow mode
// no event counts.
func (c *Uploader) Open(provider, key string, credentials map[string]string, tokens Tokens, action string, shadow bool) (*Upload, error) {
	p, known := models.SourceProviderNamed(provider)
	entry, ok := uploadPlatforms[provider]
	if p.ByTokenUpload(credentials) {
		entry, ok = tokenUploads[provider]
	}
	if !known || !ok {
		return nil, fmt.Errorf("ads: %q takes no conversions", provider)
	}
	_, secrets := p.Split(credentials)
	u := &uploading{
		Session: c.o.Session(entry.base, "upload:"+key, uploadRate, uploadRetryTime,
			append(slices.Collect(maps.Values(secrets)), c.o.DeveloperToken)...),
		uploads: entry, row: p, c: credentials, action: action, shadow: shadow, tokens: tokens, o: c.o,
	}
	if c.o.URL != "" {
		u.Base = c.o.URL + "/" + provider
	}
	if entry.singleBy != "" && credentials[entry.singleBy] != "" {
		u.maxEvents = 1
	}
	return &Upload{u}, nil
}

// missingSetting names what the connection lacks, or returns "".
func (u *uploading) missingSetting() string {
	if u.needs != nil {
		return u.needs(u)
	}
	return u.missing(u.row.MissingForConversions(u.c)...)
}

// MaxEvents returns the maximum number of events in one request.
func (c *Upload) MaxEvents() int { return c.u.maxEvents }

// Requests returns the number of requests made so far.
func (c *Upload) Requests() int { return c.u.Used().Requests }

// mostRefused limits the refused requests in one call of sendAll. When there are more, the events that are left stay pending.
const mostRefused = 100

// Send sends events to the platform and returns a verdict for each, in their order. Events may be sent again, because the
// platform recognizes them by their ids. The error is an *UploadError. With an error, some events may still have verdicts.
func (c *Upload) Send(ctx context.Context, events []Event) ([]Verdict, error) {
	out := make([]Verdict, len(events))
	if lack := c.u.missingSetting(); lack != "" {
		return out, &UploadError{text: lack, Refused: true}
	}
	var fresh, changed []int
	for i, e := range events {
		why := c.u.skipReason(e)
		switch {
		case why != "":
			out[i] = Verdict{Result: models.UploadSkipped, Reason: why}
		case c.u.shadow && (e.Action != models.UploadNew || !c.u.validates):
			out[i] = Verdict{Result: models.UploadShadow, Reason: "not sent"}
		case e.Action == models.UploadNew:
			fresh = append(fresh, i)
		default:
			changed = append(changed, i)
		}
	}
	err := c.u.sendAll(ctx, c.u.send, fresh, events, out)
	if err == nil {
		err = c.u.sendAll(ctx, c.u.change, changed, events, out)
	}
	if c.u.shadow {
		for i, v := range out {
			switch v.Result {
			case models.UploadAccepted:
				out[i] = Verdict{Result: models.UploadShadow, Reason: "tried: the platform accepts it"}
			case models.UploadRejected:
				out[i] = Verdict{Result: models.UploadShadow, Reason: "tried: the platform refuses it: " + v.Reason}
			}
		}
	}
	return out, c.u.uploadError(err)
}

// skipReason returns the reason why an event is not sent, or "".
func (u *uploading) skipReason(e Event) string {
	switch {
	case u.click(e) == "":
		return "its click has no " + u.clicks
	case e.Action != models.UploadNew && u.change == nil && e.Action == models.UploadRetract:
		return "cannot be retracted: the platform does not support it"
	case e.Action != models.UploadNew && u.change == nil:
		return "cannot be changed: the platform does not support it"
	case e.Action != models.UploadNew && u.whyFixed != nil && u.whyFixed(e) != "":
		return u.whyFixed(e)
	case e.Action == models.UploadNew && u.whyUnfit != nil && u.whyUnfit(e) != "":
		return u.whyUnfit(e)
	case u.Now().Sub(e.Time) > u.maxAge:
		return fmt.Sprintf("too old: the platform takes conversions of the last %d days", int(u.maxAge.Hours()/24))
	}
	return ""
}

type sendFunc = func(ctx context.Context, u *uploading, events []Event) ([]Verdict, error)

// sendAll sends the events at the given indices, and writes their verdicts to `out` at the same indices.
func (u *uploading) sendAll(ctx context.Context, send sendFunc, indices []int, events []Event, out []Verdict) error {
	refused := 0
	for part := range slices.Chunk(indices, u.maxEvents) {
		if err := u.sendPart(ctx, send, part, events, out, &refused); err != nil {
			return err
		}
	}
	return nil
}

// sendPart sends the events at the given indices in one request. If the platform refuses the request because of some events,
// sendPart marks these as rejected and sends the others again. If the platform does not name these events, sendPart finds them by
// halving the list. refused counts the refused requests of all parts.
func (u *uploading) sendPart(ctx context.Context, send sendFunc, indices []int, events []Event, out []Verdict, refused *int) error {
	for len(indices) > 0 {
		if *refused > mostRefused {
			for _, i := range indices {
				out[i] = Verdict{Result: models.UploadPending, Reason: "too many events of the same request were refused"}
			}
			return nil
		}
		list := make([]Event, len(indices))
		for n, i := range indices {
			list[n] = events[i]
		}
		verdicts, err := send(ctx, u, list)
		f, failed := asFault(err)
		if !failed || !f.event {
			for n, v := range verdicts {
				v.Reason = u.publicText(v.Reason)
				out[indices[n]] = v
			}
			return err
		}
		*refused++
		if len(indices) == 1 {
			out[indices[0]] = Verdict{Result: models.UploadRejected, Reason: u.publicText(f.reason(0))}
			return nil
		}
		left := indices[:0:0]
		for n, i := range indices {
			if _, bad := f.at[n]; bad {
				out[i] = Verdict{Result: models.UploadRejected, Reason: u.publicText(f.reason(n))}
			} else {
				left = append(left, i)
			}
		}
		if len(left) < len(indices) {
			indices = left
			continue
		}
		half := len(indices) / 2
		if err := u.sendPart(ctx, send, indices[:half], events, out, refused); err != nil {
			return err
		}
		indices = indices[half:]
	}
	return nil
}

func (f *fault) reason(n int) string {
	if why := f.at[n]; why != "" {
		return why
	}
	return f.text
}

func (u *uploading) publicText(text string) string {
	if text == "" {
		return ""
	}
	return u.PublicError(errors.New(text)).Error()
}
