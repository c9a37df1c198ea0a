// Package cond matches a visitor against attribute-operator-value conditions. Campaign filters, saved and inline
// rules, smartlink rules and bot lists all use it.
//
// A list of conditions is compiled once, when it is saved or loaded; matching then neither allocates nor fails.
// Values of one condition are alternatives: any of them satisfies a positive operator, none of them may hold for a
// negated one. On a value that is unknown a positive operator is false and a negated one true. Text compares
// without case; times are in the zone that the Facts carry.
package cond
