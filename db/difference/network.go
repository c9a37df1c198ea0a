package difference

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/conversion"
	"switchyard/models"
	"switchyard/models/difference"
)

type networkSheet struct {
	*comparison
	ours   map[difference.Cell]models.Figures // only the clicks are used
	first  string                             // first day with stored orders; empty: none
	readAt *time.Time                         // time of the last read

	unknown map[uuid.UUID]bool // see findUnknown
}

const selectNetwork = `
SELECT coalesce(i.settings ->> 'timezone', '') AS zone, i.synced_at FROM networks n
LEFT JOIN network_integrations i ON i.network_id = n.id AND i.account_id = n.account_id WHERE n.account_id = $1 AND n.id = $2`

// reportedSpan says which data a network has reported in a window. First is the day of its oldest order, and ReadAt the time at
// which its orders were last read.
type reportedSpan struct {
	Orders bool       `db:"orders"`
	Totals bool       `db:"totals"`
	First  *time.Time `db:"first"`
	ReadAt *time.Time `db:"read_at"`
}

const selectReportedSpan = `
SELECT EXISTS (SELECT FROM network_orders WHERE account_id = $1 AND network_id = $2 AND day >= $3::date AND day <= $4::date) AS orders,
	EXISTS (SELECT FROM network_totals WHERE account_id = $1 AND network_id = $2 AND day >= $3::date AND day <= $4::date) AS totals,
	(SELECT min(day) FROM network_orders WHERE account_id = $1 AND network_id = $2) AS first,
	(SELECT max(read_at) FROM network_orders WHERE account_id = $1 AND network_id = $2) AS read_at`

// network compares the figures of a network with the conversions that were recorded for it. It compares the network's orders one
// by one. Without orders in the window it compares daily sums, and without these the network's postbacks.
func (k *comparison) network(ctx context.Context) error {
	found, err := db.Get[connection](ctx, k.Conn, "network", selectNetwork, k.account, k.out.ID)
	if err != nil {
		return err
	}
	k.setZone(found.Zone)
	span, err := db.Get[reportedSpan](ctx, k.Conn, "reported", selectReportedSpan, k.account, k.out.ID, k.out.From, k.out.To)
	if err != nil {
		return err
	}
	n := &networkSheet{comparison: k, readAt: latest(found.SyncedAt, span.ReadAt)}
	if span.First != nil {
		n.first = span.First.Format(time.DateOnly)
	}
	if n.ours, err = k.figures(ctx, k.ours, span.Orders || !span.Totals); err != nil {
		return err
	}
	for c, f := range n.ours {
		k.sheet.AddOurs(c, difference.Figures{Clicks: f.Clicks})
	}
	switch {
	case span.Orders:
		k.out.Basis, k.out.ReadAt = difference.FromOrders, n.readAt
		return n.compareOrders(ctx)
	case span.Totals:
		k.out.Basis = difference.FromTotals
		return n.compareTotals(ctx)
	}
	return n.comparePostbacks(ctx)
}

// pair is an order of the network and our conversion of it. One of them may be missing.
type pair struct {
	OrderID       *string             `db:"order_id"` // nil: no order
	Day           *time.Time          `db:"day"`
	TheirStatus   string              `db:"their_status"`
	TheirPayout   decimal.NullDecimal `db:"their_payout"`
	TheirCurrency string              `db:"their_currency"`
	Refusal       string              `db:"refusal"` // why the import did not record the order
	ReadAt        *time.Time          `db:"read_at"`
	FromFile      bool                `db:"from_file"`

	ID           *uuid.UUID          `db:"id"` // nil: no conversion
	ClickID      uuid.UUID           `db:"click_id"`
	ConversionID string              `db:"conversion_id"`
	Campaign     uuid.UUID           `db:"campaign_id"`
	NetworkID    uuid.UUID           `db:"network_id"`
	OurStatus    string              `db:"status"`
	Payout       decimal.Decimal     `db:"payout"`
	Currency     string              `db:"currency"`
	Rate         decimal.NullDecimal `db:"rate"`
	Source       string              `db:"source"`
	UpdatedAt    *time.Time          `db:"updated_at"`
	RecordedAt   *time.Time          `db:"recorded_at"`
}

