// Package models holds the types that all other packages share: records, their validation, errors, plans, events and identifiers.
// It does no input or output. Of our packages, it imports only its sub-packages.
//
// The struct tag db names the column of a field. The tag spool is the number under which the spool stores the field. A spool number
// must never be used for another field, because it is stored on disks.
package models
