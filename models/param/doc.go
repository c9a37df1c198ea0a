// Package param reads the parameters that other systems send: in the query of a link, and in the query or the body of a
// postback. The same rules apply to all of them, and a sender's mistake in one parameter does not affect other parameters.
//
//   - A % that does not begin an escape means the character % itself.
//   - &amp; separates parameters as & does, because people copy URLs from HTML.
//   - A text that is not in UTF-8 is converted or becomes empty. Clues describes when a text is converted.
//   - A byte order mark before a body is skipped.
package param
