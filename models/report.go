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
	Bucket     string         `json:"bucket,omitempty"` // groups by time instead of dimensions
	Filters    []ReportFilter `json:"filters,omitempty"`
	Goals      []string       `json:"goals,omitempty"`   // only conversions of these goals count; empty: all conversions
	TZ         string         `json:"tz,omitempty"`      // IANA zone of time dimensions and buckets; empty: UTC
	Compare    *TimeRange     `json:"compare,omitempty"` // another range whose figures are returned as well
	Sort       string         `json:"sort,omitempty"`    // a figure or a dimension; a minus before it: descending
	MinClicks  int            `json:"min_clicks,omitempty"`
	Having     []FigureFilter `json:"having,omitempty"`
	Limit      int            `json:"limit,omitempty"` // maximum number of groups
	Totals     bool           `json:"totals,omitempty"`
}

// ReportFilter keeps the clicks and conversions that have one of the values in a dimension. An empty value stands for a missing
// value.
type ReportFilter struct {
	Dimension string   `json:"dimension"`
	Values    []string `json:"values"`
	Not       bool     `json:"not,omitempty"` // keeps only the clicks and conversions with other values
}

// FigureFilter keeps the groups for which "figure op value" holds, such as "clicks >= 100". The value is in the unit in which answers
// show the figure. A group whose figure has no value, such as a ratio that divides by zero, is not kept.
type FigureFilter struct {
	Figure string          `json:"figure"`
	Op     string          `json:"op"`
	Value  decimal.Decimal `json:"value"`
}

// FigureOps lists the comparisons of a FigureFilter. The parser takes the first comparison with which a text begins.
var FigureOps = []string{"<=", ">=", "<", ">"}

// TimeRange is the time in [From, To).
type TimeRange struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// ReportRow is a group: the values of the dimensions, in their order, and the group's figures. In a report over time, a group
// is a bucket. Dims are then its label and its start (RFC 3339). The start is empty for buckets that recur every week.
type ReportRow struct {
	Dims []string `json:"dims"`
	Figures
	Before *Figures `json:"before,omitempty"`
	Total  bool     `json:"total,omitempty"` // not a group, but the sums of all groups
	// Loss covers the days and traffic sources whose own click counts are known. It is nil if no counts are known.
	Loss *ClickLoss `json:"loss,omitempty"`
}

// ClickLoss compares the clicks that traffic sources counted with the visits that arrived on the same days.
type ClickLoss struct {
	SourceClicks int64 `db:"source_clicks" json:"source_clicks"` // clicks as the sources counted them
	Redirects    int64 `db:"redirects" json:"redirects"`         // clicks that arrived, including bots, which a source counts too
	LPViews      int64 `db:"lp_views" json:"lp_views"`
	LPClicks     int64 `db:"lp_clicks" json:"lp_clicks"`
}

// Plus returns the sum of two click losses. A nil receiver counts as zero.
func (l *ClickLoss) Plus(o ClickLoss) *ClickLoss {
	if l != nil {
		o.SourceClicks, o.Redirects = o.SourceClicks+l.SourceClicks, o.Redirects+l.Redirects
		o.LPViews, o.LPClicks = o.LPViews+l.LPViews, o.LPClicks+l.LPClicks
	}
	return &o
}

// Percent returns the share of the sources' clicks that did not arrive, in per cent. It returns nil if the sources counted no
// clicks. A negative result means that more clicks arrived than the sources counted.
func (l ClickLoss) Percent() *decimal.Decimal {
	if l.SourceClicks == 0 {
		return nil
	}
	lost := decimal.NewFromInt(100*(l.SourceClicks-l.Redirects)).DivRound(decimal.NewFromInt(l.SourceClicks), 2)
	return &lost
}
