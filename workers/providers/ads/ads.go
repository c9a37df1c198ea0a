// Package ads reads the spend of ad accounts from the APIs of the platforms. Each platform has an entry in the table platforms
// and a file. README.md shows how to add one.
//
// No error contains credentials.
package ads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/money"
	"switchyard/models/timetext"
	"switchyard/workers/providers/platform"
	"switchyard/workers/providers/rest"
)

// Spend is the amount that an account spent on one day for one campaign of the platform.
type Spend struct {
	Day         string          `json:"day"`      // YYYY-MM-DD, in the time zone in which the platform reports days
	Campaign    string          `json:"campaign"` // the platform's id; empty: not known
	Name        string          `json:"name"`     // of the campaign
	Amount      decimal.Decimal `json:"amount"`
	Currency    string          `json:"currency"` // empty: not known
	Clicks      *int64          `json:"clicks"`   // by the platform; nil: not known
	Impressions *int64          `json:"impressions"`
}

// MaxRows is the maximum number of rows that one call reads.
const MaxRows = 50000

// ErrTooMany says that a range has more than MaxRows rows.
var ErrTooMany = platform.ErrTooMany

// Range is a range of days in the platform's time zone.
type Range = platform.Range

// Tokens returns access tokens of an account at a platform. Renew returns a new token after the platform has refused the given
// one.
type Tokens interface {
	Token(ctx context.Context) (string, error)
	Renew(ctx context.Context, refused string) (string, error)
}

// Options of a Client.
type Options struct {
	platform.Options
	// Versions are the API versions to use, by platform. A platform without an entry uses the newest version known here.
	Versions map[string]string
	// DeveloperToken is the install's token for Microsoft Advertising. Without it, this platform cannot be called.
	DeveloperToken string
}

func (o Options) version(provider string) string {
	return cmp.Or(o.Versions[provider], platforms[provider].version)
}

// Client opens connections. Safe for concurrent use.
type Client struct{ o Options }

// New makes a Client.
func New(o Options) *Client {
	o.Options = o.WithDefaults()
	return &Client{o}
}

// adapter describes how to call a provider of models.SourceProviders.
type adapter struct {
	base         string // address of its API, without a slash at the end
	customerHost bool   // the address is the customer's own, so Options.URL does not replace it
	// version is the version of the API, if its paths contain one.
	version string
	// open prepares the session: it sets how requests are signed and how failures are recognized; nil: nothing to prepare.
	open func(s *session)
	// sign adds a token to requests; nil: no token, or open signs.
	sign func(token string) rest.Signer
	// fetch exchanges the credentials for a token; nil: tokens come from a sign-in, or the platform needs no token.
	fetch func(ctx context.Context, s *session) (string, error)
	// stale reports whether a refusal other than 401 means that the token has expired; may be nil.
	stale func(f *rest.FailureError) bool
	// storesToken says that a token is stored between sessions, because the platform allows only few logins.
	storesToken bool
	// test makes a cheap request; nil: Test reads the first page of today's spend.
	test func(ctx context.Context, s *session) error
	// page reads a page of the spend of a range. cursor and next are empty before the first and after the last page.
	page func(ctx context.Context, s *session, period Range, cursor string) (rows []row, next string, err error)
	days int  // maximum days of one request; 0: no limit
	adds bool // rows of one day and campaign are added up; false: the last row counts
	// At most burst requests at once, and one more after each interval; 0: no limit.
	burst    int
	interval time.Duration
}

var platforms = map[string]adapter{
	models.GoogleAds:    googleAds,
	models.MicrosoftAds: microsoftAds,
	models.Meta:         meta,
	"tiktok":            tiktok,
	models.Snapchat:     snapchat,
	models.Pinterest:    pinterest,
	models.Reddit:       reddit,
	"openai_ads":        openAI,
	"taboola":           taboola,
	"outbrain":          outbrain,
	"mgid":              mgid,
	"revcontent":        revcontent,
	"propellerads":      propellerAds,
	"exoclick":          exoClick,
	"trafficstars":      trafficStars,
	models.CustomCost:   custom,
}

// Account says which account to open at a platform.
type Account struct {
	Provider    string
	Key         string // names the connection, for its rate limit
	Credentials map[string]string
	Endpoint    models.CostEndpoint
	Tokens      Tokens
	// Session is the token that was last given to Remember; it may be empty.
	Session  string
	Remember func(ctx context.Context, session string) error
}

