// Package launchcheck looks for faults of a campaign before it gets traffic. Table has a row for each fault. Package
// db/launchcheck reads the Facts. Nothing here calls another service: the answers of links and domains are the ones that the
// workers last found.
//
// To add a check, add its row to Table, its German texts to text/de/checks.ts of the dashboard, and a case that breaks a sound
// campaign to TestEveryCheck in api/v1.
package launchcheck

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The states of a finding and of an area, the best first. Unknown means not checked yet, and never counts as fine.
const (
	OK      = "ok"
	Warning = "warning"
	Unknown = "unknown"
	Problem = "problem"
)

// States lists all states, the best first.
var States = []string{OK, Warning, Unknown, Problem}

// Areas lists the areas of the checks, in the order of a report.
var Areas = []string{
	"link", "destinations", "macros", "source", "cost", "postbacks", "payout", "shares", "fallback", "bots", "caps", "rates", "landers", "tag",
}

// The ways to mend a finding. Each but Open is one call of the API.
const (
	VerifyDomain = "verify_domain" // POST /domains/{id}/verify
	CheckLink    = "check_link"    // POST /tools/check-links
	Resume       = "resume"        // PATCH of the record with is_active
	Open         = "open"          // a person changes the field
)

// Mends lists the ways to mend a finding.
var Mends = []string{VerifyDomain, CheckLink, Resume, Open}

// The kinds of records at which a finding is.
const (
	AtCampaign = "campaign"
	AtDomain   = "domain"
	AtOffer    = "offer"
	AtLander   = "lander"
	AtSource   = "source"
	AtNetwork  = "network"
	AtSite     = "site"
	AtAccount  = "account"
)

// Kinds lists the kinds of records at which a finding is.
var Kinds = []string{AtCampaign, AtDomain, AtOffer, AtLander, AtSource, AtNetwork, AtSite, AtAccount}

// Place is where a fault is.
type Place struct {
	Kind     string // one of Kinds
	ID       uuid.UUID
	Name     string
	Path     string // id of the campaign's path; empty: the fault is in none
	PathName string
	Field    string    // of the record; empty: the whole record
	Value    string    // what is wrong there, such as an answer or a macro
	At       time.Time // when that was found; zero: it is so now, or was never checked
}

// Check is a row of Table: one fault that a campaign may have.
type Check struct {
	Code  string
	Area  string // one of Areas
	State string // of its findings
	// These sentences are for a person. Finding.Filled puts the name, value, path and time of the place into them.
	Says  string // what is wrong
	Costs string // what the fault costs
	Do    string // what to do
	Mend  string // one of Mends
	// Find calls add for each place with the fault.
	Find func(f *Facts, add func(Place))
}

// Finding is a fault of the campaign at a place.
type Finding struct {
	*Check
	Place
}

// Filled returns a text of the check with the names and values of the place.
func (f Finding) Filled(text string) string {
	at := "never"
	if !f.At.IsZero() {
		at = f.At.UTC().Format("2006-01-02 15:04 UTC")
	}
	return strings.NewReplacer("{name}", f.Name, "{value}", f.Value, "{path}", f.PathName, "{at}", at).Replace(text)
}

// Result is the state of an area. Its findings have the order of Table. Findings of one check have the order of the paths.
type Result struct {
	Area     string
	State    string
	Findings []Finding
	LeftOff  int        // findings beyond MaxFindings of a check
	LookedAt *time.Time // the time of the oldest check by a worker; nil: no worker checks the area, or none has checked it yet
}

// MaxFindings is the number of findings of one check that a report has.
const MaxFindings = 20

// Report is everything that was found.
type Report struct {
	State   string // the worst of the areas
	Count   map[string]int
	Results []Result // of all Areas
}

// Run looks for every fault of Table.
func Run(f *Facts) Report {
	report := Report{State: OK, Count: map[string]int{}, Results: make([]Result, len(Areas))}
	for i, area := range Areas {
		report.Results[i] = Result{Area: area, State: OK, LookedAt: f.lookedAt(area)}
	}
	for i := range Table {
		row := &Table[i]
		result := &report.Results[slices.Index(Areas, row.Area)]
		found := 0
		row.Find(f, func(p Place) {
			report.Count[row.State]++
			if found++; found > MaxFindings {
				result.LeftOff++
				return
			}
			result.Findings = append(result.Findings, Finding{row, p})
		})
		if found > 0 {
			result.State = worse(result.State, row.State)
			report.State = worse(report.State, row.State)
		}
	}
	return report
}

func worse(a, b string) string { return States[max(slices.Index(States, a), slices.Index(States, b))] }
