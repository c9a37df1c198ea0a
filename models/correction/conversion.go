package correction

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/postback"
	"switchyard/models/timetext"
)

// Conversion is a row that reports a conversion.
type Conversion struct {
	Row

	ClickText    string // the click id as written in the row
	ClickID      uuid.UUID
	ConversionID string
	Goal         string
	WordGoal     bool             // the goal follows from the status word, because the row names no goal
	Status       string           // one of the four statuses; empty: not given
	Word         string           // the status as written in the row
	Payout       *decimal.Decimal // nil: not given
	Currency     string           // empty: not given
	Sale         *decimal.Decimal // nil: not given
	SaleCurrency string
	Time         time.Time     // zero: not given
	InvalidTime  string        // the time that a network states, if that time does not count and Time is used instead
	Precision    time.Duration // unit of the time: a day, a minute, a second or a millisecond
	Order        *Order        // the order that the row reports; nil for rows of files
}

// Order is an order as a network reports it.
type Order struct {
	ID   string
	Goal string
	Time time.Time // zero: not given, or not read
}

const (
	clickColumn = iota
	payoutColumn
	statusColumn
	currencyColumn
	idColumn
	timeColumn
	goalColumn
)

var conversionColumns = []Column{
	clickColumn: {"click id", true, []string{
		"clickid", "click", "cid", "clid", "subid", "affsub", "cnvid", "cfclickid", "uclick", "visitid", "externalclickid",
		"clickref", "trackingid", "sub1", "subid1", "affsub1", "affiliatesubid1", "pubref", "publisherreference", "customid", "u1",
		"memberidu1", "sid",
	}},
	payoutColumn: {"payout", false, []string{
		"payout", "revenue", "amount", "sum", "commission", "earnings", "income", "payment", "value", "price",
	}},
	statusColumn: {"status", false, []string{
		"status", "conversionstatus", "cnvstatus", "leadstatus", "orderstatus", "st",
	}},
	currencyColumn: {"currency", false, []string{
		"currency", "payoutcurrency", "currencycode", "conversioncurrency", "cnvcurrency", "cur",
	}},
	idColumn: {"conversion id", false, []string{
		"conversionid", "conversion", "convid", "txid", "tid", "transactionid", "transaction", "orderid", "order",
		"ordernumber", "actionid", "leadid", "saleid",
	}},
	timeColumn: {"time", false, []string{
		"time", "recordedat", "conversiontime", "conversiondate", "conversiontimestamp", "eventtime", "datetime", "date", "timestamp", "createdat",
		"created", "day", "actiondate", "eventdate", "transactiondate", "orderdate",
	}},
	goalColumn: {"goal", false, []string{
		"goal", "goalkey", "goalname", "event", "eventname", "eventtype", "conversiontype", "et", "ct", "type",
	}},
}

// ReadConversions reads the rows of a file in order. A file may have no rows. fallback returns the currency of a row if neither the
// row nor the heading states one. It may be nil. Errors: empty, invalid_input.
func ReadConversions(text string, fallback func(Conversion) string) ([]Conversion, Skips, error) {
	return read(text, conversionColumns, func(l *line) Conversion { return l.conversion(fallback) })
}

func (l *line) conversion(fallback func(Conversion) string) (v Conversion) {
	if l.Fault == "" {
		l.readClick(&v)
		v.ConversionID, v.Goal = l.cell(idColumn), l.cell(goalColumn)
		l.readTerms(&v, fallback)
		if text := l.cell(timeColumn); text != "" {
			at, err := timetext.Read(text, time.UTC)
			if err != nil {
				l.refuse("its time " + err.Error())
			} else {
				v.Time, v.Precision = at.At.UTC(), at.Precision
			}
		}
	}
	v.Row = l.end()
	return v
}

// Reasons for refusing a row that names no click of this service.
const (
	NoClick      = "it names no click"
	ForeignClick = "its click id is not one of this service"
)

func (l *line) readClick(v *Conversion) {
	v.ClickText = l.cell(clickColumn)
	var err error
	v.ClickID, err = models.ParseClickID(v.ClickText)
	switch {
	case v.ClickText == "":
		l.refuse(NoClick)
	case err != nil:
		l.refuse(ForeignClick)
	}
}

// readTerms reads status, payout and currency. A row with a negative payout becomes a chargeback, unless its status is rejected.
func (l *line) readTerms(v *Conversion, fallback func(Conversion) string) {
	if v.Word = l.cell(statusColumn); v.Word != "" {
		word, ok := postback.KnownWord(v.Word)
		if !ok {
			l.refuse("its status is not pending, approved, rejected or chargeback")
		}
		v.Status = word.Status
		if v.Goal == "" && word.Goal != "" {
			v.Goal, v.WordGoal = word.Goal, true
		}
	}
	var fallbackOf func() string
	if fallback != nil {
		fallbackOf = func() string { return fallback(*v) }
	}
	amount, currency, given := l.amount(payoutColumn, currencyColumn, fallbackOf)
	if v.Currency = currency; !given {
		return
	}
	if amount.IsNegative() {
		amount = amount.Neg()
		if v.Status != models.StatusRejected {
			v.Status = models.StatusChargeback
		}
	}
	v.Payout = &amount
}
