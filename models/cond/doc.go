// Package cond matches a visitor against attribute-operator-value conditions. Campaign filters, saved and inline
// rules, smartlink rules and bot lists all use it.
//
// A list of conditions is compiled once, when it is saved or loaded. Matching then neither allocates nor fails.
//
// The values of one condition are alternatives: one of them has to hold for a positive operator, none for a negated
// one. On an unknown value a positive operator is false and a negated one true. Text compares without case. Times are
// in the zone that the Facts carry.
//
// The attributes come from clickattr.All. Only the attributes of the address and the time are defined in this package.
package cond
