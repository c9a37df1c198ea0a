// Package param reads the parameters that other systems send: in the query of a link, and in the query or the body of a
// postback. All of them are read by the same rules, and a sender's mistake in one parameter does not affect the others.
//
//   - A % that begins no escape stands for itself.
//   - &amp; separates parameters as & does, because addresses are copied out of HTML.
//   - A text in another charset than UTF-8 is converted, or it is empty. Clues describes when a text is converted.
//   - A byte-order mark before a body is skipped.
package param
