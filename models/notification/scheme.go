package notification

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/matchkey"
)

// MaxBody is the maximum size of a notification's body in bytes. An order with many items can have more than 100 kB.
const MaxBody = 256 << 10

// Rate is the number of kilobytes of notifications per second that each process accepts for a network.
const Rate = 2048

// Scheme describes how a platform signs and writes its notifications.
type Scheme struct {
	Name     string // the value of a network's postback_scheme
	Platform string
	Template string
	// ClickParam is the parameter in the URL of the sales page that passes the click id to the platform.
	ClickParam string
	Proof      string
	Secret     string
	Setup      string
	Click      string
	Docs       []string
	Headers    []string
	// SecretInAddress reports that the platform does not sign its messages: the URL contains the secret as a parameter.
	SecretInAddress bool
	Words           map[string]string
	// buyer lists the members of a message that contain the buyer's personal data. It maps a name of matchkey.Names, or
	// fullName, to the paths of the members.
	buyer map[string][]string
	read  func(*message) (Result, error)
}

// schemes lists the schemes, sorted by name.
var schemes = []Scheme{buygoods, clickbank, digistore24, jvzoo, shopify, stripe, thrivecart, warriorplus, woocommerce}

// All returns the schemes, sorted by name. The caller must not change them.
func All() []Scheme { return schemes }

// Names returns the names of all schemes.
func Names() []string {
	names := make([]string, len(schemes))
	for i := range schemes {
		names[i] = schemes[i].Name
	}
	return names
}

// Find returns the scheme with a name. ok is false if there is no such scheme.
func Find(name string) (s *Scheme, ok bool) {
	i := slices.IndexFunc(schemes, func(s Scheme) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	return &schemes[i], true
}

// Headers lists the headers that at least one scheme reads, in lower case.
var Headers = func() []string {
	names := map[string]bool{}
	for _, s := range schemes {
		for _, h := range s.Headers {
			names[h] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}()

// Statuses returns a network's own words for the four statuses, together with the words of its scheme. The network's own words take
// precedence.
func Statuses(scheme string, networkWords map[string][]string) map[string][]string {
	s, ok := Find(scheme)
	if !ok {
		return networkWords
	}
	taken := map[string]bool{}
	all := map[string][]string{}
	for status, words := range networkWords {
		all[status] = slices.Clone(words)
		for _, w := range words {
			taken[strings.ToLower(strings.TrimSpace(w))] = true
		}
	}
	for word, status := range s.Words {
		if !taken[word] {
			all[status] = append(all[status], word)
		}
	}
	return all
}

// Request is a notification as it arrived.
type Request struct {
	Header   map[string]string // by name in lower case
	Query    string
	Body     []byte
	Received time.Time
}

// Result is the content of a message that has proved its sender.
type Result struct {
	Event   string
	Reports []Report
	Ignored string // why the message reports no conversion; empty: it reports conversions
	// Key identifies the event.
	Key string
	// Buyer is the personal data of the buyer. Consent is what the message says about the buyer's consent to the use of these
	// data for ads.
	Buyer   matchkey.Person
	Consent string
	// Version is the time of the order's state that the message describes. It is in UTC, as a text that sorts by time. Shops can
	// send an older state later. Version is empty if the message does not contain it.
	Version string
}

// Report is what a message says about one conversion.
type Report struct {
	Click        string
	Payout       string // in units of the currency, not in cents; a minus means that the conversion is reversed
	Currency     string
	Word         string // the platform's word for the status; empty: the status does not change
	ConversionID string
	Goal         string
	Time         string
	// Keys are the platform's ids for this conversion, with which later messages refer to it.
	Keys []string
	// About are ids of an earlier conversion, the most precise first.
	About []string
	// Same reports that the message changes the conversion that About names. If it is false, the message reports a conversion of
	// its own.
	Same bool
	// Part is the amount that a refund returns, if the message does not say how much of the sale is left. If Part is smaller
	// than the amount of the sale, the conversion does not change.
	Part string
	// Price is the amount of the sale with which Part is compared. If it is empty, Part is compared with the payout.
	Price string
}

// ErrUnproven is the error of a message that does not prove its sender.
var ErrUnproven = errors.New("notification: the message does not prove its sender")

// Read verifies a message with the network's secret and reads it. The error is ErrUnproven if the proof is missing or wrong.
// Any other error is a models.Error with the reason why a proven message cannot be read. fieldNames maps click_id, payout and
// goal to the members that the network's settings name for them, such as "metadata.visit".
func (s *Scheme) Read(r Request, secret string, fieldNames map[string]string) (Result, error) {
	if secret == "" {
		return Result{}, ErrUnproven
	}
	m := &message{Request: r, secret: secret, fieldNames: fieldNames, words: s.Words}
	out, err := s.read(m)
	if err != nil {
		return Result{}, err
	}
	if out.Key == "" {
		out.Key = m.key()
	}
	if len(out.Reports) > 0 {
		out.Buyer, out.Consent = m.doc.buyer(s.buyer), m.consent
	}
	for i := range out.Reports {
		m.applyFieldNames(&out.Reports[i])
	}
	return out, nil
}

func reportState(event, at string, r Report) (Result, error) {
	out, err := report(event, r)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} { // a time without a zone is in UTC
		if t, e := time.Parse(layout, at); e == nil {
			out.Version = t.UTC().Format("2006-01-02T15:04:05.000")
			break
		}
	}
	return out, err
}

func ignore(event, reason string) (Result, error) { return Result{Event: event, Ignored: reason}, nil }

func report(event string, reports ...Report) (Result, error) {
	return Result{Event: event, Reports: reports}, nil
}

const testOrder = "it is a test of the platform, and no order"

func unreadable(format string, args ...any) error { return models.Invalid("bad_body", format, args...) }
