package export

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/export"
	"switchyard/db/store"
)

// foreign marks a text that a visitor, a platform or a user has chosen.
const foreign = true

// labelBatch is the number of rows for which names are read at once.
const labelBatch = 1000

// rowWriter writes rows to a file. After the id of a record it adds a cell with the record's name. If namesOnly is set, the name
// replaces the id, except for a record without a name.
type rowWriter struct {
	store     *store.Store
	account   uuid.UUID
	file      *file
	columns   []export.Heading
	namesOnly bool
	batch     [][]string
}

// write begins a file. The caller adds all rows to the writer, then flushes it. With headings in the request, names replace ids.
// Without headings in the request, each column is headed by its name. The heading of a sub-parameter also has the name in subNames.
func (m *maker) write(ctx context.Context, u *run, f *file, columns []export.Heading, subNames map[string]string) (*rowWriter, error) {
	w := &rowWriter{m.store, u.Job.AccountID.UUID, f, columns, len(u.Args.Headings) > 0, nil}
	if w.namesOnly {
		return w, f.head(ctx, u.Args.Headings)
	}
	var names []string
	for _, c := range columns {
		name := c.Name
		if subNames[name] != "" {
			name = subNames[name] + " (" + name + ")"
		}
		if names = append(names, name); store.HasLabels(c.Name) {
			names = append(names, store.LabelName(c.Name))
		}
	}
	return w, f.head(ctx, names)
}

// subNames returns the names of sub-parameters, if the request asks for them in headings.
func (m *maker) subNames(ctx context.Context, u *run) (map[string]string, error) {
	if !u.Args.SubNames {
		return nil, nil
	}
	return m.store.SubNames(ctx, u.Job.AccountID.UUID, u.Args.Filters)
}

func (w *rowWriter) add(ctx context.Context, cells []string) error {
	if w.batch = append(w.batch, cells); len(w.batch) < labelBatch {
		return nil
	}
	return w.flush(ctx)
}

// flush reads the names for the rows added so far and writes the rows to the file.
func (w *rowWriter) flush(ctx context.Context) error {
	labels := make([]map[string]string, len(w.columns))
	for i, c := range w.columns {
		if !store.HasLabels(c.Name) {
			continue
		}
		ids := db.Map(w.batch, func(cells []string) string { return cells[i] })
		slices.Sort(ids)
		var err error
		if labels[i], err = w.store.Labels(ctx, w.account, c.Name, slices.Compact(ids)); err != nil {
			return err
		}
	}
	for _, cells := range w.batch {
		for i, c := range w.columns {
			name := labels[i][cells[i]]
			if !w.namesOnly || name == "" {
				w.file.cell(cells[i], c.Foreign)
			}
			if labels[i] != nil && (!w.namesOnly || name != "") {
				w.file.cell(name, foreign)
			}
		}
		if err := w.file.row(ctx); err != nil {
			return err
		}
	}
	w.batch = w.batch[:0]
	return nil
}
