// Package migrations has the schema as embedded SQL files. The statements of a released file are never edited.
package migrations

import "embed"

// FS has the files, which are named NNNN_what.sql.
//
//go:embed *.sql
var FS embed.FS