const (
	pairColumns = `o.order_id, o.day, coalesce(o.status, '') AS their_status, o.payout AS their_payout,
	coalesce(o.currency, '') AS their_currency, coalesce(o.refusal, '') AS refusal, o.read_at, coalesce(o.from_file, false) AS from_file,
	v.id, coalesce(v.click_id, o.click_id) AS click_id, coalesce(v.conversion_id, o.conversion_id) AS conversion_id,
	coalesce(v.campaign_id, '` + db.ZeroID + `') AS campaign_id, coalesce(v.network_id, '` + db.ZeroID + `') AS network_id,
	coalesce(v.status, '') AS status, coalesce(v.payout, 0) AS payout, coalesce(v.currency, '') AS currency, v.rate,
	coalesce(v.source, '') AS source, v.updated_at, v.recorded_at`
	samePair = `o.click_id = v.click_id AND o.goal = v.goal AND o.conversion_id = v.conversion_id`

	// selectPairs selects the orders of the window with their conversions, and the other conversions of the window's clicks.
	// LIMIT comes before ORDER BY, so that too many rows are refused without sorting them.
	selectPairs = `
SELECT * FROM (
SELECT ` + pairColumns + ` FROM network_orders o LEFT JOIN conversions v ON v.account_id = $1 AND ` + samePair + `
WHERE o.account_id = $1 AND o.network_id = $2 AND o.day >= $3::date AND o.day <= $4::date
UNION ALL
SELECT ` + pairColumns + ` FROM conversions v LEFT JOIN network_orders o ON o.account_id = $1 AND o.network_id = $2 AND ` + samePair + `
WHERE v.account_id = $1 AND v.network_id = $2 AND v.click_id >= $5 AND v.click_id < $6
	AND (o.day IS NULL OR o.day < $3::date OR o.day > $4::date)
LIMIT $7) pairs ORDER BY day, order_id, click_id, id`
)

func (n *networkSheet) readPairs(ctx context.Context) ([]pair, error) {
	from, to := n.bounds(n.comparison.ours)
	list, err := db.Select[pair](ctx, n.Conn, "orders and conversions", selectPairs, n.account, n.out.ID, n.out.From, n.out.To,
		models.FloorClickID(from), models.FloorClickID(to), 2*difference.MaxConversions+1)
	if err == nil && len(list) > 2*difference.MaxConversions {
		err = tooMany("orders and conversions", 2*difference.MaxConversions)
	}
	return list, err
}

func (n *networkSheet) compareOrders(ctx context.Context) error {
	n.out.Compares = difference.Measures{Conversions: true, Money: true}
	list, err := n.readPairs(ctx)
	if err != nil {
		return err
	}
	var amounts []amount
	for _, p := range list {
		if p.OrderID != nil && p.TheirStatus == models.StatusApproved && p.TheirPayout.Valid {
			amounts = append(amounts, n.reportedAmount(p))
		}
	}
	if err := n.loadRates(ctx, amounts); err != nil {
		return err
	}
	if err := n.findUnknown(ctx, list); err != nil {
		return err
	}
	read := map[uuid.UUID]bool{} // conversions whose orders the connection has read
	for _, p := range list {
		if p.ID != nil && p.OrderID != nil && !p.FromFile {
			read[*p.ID] = true
		}
	}
	paired := map[uuid.UUID]bool{}
	for _, p := range list {
		if p.FromFile && p.ID != nil && read[*p.ID] {
			continue // the connection has read the order, under another id
		}
		if p.ID != nil && paired[*p.ID] {
			p.Refusal, p.ID = "it is the same conversion as another order", nil
		} else if p.ID != nil {
			paired[*p.ID] = true
		}
		n.comparePair(p)
	}
	return nil
}

