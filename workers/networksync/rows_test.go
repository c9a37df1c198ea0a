package networksync

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db/conversion"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/workers/providers/networks"
)

func amount(text string) *decimal.Decimal {
	d := decimal.RequireFromString(text)
	return &d
}

// TestReversalAlone checks that a reversal that comes without its order is applied only to a recorded order. The reversal must have
// no amount, or at least the whole amount in the order's currency.
func TestReversalAlone(t *testing.T) {
	t.Parallel()
	sale := conversion.Key{ClickID: uuid.New(), ConversionID: "7"}
	recorded := map[conversion.Key]conversion.Known{
		sale: {Key: sale, Payout: *amount("10"), Currency: "USD"},
	}
	for what, c := range map[string]struct {
		id, currency string
		payout       *decimal.Decimal
		accepted     bool
	}{
		"whole amount":               {"7", "USD", amount("10"), true},
		"more than the amount":       {"7", "USD", amount("12"), true},
		"no amount":                  {"7", "USD", nil, true},
		"part of the amount":         {"7", "USD", amount("2"), false},
		"another currency":           {"7", "EUR", amount("12"), false},
		"order that is not recorded": {"8", "USD", amount("10"), false},
	} {
		v := correction.Conversion{ClickID: sale.ClickID, ConversionID: c.id, Currency: c.currency, Payout: c.payout}
		if refuseReversal(&v, recorded); (v.Refusal == "") != c.accepted {
			t.Errorf("%s: refused %q", what, v.Refusal)
		}
	}
}

// TestRepeatedOrders checks that the last row counts if an order has several rows. Rows that are refused already do not count.
func TestRepeatedOrders(t *testing.T) {
	t.Parallel()
	click := uuid.New()
	rows := make([]correction.Conversion, 4)
	for i := range rows {
		rows[i] = correction.Conversion{Row: correction.Row{Line: i + 1}, ClickID: click, ConversionID: "7"}
	}
	rows[2].Goal, rows[3].Refusal = "other", "no"
	refuseRepeats(rows)
	for i, refused := range []bool{true, false, false, true} {
		if (rows[i].Refusal != "") != refused {
			t.Errorf("row %d: %q", i+1, rows[i].Refusal)
		}
	}
}

// TestGoalOfOrders checks which goal an order gets from the network, from its word and from the recorded conversions.
func TestGoalOfOrders(t *testing.T) {
	t.Parallel()
	click := models.NewClickID()
	key := func(goal, id string) conversion.Key {
		return conversion.Key{ClickID: click, Goal: goal, ConversionID: id}
	}
	for what, c := range map[string]struct {
		word, goal, id string
		recorded       []conversion.Key
		want           string
	}{
		"rebill":                                   {"BILL", "", "R-B002", nil, "rebill"},
		"rebill of a postback":                     {"bill", "", "R-B002", []conversion.Key{key("", "R"), key("rebill", "R-B002")}, "rebill"},
		"rebill of an older import":                {"bill", "", "R-B002", []conversion.Key{key("", "R-B002")}, ""},
		"refund of a rebill":                       {"RFND", "", "R-B002", []conversion.Key{key("", "R"), key("rebill", "R-B002")}, "rebill"},
		"refund of the sale":                       {"RFND", "", "R", []conversion.Key{key("", "R"), key("rebill", "R")}, ""},
		"goal of the network":                      {"bill", "month", "R", []conversion.Key{key("", "R")}, "month"},
		"word with a meaning of the account's own": {"renewed", "", "R", nil, ""},
	} {
		recorded := map[conversion.Key]conversion.Known{}
		for _, k := range c.recorded {
			recorded[k] = conversion.Known{Key: k}
		}
		o := networks.Order{Click: models.FormatClickID(click), ID: c.id, Goal: c.goal, Word: c.word, Status: models.StatusApproved}
		v := rowOf(1, o, map[string]string{"renewed": models.StatusApproved}, "USD")
		rows := []correction.Conversion{v}
		findGoals(rows, []networks.Order{o}, recorded)
		v = rows[0]
		if v.Goal != c.want || v.Refusal != "" {
			t.Errorf("%s: goal %q, refused %q; want goal %q", what, v.Goal, v.Refusal, c.want)
		}
	}
}

