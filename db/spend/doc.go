// Package spend stores the amounts that accounts pay to traffic sources. When an exchange rate or an account's currency changes, it
// also restates amounts, which means that it converts stored amounts again.
//
// The package imports click and conversion, because spend replaces the costs of clicks and of their conversions.
package spend
