package cond

// operator is the comparison of a condition, without its negation.
type operator uint8

const (
	opEquals operator = iota
	opContains
	opStartsWith
	opEndsWith
	opRegex
	opCIDR
	opGT
	opGTE
	opLT
	opLTE
	opBetween
	opIsSet
)

type opInfo struct {
	op     operator
	negate bool
}

var operators = map[string]opInfo{
	"equals": {opEquals, false}, "not_equals": {opEquals, true},
	"in": {opEquals, false}, "not_in": {opEquals, true},
	"contains": {opContains, false}, "not_contains": {opContains, true},
	"starts_with": {opStartsWith, false}, "ends_with": {opEndsWith, false},
	"regex": {opRegex, false}, "not_regex": {opRegex, true},
	"in_cidr": {opCIDR, false}, "not_in_cidr": {opCIDR, true},
	"gt": {opGT, false}, "gte": {opGTE, false}, "lt": {opLT, false}, "lte": {opLTE, false},
	"between": {opBetween, false}, "is_set": {opIsSet, false},
}

// textual holds the operators that compare texts. The operators of ordering compare by order. inOrder holds the operators for
// dates. anyOrder holds the operators for texts, numbers and versions.
var (
	textual  = ops(opEquals, opContains, opStartsWith, opEndsWith, opRegex, opIsSet)
	ordering = ops(opGT, opGTE, opLT, opLTE, opBetween)
	inOrder  = ordering | ops(opEquals, opIsSet)
	anyOrder = textual | inOrder
)

var allowed = [...]uint16{
	kindText: anyOrder, kindNumber: anyOrder, kindVersion: anyOrder, kindDate: inOrder, kindIP: textual | ops(opCIDR),
	kindBool: ops(opEquals, opIsSet), kindSchedule: ops(opEquals),
}

func ops(list ...operator) uint16 {
	var m uint16
	for _, o := range list {
		m |= 1 << o
	}
	return m
}
