// Package bind turns what a client sent into Go values: the window, paging, ids, and JSON bodies. Whatever is wrong
// becomes the documented 400, never a failure further down; texts that PostgreSQL cannot hold are refused here.
//
// A body is a struct. What its fields may be stands in their tags, which Decode enforces and the OpenAPI document
// shows:
//
//	required:"true"       must be sent and not be empty, else 400 required; another text than true is the code
//	empty:"code"          of an Opt: what was sent must not be empty
//	null:"refused"        of an Opt: null has the wrong form
//	null:"empty"          of an Opt, or of all in an embedded struct: null is the empty value, not a field left out
//	default:"fixed"       the value of a field that was left out
//	trim:"true"           spaces around a text are dropped, before anything else is looked at
//	case:"upper"          or lower: the case in which a text is kept
//	maxLength:"255"       characters of a text, else too_long; minLength likewise
//	min:"0" max:"99.99"   of a number, both included, else out_of_range
//	enum:"a,b"            the values that a text, a number or each item of a list may have, else invalid_input
//	pattern:"^[a-z]+$"    of a text
//	format:"country"      of a text, by a name of the table in format.go, else the code that stands there
//	maxItems:"20"         of a list, else invalid_input; minItems likewise
//	itemLength:"64"       characters of each item
//	unique:"true"         repeated items of a list are dropped, blank ones refused
//	skipBlank:"true"      blank items of a list are dropped
//	bad:"a" bad:"a,b"     the field's own codes: a for a value of the wrong type or form, b (or a) for one beyond a limit
//
// Rules for texts hold for each item of a list of texts. A text left out and an empty text are the same, but in an Opt.
// What concerns two fields, or the store, is left to the body's handler.
package bind
