// Package retention deletes clicks and rows that refer to them: clicks that are older than the account's plan allows (their
// conversions stay), clicks that people clear, and the data that describes a visitor who is to be erased.
//
// It is the last of the packages that store what visitors do, in the order that the comment of package click shows.
package retention
