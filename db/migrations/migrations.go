// Package migrations holds the schema as embedded SQL files, one intent each, never edited once released.
package migrations

import "embed"

// FS holds the files, named NNNN_what.sql.
//
//go:embed *.sql
var FS embed.FS
