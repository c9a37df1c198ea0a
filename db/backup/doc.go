// Package backup writes the whole database into one file, and loads such a file into an empty database. It needs no other
// program.
//
// The file contains rows but no schema. Before the rows are loaded, our migrations create the schema. The file's header lists
// these migrations. The file is compressed with gzip. It consists of frames, each with a letter, a length and a content:
//
//	H  the header, as JSON
//	T  a table begins: its name and columns, as JSON
//	D  rows of that table, as lines of PostgreSQL's COPY in text form
//	E  a table ends: its number of rows and the SHA-256 of its lines, as JSON
//	Z  the file ends: the number of tables and rows, as JSON
//
// If the last frame of a file is missing, or a number of rows or a checksum is wrong, nothing is loaded.
package backup

import (
	"errors"
	"time"

	"github.com/google/uuid"
)

// format is the version of the file format.
const format = 1

// Header is the beginning of a file.
type Header struct {
	Format     int         `json:"format"`
	Program    string      `json:"program"` // version of the program that wrote the file
	TakenAt    time.Time   `json:"taken_at"`
	Migrations []int64     `json:"migrations"`
	Partitions []Partition `json:"partitions"`
	Sequences  []Sequence  `json:"sequences"`
}

// Partition is a partition for the ids in [Low, High). Partitions without such bounds are not listed, because the migrations create
// them.
type Partition struct {
	Table string    `json:"table"`
	Name  string    `json:"name"`
	Low   uuid.UUID `json:"low"`
	High  uuid.UUID `json:"high"`
}

// Sequence is the state of a sequence. It may be ahead of the rows, but never behind them.
type Sequence struct {
	Name   string `db:"name" json:"name"`
	Last   int64  `db:"last" json:"last"`
	Called bool   `db:"called" json:"called"`
}

// Summary counts the contents of a file.
type Summary struct {
	Tables int   `json:"tables"`
	Rows   int64 `json:"rows"`
}

// Progress is called while a table is written or loaded, and at its end, when done is true. rows is the number of its rows so
// far.
type Progress func(table string, rows int64, done bool)

// progressRows is the number of rows between two calls of Progress by Write.
const progressRows = 250_000

// Errors of Restore that an operator can do something about.
var (
	ErrNotBackup = errors.New("this file is not a backup of switchyard")
	ErrDamaged   = errors.New("the backup is cut off or damaged")
	ErrNewer     = errors.New("the backup was made by a newer version of this program")
	ErrNotEmpty  = errors.New("the database is not empty")
	// ErrNeverMigrated is an error of Write.
	ErrNeverMigrated = errors.New("the database has no schema: there is nothing to back up")
)

// tableEnd is the content of the frame that ends a table.
type tableEnd struct {
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}
