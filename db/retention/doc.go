// Package retention deletes clicks and everything that refers to them: what is older than an account's plan keeps, what people clear,
// and what describes a visitor who is to be erased.
//
// It is the highest of the packages that store what visitors do, see package click.
package retention
