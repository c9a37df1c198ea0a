package networksync

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/conversion"
	"switchyard/db/integration"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/models/money"
	"switchyard/models/postback"
	"switchyard/workers/providers/networks"
)

// rows converts orders to rows of a correction job. If several orders belong to the same conversion, the last order counts. If
// remember is true, it also stores the orders whose id the function adopt has changed.
func (y *syncer) rows(ctx context.Context, account, network uuid.UUID, orders []networks.Order, remember bool) (
	[]correction.Conversion, error,
) {
	n, err := y.store.Networks().Find(ctx, account, network)
	if err != nil {
		return nil, err
	}
	words := statusWords(n.StatusMap)
	rows := make([]correction.Conversion, len(orders))
	named := map[uuid.UUID]bool{}
	for i, o := range orders {
		rows[i] = rowOf(i+1, o, words, n.Currency)
		if rows[i].Refusal == "" {
			named[rows[i].ClickID] = true
		}
	}
	clicks := db.SortedIDs(named)
	known, err := conversion.FindKnown(ctx, y.store.Conn(), account, clicks)
	if err != nil {
		return nil, err
	}
	recorded := db.ByKey(known, func(k conversion.Known) conversion.Key { return k.Key })
	findGoals(rows, orders, recorded)
	before, err := integration.NewNetworks(y.store).Adopted(ctx, account, network, clicks)
	if err != nil {
		return nil, err
	}
	if fresh := adopt(rows, known, before); remember {
		if err := integration.NewNetworks(y.store).Adopt(ctx, account, network, fresh); err != nil {
			return nil, err
		}
	}
	refuseRepeats(rows)
	now := y.o.Now()
	for i := range rows {
		useRecordedCurrency(&rows[i], recorded)
		switch {
		case orders[i].Alone:
			refuseReversal(&rows[i], recorded)
		case orders[i].StatusOnly:
			refuseStatus(&rows[i], recorded)
		}
		clampTime(&rows[i], recorded, now)
	}
	return rows, nil
}

// statusWords returns a map from the account's own words for a network's statuses, in lower case, to the statuses.
func statusWords(byStatus map[string][]string) map[string]string {
	out := map[string]string{}
	for status, words := range byStatus {
		for _, w := range words {
			out[strings.ToLower(w)] = status
		}
	}
	return out
}

// The maximum lengths of an order's texts in bytes. Package conversion refuses longer texts.
const (
	maxOrderID = 255
	maxGoal    = 64
	maxWord    = 100
)

func rowOf(line int, o networks.Order, words map[string]string, currency string) correction.Conversion {
	v := correction.Conversion{
		Row: correction.Row{Line: line}, ClickText: cut(o.Click, maxOrderID), ConversionID: o.ID, Goal: o.Goal,
		Status: o.Status, Word: cut(o.Word, maxWord), Currency: currency, Time: o.At.Time, InvalidTime: o.At.Unread, Precision: time.Second,
		Order: &correction.Order{ID: cut(o.ID, maxOrderID), Goal: cut(o.Goal, maxGoal), Time: o.At.Time},
	}
	if status := words[strings.ToLower(o.Word)]; status != "" {
		v.Status = status
	} else if word, ok := postback.KnownWord(o.Word); ok && v.Goal == "" && word.Goal != "" {
		v.Goal, v.WordGoal = word.Goal, true
	}
	refuse := func(reason string) {
		if v.Refusal == "" {
			v.Refusal = reason
		}
	}
	var err error
	v.ClickID, err = models.ParseClickID(o.Click)
	switch {
	case o.Click == "":
		refuse(correction.NoClick)
	case err != nil:
		refuse(correction.ForeignClick)
	}
	switch {
	case o.ID == "":
		refuse("it has no id")
	case len(o.ID) > maxOrderID:
		v.ConversionID = cut(o.ID, maxOrderID)
		refuse("its id is too long")
	case len(o.Goal) > maxGoal:
		v.Goal = cut(o.Goal, maxGoal)
		refuse("its goal is too long")
	case v.Status == "":
		refuse("the status " + quote(v.Word) + " is not known: name it in the network's status_map")
	}
	if o.Currency != "" {
		if v.Currency, err = money.Currency(o.Currency, currency); err != nil && v.Currency == money.Unknown {
			refuse(fmt.Sprintf("its currency %.64q %s", o.Currency, err))
		}
	}
	readSale(&v, o)
	if o.Payout != "" {
		amount, err := money.Read(o.Payout, v.Currency)
		if err == nil {
			err = amount.Doubt
		}
		if err != nil {
			refuse(fmt.Sprintf("its payout %.64q %s", o.Payout, err))
			return v
		}
		if amount.Value.IsNegative() && (v.Status == models.StatusApproved || v.Status == models.StatusPending) {
			v.Status = models.StatusChargeback // as in postbacks and files
		}
		payout := amount.Value.Abs()
		v.Payout, v.Currency = &payout, cmp.Or(amount.Currency, v.Currency)
	}
	return v
}

