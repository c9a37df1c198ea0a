package network

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db/clicklog"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/models/postback"
	"switchyard/workers/providers/networks"
)

// rows makes what a correction job takes of orders. Orders of the same id are brought together by it, the last one counts.
func (p *Platforms) rows(ctx context.Context, account, network uuid.UUID, orders []networks.Order) ([]correction.Conversion, error) {
	n, err := p.store.Networks().Find(ctx, account, network)
	if err != nil {
		return nil, err
	}
	words := statusWords(n.StatusMap)
	rows := make([]correction.Conversion, len(orders))
	var clicks []uuid.UUID
	for i, o := range orders {
		rows[i] = rowOf(i+1, o, words, n.Currency)
		if rows[i].Refusal == "" {
			clicks = append(clicks, rows[i].ClickID)
		}
	}
	slices.SortFunc(clicks, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	known, err := p.o.Clicks.ConversionsOf(ctx, p.store.Conn(), account, slices.Compact(clicks))
	if err != nil {
		return nil, err
	}
	adopt(rows, known)
	recorded := map[clicklog.KnownConversion]bool{}
	for _, k := range known {
		k.Source = ""
		recorded[k] = true
	}
	now := p.o.Now()
	for i := range rows {
		settle(&rows[i], recorded, now)
	}
	return rows, nil
}

// statusWords are the meanings of the account's own words for a network's statuses, in lower case.
func statusWords(byStatus map[string][]string) map[string]string {
	out := map[string]string{}
	for status, words := range byStatus {
		for _, w := range words {
			out[strings.ToLower(w)] = status
		}
	}
	return out
}

// Longest texts of an order, in bytes, as the click log takes them.
const (
	maxOrderID = 255
	maxGoal    = 64
	maxWord    = 100
)

func rowOf(line int, o networks.Order, words map[string]string, currency string) correction.Conversion {
	v := correction.Conversion{
		Row: correction.Row{Line: line}, ClickText: cut(o.Click, maxOrderID), ConversionID: o.ID, Goal: o.Goal,
		Status: o.Status, Word: cut(o.Word, maxWord), Currency: currency, Time: o.At, Precision: time.Second,
	}
	if own := words[strings.ToLower(o.Word)]; own != "" {
		v.Status = own
	}
	refuse := func(reason string) {
		if v.Refusal == "" {
			v.Refusal = reason
		}
	}
	var err error
	switch v.ClickID, err = models.ParseClickID(o.Click); {
	case o.Click == "":
		refuse("it names no click")
	case err != nil:
		refuse("its click id is not one of this service")
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
	if o.Payout != "" {
		amount, ok := postback.ParseAmount(o.Payout)
		if !ok {
			refuse("its payout is not an amount")
		} else {
			amount = amount.Abs() // a reversal is told by the status
			v.Payout = &amount
		}
	}
	if o.Currency != "" {
		if v.Currency = postback.Currency(o.Currency); v.Currency == "" {
			refuse("its currency is not a code of three letters")
		}
	}
	return v
}

func quote(word string) string { return `"` + word + `"` }

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// place is where a conversion is known: its click and goal.
type place struct {
	click uuid.UUID
	goal  string
}

// adopt gives an order the id of the conversion that a postback of its has recorded already, under another id or none: if
// the click has one such conversion of the goal, and one such order. Otherwise the network would be paid twice for it.
func adopt(rows []correction.Conversion, known []clicklog.KnownConversion) {
	ids := map[place]map[string]bool{} // of orders
	for _, v := range rows {
		at := place{v.ClickID, v.Goal}
		if ids[at] == nil {
			ids[at] = map[string]bool{}
		}
		ids[at][v.ConversionID] = true
	}
	free, recorded := map[place][]string{}, map[place]map[string]bool{}
	for _, k := range known {
		at := place{k.ClickID, k.Goal}
		if recorded[at] == nil {
			recorded[at] = map[string]bool{}
		}
		recorded[at][k.ConversionID] = true
		if !ids[at][k.ConversionID] && k.Source != models.FromNetworkSync {
			free[at] = append(free[at], k.ConversionID)
		}
	}
	for i := range rows {
		v := &rows[i]
		at := place{v.ClickID, v.Goal}
		if v.Refusal == "" && len(free[at]) == 1 && len(ids[at]) == 1 && !recorded[at][v.ConversionID] {
			v.ConversionID = free[at][0]
		}
	}
}

// settle leaves a recorded conversion its time, and holds the time of a new one between its click and now: clocks and time
// zones of platforms are not ours.
func settle(v *correction.Conversion, recorded map[clicklog.KnownConversion]bool, now time.Time) {
	if v.Refusal != "" || v.Time.IsZero() {
		return
	}
	click := models.ClickTime(v.ClickID)
	switch {
	case recorded[clicklog.KnownConversion{ClickID: v.ClickID, Goal: v.Goal, ConversionID: v.ConversionID}]:
		v.Time = time.Time{}
	case v.Time.Before(click):
		v.Time = click.UTC()
	case v.Time.After(now):
		v.Time = now.UTC()
	}
}
