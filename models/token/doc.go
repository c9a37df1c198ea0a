// Package token fills {token} placeholders in redirect and postback URLs.
//
// A template is compiled once; expanding it appends to a buffer of the caller. Whatever the values are, the result
// has the template's own scheme and host and is one line of printable ASCII: placeholders before the path are not
// placeholders at all, ordinary values are percent-encoded completely, and raw ones ({_name}) are encoded wherever
// a byte is not allowed in a URL. In a redirect an unknown token stays as it is; in a postback it is removed.
package token
