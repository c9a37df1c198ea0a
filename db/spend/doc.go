// Package spend stores the amounts that accounts pay to traffic sources. When an exchange rate or an account's currency changes,
// it also restates amounts, which means that it converts stored amounts again.
package spend
