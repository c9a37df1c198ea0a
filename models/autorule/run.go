package autorule

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/copilot"
)

// How a run ended.
const (
	RunDone     = "done"
	RunShadow   = "shadow"        // nothing was to be changed
	RunTooLarge = "too_large"     // its figures take more clicks to read than a run may
	RunPlan     = "plan_required" // the plan does not allow automatic changes
	RunFailed   = "failed"        // by a fault of this install, several times
)

// What became of a target that matched.
const (
	ItemDone    = "done"
	ItemWould   = "would"   // it would have been done
	ItemCooling = "cooling" // it was acted upon, or that was taken back, within the cool-down
	ItemIdle    = "idle"    // nothing is left to change
	ItemLeft    = "left"    // the run had its most changes
	ItemRefused = "refused" // it has changed since, or cannot be changed: Why gives the reason
)

// MaxItems is how many targets a run's log has.
const MaxItems = 50

// RunSummary is what a run came to.
type RunSummary struct {
	At      models.Stamp `db:"at" json:"at"`
	From    models.Stamp `db:"window_from" json:"from" doc:"the window's"`
	To      models.Stamp `db:"window_to" json:"to"`
	Outcome string       `db:"outcome" json:"outcome" enum:"done,shadow,too_large,plan_required,failed"`
	Looked  int          `db:"looked" json:"looked" doc:"at how many campaigns, paths, offers or values"`
	Matched int          `db:"matched" json:"matched" doc:"of them, those about which all conditions held"`
	Done    int          `db:"done" json:"done" doc:"changes that were made, or alerts that stand"`
	Cut     bool         `db:"cut" json:"cut" doc:"there was more than one run looks at"`
}

// Run is one run of a rule.
type Run struct {
	ID uuid.UUID `db:"id" json:"id"`
	RunSummary
	Items []RunItem `db:"items,json" json:"items" doc:"what matched, at most 50: those that cost most first"`
}

// RunItem is a target that matched in a run.
type RunItem struct {
	Of       string           `json:"of"`
	Outcome  string           `json:"outcome" enum:"done,would,cooling,idle,left,refused"`
	Why      string           `json:"why" doc:"of what was refused"`
	ChangeID uuid.NullUUID    `json:"change_id" doc:"of done: the change, which POST /copilot undo takes back; null: an alert"`
	Figures  []copilot.Figure `json:"figures"`
}

// NewRun begins the log of a run.
func (s Settings) NewRun(a models.Account, at time.Time) Run {
	from, to := s.WindowAt(a, at)
	return Run{ID: uuid.Must(uuid.NewV7()), Items: []RunItem{}, RunSummary: RunSummary{
		At: models.Stamp{Time: at}, From: models.Stamp{Time: from}, To: models.Stamp{Time: to}, Outcome: RunDone,
	}}
}

// Quiet reports whether the run tells nothing: nothing matched.
func (r *Run) Quiet() bool {
	return r.Matched == 0 && r.Outcome != RunTooLarge && r.Outcome != RunFailed
}

// Note adds targets to the log, as far as it has room.
func (r *Run) Note(s Settings, outcome, why string, change uuid.NullUUID, targets ...Target) {
	for i := range targets {
		if len(r.Items) < MaxItems {
			r.Items = append(r.Items, RunItem{targets[i].Name, outcome, why, change, s.Shown(&targets[i])})
		}
	}
}
