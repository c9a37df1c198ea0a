package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	switchyard "switchyard/api/clients/go"
)

// exportCmd writes the account's configuration as a document.
type exportCmd struct {
	File  string   `short:"f" help:"File to write instead of standard output." type:"path"`
	Kinds []string `help:"Only these kinds of records."`
}

// Run implements the command.
func (c *exportCmd) Run(ctx context.Context, e *env) error {
	format := map[string]string{"table": "yaml", "yaml": "yaml", "json": "json"}[e.Output]
	if format == "" {
		return errors.New("a document can only be written as yaml or json: add -o yaml or -o json")
	}
	client, err := e.client()
	if err != nil {
		return err
	}
	query := url.Values{"format": {format}}
	if len(c.Kinds) > 0 {
		query.Set("kinds", strings.Join(c.Kinds, ","))
	}
	var text []byte
	if err := client.Do(ctx, http.MethodGet, "/api/v1/config", query, nil, &text); err != nil {
		return err
	}
	if c.File != "" {
		return os.WriteFile(c.File, text, 0o600)
	}
	_, err = e.stdout.Write(text)
	return err
}

// documentFlags are the flags of diff and apply.
type documentFlags struct {
	File       string `short:"f" required:"" help:"File with the document, or - for standard input."`
	PruneGroup string `help:"Delete records of this group that are missing from the document. Campaigns with clicks are archived."`
	PruneTag   string `help:"Delete records with this tag that are missing from the document."`
}

type plan struct {
	ID      string            `json:"plan_id"`
	State   string            `json:"state"`
	Problem string            `json:"problem"`
	Counts  map[string]int    `json:"counts"`
	Notes   []json.RawMessage `json:"notes"`
}

func (p plan) changes() int {
	return p.Counts["create"] + p.Counts["change"] + p.Counts["delete"] + p.Counts["archive"]
}

type item struct {
	Kind, Key, Name, Op string
	Fields              []struct {
		Path string
		Was  any
		Is   any
	}
	Errors, Warnings []string
}

func (c *documentFlags) make(ctx context.Context, e *env, client *switchyard.Client) (p plan, err error) {
	text, err := e.readFile(c.File)
	if err != nil {
		return p, err
	}
	return e.plan(ctx, client, c.File, record{"document": string(text), "prune": record{"group": c.PruneGroup, "tag": c.PruneTag}})
}

// plan makes and shows a plan. name is the document's origin, such as its file.
func (e *env) plan(ctx context.Context, client *switchyard.Client, name string, body record) (p plan, err error) {
	if err := client.Do(ctx, http.MethodPost, "/api/v1/config/plan", nil, body, &p); err != nil {
		return p, err
	}
	path := "/api/v1/config/plans/" + url.PathEscape(p.ID)
	var whole record
	var raw json.RawMessage
	if err := client.Do(ctx, http.MethodGet, path, nil, nil, &raw); err != nil {
		return p, err
	}
	if err := errors.Join(json.Unmarshal(raw, &p), decode(raw, &whole)); err != nil {
		return p, err
	}
	if p.State == "refused" {
		return p, exitError{exitRefused, name + ": " + p.Problem}
	}
	items := []record{}
	query := url.Values{"op": {"create,change,delete,archive,refused"}, "limit": {"1000"}}
	for {
		var page struct {
			Rows []json.RawMessage
			Next *int
		}
		if err := client.Do(ctx, http.MethodGet, path+"/items", query, nil, &page); err != nil {
			return p, err
		}
		for _, raw := range page.Rows {
			var r record
			var i item
			if err := errors.Join(decode(raw, &r), decode(raw, &i)); err != nil {
				return p, err
			}
			if items = append(items, r); e.Output == "table" {
				e.printItem(i)
			}
		}
		if page.Next == nil {
			break
		}
		query.Set("position", strconv.Itoa(*page.Next))
	}
	switch whole["items"] = items; e.Output {
	case "csv":
		return p, e.printCSV(items, []string{"op", "kind", "key", "name", "errors", "warnings"})
	case "table":
		_, err = fmt.Fprintf(e.stdout, "Plan %s: %s\n", p.ID, counted(p.Counts))
		return p, err
	}
	return p, e.printValue(whole)
}

func counted(counts map[string]int) string {
	var parts []string
	for _, op := range []string{"create", "change", "delete", "archive", "refused", "same"} {
		parts = append(parts, fmt.Sprintf("%d %s", counts[op], op))
	}
	return strings.Join(parts, ", ")
}

