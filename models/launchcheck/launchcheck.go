// Package launchcheck looks for faults of a campaign before the campaign gets traffic. This package calls no other service: the
// state of links and domains is what the workers last found.
//
// To add a check, add a row to Table, the row's German texts to text/de/check.ts of the dashboard, and a case that breaks a sound
// campaign to TestEveryCheck in api/v1.
package launchcheck

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The states of a finding and of an area. Unknown means not checked yet.
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

// The ways to mend a finding.
const (
	VerifyDomain = "verify_domain"
	CheckLink    = "check_link"
	Resume       = "resume"
	Open         = "open"
)

// Mends lists the ways to mend a finding.
var Mends = []string{VerifyDomain, CheckLink, Resume, Open}

// The kinds of records to which a finding can belong.
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

// Kinds lists the kinds of records to which a finding can belong.
var Kinds = []string{AtCampaign, AtDomain, AtOffer, AtLander, AtSource, AtNetwork, AtSite, AtAccount}

// Place is the place of a fault.
type Place struct {
	Kind     string
	ID       uuid.UUID
	Name     string
	Path     string // id of the campaign's path; empty: the fault is not in a path
	PathName string
	Field    string    // field of the record; empty: the whole record
	Value    string    // the wrong text at the place, such as a server's answer or a macro
	At       time.Time // time of the last check by a worker, or since when the fault exists; zero: not known
}

// Check is a row of Table: one fault that a campaign may have.
type Check struct {
	Code  string
	Area  string
	State string
	// Says and Do are texts into which Finding.Filled inserts the name, value, path and time of the place.
	Says  string
	Costs string
	Do    string
	Mend  string
	Find  func(f *Facts, add func(Place))
}

// Finding is a fault of the campaign at a place.
type Finding struct {
	*Check
	Place
}

// Filled returns a text of the check in which the names and values of the place are inserted.
func (f Finding) Filled(text string) string {
	at := "never"
	if !f.At.IsZero() {
		at = f.At.UTC().Format("2006-01-02 15:04 UTC")
	}
	return strings.NewReplacer("{name}", f.Name, "{value}", f.Value, "{path}", f.PathName, "{at}", at).Replace(text)
}

// Result is the state of an area. Its findings are in the order of Table.
type Result struct {
	Area     string
	State    string
	Findings []Finding
	LeftOff  int
	LookedAt *time.Time // time of the oldest check by a worker; nil: workers do not check the area, or have not checked it yet
}

// MaxFindings is the maximum number of findings of one check in a report.
const MaxFindings = 20

// Report has the results of all checks.
type Report struct {
	State   string
	Count   map[string]int
	Results []Result
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
