package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
)

// jsonFlag is the flag of commands that print a list or a result.
type jsonFlag struct {
	JSON bool `help:"Print one JSON value."`
}

// accountFlags are the flags of commands that print the records of an account.
type accountFlags struct {
	Account string `help:"Id of the account." required:""`
	jsonFlag
}

// print writes the answer of a command: the value as JSON, or the rows as a table.
func (e *env) print(asJSON bool, value any, rows ...string) error {
	if asJSON {
		return e.printJSON(value)
	}
	return e.printTable(rows)
}

// printJSON writes value as the only JSON document on standard output.
func (e *env) printJSON(value any) error {
	enc := json.NewEncoder(e.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// printTable writes rows of tab-separated cells as aligned columns.
func (e *env) printTable(rows []string) error {
	w := tabwriter.NewWriter(e.stdout, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		if _, err := fmt.Fprintln(w, row); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func tableOf[T any](header string, list []T, cells func(T) []string) []string {
	rows := []string{header}
	for _, item := range list {
		rows = append(rows, strings.Join(cells(item), "\t"))
	}
	return rows
}

// logf writes a line of progress to standard error.
func (e *env) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(e.stderr, "  "+format+"\n", args...)
}