// readSale reads the amount of the sale. This amount is not revenue, so if it cannot be read, it is left out and the order is not
// refused. Zero means that the platform does not know the amount.
func readSale(v *correction.Conversion, o networks.Order) {
	currency, err := v.Currency, error(nil)
	if o.SaleCurrency != "" {
		currency, err = money.Currency(o.SaleCurrency, v.Currency)
	}
	if o.Sale == "" || err != nil {
		return
	}
	if amount, err := money.Read(o.Sale, currency); err == nil && amount.Doubt == nil && !amount.Value.IsZero() {
		sale := amount.Value.Abs()
		v.Sale, v.SaleCurrency = &sale, cmp.Or(amount.Currency, currency)
	}
}

// transaction is a click and the id by which the network's postbacks know an order.
type transaction struct {
	click uuid.UUID
	id    string
}

func transactionOf(v correction.Conversion, o networks.Order) transaction {
	return transaction{v.ClickID, cmp.Or(o.Ref, v.ConversionID)}
}

// findGoals gives each order the goal under which its conversion is recorded.
func findGoals(rows []correction.Conversion, orders []networks.Order, recorded map[conversion.Key]conversion.Known) {
	goals, ordersOf := map[place]bool{}, map[transaction]int{}
	for k := range recorded {
		goals[place{k.ClickID, k.Goal}] = true
	}
	for i, v := range rows {
		ordersOf[transactionOf(v, orders[i])]++
	}
	for i := range rows {
		v, o := &rows[i], orders[i]
		key := func(id string) conversion.Key { return conversion.Key{ClickID: v.ClickID, ConversionID: id} }
		_, byID := recorded[key(v.ConversionID)]
		_, byRef := recorded[key(o.Ref)]
		named := v.Goal != "" && !v.WordGoal
		switch {
		case (named || v.Goal == "") && goals[place{v.ClickID, v.Goal}]: // the click has a conversion of this goal
			findGoal(v, recorded)
		case o.GoalRef != "" && goals[place{v.ClickID, o.GoalRef}]:
			v.Goal, v.WordGoal = o.GoalRef, false
		case named && o.Ref != "" && (byID || byRef) && ordersOf[transactionOf(*v, o)] == 1:
			v.Goal = "" // the postback or an older import names no goal
		default:
			findGoal(v, recorded)
		}
	}
}

// findGoal looks for a recorded conversion with the order's id, if the order names no goal, and gives the order its goal. A goal
// that follows from a status word counts as none.
func findGoal(v *correction.Conversion, recorded map[conversion.Key]conversion.Known) {
	if v.Goal != "" && !v.WordGoal {
		return
	}
	for _, goal := range append([]string{v.Goal, ""}, postback.WordGoals...) {
		if _, ok := recorded[conversion.Key{ClickID: v.ClickID, Goal: goal, ConversionID: v.ConversionID}]; ok {
			v.Goal, v.WordGoal = goal, false
			return
		}
	}
}

func quote(word string) string { return `"` + word + `"` }

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// place is a click and a goal. Conversions of the same place differ only by their ids.
type place struct {
	click uuid.UUID
	goal  string
}

// adopt gives an order the id of the conversion that a postback recorded earlier under another id, or without an id. Otherwise
// the order would count twice. It does so only if the click and the goal have exactly one order and exactly one such
// conversion that belongs to no order yet. Orders that were adopted before stay adopted.
func adopt(rows []correction.Conversion, known []conversion.Known, before []integration.AdoptedOrder) (fresh []integration.AdoptedOrder) {
	adopted := map[conversion.Key]string{} // conversion id by order
	orders, taken := map[place]map[string]bool{}, map[place]map[string]bool{}
	add := func(m map[place]map[string]bool, at place, id string) {
		if m[at] == nil {
			m[at] = map[string]bool{}
		}
		m[at][id] = true
	}
	for _, o := range before {
		adopted[conversion.Key{ClickID: o.ClickID, Goal: o.Goal, ConversionID: o.OrderID}] = o.ConversionID
		add(taken, place{o.ClickID, o.Goal}, o.ConversionID)
	}
	for _, v := range rows {
		add(orders, place{v.ClickID, v.Goal}, v.ConversionID)
	}
	free, recorded := map[place][]string{}, map[place]map[string]bool{}
	for _, k := range known {
		at := place{k.ClickID, k.Goal}
		add(recorded, at, k.ConversionID)
		if !orders[at][k.ConversionID] && !taken[at][k.ConversionID] && k.Source != models.FromNetworkSync {
			free[at] = append(free[at], k.ConversionID)
		}
	}
	for i := range rows {
		v := &rows[i]
		at := place{v.ClickID, v.Goal}
		id, wasAdopted := adopted[keyOf(*v)]
		switch {
		case v.Refusal != "" || recorded[at][v.ConversionID]:
		case wasAdopted:
			v.ConversionID = id
		case len(free[at]) == 1 && len(orders[at]) == 1:
			fresh = append(fresh, integration.AdoptedOrder{OrderID: v.ConversionID, ClickID: v.ClickID, Goal: v.Goal, ConversionID: free[at][0]})
			v.ConversionID = free[at][0]
		}
	}
	return fresh
}

