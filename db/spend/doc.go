// Package spend stores the amounts that accounts pay to traffic sources. It also restates amounts when an exchange rate or an
// account's currency changes.
//
// The package imports click and conversion, because spend replaces the costs of clicks and of their conversions.
package spend
