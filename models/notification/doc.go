// Package notification verifies and reads the messages in which shops and billing platforms report orders.
//
// A message proves its sender by its raw headers, query and body, so these are stored in encrypted form until a job reads the message.
package notification