// TestGoalOfPostbacks checks that an order gets the goal of the conversion that its postback has recorded, even if that
// conversion has another name for the goal, or no goal. If a conversion without a goal could belong to several orders, they
// keep their own goals.
func TestGoalOfPostbacks(t *testing.T) {
	t.Parallel()
	click := models.NewClickID()
	order := func(id, ref, goal, goalRef string) networks.Order {
		return networks.Order{Click: models.FormatClickID(click), ID: id, Ref: ref, Goal: goal, GoalRef: goalRef, Status: models.StatusApproved}
	}
	for what, c := range map[string]struct {
		recorded []string // goals and ids
		orders   []networks.Order
		want     []string
	}{
		"new":                            {nil, []networks.Order{order("7", "t", "Buy", "3")}, []string{"Buy"}},
		"number of the goal":             {[]string{"3/t"}, []networks.Order{order("7", "t", "Buy", "3")}, []string{"3"}},
		"name of the goal":               {[]string{"Buy/t", "3/u"}, []networks.Order{order("7", "t", "Buy", "3")}, []string{"Buy"}},
		"number that stands for no goal": {[]string{"0/t"}, []networks.Order{order("7", "t", "", "0")}, []string{"0"}},
		"no goal":                        {[]string{"/t"}, []networks.Order{order("7", "t", "", "0")}, []string{""}},
		"postback without a goal":        {[]string{"/t"}, []networks.Order{order("7", "t", "Buy", "3")}, []string{""}},
		"older import without a goal":    {[]string{"/7"}, []networks.Order{order("7", "t", "Buy", "")}, []string{""}},
		"another order without a goal":   {[]string{"/6"}, []networks.Order{order("7", "t", "Buy", "3")}, []string{"Buy"}},
		"two goals and one plain postback": {
			[]string{"/t"}, []networks.Order{order("7", "t", "Install", "2"), order("8", "t", "Buy", "3")}, []string{"Install", "Buy"},
		},
	} {
		recorded := map[conversion.Key]conversion.Known{}
		for _, text := range c.recorded {
			goal, id, _ := strings.Cut(text, "/")
			k := conversion.Key{ClickID: click, Goal: goal, ConversionID: id}
			recorded[k] = conversion.Known{Key: k}
		}
		rows := make([]correction.Conversion, len(c.orders))
		for i, o := range c.orders {
			rows[i] = rowOf(i+1, o, nil, "USD")
		}
		findGoals(rows, c.orders, recorded)
		for i, v := range rows {
			if v.Goal != c.want[i] {
				t.Errorf("%s: order %d has the goal %q, want %q", what, i, v.Goal, c.want[i])
			}
		}
	}
}

// TestSaleOfOrders checks that the amount of a sale loses its sign, and that a sale without a currency has the currency of the
// payout. A sale with an unreadable amount or currency, or an amount of zero, is left out.
func TestSaleOfOrders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sale, currency, payoutCurrency, want string }{
		{"64.99", "", "EUR", "64.99 EUR"},
		{"64.99", "GBP", "EUR", "64.99 GBP"},
		{"-64.99", "", "EUR", "64.99 EUR"},
		{"0", "", "EUR", "none"},
		{"", "GBP", "EUR", "none"},
		{"much", "", "EUR", "none"},
		{"64.99", "credits", "EUR", "none"},
	} {
		v := rowOf(1, networks.Order{
			Click: models.FormatClickID(models.NewClickID()), ID: "A-1", Status: models.StatusApproved, Payout: "5", Currency: c.payoutCurrency,
			Sale: c.sale, SaleCurrency: c.currency,
		}, nil, "USD")
		got := "none"
		if v.Sale != nil {
			got = v.Sale.String() + " " + v.SaleCurrency
		}
		if got != c.want || v.Refusal != "" {
			t.Errorf("%+v: %s, refused %q", c, got, v.Refusal)
		}
	}
}

