package autorule

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/copilot"
)

// The outcomes of a run.
const (
	RunDone     = "done"
	RunShadow   = "shadow"        // the rule is in shadow mode, so nothing was changed
	RunTooLarge = "too_large"     // the figures need more clicks than a run may read
	RunPlan     = "plan_required" // the plan does not allow automatic changes
	RunFailed   = "failed"        // the run failed several times because of a fault of this install
)

// The outcomes for a target that matched.
const (
	ItemDone    = "done"
	ItemWould   = "would"   // the change would have been made in live mode
	ItemCooling = "cooling" // the cool-down after an action on the target, or after the undo of an action, is not over
	ItemIdle    = "idle"    // nothing is left to change
	ItemLeft    = "left"    // the run had already made the maximum number of changes
	ItemRefused = "refused" // the target has changed after it was judged, or cannot be changed; Why gives the reason
)

// MaxItems is the maximum number of targets in the log of a run.
const MaxItems = 50

// RunSummary is the result of a run.
type RunSummary struct {
	At      models.Stamp `db:"at" json:"at"`
	From    models.Stamp `db:"window_from" json:"from" doc:"start of the window"`
	To      models.Stamp `db:"window_to" json:"to"`
	Outcome string       `db:"outcome" json:"outcome" enum:"done,shadow,too_large,plan_required,failed"`
	Looked  int          `db:"looked" json:"looked" doc:"how many campaigns, paths, offers or values were checked"`
	Matched int          `db:"matched" json:"matched" doc:"how many of the checked campaigns, paths, offers or values met all conditions"`
	Done    int          `db:"done" json:"done" doc:"changes that were made, or alerts that are active"`
	Cut     bool         `db:"cut" json:"cut" doc:"true if there were more campaigns, paths, offers or values than a run can check; some were not checked"`
}

// Run is one run of a rule.
type Run struct {
	ID uuid.UUID `db:"id" json:"id"`
	RunSummary
	Items []RunItem `db:"items,json" json:"items" doc:"targets that matched, at most 50; the targets with the highest cost come first"`
}

// RunItem is a target that matched in a run.
type RunItem struct {
	Of       string           `json:"of"`
	Outcome  string           `json:"outcome" enum:"done,would,cooling,idle,left,refused"`
	Why      string           `json:"why" doc:"why the change was refused"`
	ChangeID uuid.NullUUID    `json:"change_id" doc:"id of the change, with which POST /copilot can undo it; null: an alert, or no change was made"`
	Figures  []copilot.Figure `json:"figures"`
}

// NewRun returns the empty log of a new run.
func (s Settings) NewRun(a models.Account, at time.Time) Run {
	from, to := s.WindowAt(a, at)
	return Run{ID: uuid.Must(uuid.NewV7()), Items: []RunItem{}, RunSummary: RunSummary{
		At: models.Stamp{Time: at}, From: models.Stamp{Time: from}, To: models.Stamp{Time: to}, Outcome: RunDone,
	}}
}

// Quiet reports whether nothing matched and no error occurred.
func (r *Run) Quiet() bool {
	return r.Matched == 0 && r.Outcome != RunTooLarge && r.Outcome != RunFailed
}

// Record adds targets to the log, up to MaxItems.
func (r *Run) Record(s Settings, outcome, why string, change uuid.NullUUID, targets ...Target) {
	for i := range targets {
		if len(r.Items) < MaxItems {
			r.Items = append(r.Items, RunItem{targets[i].Name, outcome, why, change, s.TargetFigures(&targets[i])})
		}
	}
}