// Connection is a connection to a platform. It is for one goroutine.
type Connection struct{ s *session }

// Open makes a connection. It sends no request yet. Error: not_connected if the platform needs a sign-in and the account
// has not signed in.
func (c *Client) Open(a Account) (*Connection, error) {
	p, known := models.SourceProviderNamed(a.Provider)
	entry, ok := platforms[a.Provider]
	if !known || !ok {
		return nil, fmt.Errorf("ads: there is no platform %q", a.Provider)
	}
	_, secrets := p.Form(a.Endpoint).Split(a.Credentials)
	s := &session{
		Session: c.o.Session(entry.base, "ads:"+a.Provider+":"+a.Key, platform.Rate{Burst: entry.burst, Interval: entry.interval}, platform.RetryTime,
			append(slices.Collect(maps.Values(secrets)), a.Session, c.o.DeveloperToken)...),
		adapter: entry, name: a.Provider, c: a.Credentials, endpoint: a.Endpoint, client: c, account: a,
	}
	s.version = c.o.version(a.Provider)
	if s.tokens = a.Tokens; entry.fetch != nil {
		s.tokens = &fetchedTokens{s: s, token: a.Session}
	}
	if entry.sign != nil && s.tokens == nil {
		return nil, models.Invalid("not_connected", "%s is not connected: sign in there first", p.Label)
	}
	if entry.open != nil {
		entry.open(s)
	}
	s.Base = s.host(s.Base)
	return &Connection{s}, nil
}

// Used returns the requests and pages so far.
func (c *Connection) Used() platform.Usage { return c.s.Used() }

// Zone returns the account's time zone. It is empty until the platform has reported it.
func (c *Connection) Zone() string { return text(rest.Text(c.s.zone)) }

// Currency returns the account's currency. It is empty until the platform has reported it.
func (c *Connection) Currency() string { return c.s.currency }

// Test makes a request that shows whether the credentials are right.
func (c *Connection) Test(ctx context.Context) error {
	if c.s.test != nil {
		return c.s.PublicError(c.s.test(ctx, c.s))
	}
	today := midnight(c.s.Now().UTC(), time.UTC)
	rows, _, err := c.s.page(ctx, c.s, Range{From: today, To: today}, "")
	if err == nil {
		_, err = c.s.clean(rows, Range{From: today, To: today})
	}
	return c.s.PublicError(err)
}

// Spend reads the spend of the days from one date to another, both included. Each day and campaign occurs once, or once for each
// currency if the rows are added up. Errors are ErrTooMany, or texts for a person.
func (c *Connection) Spend(ctx context.Context, from, to time.Time) ([]Spend, error) {
	list := newList(c.s.adds)
	err := c.s.Read(Range{From: from, To: to}, c.s.days, func(period Range, cursor string) (string, error) {
		rows, next, err := c.s.page(ctx, c.s, period, cursor)
		if err != nil {
			return "", err
		}
		clean, err := c.s.clean(rows, period)
		if list.add(clean); err == nil && len(list.all) > MaxRows {
			err = ErrTooMany
		}
		return next, err
	})
	if err != nil {
		return nil, err
	}
	return list.all, nil
}

// row is spend in the platform's own texts.
type row struct {
	day, campaign, name, amount, currency, clicks, impressions rest.Text
	shift                                                      int32 // power of ten by which the amount is multiplied: -6 for micros
	divisor                                                    decimal.Decimal
	missing                                                    string // the field that should have the amount, if the row lacks it
}

// maxText is the maximum length of a text of a row, in bytes.
const maxText = 255

