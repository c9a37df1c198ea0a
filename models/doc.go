// Package models holds the types that all other packages share: records, their validation, errors, plans, events and
// identifiers. It does no input or output. The only packages of this repository that it imports are its own sub-packages.
//
// The struct tag db names the column of a field, and spool the number under which the spool stores it. Both the statements of
// package db and the encoding of the spool are made from the tags. A number of the spool is never given to another field, because
// it is on disks.
package models
