// Package spend stores the amounts that accounts pay to traffic sources, and restates amounts when a rate or an account's currency
// changes.
//
// The package imports click and conversion, because spend replaces the costs of clicks and of their conversions.
package spend