// clean converts rows to Spend.
func (s *session) clean(rows []row, period Range) ([]Spend, error) {
	out := make([]Spend, 0, len(rows))
	for _, r := range rows {
		day := strings.TrimSpace(string(r.day))
		if day == "" && period.First() == period.Last() {
			day = period.First()
		}
		at, err := timetext.Day(day) // ignores a time of day
		if err != nil {
			return nil, fmt.Errorf("a row of the platform has no day: %.40q", string(r.day))
		}
		day = at.Format(time.DateOnly)
		if day < period.First() || day > period.Last() {
			continue
		}
		named, err := money.Currency(strings.TrimSpace(string(r.currency)), s.currency)
		if named == money.Unknown {
			return nil, fmt.Errorf("a row of the platform has the currency %.40q, which %w", string(r.currency), err)
		}
		amount, stated, err := r.readAmount(cmp.Or(named, s.currency))
		if err != nil {
			return nil, err
		}
		v := Spend{Day: day, Campaign: text(r.campaign), Name: text(r.name), Amount: amount, Currency: cmp.Or(stated, named)}
		v.Clicks, v.Impressions = count(r.clicks), count(r.impressions)
		if v.Currency == "" {
			v.Currency = s.currency
		} else if s.currency == "" {
			s.currency = v.Currency
		}
		out = append(out, v)
	}
	return out, nil
}

var unknownFigures = []string{"", "-", "--", "null", "n/a"}

var errNegative = errors.New("is below zero")

// readAmount returns the amount of a row and the currency in its text. own is the currency of an amount without a currency.
func (r row) readAmount(own string) (value decimal.Decimal, stated string, err error) {
	if r.missing != "" {
		return decimal.Zero, "", fmt.Errorf("a row of the platform has no amount, because it has no field %q", r.missing)
	}
	word := strings.TrimSpace(string(r.amount))
	if slices.Contains(unknownFigures, strings.ToLower(word)) {
		return decimal.Zero, "", nil
	}
	if r.shift != 0 { // the text is a number of micros or cents, which may be larger than the maximum of an amount
		value, err = decimal.NewFromString(word)
		if err == nil && (value.Exponent() > 12 || len(word) > 40) {
			err = money.ErrTooLarge
		}
		value = value.Shift(r.shift)
	} else {
		var amount money.Amount
		if amount, err = money.Read(word, own); err == nil {
			value, stated, err = amount.Value, amount.Currency, amount.Doubt
		}
	}
	if err == nil && value.IsNegative() {
		err = errNegative
	}
	if err == nil && r.divisor.IsPositive() {
		value = value.DivRound(r.divisor, models.MoneyScale)
	}
	if err = cmp.Or(err, money.Limit(value)); err != nil {
		return decimal.Zero, "", fmt.Errorf("a row of the platform has no amount: %.40q: %w", string(r.amount), err)
	}
	return value.Round(models.MoneyScale), stated, nil
}

func text(t rest.Text) string {
	out := strings.TrimSpace(models.Storable(string(t)))
	if len(out) > maxText {
		out = strings.ToValidUTF8(out[:maxText], "")
	}
	return out
}

// currency returns money.Unknown for a text that is not understood.
func currency(t rest.Text) string {
	code, _ := money.Currency(strings.TrimSpace(string(t)), "")
	return code
}

// maxCount is the largest number of clicks or impressions of a row. Sums of many rows must not exceed an int64.
var maxCount = decimal.New(1, 12)

// count reads a number and drops its fraction. It returns nil for a number below zero or above maxCount, and for any other text.
func count(t rest.Text) *int64 {
	d, err := decimal.NewFromString(strings.ReplaceAll(strings.TrimSpace(string(t)), ",", ""))
	if err != nil || d.IsNegative() || d.Exponent() > 12 || len(t) > 40 || d.GreaterThan(maxCount) {
		return nil
	}
	n := d.IntPart()
	return &n
}

// list collects spend by day and campaign, and by currency if the rows are added up.
type list struct {
	all  []Spend
	at   map[[2]string]int // the index in all, by day and campaign
	adds bool
}

func newList(adds bool) *list { return &list{at: map[[2]string]int{}, adds: adds} }

func (l *list) add(rows []Spend) {
	for _, r := range rows {
		key := [2]string{r.Day, r.Campaign}
		if l.adds {
			key[1] += " " + r.Currency
		}
		i, known := l.at[key]
		switch {
		case !known:
			l.at[key] = len(l.all)
			l.all = append(l.all, r)
		case l.adds:
			l.all[i].Amount = l.all[i].Amount.Add(r.Amount)
			l.all[i].Clicks, l.all[i].Impressions = addCounts(l.all[i].Clicks, r.Clicks), addCounts(l.all[i].Impressions, r.Impressions)
		default:
			l.all[i] = r
		}
	}
}

// addCounts adds two counts. If one count is not known, it returns the other count.
func addCounts(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	sum := *a + *b
	return &sum
}
