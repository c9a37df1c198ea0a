package correction

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models/money"
	"switchyard/models/timetext"
)

// Cost is a row that reports the spend at a source on a day.
type Cost struct {
	Row

	DayText     string // the day as written in the file
	Day         time.Time
	Source      string   // id or name; empty: the campaign's source
	Campaign    string   // id, name or alias; empty: all campaigns
	Others      []string // further cells that may name the campaign, because platforms write both its id and its name
	Spend       decimal.Decimal
	Currency    string // empty: not given
	Clicks      *int64 // number of clicks that the source counted; nil: not given
	Impressions *int64
}

const (
	dayColumn = iota
	sourceColumn
	spendColumn
	campaignColumn
	costCurrencyColumn
	clicksColumn
	impressionsColumn
	lastDayColumn
)

var dayNames = []string{
	"day", "date", "reportdate", "statdate", "statsdate", "reportingdate", "dt", "gregoriandate", "stattimeday", "byday",
	"timeperiod", "datestart", "reportingstarts", "startdate", "time",
}

// Ad platforms write the headings in the language of the person who downloads the file.
var costColumns = []Column{
	dayColumn: {"day", true, append(slices.Clone(dayNames), "datum", "tag", "berichtsstart", "berichtsbeginn")},
	sourceColumn: {"source", true, []string{
		"sourceid", "source", "trafficsourceid", "trafficsource", "sourcename", "trafficsourcename", "adnetwork", "channel", "quelle",
		"trafficquelle", "werbenetzwerk",
	}},
	spendColumn: {"spend", true, []string{
		"spend", "cost", "amountspent", "spent", "adspend", "totalspend", "totalspent", "totalcost", "amount", "expense", "expenses",
		"mediacost", "budgetspent", "spending", "money", "kosten", "ausgaben", "ausgegebenerbetrag", "gesamtkosten", "betrag",
	}},
	campaignColumn: {"campaign", false, []string{
		"campaignid", "campaign", "campaignname", "campaignalias", "adcampaign", "kampagnenid", "kampagne", "kampagnenname",
	}},
	costCurrencyColumn: {"currency", false, []string{
		"currency", "currencycode", "costcurrency", "spendcurrency", "accountcurrency", "cur", "währung",
		"währungscode",
	}},
	clicksColumn:      {"clicks", false, []string{"clicks", "linkclicks", "clicksall", "visits", "klicks", "linkklicks"}},
	impressionsColumn: {"impressions", false, []string{"impressions", "impr", "imps", "views", "shows", "impressionen", "einblendungen"}},
	lastDayColumn:     {"last day", false, []string{"reportingends", "datestop", "dateend", "enddate", "dateendperiod", "berichtsende"}},
}

// CostOptions say how to read a file of costs.
type CostOptions struct {
	Source   string            // the traffic source of rows that name no source
	Order    timetext.Order    // order of day and month, for dates in which the order is not clear
	Fallback func(Cost) string // returns the currency of a row whose spend states no currency; nil: such a currency is not known
}

// ReadCosts reads the rows of a file in order. A file may have only headings. A row that names a campaign needs no source. Errors:
// empty, invalid_input.
func ReadCosts(text string, o CostOptions) ([]Cost, Skips, error) {
	row := func(l *line) Cost { return l.cost(o) }
	rows, skips, err := read(text, costColumns, row, given(Costs, o.Source != "")...)
	refuseSums(rows)
	return rows, skips, err
}

// refuseSums refuses a row without a campaign if its spend is the sum of the rows with a campaign for the same day, source and
// currency. Some platforms do not mark such totals.
func refuseSums(rows []Cost) {
	type place struct {
		day              time.Time
		source, currency string
	}
	sums := map[place]decimal.Decimal{}
	for _, r := range rows {
		if r.Refusal == "" && r.Campaign != "" {
			at := place{r.Day, r.Source, r.Currency}
			sums[at] = sums[at].Add(r.Spend)
		}
	}
	for i := range rows {
		r := &rows[i]
		sum, ok := sums[place{r.Day, r.Source, r.Currency}]
		if ok && r.Refusal == "" && r.Campaign == "" && sum.Equal(r.Spend) && !sum.IsZero() {
			r.Refusal = reasonTotal
		}
	}
}

func (l *line) cost(o CostOptions) (v Cost) {
	if l.Fault == "" {
		v.DayText = l.cell(dayColumn)
		v.Day = l.day(v.DayText, o.Order)
		l.checkLastDay(v.Day, o.Order)
		if v.Source = cmp.Or(l.cell(sourceColumn), o.Source); v.Source == "" && l.cell(campaignColumn) == "" {
			l.refuse("it names no source and no campaign")
		}
		for i, name := range l.values(campaignColumn) {
			if i == 0 {
				v.Campaign = name.text
			} else {
				v.Others = append(v.Others, name.text)
			}
		}
		l.readSpend(&v, o.Fallback)
		v.Clicks, v.Impressions = l.count(clicksColumn), l.count(impressionsColumn)
	}
	v.Row = l.end()
	return v
}

// checkLastDay refuses a row that covers several days.
func (l *line) checkLastDay(day time.Time, order timetext.Order) {
	text := l.cell(lastDayColumn)
	if text == "" || text == l.cell(dayColumn) {
		return
	}
	last, err := timetext.DayBy(text, order)
	switch {
	case err != nil:
		l.refuse("its last day " + err.Error())
	case !last.Equal(day):
		l.refuse("it covers several days: export the report by day")
	}
}

// day reads a day. It ignores a time of day in the text.
func (l *line) day(text string, order timetext.Order) time.Time {
	day, err := timetext.DayBy(text, order)
	switch {
	case text == "":
		l.refuse("it names no day")
	case err != nil:
		l.refuse("its day " + err.Error())
	}
	return day
}

func (l *line) readSpend(v *Cost, fallback func(Cost) string) {
	var fallbackOf func() string
	if fallback != nil {
		fallbackOf = func() string { return fallback(*v) }
	}
	amount, currency, given := l.amount(spendColumn, costCurrencyColumn, fallbackOf)
	switch {
	case !given:
		l.refuse("it names no spend")
	case amount.IsNegative():
		l.refuse("its spend is below zero")
	default:
		v.Spend = amount
	}
	v.Currency = currency
}

var groupedNumber = regexp.MustCompile(`^[0-9]{1,3}([., '\x{a0}][0-9]{3})+$`)

// ungrouped removes the thousands separators from a whole number. Any other text stays.
func ungrouped(text string) string {
	if !groupedNumber.MatchString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

func (l *line) count(column int) *int64 {
	text := l.cell(column)
	if text == "" {
		return nil
	}
	n, err := money.Read(ungrouped(text), "")
	if err != nil || n.Currency != "" || !n.Value.IsInteger() || n.Value.IsNegative() {
		l.refuse("its " + l.table.columns[column].Name + " are not a whole number")
		return nil
	}
	count := n.Value.IntPart()
	return &count
}
