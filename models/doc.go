// Package models holds the types that all other packages share: records, their validation, errors, plans, events and
// identifiers. It does no input or output. The only packages of this repository that it imports are its own sub-packages.
package models
