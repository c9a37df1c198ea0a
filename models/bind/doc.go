// Package bind reads a client's input: time windows, paging, ids and JSON bodies. It answers every mistake with the documented
// 400. It also refuses texts that PostgreSQL cannot store, so that they do not fail in the database.
//
// A body is a struct, and the tags of its fields are the rules for their values. Decode enforces the rules, and the OpenAPI
// document shows them. A field of the type Opt knows whether it was left out, null, or a value:
//
//	required:"true"       must be sent and, except for an Opt, not be empty, else "required"; required:"my_code" sets another code
//	optional:"true"       like an Opt: a field that is left out keeps its stored value, and an empty text is stored
//	empty:"code"          for an Opt or an optional field: a value that was sent must not be empty, else this code
//	null:"refused"        null counts as a value of the wrong form
//	null:"empty"          for an Opt or an optional field: null means the empty value; without a tag null, null counts as left out
//	default:"fixed"       the value if the field is left out
//	loose:"true"          a value of another type counts as an empty text
//	trim:"true"           spaces around a text are removed before any other check
//	case:"upper"          or lower: the case to which a text is converted
//	maxLength:"255"       maximum number of characters in a text, else too_long; also minLength
//	min:"0" max:"99.99"   range of a number, both included, else out_of_range
//	enum:"a,b"            the values allowed for a text, a number or each item of a list, else invalid_input
//	pattern:"^[a-z]+$"    regular expression that a text must match
//	format:"country"      the form of a text; format.go lists the names and the error code of each
//	maxItems:"20"         maximum number of items in a list, else invalid_input; also minItems
//	itemLength:"64"       maximum number of characters in each item
//	unique:"true"         repeated items of a list are removed, blank items are refused
//	skipBlank:"true"      blank items of a list are removed
//	is:"paths"            the paths of a flow, whose addresses RefuseDashboardLinks checks
//	bad:"a" bad:"a,b"     the field's own codes: a for a wrong type or form; b for a value beyond a limit (default: a)
//
// On an embedded struct, optional and null apply to all of its fields. The tags doc and send are text for the API's
// documentation: doc describes a value in bodies and answers. In bodies, send replaces doc.
//
// Rules for texts apply to each item of a list of texts. Leaving a text out and sending an empty text mean the same, except in an
// Opt or an optional field. Rules that involve two fields, or need the store, are checked by the handler.
package bind
