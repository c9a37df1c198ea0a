// Package readers has the readers of other trackers by name, for the job config:import and the customers' command line.
package readers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"switchyard/models/foreign"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/binom"
	"switchyard/workers/providers/trackers/csv"
	"switchyard/workers/providers/trackers/keitaro"
	"switchyard/workers/providers/trackers/redtrack"
	"switchyard/workers/providers/trackers/voluum"
)

// Files has the customer's files. Keitaro is read from Dump, or from its API if there is no dump.
type Files struct {
	Dump                     []byte // of Keitaro's database
	Offers, Campaigns, Links string // tables in CSV
}

type reader func(ctx context.Context, client *http.Client, a trackers.Access, p trackers.Progress) (trackerimport.Result, error)

var byAPI = map[string]reader{
	foreign.Keitaro: keitaro.Read, foreign.Binom: binom.Read, foreign.Voluum: voluum.Read, foreign.RedTrack: redtrack.Read,
}

// Read reads a tracker by its API, or from files.
func Read(ctx context.Context, client *http.Client, tracker string, a trackers.Access, f Files, p trackers.Progress) (trackerimport.Result, error) {
	if tracker == foreign.Keitaro && len(f.Dump) > 0 {
		return keitaro.ReadDump(ctx, bytes.NewReader(f.Dump), a.URL, p)
	}
	if tracker == trackerimport.FromCSV {
		return csv.Read(csv.Tables{Name: a.URL, Offers: table(f.Offers), Campaigns: table(f.Campaigns), Links: table(f.Links)})
	}
	read, known := byAPI[tracker]
	if !known {
		return trackerimport.Result{}, fmt.Errorf("readers: there is no reader of %q", tracker)
	}
	return read(ctx, client, a, p)
}

func table(text string) io.Reader {
	if text == "" {
		return nil
	}
	return strings.NewReader(text)
}
