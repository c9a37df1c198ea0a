// Package template knows how traffic sources and affiliate networks that many accounts use name things: the parameters
// and macros of their links and postbacks. It is data, so that an account need not look them up.
package template
