package redtrack

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/moved"
)

const (
	// RowsPerPage is the number of rows in one answer. RedTrack allows 10,000.
	RowsPerPage = 2000
	// LogEvery is the least time between two requests. RedTrack refuses more than 20 requests a minute.
	LogEvery = 3 * time.Second
)

// Log reads the log of an account, one page of one day at a time.
type Log struct {
	api  *trackers.API
	host string
	zone *time.Location
	rows int
}

// NewLog returns a Log that reads times without an offset in the given zone. `every` is the least time between requests.
func NewLog(client *http.Client, access trackers.Access, zone *time.Location, every time.Duration) (*Log, error) {
	api, host, err := newAPI(client, access)
	if err != nil {
		return nil, err
	}
	api.Every = every
	return &Log{api, host, zone, RowsPerPage}, nil
}

// page reads a page of one day. Pages are numbered from 1.
func (l *Log) page(ctx context.Context, path, day string, page int) (rows []moved.Value, last bool, err error) {
	var answer moved.Value
	query := url.Values{"date_from": {day}, "date_to": {day}, "page": {strconv.Itoa(page)}, "per": {strconv.Itoa(l.rows)}}
	if err := l.api.Get(ctx, path, query, &answer); err != nil {
		return nil, false, err
	}
	if !answer.IsList() {
		answer = answer.At("items")
	}
	rows = answer.List()
	return rows, len(rows) < l.rows, nil
}

// Clicks returns a page of the clicks of a day. Rows without an id or a time are counted as unread.
func (l *Log) Clicks(ctx context.Context, day string, page int) (list []trackerimport.OldClick, unread int, last bool, err error) {
	rows, last, err := l.page(ctx, "/tracks", day, page)
	for _, v := range rows {
		k := l.click(v)
		if k.ID == "" || k.At.IsZero() {
			unread++
			continue
		}
		list = append(list, k)
	}
	return list, unread, last, err
}

func (l *Log) click(v moved.Value) trackerimport.OldClick {
	text := func(name string, limit int) string { return models.Cut(v.At(name).Text(), limit) }
	k := trackerimport.OldClick{
		ID: text("id", maxID), Campaign: l.key(v, "campaign_id"), Source: l.key(v, "source_id"), Offer: l.key(v, "offer_id"),
		Lander: l.key(v, "landing_id"), At: l.time(v, "track_time"), ExternalID: cmp.Or(text("ref_id", 255), text("external_id", 255)),
		Fingerprint: v.At("fingerprint").Text(),
	}
	if k.Fingerprint == "" {
		k.Fingerprint = v.At("ip").Text() + " " + v.At("user_agent").Text()
	}
	for i := range k.Subs {
		k.Subs[i] = text("sub"+strconv.Itoa(i+1), 255)
	}
	k.Visitor = models.Visitor{
		Region: text("region", 100), City: text("city", 100), ISP: text("isp", 200), OS: text("os", 50), Browser: text("browser", 50),
		DeviceBrand: text("device_brand", 100), UserAgent: text("user_agent", 500), Referrer: text("referer", 500), Keyword: text("rt_keyword", 255),
	}
	if c := strings.ToUpper(v.At("country").Text()); len(c) == 2 {
		k.Visitor.Country = c
	}
	k.Visitor.DeviceType = deviceTypes[strings.ToLower(v.At("device").Text())]
	return k
}

// deviceTypes maps RedTrack's words to ours, and leaves out others.
var deviceTypes = map[string]string{
	"mobile": "mobile", "phone": "mobile", "smartphone": "mobile", "mobile phone": "mobile", "tablet": "tablet", "desktop": "desktop", "tv": "tv",
	"smart tv": "tv",
}

const maxID = 64

// key returns the key of the record whose id stands in a member, or an empty text.
func (l *Log) key(v moved.Value, member string) string {
	if id := v.At(member).ID(); id != "" {
		return trackerimport.Key("redtrack", l.host, id)
	}
	return ""
}

// time returns the first time after the year 2000 in a known format, or zero.
func (l *Log) time(v moved.Value, members ...string) time.Time {
	for _, name := range members {
		text := v.At(name).Text()
		for _, form := range []string{time.RFC3339Nano, time.DateTime, "2006-01-02T15:04:05"} {
			if at, err := time.ParseInLocation(form, text, l.zone); err == nil && at.Year() > 2000 {
				return at.UTC()
			}
		}
	}
	return time.Time{}
}

// Conversions returns a page of the conversions of a day. Rows without an id or a click are counted as unread.
func (l *Log) Conversions(ctx context.Context, day string, page int) (list []trackerimport.OldConversion, unread int, last bool, err error) {
	rows, last, err := l.page(ctx, "/conversions", day, page)
	for _, v := range rows {
		c := trackerimport.OldConversion{
			ID: models.Cut(v.At("id").Text(), maxID), ClickID: v.At("clickid").Text(), Token: v.At("deduplicate_token").Text(),
			Status: v.At("status").Text(), Payout: v.At("payout").Text(), Currency: v.At("currency").Text(), At: l.time(v, "conv_time", "created_at"),
		}
		if v.At("default_type").Int() != 1 { // 1 means the type for postbacks without a type
			c.Goal = models.Cut(v.At("type").Text(), 64)
		}
		if c.ID == "" || c.ClickID == "" {
			unread++
			continue
		}
		list = append(list, c)
	}
	return list, unread, last, err
}
