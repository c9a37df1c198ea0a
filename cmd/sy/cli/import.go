package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"switchyard/models/foreign"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/readers"
)

// importCmd reads another tracker and makes a plan from the result. The requests to the tracker are sent from this machine, so the
// tracker's key is not sent to the service.
type importCmd struct {
	Tracker     string `arg:"" enum:"keitaro,binom,voluum,redtrack,csv" help:"keitaro, binom, voluum, redtrack, or csv for tables of any other."`
	URL         string `help:"Address of the tracker. With csv and a dump no request goes there: it only tells the records of several trackers apart." placeholder:"URL"`
	AccessID    string `help:"Voluum: the access id that belongs to the key."`
	Dump        string `help:"Keitaro: a dump of its database instead of the key, plain or gzip." type:"existingfile"`
	Offers      string `help:"csv: the table of offers." type:"existingfile"`
	Campaigns   string `help:"csv: the table of campaigns." type:"existingfile"`
	Links       string `help:"csv: the table of addresses in ads." type:"existingfile"`
	SkipRefused bool   `help:"Apply the rest if records are refused."`
	Plan        bool   `help:"Show the plan and change nothing. Exits with 2 if it would change something."`
	Yes         bool   `short:"y" help:"Do not ask."`
}

// Run implements the command.
func (c *importCmd) Run(ctx context.Context, e *env) error {
	client, err := e.client()
	if err != nil {
		return err
	}
	result, err := c.read(ctx, e)
	if err != nil {
		return err
	}
	document, err := result.Document.YAML()
	if err != nil {
		return err
	}
	const mostNotes = 2000 // maximum number of notes of a plan
	p, err := e.plan(ctx, client, c.Tracker, record{"document": string(document), "read": record{
		"tracker": c.Tracker, "links": result.Links, "notes": trackerimport.Worst(result.Notes, mostNotes),
	}})
	if err != nil {
		return err
	}
	e.printRefusedNotes(result.Notes)
	if c.Plan {
		return p.outcome()
	}
	return e.apply(ctx, client, p, c.SkipRefused, c.Yes)
}

func (c *importCmd) read(ctx context.Context, e *env) (result trackerimport.Result, err error) {
	files := readers.Files{}
	for _, f := range []struct {
		name string
		put  func([]byte)
	}{
		{c.Dump, func(raw []byte) { files.Dump = raw }},
		{c.Offers, func(raw []byte) { files.Offers = string(raw) }},
		{c.Campaigns, func(raw []byte) { files.Campaigns = string(raw) }},
		{c.Links, func(raw []byte) { files.Links = string(raw) }},
	} {
		if f.name == "" {
			continue
		}
		raw, err := os.ReadFile(f.name)
		if err != nil {
			return result, err
		}
		f.put(raw)
	}
	access := trackers.Access{URL: strings.TrimSpace(c.URL), ID: c.AccessID}
	byFile := c.Dump != "" || c.Tracker == trackerimport.FromCSV
	switch {
	case c.Dump != "" && c.Tracker != foreign.Keitaro:
		return result, errors.New("only Keitaro is read from a dump")
	case c.Tracker == trackerimport.FromCSV && files.Offers+files.Campaigns+files.Links == "":
		return result, errors.New("name at least one table: --offers, --campaigns or --links")
	case c.Tracker != trackerimport.FromCSV && files.Offers+files.Campaigns+files.Links != "":
		return result, errors.New("tables are read by `sy import csv`")
	case access.URL == "" && c.Tracker != foreign.Voluum && c.Tracker != foreign.RedTrack:
		return result, errors.New("say where the tracker is: --url https://tracker.example.com")
	case !byFile:
		if access.Key, err = e.trackerKey(); err != nil {
			return result, err
		}
	}
	done := e.progress()
	result, err = readers.Read(ctx, trackerClient, c.Tracker, access, files, done)
	done("", 0, 0)
	return result, err
}

// trackerClient calls trackers. It does not follow redirects, because their targets would receive the key.
var trackerClient = &http.Client{
	Timeout:       time.Minute,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// trackerKey returns the key of the tracker: SWITCHYARD_TRACKER_KEY, or the key that is entered or piped in.
func (e *env) trackerKey() (string, error) {
	if key := strings.TrimSpace(e.getenv("SWITCHYARD_TRACKER_KEY")); key != "" {
		return key, nil
	}
	return e.readSecret("Key of the tracker (it stays on this machine): ", "there is no key of the tracker: enter it, pipe it in, or set SWITCHYARD_TRACKER_KEY")
}

// progress returns a function that prints what is being read, on one line of a terminal. An empty text ends the line.
func (e *env) progress() trackers.Progress {
	last, open := "", false
	return func(what string, done, of int) {
		switch {
		case what == "" && open:
			_, _ = fmt.Fprintln(e.stderr)
		case what == "" || !e.ask && what == last:
			return
		default:
			text := fmt.Sprintf("Reading %s: %d", what, done)
			if of > 0 {
				text += fmt.Sprintf(" of %d", of)
			}
			if last, open = what, e.ask; e.ask {
				_, _ = fmt.Fprintf(e.stderr, "\r\x1b[K%s", text)
			} else {
				_, _ = fmt.Fprintln(e.stderr, text)
			}
		}
	}
}

// printRefusedNotes lists the records of the tracker that are not in the plan at all.
func (e *env) printRefusedNotes(notes []trackerimport.Note) {
	for _, n := range notes {
		if n.Severity == trackerimport.Refused {
			_, _ = fmt.Fprintf(e.stderr, "not imported: %s/%s %s: %s\n", n.Kind, cell(n.Key), cell(n.Name), cell(n.Text))
		}
	}
}
