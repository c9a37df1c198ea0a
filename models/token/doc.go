// Package token fills {token} placeholders in redirect and postback URLs.
//
// Whatever the values are, the result has the template's own scheme and host, and it is one line of printable ASCII. To ensure
// that, placeholders before the path are not expanded, ordinary values are percent-encoded completely, and raw values ({_name})
// are encoded wherever a byte is not allowed in a URL.
package token
