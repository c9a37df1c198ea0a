package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"switchyard/db"
	"switchyard/db/backup"
	"switchyard/ops/config"
)

const standard = "-"

// notInBackup tells operators which data a backup does not contain.
const notInBackup = `The file does not contain ENCRYPTION_KEY. Stored credentials can be decrypted only with this key: keep it in another
place. The file also lacks clicks and postbacks that are not ingested yet (DATA_DIR/spool), clicks that are only in ClickHouse
(CLICKS_DAYS), the hashed personal data of conversions, and the data in Redis. No backup of Redis is needed.`

// backupCmd writes a backup.
type backupCmd struct {
	File  string `arg:"" help:"File to write; - is the standard output."`
	Force bool   `help:"Replace FILE if it exists."`
}

// Help implements kong.HelpProvider.
func (c *backupCmd) Help() string {
	return `Writes the whole database, in its state at one moment, into one compressed file that only its owner can read. The service
keeps running. Migrations wait until the backup is complete. Until then the file is called FILE.part. The file contains the
hashes of all keys, the addresses of visitors and the data of customers: keep it as safe as the database.

` + notInBackup
}

// Run implements the command.
func (c *backupCmd) Run(ctx context.Context, e *env) error {
	if _, err := os.Lstat(c.File); err == nil && c.File != standard && !c.Force {
		return fmt.Errorf("%s exists already; name another file, or replace this file with --force", c.File)
	}
	return withAnyDatabase(ctx, e, func(_ config.Config, d *db.DB) error {
		var sum backup.Summary
		write := func(w io.Writer) (err error) {
			sum, err = backup.Write(ctx, d, w, readBuild().Version, e.printProgress)
			return err
		}
		if c.File == standard {
			if err := write(e.stdout); err != nil {
				return err
			}
		} else if err := writeWhole(c.File, write); err != nil {
			return withNextStep(err)
		}
		e.logf("%d rows of %d tables are in %s", sum.Rows, sum.Tables, c.File)
		return nil
	})
}

// writeWhole writes a file under a temporary name, and renames it when it is complete and synced to disk.
func writeWhole(name string, write func(io.Writer) error) (err error) {
	part := name + ".part"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(part))
		}
	}()
	err = f.Chmod(0o600) // a file left by an earlier run keeps its old mode
	if err == nil {
		err = write(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, name); err != nil {
		return err
	}
	// The synced directory makes the new name survive a crash. Not every system can sync directories.
	if dir, err := os.Open(filepath.Dir(name)); err == nil {
		_, _ = dir.Sync(), dir.Close()
	}
	return nil
}

// restoreCmd loads a backup.
type restoreCmd struct {
	File string `arg:"" help:"File to read; - is the standard input."`
}

// Help implements kong.HelpProvider.
func (c *restoreCmd) Help() string {
	return `Loads a backup into the empty database that DATABASE_URL names, and migrates the database to this program's schema. The
role in DATABASE_URL must own the database, but need not be a superuser. If loading fails, no rows are stored, and the same
command can be run again. If only the migrations fail, the rows stay: run "switchyard migrate". Start the service
afterwards, with an empty Redis.

` + notInBackup
}

// Run implements the command.
func (c *restoreCmd) Run(ctx context.Context, e *env) error {
	in := io.Reader(os.Stdin)
	if c.File != standard {
		f, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // the file was only read
		in = f
	}
	return withBareDatabase(ctx, e, func(_ config.Config, d *db.DB) error {
		h, sum, err := backup.Restore(ctx, d, in, e.printProgress)
		if err != nil {
			return withNextStep(err)
		}
		e.logf("restored %d rows of %d tables, in their state of %s", sum.Rows, sum.Tables,
			h.TakenAt.UTC().Format(time.RFC3339))
		e.logf("start the service with the ENCRYPTION_KEY that it had at that time, and with an empty Redis")
		return nil
	})
}

// withNextStep adds the operator's next step to a known error.
func withNextStep(err error) error {
	for known, nextStep := range map[error]string{
		backup.ErrNeverMigrated: "does DATABASE_URL name the right database?",
		backup.ErrNotBackup:     "name a file that `switchyard backup` has written",
		backup.ErrDamaged:       "nothing was loaded; take another copy of the file, or an earlier backup",
		backup.ErrNewer:         "use that version to restore it",
		backup.ErrNotEmpty: "nothing was loaded; make a new database (CREATE DATABASE ... OWNER ...), let DATABASE_URL " +
			"name it, and run neither `switchyard migrate` nor the service before the restore",
		context.Canceled: "the command was interrupted; if no rows were loaded, run the same command again",
	} {
		if errors.Is(err, known) {
			return fmt.Errorf("%w; %s", err, nextStep)
		}
	}
	return err
}

// printProgress prints the number of a table's rows so far, or their total once the table is done.
func (e *env) printProgress(table string, rows int64, done bool) {
	if done {
		e.logf("%s: %d rows", table, rows)
	} else {
		e.logf("%s: %d rows so far", table, rows)
	}
}
