// Package notification verifies and reads the messages in which shops and billing platforms report orders. The settings of a
// network name the scheme of its platform. It determines how a message proves its sender, and which conversions the message
// reports.
//
// The package does no input or output. A message proves its sender by its raw body and headers, so both are stored in encrypted
// form until a job reads the message.
package notification
