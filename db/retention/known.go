package retention

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/bot"
)

// Known holds the stored data about a visitor, in the form of the click log: a click_id looks as in links, each sub-parameter has
// its own field, such as sub1, and bot signals are names. A missing id is null.
type Known struct {
	Clicks          []json.RawMessage `json:"clicks"`
	SmartlinkClicks []json.RawMessage `json:"smartlink_clicks"`
	ClickOuts       []json.RawMessage `json:"click_outs"`
	Conversions     []json.RawMessage `json:"conversions"`
	SiteEvents      []json.RawMessage `json:"site_events"`
	Postbacks       []json.RawMessage `json:"postbacks"`          // received
	SourcePostbacks []json.RawMessage `json:"source_postbacks"`   // sent to traffic sources
	Uploads         []json.RawMessage `json:"conversion_uploads"` // sent to ad platforms
	MatchKeys       []json.RawMessage `json:"match_keys"`         // names of the hashed personal data, not the hashes
	Orders          []json.RawMessage `json:"network_orders"`     // read from networks or from files
}

// maxKnown is the maximum number of a visitor's campaign clicks, and of the visitor's smartlink clicks. If there are more, the
// newest are read.
const maxKnown = 10_000

// ReadKnown returns the stored data about a visitor. It leaves out the proofs of the senders of postbacks.
func ReadKnown(ctx context.Context, l click.Log, v click.Visitor) (k Known, err error) {
	from, to := uuid.Nil, models.FloorClickID(time.Now().Add(click.Day))
	if err := l.Store().ThawVisitor(ctx, l.Conn, v, time.Unix(0, 0), time.Now()); err != nil {
		return k, err
	}
	ids, err := db.Select[uuid.UUID](ctx, l.Conn, "clicks of a visitor",
		`SELECT id FROM clicks WHERE `+ofVisitor+` ORDER BY id DESC LIMIT $6`, v.AccountID, from, to, v.ID, v.ClickID, maxKnown)
	if err != nil {
		return k, err
	}
	read := func(into *[]json.RawMessage, query string, args ...any) {
		if *into = []json.RawMessage{}; err != nil {
			return
		}
		var rows [][]byte
		rows, err = db.Select[[]byte](ctx, l.Conn, "data about a visitor", query, args...)
		for _, row := range rows {
			if err == nil {
				row, err = inLogForm(row)
				*into = append(*into, row)
			}
		}
	}
	list := db.UUIDs(ids)
	read(&k.SmartlinkClicks, `SELECT to_jsonb(s) - 'id' || jsonb_build_object('click_id', s.id)
		FROM (SELECT * FROM smartlink_clicks WHERE `+ofVisitor+` ORDER BY id DESC LIMIT $6) s ORDER BY s.id`,
		v.AccountID, from, to, v.ID, v.ClickID, maxKnown)
	for _, table := range []struct {
		into  *[]json.RawMessage
		query string
	}{
		{&k.Clicks, `SELECT to_jsonb(c) - 'id' || jsonb_build_object('click_id', c.id) FROM clicks c WHERE account_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id`},
		{&k.ClickOuts, `SELECT to_jsonb(h) FROM click_hops h WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id`},
		{&k.Conversions, `SELECT to_jsonb(v) FROM conversions v WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id`},
		{&k.SiteEvents, `SELECT to_jsonb(e) FROM site_events e WHERE account_id = $1 AND click_id = ANY ($2::uuid[])
			AND click_id <> '00000000-0000-0000-0000-000000000000' ORDER BY at, id`},
		{&k.Postbacks, `SELECT to_jsonb(p) - 'proof' - 'signature' - 'signed_text' FROM postbacks p
			WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id`},
		{&k.SourcePostbacks, `SELECT to_jsonb(p) FROM source_postbacks p WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id`},
		{&k.MatchKeys, `SELECT to_jsonb(m) - 'sealed' FROM conversion_match_keys m WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id`},
		{&k.Uploads, `SELECT to_jsonb(u) FROM conversion_uploads u WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY id`},
		{&k.Orders, `SELECT to_jsonb(o) FROM network_orders o WHERE account_id = $1 AND click_id = ANY ($2::uuid[]) ORDER BY day, order_id`},
	} {
		read(table.into, table.query, v.AccountID, list)
	}
	return k, err
}

// inLogForm gives the names and values of a row the form that they have in the logs.
func inLogForm(raw []byte) ([]byte, error) {
	row := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		return nil, fmt.Errorf("retention: data about a visitor: %w", err)
	}
	for name, value := range row {
		text, _ := value.(string)
		switch {
		case text == uuid.Nil.String():
			row[name] = nil
		case name == "click_id":
			if id, err := uuid.Parse(text); err == nil {
				row[name] = models.FormatClickID(id)
			}
		case name == "bot_signals":
			if n, ok := value.(json.Number); ok {
				signals, _ := n.Int64()
				row[name] = bot.Signals(signals).Reasons() //nolint:gosec // the same bits come back
			}
		case name == "subs":
			subs, _ := value.([]any)
			for i, sub := range subs {
				row[fmt.Sprint("sub", i+1)] = sub
			}
			delete(row, name)
		}
	}
	return json.Marshal(row)
}