func keyOf(v correction.Conversion) conversion.Key {
	return conversion.Key{ClickID: v.ClickID, Goal: v.Goal, ConversionID: v.ConversionID}
}

// refuseRepeats refuses all orders of the same conversion except the last. Otherwise every import would apply each of them as
// another change.
func refuseRepeats(rows []correction.Conversion) {
	last := map[conversion.Key]int{}
	for i := len(rows) - 1; i >= 0; i-- {
		v := &rows[i]
		if v.Refusal != "" {
			continue
		}
		if at, again := last[keyOf(*v)]; again {
			v.Refusal = fmt.Sprintf("the order appears again as number %d, and the last one counts", rows[at].Line)
			continue
		}
		last[keyOf(*v)] = i
	}
}

// refuseReversal refuses a reversal that comes without its order, unless it reverses the whole recorded amount. The amount that
// is left after a partial reversal follows only from the order and the reversal together.
func refuseReversal(v *correction.Conversion, recorded map[conversion.Key]conversion.Known) {
	if v.Refusal != "" {
		return
	}
	k, known := recorded[keyOf(*v)]
	switch {
	case !known:
		v.Refusal = "it takes back an order that is not recorded or is outside the range"
	case v.Payout != nil && (k.Currency != v.Currency || v.Payout.LessThan(k.Payout)):
		v.Refusal = "it takes back a part of an order that is outside the range: import a range that also has the order"
	}
}

// useRecordedCurrency gives an order without an amount the currency of its recorded conversion. The recorded amount stays, so its
// currency must stay too.
func useRecordedCurrency(v *correction.Conversion, recorded map[conversion.Key]conversion.Known) {
	if k, known := recorded[keyOf(*v)]; known && v.Payout == nil && v.Refusal == "" {
		v.Currency = k.Currency
	}
}

// refuseStatus refuses a status without an amount if its order is not recorded. It also refuses an approval if the order is recorded
// as rejected or as a chargeback, because the platform has taken such an order back.
func refuseStatus(v *correction.Conversion, recorded map[conversion.Key]conversion.Known) {
	if v.Refusal != "" {
		return
	}
	k, known := recorded[keyOf(*v)]
	switch {
	case !known:
		v.Refusal = "it has a status but no amount, and its order is not recorded"
	case v.Status == models.StatusApproved && k.Status != models.StatusPending && k.Status != v.Status:
		v.Refusal = "the order was taken back: it is " + k.Status
	}
}

// clampTime limits the time of a new conversion to [click, now], because the clocks and time zones of platforms are unreliable.
// InvalidTime keeps a stated time that cannot be right. A recorded conversion keeps its time.
func clampTime(v *correction.Conversion, recorded map[conversion.Key]conversion.Known, now time.Time) {
	if v.Refusal != "" || v.Time.IsZero() && v.InvalidTime == "" {
		return
	}
	click := models.ClickTime(v.ClickID)
	_, known := recorded[keyOf(*v)]
	stated := v.Time.Format(time.RFC3339)
	switch {
	case known:
		v.Time, v.InvalidTime = time.Time{}, ""
	case v.InvalidTime != "":
		v.Time = click.UTC()
	case v.Time.Before(click.UTC().Truncate(v.Precision)):
		v.Time, v.InvalidTime = click.UTC(), stated
	case v.Time.Before(click):
		v.Time = click.UTC()
	case v.Time.After(now.Add(postback.ClockError)):
		v.Time, v.InvalidTime = now.UTC(), stated
	case v.Time.After(now): // the platform's clock is a little ahead
		v.Time = now.UTC()
	}
}
