package postback

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/timetext"
	"switchyard/models/token"
)

// Limits of the stored parts of a message, in bytes.
const (
	MaxName  = 100
	MaxValue = 2000
	maxWord  = 255
	maxGoal  = 64
)

// Network is the part of a network's settings that decides how its messages are read and answered. The zero value is a network
// without settings.
type Network struct {
	// Params are the network's own parameters, by field: click_id, payout, status, conversion_id, goal and the other keys
	// of aliases.
	Params   map[string]string
	Statuses map[string][]string
	// AnswerText is the text that the network wants as the answer to a postback. It is empty if the network does not
	// ask for a particular text.
	AnswerText string
}

// Message is the content of a postback.
type Message struct {
	ClickID        string           // the click id as received; it may be invalid
	Payout         *decimal.Decimal // nil: not given
	Currency       string           // code of the currency, money.Unknown if the currency is not understood, or empty if it is not given
	Status         string
	OriginalStatus string
	ConversionID   string
	Goal           string
	// WordGoal says that the goal follows from the status word, because no parameter names a goal.
	WordGoal bool
	// UnknownWord says that the status word is in no table, so the status is pending.
	UnknownWord bool
	// NoConversion says that the status word reports no conversion, such as a subscription that ends. Status is then empty.
	NoConversion bool
	Cost         *decimal.Decimal // nil: not given
	Time         time.Time        // time of the conversion; zero: not given, or not read
	TimeUnit     time.Duration    // precision of Time: a day, a second
	TimeText     string           // the time as received; empty: not given
	Subs         [models.Subs]string
	Secret       string
	// Reversal says that the conversion is taken back, by a word such as refund or by a negative payout. Payout is then the amount
	// without the sign, and Status is rejected or chargeback.
	Reversal bool
	// InvalidPayout is the received text of the payout if no parameter of the payout is an amount.
	InvalidPayout string
	// PayoutReason says why the payout does not count as money, or why its currency is not the one in the currency parameter.
	// CostReason says why there is no cost.
	PayoutReason, CostReason string
	// DependsOnCurrency says that the payout or the cost would be read differently with another default currency.
	DependsOnCurrency bool
}

// The documented name comes first.
var aliases = map[string][]string{
	"click_id": {"clickid", "cid", "click_id", "subid", "cnv_id", "clid", "aff_sub", "cf_click_id", "uclick"},
	"payout":   {"payout", "revenue", "sum", "amount"},
	"currency": {"currency", "cnv_currency", "cur"},
	"status":   {"status", "cnv_status", "st"},
	"conversion_id": {
		"conversion_id", "txid", "tid", "transaction_id", "transactionid", "orderid", "order_id", "action_id",
	},
	"goal":   {"goal", "et", "event", "type", "ct", "event_name"},
	"cost":   {"cost"},
	"time":   {"time", "event_time", "datetime"},
	"secret": {"secret", "key", "upd_key"},
}

// Param returns the documented parameter of a field.
func Param(field string) string { return aliases[field][0] }

// Names returns the common parameters of a field.
func Names(field string) []string { return slices.Clone(aliases[field]) }

// The value is empty for an unfilled macro and for a masked value.
func cleanValue(v string, limit int) string {
	v = Clean(v, limit)
	if token.LooksLikeMacro(v) || v == Mask {
		return ""
	}
	return v
}

// Clean returns a received text in a form that can be stored: valid UTF-8, no control characters, at most limit bytes, trimmed.
// Invisible characters at the ends are removed with the spaces.
func Clean(s string, limit int) string {
	s = strings.TrimSpace(s)
	// Characters that are removed below do not count towards limit, so this first cut leaves more than limit bytes.
	if len(s) > 4*limit {
		s = s[:4*limit]
	}
	isPlain := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			isPlain = false
			break
		}
	}
	if !isPlain {
		s = strings.Map(func(r rune) rune {
			if isControl(r) || r == utf8.RuneError {
				return -1
			}
			return r
		}, s)
		s = strings.TrimFunc(s, isInvisible)
	}
	return strings.TrimSpace(cut(s, limit))
}

func isInvisible(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) }

// ClickID returns the click id of a message as received.
func ClickID(params map[string]string, n Network) string {
	return newReader(params, n).get("click_id", maxWord)
}

// Read reads a message. It never fails: values that cannot be read are missing from the result. A negative payout is a reversal.
// It makes the status chargeback, unless the status is rejected. currency is the currency of amounts that state no currency. It
// is empty if this currency is not known.
func Read(params map[string]string, n Network, currency string) Message {
	r := newReader(params, n)
	m := Message{
		ClickID:        r.get("click_id", maxWord),
		OriginalStatus: r.get("status", maxWord),
		ConversionID:   r.get("conversion_id", maxWord),
		Goal:           r.get("goal", maxGoal),
		TimeText:       r.get("time", maxWord),
		Secret:         r.get("secret", maxWord),
	}
	if at, err := timetext.Read(m.TimeText, time.UTC); err == nil {
		m.Time, m.TimeUnit = at.At.UTC(), at.Precision
	}
	r.readMoney(&m, currency)
	word := Means(m.OriginalStatus, n.Statuses)
	m.Status, m.UnknownWord, m.NoConversion = word.Status, !word.Known, word.Status == ""
	if m.Goal == "" && word.Goal != "" {
		m.Goal, m.WordGoal = word.Goal, true
	}
	m.Reversal = m.Status == models.StatusChargeback
	if m.Payout != nil && m.Payout.IsNegative() {
		*m.Payout, m.Reversal = m.Payout.Neg(), true
		if m.Status != models.StatusRejected {
			m.Status = models.StatusChargeback
		}
	}
	for i := range m.Subs {
		m.Subs[i] = r.sub(strconv.Itoa(i + 1))
	}
	return m
}

// Field is a field of a postback, for the documentation.
type Field struct {
	Name   string
	Params []string // names of its parameters, the documented name first
	Doc    string
}

var docs = []Field{
	{Name: "click_id", Doc: "the click that converted; required, except for the pixel: without this parameter, the visitor's cookie names the click"},
	{Name: "payout", Doc: "what the network pays; a negative payout takes back the conversion with the same goal and conversion_id; left out: the payout of the offer, if the offer has a fixed payout"},
	{Name: "currency", Doc: "a code or number of ISO 4217, a sign or a name; left out: the currency of the offer or the campaign. A currency that the payout itself states takes precedence"},
	{Name: "status", Doc: "one of the words below; left out: approved"},
	{Name: "conversion_id", Doc: "the network's own id of the conversion: another postback with the same id changes this conversion instead of adding one"},
	{Name: "goal", Doc: "goal key, such as sale or deposit: each goal of a click is a conversion of its own"},
	{Name: "cost", Doc: "cost of the conversion, in the currency of the payout"},
	{Name: "time", Doc: "time of the conversion, see Times; left out: now"},
	{Name: "secret", Doc: "the secret of the network, if the network has one"},
}

// Fields returns the fields for the documentation.
func Fields() []Field {
	out := slices.Clone(docs)
	for i := range out {
		out[i].Params = aliases[out[i].Name]
	}
	return out
}
