// Package notification verifies and reads the messages in which shops and billing platforms report orders. The settings of a
// network name the scheme of its platform. The scheme determines how a message proves its sender, and which conversions the message reports.
//
// The package does no input or output. So reading the same message again gives the same result. A message proves its sender by
// its raw body and headers, so both are stored in encrypted form until a job reads the message.
package notification
