// Package bind reads a client's input: the window, paging, ids and JSON bodies. Every mistake is answered with the documented
// 400. A text that PostgreSQL cannot store is refused here too, so that it does not fail in the database.
//
// A body is a struct. The tags of its fields are the rules for their values. Decode enforces them, and the OpenAPI document
// shows them:
//
//	required:"true"       must be sent and not be empty, else the code "required"; required:"my_code" sets another code
//	empty:"code"          of an Opt: a value that was sent must not be empty
//	null:"refused"        of an Opt: null has the wrong form
//	null:"empty"          of an Opt: null is the empty value, not a field left out
//	optional:"true"       the field is like an Opt: it keeps its value if it is left out, and an empty text is a value
//	default:"fixed"       the value of a field that was left out
//	loose:"true"          a value of another type is an empty text
//	trim:"true"           spaces around a text are dropped, before any other check
//	case:"upper"          or lower: the case in which a text is kept
//	maxLength:"255"       characters of a text, else too_long; minLength likewise
//	min:"0" max:"99.99"   of a number, both included, else out_of_range
//	enum:"a,b"            the values that a text, a number or each item of a list may have, else invalid_input
//	pattern:"^[a-z]+$"    of a text
//	format:"country"      the form of a text; format.go lists the names and the error code of each
//	maxItems:"20"         of a list, else invalid_input; minItems likewise
//	itemLength:"64"       characters of each item
//	unique:"true"         repeated items of a list are dropped, blank items are refused
//	skipBlank:"true"      blank items of a list are dropped
//	is:"paths"            the paths of a flow, with addresses that RefuseDashboardLinks checks
//	bad:"a" bad:"a,b"     the field's own codes: a for a value of the wrong type or form, b (or a) for a value beyond a limit
//
// On an embedded struct, optional and null apply to all of its fields. The tags doc and send are for readers: doc describes the
// value, in answers too, and send describes the values that a body may have.
//
// Rules for texts apply to each item of a list of texts. A text left out and an empty text are the same, except in an Opt. Rules
// that involve two fields, or the store, are checked by the body's handler.
package bind
