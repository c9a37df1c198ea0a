// Package retention deletes clicks and rows that refer to them: clicks beyond the account's plan (their conversions stay), clicks
// that people clear, and the data that describes a visitor who is to be erased.
package retention