// findUnknown finds the clicks that were never stored although a postback names them. It looks only for clicks of orders that come
// from a file and have no conversion.
func (n *networkSheet) findUnknown(ctx context.Context, list []pair) error {
	clicks := map[uuid.UUID]bool{}
	for _, p := range list {
		if p.FromFile && p.ID == nil && p.ClickID != uuid.Nil {
			clicks[p.ClickID] = true
		}
	}
	if len(clicks) == 0 {
		return nil
	}
	found, err := db.Pairs[uuid.UUID, bool](ctx, n.Conn, "clicks of unmatched postbacks", `SELECT DISTINCT click_id, true FROM postbacks
		WHERE click_id = ANY ($2::uuid[]) AND account_id = $1 AND outcome = $3`, n.account, db.UUIDs(db.SortedIDs(clicks)),
		conversion.PostbackUnmatched)
	n.unknown = found
	return err
}

const byHand = "the conversion was entered or changed by hand"

func (n *networkSheet) reportedAmount(p pair) amount {
	return amount{p.TheirPayout.Decimal, p.TheirCurrency, *p.Day}
}

// comparePair adds an order and its conversion. It explains their difference first by the day, then by the currency, and then by
// status and amount.
func (n *networkSheet) comparePair(p pair) {
	if p.ID != nil && p.NetworkID != n.out.ID {
		p.Refusal, p.ID = "it is recorded for another network", nil
	}
	at := difference.Cell{Campaign: p.Campaign}
	ours := difference.Figures{}
	if p.ID != nil {
		at.Day = dayIn(models.ClickTime(p.ClickID), n.comparison.ours)
		ours = p.counted()
		n.addOurs(at, ours)
	}
	if p.OrderID == nil {
		if n.inWindow(at.Day) {
			n.onlyOurs(at, p, ours)
		}
		return
	}
	theirs := difference.Cell{Day: p.Day.Format(time.DateOnly), Campaign: p.Campaign}
	if p.ID == nil {
		n.onlyTheirs(theirs, p)
		return
	}
	if theirs.Day != at.Day {
		n.move(at, theirs, p, ours)
	}
	if n.inWindow(theirs.Day) {
		n.compareValues(theirs, p, ours)
	}
}

func (n *networkSheet) addOurs(c difference.Cell, f difference.Figures) {
	if n.inWindow(c.Day) {
		n.sheet.AddOurs(c, f)
	}
}

// counted returns the figures of our conversion, as reports count it.
func (p pair) counted() (f difference.Figures) {
	if counts(p.OurStatus) {
		f.Conversions = 1
	}
	if p.OurStatus == models.StatusApproved {
		f.Money = models.ConvertAmount(p.Payout, p.Rate).Round(6)
	}
	return f
}

// reported returns the figures of an order in n.out.TheirCurrency and in the account's currency. If n.out.TheirCurrency is empty,
// both are in the account's currency.
func (n *networkSheet) reported(p pair) (reported, converted difference.Figures) {
	if counts(p.TheirStatus) {
		reported.Conversions, converted.Conversions = 1, 1
	}
	if p.TheirStatus == models.StatusApproved && p.TheirPayout.Valid {
		a := n.reportedAmount(p)
		rate := n.rate(a)
		if p.ID != nil && p.Currency == p.TheirCurrency {
			rate = p.Rate
		}
		reported.Money, converted.Money = n.convert(a, rate)
	}
	return reported, converted
}

// move moves our figures from the day of the click to the day of the order.
func (n *networkSheet) move(from, to difference.Cell, p pair, ours difference.Figures) {
	cause := difference.ConversionDay
	if dayIn(models.ClickTime(p.ClickID), n.theirs) == to.Day {
		cause = difference.TimeZone
	}
	if n.inWindow(from.Day) {
		n.sheet.Explain(from, cause, "", ours.Neg())
	}
	if n.inWindow(to.Day) {
		n.sheet.Explain(to, cause, "", ours)
	}
}

