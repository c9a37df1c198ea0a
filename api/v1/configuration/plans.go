package configuration

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/bind"
	"switchyard/models/foreign"
	"switchyard/models/trackerimport"
)

// PlanConfigBody is the body of POST /config/plan.
type PlanConfigBody struct {
	Document json.RawMessage     `json:"document" is:"json" required:"invalid_document" doc:"the document: an object, or a text with YAML or JSON"`
	Prune    accountconfig.Prune `json:"prune" doc:"delete records that are missing from the document, but only those of a group or with a tag; campaigns with clicks are archived"`
	Read     ConfigRead          `json:"read" doc:"additional data for a document that was read from another tracker, as sy import sends them"`
}

// ConfigRead is what a program such as sy import read from another tracker in addition to the document.
type ConfigRead struct {
	Tracker string     `json:"tracker" optional:"true" enum:"keitaro,binom,voluum,redtrack,csv," doc:"the origin of the plan"`
	Links   []ReadLink `json:"links" maxItems:"200000" doc:"tracking links of the other tracker that are used in ads"`
	Notes   []ReadNote `json:"notes" maxItems:"2000" doc:"what could not be imported"`
}

// ReadLink is a tracking link of another tracker, and the campaign to which it will lead.
type ReadLink struct {
	Domain   string `json:"domain" maxLength:"253" doc:"host; empty: every imported domain"`
	Form     string `json:"form" enum:"path,query,php,go,cf"`
	ID       string `json:"id" maxLength:"255" doc:"what the link names: an alias, a key, or an id"`
	Campaign string `json:"campaign" maxLength:"100" doc:"key of the campaign in the document"`
}

// ReadNote says what happened to a record of the other tracker.
type ReadNote struct {
	Severity string             `json:"severity" enum:"refused,lost,changed"`
	Kind     accountconfig.Kind `json:"kind"`
	Key      string             `json:"key" maxLength:"100"`
	Name     string             `json:"name" maxLength:"2000"`
	Text     string             `json:"text" maxLength:"2000"`
}

func (r *ConfigRead) imported() (links []trackerimport.Link, notes []trackerimport.Note, err error) {
	if r.Tracker == "" && len(r.Links)+len(r.Notes) > 0 {
		return nil, nil, models.Invalid("invalid_input", "read.tracker is required with links and notes")
	}
	for _, l := range r.Links {
		if err := foreign.CheckID(l.ID); err != nil {
			return nil, nil, err
		}
		if !slices.Contains(foreign.Forms, l.Form) {
			return nil, nil, models.Invalid("invalid_input", "read.links: %.20q is not a form of another tracker's links", l.Form)
		}
		links = append(links, trackerimport.Link(l))
	}
	for _, n := range r.Notes {
		if !slices.Contains(trackerimport.Severities, n.Severity) || n.Kind != "" && !n.Kind.Known() {
			return nil, nil, models.Invalid("invalid_input", "read.notes: the note about %.60q has a severity or a kind that does not exist", n.Key)
		}
		notes = append(notes, trackerimport.Note(n))
	}
	return links, notes, nil
}

// ConfigPlan is what a document would change, or has changed.
type ConfigPlan struct {
	PlanID    uuid.UUID            `json:"plan_id"`
	State     string               `json:"state" enum:"making,refused,planned,applying,applied,stopped,undoing,undone" doc:"refused: the document or the other tracker could not be read; stopped: a record could not be written, and the records written before it are kept"`
	Origin    string               `json:"origin" enum:"document,keitaro,binom,voluum,redtrack,csv" doc:"the tracker from which the plan was read; document: the plan was made from a document alone"`
	Counts    map[string]int       `json:"counts" doc:"numbers of records by operation: create, change, same, delete, archive, refused"`
	Done      int                  `json:"done" doc:"number of records that are written so far"`
	Work      int                  `json:"work" doc:"number of records to write"`
	Progress  string               `json:"progress" doc:"what is being read from another tracker"`
	Problem   string               `json:"problem" doc:"why the plan is refused or was stopped; else empty"`
	Notes     []trackerimport.Note `json:"notes" doc:"what could not be imported from another tracker, the worst first"`
	CreatedAt string               `json:"created_at"`
	AppliedAt *string              `json:"applied_at"`
	UndoneAt  *string              `json:"undone_at"`
}