// TestClampTime checks that the stated time of a new conversion is moved into the span from the click to now, and that an
// unreadable time becomes the time of the click. A recorded conversion keeps its time.
func TestClampTime(t *testing.T) {
	t.Parallel()
	click := models.NewClickID()
	clicked := models.ClickTime(click).UTC()
	now := clicked.Add(48 * time.Hour)
	known := correction.Conversion{ClickID: click, ConversionID: "known"}
	recorded := map[conversion.Key]conversion.Known{keyOf(known): {Key: keyOf(known)}}
	for what, c := range map[string]struct {
		id       string
		at       time.Time
		unread   string
		want     time.Time
		isShown  bool
		fromText string
	}{
		"between click and now": {"", clicked.Add(time.Hour), "", clicked.Add(time.Hour), false, ""},
		"no time":               {"", time.Time{}, "", time.Time{}, false, ""},
		"unreadable time":       {"", time.Time{}, "03/04/2026", clicked, true, "03/04/2026"},
		"rounded down to the second of the click": {"", clicked.Truncate(time.Second), "", clicked, false, ""},
		"an hour before the click":                {"", clicked.Add(-time.Hour), "", clicked, true, ""},
		"a second in the future":                  {"", now.Add(time.Second), "", now, false, ""},
		"an hour in the future":                   {"", now.Add(time.Hour), "", now, true, ""},
		"time of a recorded order":                {"known", clicked.Add(-time.Hour), "", time.Time{}, false, ""},
		"unreadable time of a recorded order":     {"known", time.Time{}, "soon", time.Time{}, false, ""},
	} {
		v := correction.Conversion{ClickID: click, ConversionID: c.id, Time: c.at, InvalidTime: c.unread, Precision: time.Second}
		clampTime(&v, recorded, now)
		if !v.Time.Equal(c.want) || (v.InvalidTime != "") != c.isShown || c.fromText != "" && v.InvalidTime != c.fromText {
			t.Errorf("%s: %v, %q", what, v.Time, v.InvalidTime)
		}
	}
}

// TestNegativeOrders checks that an approved or pending order with a negative amount becomes a chargeback.
func TestNegativeOrders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ status, payout, want string }{
		{models.StatusApproved, "5.00", "approved 5"},
		{models.StatusApproved, "-5.00", "chargeback 5"},
		{models.StatusPending, "(5.00)", "chargeback 5"},
		{models.StatusChargeback, "-5.00", "chargeback 5"},
		{models.StatusChargeback, "5.00", "chargeback 5"},
		{models.StatusRejected, "-5.00", "rejected 5"},
		{models.StatusApproved, "0", "approved 0"},
	} {
		v := rowOf(1, networks.Order{Click: models.FormatClickID(models.NewClickID()), ID: "A-1", Status: c.status, Payout: c.payout}, nil, "USD")
		if v.Payout == nil || v.Refusal != "" || v.Status+" "+v.Payout.String() != c.want {
			t.Errorf("%s %s: %+v, want %s", c.status, c.payout, v, c.want)
		}
	}
}

// TestStatusWithoutAmount checks that a status without an amount changes recorded orders only, and keeps their currency. It does not
// approve an order that was taken back.
func TestStatusWithoutAmount(t *testing.T) {
	t.Parallel()
	click := uuid.New()
	recorded := map[conversion.Key]conversion.Known{}
	for _, status := range []string{models.StatusPending, models.StatusApproved, models.StatusRejected, models.StatusChargeback} {
		k := conversion.Key{ClickID: click, ConversionID: status}
		recorded[k] = conversion.Known{Key: k, Status: status, Currency: "EUR"}
	}
	for _, c := range []struct {
		id, status string
		accepted   bool
	}{
		{models.StatusPending, models.StatusApproved, true},
		{models.StatusPending, models.StatusRejected, true},
		{models.StatusApproved, models.StatusApproved, true},
		{models.StatusApproved, models.StatusRejected, true},
		{models.StatusRejected, models.StatusApproved, false},
		{models.StatusChargeback, models.StatusApproved, false},
		{"unknown", models.StatusRejected, false},
	} {
		v := correction.Conversion{ClickID: click, ConversionID: c.id, Status: c.status, Currency: "USD"}
		useRecordedCurrency(&v, recorded)
		if refuseStatus(&v, recorded); (v.Refusal == "") != c.accepted || c.accepted && v.Currency != "EUR" {
			t.Errorf("%s to %s: refused %q, %s", c.id, c.status, v.Refusal, v.Currency)
		}
	}
}

// TestOrderDay checks which day an order belongs to.
func TestOrderDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 20, 0, 0, 0, time.UTC)
	click, tokyo := models.FloorClickID(now.AddDate(0, 0, -3)), time.FixedZone("Tokyo", 9*60*60)
	for want, at := range map[string]time.Time{
		"2026-11-24": {}, "2026-11-26": now.Add(-6 * time.Hour), "2026-11-27": now.AddDate(73, 0, 0),
	} {
		if got := orderDay(at, click, now, tokyo); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	if got := orderDay(time.Time{}, uuid.Nil, now, time.UTC); got != "2026-11-26" {
		t.Errorf("without a time and a click: %s", got)
	}
}
