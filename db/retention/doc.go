// Package retention deletes clicks and everything that refers to them: clicks that are older than the account's plan allows,
// clicks that people clear, and the data that describes a visitor who is to be erased.
//
// It is the highest of the packages that store what visitors do: see package click.
package retention
