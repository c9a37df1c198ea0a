package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"switchyard/db/store"
	"switchyard/models/botdata"
	"switchyard/ops/config"
)

// dataCmd manages the lists for bot detection.
type dataCmd struct {
	Update dataUpdate `cmd:"" help:"Load lists from files. They replace the lists of the same kinds."`
	List   dataList   `cmd:"" help:"List the loaded lists with their dates, and the lists that are built into the program."`
	Delete dataDelete `cmd:"" help:"Remove the list of a kind."`
}

type dataUpdate struct {
	Files []string `arg:"" name:"file" help:"A text file with one entry a line, in which # begins a comment, or the JSON file of a large cloud provider. Files of the same kind are merged."`
	Kind  string   `help:"Kind of the entries: ${kinds}. Default: the kind that the file's name begins with." enum:",${kinds}" default:""`
	Force bool     `help:"Accept entries that would also mark people as bots, such as a search engine among spam referrers. Each such entry is printed."`
	JSON  bool     `help:"Print one JSON value."`
}

// Run implements the command. If any entry is wrong, nothing is loaded.
func (c *dataUpdate) Run(ctx context.Context, e *env) error {
	lists, err := c.read()
	if err != nil {
		return fmt.Errorf("nothing is loaded:\n%w", err)
	}
	for _, l := range lists {
		for _, why := range l.Overruled {
			e.logf("accepted because of --force: %s", why)
		}
	}
	return withLists(ctx, e, func(b store.BotData) error {
		if err := b.Save(ctx, lists); err != nil {
			return err
		}
		return printLists(ctx, e, b, c.JSON)
	})
}

// read merges the files of each kind into one list. It reports the errors of all files.
func (c *dataUpdate) read() (lists []*botdata.List, err error) {
	byKind := map[botdata.Kind]*botdata.List{}
	for _, name := range c.Files {
		kind, known := botdata.KindOfFile(name)
		if c.Kind != "" {
			kind, known = botdata.Named(c.Kind)
		}
		if !known {
			err = errors.Join(err, fmt.Errorf("%s: the name does not begin with a kind: name one by --kind %s", name,
				strings.Join(botdata.Names(), ", ")))
			continue
		}
		if byKind[kind] == nil {
			byKind[kind] = botdata.NewList(kind)
			byKind[kind].Force = c.Force
			lists = append(lists, byKind[kind])
		}
		content, dated, failed := readFile(name)
		if failed == nil {
			failed = byKind[kind].Read(name, content, dated)
		}
		err = errors.Join(err, failed)
	}
	return lists, err
}

// readFile reads a regular file, at most botdata.MaxFile + 1 bytes, so that the caller notices a larger file. It opens no other
// files, because opening a pipe would wait for a writer.
func readFile(name string) (content []byte, dated time.Time, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, dated, err
	}
	if !info.Mode().IsRegular() {
		return nil, dated, fmt.Errorf("%s is no regular file: write the list into one first", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, dated, err
	}
	defer f.Close() //nolint:errcheck // the file was only read
	content, err = io.ReadAll(io.LimitReader(f, botdata.MaxFile+1))
	return content, info.ModTime(), err
}

type dataList struct{ jsonFlag }

// Run implements the command.
func (c *dataList) Run(ctx context.Context, e *env) error {
	return withLists(ctx, e, func(b store.BotData) error { return printLists(ctx, e, b, c.JSON) })
}

type dataDelete struct {
	Kind string `arg:"" help:"One of ${kinds}." enum:"${kinds}"`
	JSON bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *dataDelete) Run(ctx context.Context, e *env) error {
	return withLists(ctx, e, func(b store.BotData) error {
		if err := b.Delete(ctx, c.Kind); err != nil {
			return err
		}
		return printLists(ctx, e, b, c.JSON)
	})
}

func withLists(ctx context.Context, e *env, fn func(store.BotData) error) error {
	return withStore(ctx, e, func(_ config.Config, s *store.Store) error { return fn(s.BotData()) })
}

// printLists prints all lists. The JSON form has no built-in lists.
func printLists(ctx context.Context, e *env, b store.BotData, asJSON bool) error {
	list, err := b.List(ctx)
	if err != nil {
		return err
	}
	rows := []string{"KIND\tENTRIES\tDATED\tLOADED\tWHAT IT DOES"}
	for _, l := range list {
		meaning := "unknown to this version"
		if kind, known := botdata.Named(l.Kind); known {
			meaning = kind.Meaning()
		}
		rows = append(rows, strings.Join([]string{
			l.Kind, strconv.Itoa(l.Entries), l.Dated.Format(time.DateOnly), l.LoadedAt.Format(time.DateOnly), meaning,
		}, "\t"))
	}
	for _, l := range botdata.BuiltIns {
		rows = append(rows, strings.Join([]string{
			l.Kind.String(), "built in", l.Dated.Format(time.DateOnly), "", l.Module + " " + l.Version,
		}, "\t"))
	}
	return e.print(asJSON, list, rows...)
}
