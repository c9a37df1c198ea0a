package models

import (
	"time"

	"github.com/shopspring/decimal"
)

// ReportArgs ask for figures in [From, To), grouped by dimensions or over time.
type ReportArgs struct {
	From       time.Time      `json:"from"`
	To         time.Time      `json:"to"`
	Dimensions []string       `json:"dimensions,omitempty"`
	Bucket     string         `json:"bucket,omitempty"` // over time, instead of dimensions
	Filters    []ReportFilter `json:"filters,omitempty"`
	Goals      []string       `json:"goals,omitempty"`   // conversions of these goals count alone; none: all
	TZ         string         `json:"tz,omitempty"`      // IANA zone of the dimensions of time and of buckets; empty: UTC
	Compare    *TimeRange     `json:"compare,omitempty"` // also the figures of this stretch of time
	Sort       string         `json:"sort,omitempty"`    // a figure or a dimension, after a minus: descending
	MinClicks  int            `json:"min_clicks,omitempty"`
	Limit      int            `json:"limit,omitempty"` // groups
	Totals     bool           `json:"totals,omitempty"`
}

// ReportFilter keeps what has one of the values in a dimension. With Not it keeps what has no such value. An empty value stands
// for a missing value.
type ReportFilter struct {
	Dimension string   `json:"dimension"`
	Values    []string `json:"values"`
	Not       bool     `json:"not,omitempty"`
}

// TimeRange is the time in [From, To).
type TimeRange struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// ReportRow is a group: the values in the order of the dimensions, and its figures. Over time it is a bucket: its label,
// and where it starts (RFC 3339), empty for buckets that come again every week.
type ReportRow struct {
	Dims []string `json:"dims"`
	Figures
	Before *Figures `json:"before,omitempty"` // of the stretch of time that is compared with
	Total  bool     `json:"total,omitempty"`  // not a group, but the sums of all groups
	// Loss covers the days and traffic sources whose counts are known; nil: no counts are known.
	Loss *ClickLoss `json:"loss,omitempty"`
}

// ClickLoss compares the clicks that traffic sources counted with what arrived on those days.
type ClickLoss struct {
	SourceClicks int64 `db:"source_clicks" json:"source_clicks"` // as the sources counted them
	Redirects    int64 `db:"redirects" json:"redirects"`         // clicks here, bots too: a source has counted both
	LPViews      int64 `db:"lp_views" json:"lp_views"`
	LPClicks     int64 `db:"lp_clicks" json:"lp_clicks"`
}

// Plus adds two click losses. A nil receiver counts as no loss.
func (l *ClickLoss) Plus(o ClickLoss) *ClickLoss {
	if l != nil {
		o.SourceClicks, o.Redirects = o.SourceClicks+l.SourceClicks, o.Redirects+l.Redirects
		o.LPViews, o.LPClicks = o.LPViews+l.LPViews, o.LPClicks+l.LPClicks
	}
	return &o
}

// Percent is how much of the sources' clicks did not arrive, in per cent; nil: they counted none. Below 0: more arrived.
func (l ClickLoss) Percent() *decimal.Decimal {
	if l.SourceClicks == 0 {
		return nil
	}
	lost := decimal.NewFromInt(100*(l.SourceClicks-l.Redirects)).DivRound(decimal.NewFromInt(l.SourceClicks), 2)
	return &lost
}
