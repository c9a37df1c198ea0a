// Package models holds the types that all other packages share: records, their validation, errors, plans, events and
// identifiers. It does no input or output. It imports no packages of this repository except its own sub-packages.
//
// The struct tag db names the column of a field. The tag spool is the number under which the spool stores the field. The
// statements of package db and the encoding of the spool are made from these tags. A spool number must never be given to another
// field, because it is stored on disks.
package models
