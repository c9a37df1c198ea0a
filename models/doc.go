// Package models holds what all other packages share: records, their validation, errors, plans, events and
// identifiers. It does no input or output, and imports nothing else of ours but its own sub-packages.
package models