func configPlan(p dbconfig.Plan) ConfigPlan {
	return ConfigPlan{
		PlanID: p.ID, State: p.State, Origin: p.Origin, Counts: p.Counts, Done: p.Done, Work: p.Work, Progress: p.Progress, Problem: p.Problem, Notes: p.Notes,
		CreatedAt: answer.Stamp(p.CreatedAt.Time), AppliedAt: answer.StampOrNull(p.AppliedAt), UndoneAt: answer.StampOrNull(p.UndoneAt),
	}
}

// ConfigPlanned is the answer of the calls that make a plan.
type ConfigPlanned struct {
	PlanID uuid.UUID `json:"plan_id" doc:"for GET /config/plans/{id}, which describes the plan"`
}

var planConfigJob = slow.New(jobs.PlanConfig, func(a jobs.ConfigPlanned) ConfigPlanned { return ConfigPlanned(a) })

func (d Deps) planConfig(c *route.Call, b PlanConfigBody) (ConfigPlanned, error) {
	document := []byte(b.Document)
	var text string
	if json.Unmarshal(b.Document, &text) == nil && strings.TrimSpace(text) != "" {
		document = []byte(text)
	} else if _, err := bind.Object(b.Document); err != nil {
		return ConfigPlanned{}, models.Invalid("invalid_document", "document must be an object or a text")
	}
	if len(document) > accountconfig.MaxBytes {
		return ConfigPlanned{}, models.Invalid("invalid_document", "the document may have at most %d bytes", accountconfig.MaxBytes)
	}
	links, notes, err := b.Read.imported()
	if err != nil {
		return ConfigPlanned{}, err
	}
	return planConfigJob.Start(c, d.Jobs, jobs.PlanConfigArgs{}, func(tx *store.Store, id uuid.UUID) error {
		origin := cmp.Or(b.Read.Tracker, "document")
		return dbconfig.PlansOf(tx).Add(c.Context(), c.Account.ID, id, document, b.Prune, origin, links, notes)
	})
}

// ConfigPlans is the answer of GET /config/plans.
type ConfigPlans struct {
	Rows []ConfigPlan `json:"rows" doc:"newest first, at most 50"`
}

func listConfigPlans(c *route.Call) (ConfigPlans, error) {
	list, err := dbconfig.PlansOf(c.Store).List(c.Context(), c.Account.ID)
	return ConfigPlans{answer.Each(list, configPlan)}, err
}

func readConfigPlan(c *route.Call) (ConfigPlan, error) {
	p, err := dbconfig.PlansOf(c.Store).Find(c.Context(), c.Account.ID, c.ID)
	return configPlan(p), err
}

// ConfigItem is what a plan does with one record.
type ConfigItem struct {
	Position int                         `json:"position"`
	Kind     accountconfig.Kind          `json:"kind"`
	Key      string                      `json:"key"`
	Name     string                      `json:"name"`
	Op       string                      `json:"op" enum:"create,change,same,delete,archive,refused"`
	Fields   []accountconfig.FieldChange `json:"fields" doc:"the changed fields, at most 200"`
	Errors   []string                    `json:"errors" doc:"why the record is refused"`
	Warnings []string                    `json:"warnings"`
	Done     bool                        `json:"done" doc:"true: the record has been written"`
}

// ConfigItems is the answer of GET /config/plans/{id}/items.
type ConfigItems struct {
	Rows []ConfigItem `json:"rows"`
	Next *int         `json:"next" doc:"value of position for the next rows; null at the end"`
}

const (
	usualItems = 100
	mostItems  = 1000
)