// onlyTheirs adds an order without a conversion.
func (n *networkSheet) onlyTheirs(c difference.Cell, p pair) {
	reported, converted := n.reported(p)
	n.sheet.AddTheirs(c, reported)
	n.sheet.Explain(c, difference.Currency, "", reported.Minus(converted))
	if converted.IsZero() {
		return
	}
	cause, reason := difference.Refused, reasonOf(p.Refusal)
	switch {
	case p.ClickID == uuid.Nil || p.Refusal == unknownClick:
		cause = difference.Unmatched
	case p.Refusal == "" && p.FromFile && n.unknown[p.ClickID]:
		cause, reason = difference.Unmatched, conversion.ClickNeverCame
	case p.Refusal == "" && p.FromFile:
		cause, reason = difference.NotReceived, "no postback and no import has reported it to us"
	case p.Refusal == "":
		cause, reason = "", "its conversion was deleted"
	}
	n.explain(c, cause, reason, converted, p)
}

// onlyOurs adds a conversion without an order.
func (n *networkSheet) onlyOurs(c difference.Cell, p pair, ours difference.Figures) {
	if ours.IsZero() {
		return
	}
	cause, reason := "", ""
	switch {
	case p.Source == models.FromCorrection:
		cause, reason = difference.Correction, byHand
	case dayIn(models.ClickTime(p.ClickID), n.theirs) < n.first && dayIn(*p.RecordedAt, n.theirs) < n.first:
		cause, reason = difference.NotRead, "the network's orders of that day were never read"
	case n.readAt == nil || p.UpdatedAt.After(*n.readAt):
		cause, reason = difference.Late, "it was recorded or changed after the network's orders were last read"
	default:
		reason = "the network does not list it"
	}
	n.explain(c, cause, reason, ours.Neg(), p)
}

// compareValues compares an order and its conversion in one cell.
func (n *networkSheet) compareValues(c difference.Cell, p pair, ours difference.Figures) {
	reported, converted := n.reported(p)
	n.sheet.AddTheirs(c, reported)
	n.sheet.Explain(c, difference.Currency, "", reported.Minus(converted))
	differs := converted.Minus(ours)
	if differs.IsZero() {
		return
	}
	cause, reason := "", ""
	switch {
	case p.Source == models.FromCorrection:
		cause, reason = difference.Correction, byHand
	case p.Refusal != "":
		cause, reason = difference.Refused, reasonOf(p.Refusal)
	case p.UpdatedAt.After(*p.ReadAt):
		cause, reason = difference.Late, "it changed after the order was read"
	case p.TheirStatus == p.OurStatus && p.TheirPayout.Valid && p.TheirPayout.Decimal.Equal(p.Payout) && p.TheirCurrency != p.Currency:
		cause, reason = difference.Currency, "the same amount is recorded in another currency"
	case p.TheirStatus != p.OurStatus && p.FromFile:
		cause, reason = difference.NotReceived, "no postback and no import has reported the network's status to us"
	case p.TheirStatus != p.OurStatus:
		reason = "the status differs"
	default:
		reason = "the amount differs"
	}
	n.explain(c, cause, reason, differs, p)
}

// explain explains a difference by its cause, if that is known, and adds the pair to the examples.
func (n *networkSheet) explain(c difference.Cell, cause, reason string, differs difference.Figures, p pair) {
	if cause != "" {
		n.sheet.Explain(c, cause, reason, differs)
	}
	n.addExample(c.Day, cause, reason, p)
}

func (n *networkSheet) addExample(day, cause, reason string, p pair) {
	x := difference.Example{
		Cause: cause, Reason: reason, Day: day, ClickID: p.ClickID, ConversionID: p.ConversionID, TheirStatus: p.TheirStatus, OurStatus: p.OurStatus,
		Currency: p.TheirCurrency,
	}
	if p.OrderID != nil {
		x.OrderID = *p.OrderID
	}
	if p.TheirPayout.Valid {
		x.Payout = &p.TheirPayout.Decimal
	}
	if p.ID != nil {
		x.OurPayout, x.OurCurrency = &p.Payout, p.Currency
	}
	n.sheet.AddExample(x)
}

// unknownClick is the refusal of an order whose click is not stored.
var unknownClick = func() string {
	e, _ := models.AsError(conversion.ErrUnknownClick)
	return e.Message
}()