func (e *env) printItem(i item) {
	sign, colour := "~", 33
	switch i.Op {
	case "create":
		sign, colour = "+", 32
	case "delete", "archive":
		sign, colour = "-", 31
	case "refused":
		sign, colour = "!", 31
	}
	_, _ = fmt.Fprintln(e.stdout, e.paint(colour, sign+" "+i.Op), i.Kind+"/"+i.Key, cell(i.Name))
	for _, f := range i.Fields {
		_, _ = fmt.Fprintf(e.stdout, "    %s: %s -> %s\n", cell(f.Path), valueOf(f.Was), valueOf(f.Is))
	}
	for _, text := range i.Errors {
		_, _ = fmt.Fprintln(e.stdout, "   ", e.paint(31, "error:"), cell(text))
	}
	for _, text := range i.Warnings {
		_, _ = fmt.Fprintln(e.stdout, "   ", e.paint(33, "warning:"), cell(text))
	}
}

func valueOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return cell(string(raw))
}

// outcome returns, as an error, the exit code of a command that writes nothing.
func (p plan) outcome() error {
	if n := p.Counts["refused"]; n > 0 {
		return exitError{exitRefused, fmt.Sprintf("%d records are refused: correct the document, or apply it with --skip-refused", n)}
	}
	if p.changes() > 0 {
		return exitError{exitDiffers, ""}
	}
	return nil
}

// diffCmd shows what a document would change.
type diffCmd struct{ documentFlags }

// Run implements the command.
func (c *diffCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	p, err := c.make(ctx, e, client)
	if err != nil {
		return err
	}
	return p.outcome()
}

// applyCmd changes the account to what a document says.
type applyCmd struct {
	documentFlags
	SkipRefused bool `help:"Apply the rest if records are refused."`
	Yes         bool `short:"y" help:"Do not ask."`
	DryRun      bool `help:"Show the plan and change nothing, as diff does."`
}

// Run implements the command.
func (c *applyCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	p, err := c.make(ctx, e, client)
	if err != nil || c.DryRun {
		return errors.Join(err, p.outcome())
	}
	return e.apply(ctx, client, p, c.SkipRefused, c.Yes)
}

// apply carries out a plan after asking for confirmation.
func (e *env) apply(ctx context.Context, client *switchyard.Client, p plan, skipRefused, yes bool) error {
	if p.Counts["refused"] > 0 && !skipRefused {
		return p.outcome()
	}
	if p.changes() == 0 {
		return nil
	}
	if err := e.agree(yes, fmt.Sprintf("Apply %d changes?", p.changes())); err != nil {
		return err
	}
	return e.finish(ctx, client, "apply", record{"plan_id": p.ID, "skip_refused": skipRefused}, "`sy undo "+p.ID+"` undoes this.")
}

// agree asks the user to confirm a change. Without a terminal, --yes must be given.
func (e *env) agree(yes bool, question string) error {
	if yes {
		return nil
	}
	if !e.ask {
		return errors.New("nothing was changed, because this is no terminal and no one can be asked: add --yes")
	}
	_, _ = fmt.Fprint(e.stderr, question+" [y/N] ")
	lines := bufio.NewScanner(e.stdin)
	lines.Scan()
	if answer := strings.ToLower(strings.TrimSpace(lines.Text())); answer != "y" && answer != "yes" {
		return errors.New("nothing is changed")
	}
	return nil
}

// finish applies or undoes a plan. It prints the number of written records, and each record that an undo did not restore.
func (e *env) finish(ctx context.Context, client *switchyard.Client, what string, body record, next string) error {
	var done struct {
		Done int      `json:"done"`
		Kept []string `json:"kept"`
	}
	if err := client.Do(ctx, http.MethodPost, "/api/v1/config/"+what, nil, body, &done); err != nil {
		return err
	}
	for _, kept := range done.Kept {
		_, _ = fmt.Fprintln(e.stderr, "kept:", cell(kept))
	}
	_, _ = fmt.Fprintln(e.stderr, strings.TrimSpace(fmt.Sprintf("Written records: %d. %s", done.Done, next)))
	return nil
}

// undoCmd undoes an applied plan.
type undoCmd struct {
	Plan   string `arg:"" help:"Id of the plan, as sy apply and sy get plans print it."`
	Yes    bool   `short:"y" help:"Do not ask."`
	DryRun bool   `help:"Show the state of the plan and change nothing."`
}

// Run implements the command.
func (c *undoCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := client.Do(ctx, http.MethodGet, "/api/v1/config/plans/"+url.PathEscape(c.Plan), nil, nil, &raw); err != nil {
		return err
	}
	var p plan
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(e.stderr, "Plan %s is %s: %s\n", p.ID, p.State, counted(p.Counts))
	if c.DryRun {
		return nil
	}
	if err := e.agree(c.Yes, "Undo this plan?"); err != nil {
		return err
	}
	return e.finish(ctx, client, "undo", record{"plan_id": p.ID}, "")
}