func listConfigItems(c *route.Call) (out ConfigItems, err error) {
	position, err := bind.Int(c.Query, "position", 0, 0, accountconfig.MaxRecords*2)
	if err != nil {
		return out, err
	}
	limit, err := bind.Int(c.Query, "limit", usualItems, 1, mostItems)
	if err != nil {
		return out, err
	}
	var ops []string
	for word := range strings.SplitSeq(c.Query.Get("op"), ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		if !slices.Contains(accountconfig.Ops, word) {
			return out, models.Invalid("invalid_input", "op: %.40q is not an operation", word)
		}
		ops = append(ops, word)
	}
	plans := dbconfig.PlansOf(c.Store)
	if _, err := plans.Find(c.Context(), c.Account.ID, c.ID); err != nil {
		return out, err
	}
	list, err := plans.Items(c.Context(), c.Account.ID, c.ID, position, limit+1, ops)
	if len(list) > limit {
		out.Next, list = &list[limit].Position, list[:limit]
	}
	out.Rows = answer.Each(list, func(i dbconfig.Item) ConfigItem { return ConfigItem(i) })
	return out, err
}

// ApplyConfigBody is the body of POST /config/apply.
type ApplyConfigBody struct {
	PlanID      uuid.UUID `json:"plan_id" bad:"invalid_id" required:"invalid_id"`
	SkipRefused bool      `json:"skip_refused" doc:"if records of the plan are refused, carry out the others"`
}

// UndoConfigBody is the body of POST /config/undo.
type UndoConfigBody struct {
	PlanID uuid.UUID `json:"plan_id" bad:"invalid_id" required:"invalid_id"`
}

// ConfigApplied is the answer of POST /config/apply and POST /config/undo.
type ConfigApplied struct {
	PlanID uuid.UUID `json:"plan_id"`
	Done   int       `json:"done" doc:"number of records that were written"`
	Kept   []string  `json:"kept" doc:"for an undo: the records that were not restored, each with the reason"`
}

var applyConfigJob = slow.New(jobs.ApplyConfig, func(a jobs.ConfigApplied) ConfigApplied { return ConfigApplied(a) })

func (d Deps) applyConfig(c *route.Call, b ApplyConfigBody) (ConfigApplied, error) {
	return applyConfigJob.Start(c, d.Jobs, jobs.ApplyConfigArgs{PlanID: b.PlanID}, func(tx *store.Store, job uuid.UUID) error {
		plans := dbconfig.PlansOf(tx)
		p, err := plans.Find(c.Context(), c.Account.ID, b.PlanID)
		if err != nil {
			return err
		}
		if n := p.Counts[accountconfig.OpRefused]; n > 0 && !b.SkipRefused {
			return models.Conflict("has_refused", "%d records of the plan are refused: mend the document, or send skip_refused", n)
		}
		ok, err := plans.Begin(c.Context(), c.Account.ID, b.PlanID, job, dbconfig.Applying, dbconfig.Planned)
		if err == nil && !ok {
			err = models.Conflict("not_planned", "the plan is %s: make a new one", p.State)
		}
		return err
	})
}

func (d Deps) undoConfig(c *route.Call, b UndoConfigBody) (ConfigApplied, error) {
	args := jobs.ApplyConfigArgs{PlanID: b.PlanID, Undo: true}
	return applyConfigJob.Start(c, d.Jobs, args, func(tx *store.Store, job uuid.UUID) error {
		plans := dbconfig.PlansOf(tx)
		p, err := plans.Find(c.Context(), c.Account.ID, b.PlanID)
		if err != nil {
			return err
		}
		ok, err := plans.Begin(c.Context(), c.Account.ID, b.PlanID, job, dbconfig.Undoing, dbconfig.Applied, dbconfig.Stopped)
		if err == nil && !ok {
			err = models.Conflict("not_applied", "the plan is %s: there is nothing to undo", p.State)
		}
		return err
	})
}
