// Package retention deletes clicks and rows that refer to them: clicks that are older than the account's plan allows (their
// conversions stay), clicks that people clear, and the data that describes a visitor who is to be erased.
package retention
