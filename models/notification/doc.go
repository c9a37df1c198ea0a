// Package notification verifies and reads the messages in which shops and billing platforms report orders. A network names the
// scheme of its platform. The scheme says how a message proves its sender, and which conversions the message reports.
//
// The package does no input or output. A replayed message is therefore judged in the same way as before. A message proves its
// sender by its raw body and headers, so it is stored, sealed, until a job reads it.
package notification
