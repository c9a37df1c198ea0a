// Package cond matches a visitor against conditions. A condition consists of an attribute, an operator and values. Filters, rules,
// smartlinks and bot lists have conditions.
//
// A list of conditions is compiled once, when it is saved or loaded. Matching then neither allocates nor fails.
//
// The values of one condition are alternatives. A positive operator is true if the comparison holds for at least one value. A
// negated operator is true if the comparison holds for no value. If the visitor's value is unknown, a positive operator is false
// and a negated operator is true. The operator is_set is an exception: it tests whether the value is known. Texts are compared
// ignoring case. Times are in the time zone of the Facts.
//
// Most attributes come from clickattr.All. This package adds the attributes that follow from the IP address and the time, and
// param.<name> and header.<name>, which are looked up in the request.
package cond
