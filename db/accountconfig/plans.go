package accountconfig

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
)

// The states of a plan.
const (
	Making   = "making"
	Refused  = "refused" // the document, or the tracker that Origin names, could not be read
	Planned  = "planned"
	Applying = "applying"
	Applied  = "applied"
	Stopped  = "stopped" // a record could not be written; the ones before it stay
	Undoing  = "undoing"
	Undone   = "undone"
)

// Plan describes the changes that a document would make, or has made.
type Plan struct {
	ID        uuid.UUID            `db:"id"`
	State     string               `db:"state"`
	Origin    string               `db:"origin"` // "document", or the tracker that was read
	Prune     accountconfig.Prune  `db:"prune,json"`
	Counts    map[string]int       `db:"counts,json"` // records by operation
	Notes     []trackerimport.Note `db:"notes,json"`
	Problem   string               `db:"problem"`
	Progress  string               `db:"progress"`
	JobID     uuid.NullUUID        `db:"job_id"`
	CreatedAt models.Stamp         `db:"created_at"`
	AppliedAt *time.Time           `db:"applied_at"`
	UndoneAt  *time.Time           `db:"undone_at"`
	Done      int                  `db:"done"` // number of written records; an undo lowers it to 0
	Work      int                  `db:"work"` // number of records to write
}

// Plans accesses the plans of accounts.
type Plans struct{ s *store.Store }

// PlansOf returns access to the plans on a store's connection.
func PlansOf(s *store.Store) Plans { return Plans{s} }

const selectPlan = `SELECT p.id, p.state, p.origin, p.prune, p.counts, p.notes, p.problem, p.progress, p.job_id, p.created_at, p.applied_at, p.undone_at,
	(SELECT count(*) FROM config_items i WHERE i.plan_id = p.id AND i.done) AS done,
	(SELECT count(*) FROM config_items i WHERE i.plan_id = p.id AND i.op NOT IN ('same', 'refused')) AS work
FROM config_plans p WHERE p.account_id = $1`

// Add stores the document of a plan. links and notes are from reading another tracker. A repeated call does nothing.
func (k Plans) Add(ctx context.Context, account, id uuid.UUID, document []byte, prune accountconfig.Prune, origin string,
	links []trackerimport.Link, notes []trackerimport.Note,
) error {
	const q = `INSERT INTO config_plans (id, account_id, document, prune, origin, links, notes) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (id) DO NOTHING`
	_, err := db.Exec(ctx, k.s.Conn(), "add plan", q, id, account, document, db.Document(prune), origin, db.Document(orEmpty(links)),
		db.Document(orEmpty(notes)))
	return err
}

// Document returns the document of a plan.
func (k Plans) Document(ctx context.Context, account, id uuid.UUID) ([]byte, error) {
	return db.Get[[]byte](ctx, k.s.Conn(), "plan", `SELECT document FROM config_plans WHERE account_id = $1 AND id = $2`, account, id)
}

// AddImport stores a plan whose document will be read later from another tracker. access has the tracker's address and
// credentials, and is encrypted. A dump of the tracker's database is stored in place of the document until then.
func (k Plans) AddImport(ctx context.Context, account, id uuid.UUID, tracker string, access, dump []byte) error {
	sealed, err := k.s.Box().SealForService(ctx, accessPlace(account, id), access)
	if err != nil {
		return fmt.Errorf("db: seal access to a tracker: %w", err)
	}
	const q = `INSERT INTO config_plans (id, account_id, document, origin, access) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`
	_, err = db.Exec(ctx, k.s.Conn(), "add import", q, id, account, append([]byte{}, dump...), tracker, sealed)
	return err
}

// Access returns the access that was given to AddImport.
func (k Plans) Access(ctx context.Context, account, id uuid.UUID) ([]byte, error) {
	sealed, err := db.Get[[]byte](ctx, k.s.Conn(), "plan", `SELECT access FROM config_plans WHERE account_id = $1 AND id = $2`, account, id)
	if err != nil {
		return nil, err
	}
	return k.s.Box().Open(ctx, accessPlace(account, id), sealed)
}

func accessPlace(account, plan uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "config_plans", Row: plan.String(), Column: "access"}
}

// HistoryPlace is the seal.Place of the access to another tracker's log. This access is in the arguments of a job.
func HistoryPlace(account uuid.UUID) seal.Place {
	return seal.Place{Account: account, Table: "jobs", Row: account.String(), Column: "history"}
}

// SealHistory encrypts the access to another tracker's log.
func (k Plans) SealHistory(ctx context.Context, account uuid.UUID, access []byte) ([]byte, error) {
	sealed, err := k.s.Box().SealForService(ctx, HistoryPlace(account), access)
	if err != nil {
		return nil, fmt.Errorf("db: seal access to a tracker: %w", err)
	}
	return sealed, nil
}

// HasFrom reports whether an account has campaigns that were read from a tracker.
func (k Plans) HasFrom(ctx context.Context, account uuid.UUID, tracker string) (bool, error) {
	const q = `SELECT EXISTS (SELECT FROM config_keys k JOIN campaigns c ON c.id = k.record_id AND c.deleted_at IS NULL
		WHERE k.account_id = $1 AND k.kind = 'campaigns' AND starts_with(k.key, $2))`
	return db.Get[bool](ctx, k.s.Conn(), "campaigns of a tracker", q, account, tracker+".")
}

// SetProgress stores how far another tracker has been read.
func (k Plans) SetProgress(ctx context.Context, account, id uuid.UUID, text string) error {
	const q = `UPDATE config_plans SET progress = $3 WHERE account_id = $1 AND id = $2`
	_, err := db.Exec(ctx, k.s.Conn(), "plan", q, account, id, text)
	return err
}

// SetImported stores the document and the links that were read from another tracker, and deletes the access and the dump.
func (k Plans) SetImported(ctx context.Context, account, id uuid.UUID, document []byte, links []trackerimport.Link) error {
	const q = `UPDATE config_plans SET document = $3, links = $4, access = NULL, progress = '' WHERE account_id = $1 AND id = $2`
	return db.ExecOne(ctx, k.s.Conn(), "plan", q, account, id, document, db.Document(links))
}

// Links returns the addresses of another tracker that lead to campaigns of a plan.
func (k Plans) Links(ctx context.Context, account, id uuid.UUID) ([]trackerimport.Link, error) {
	p, err := db.Get[struct {
		Links []trackerimport.Link `db:"links,json"`
	}](ctx, k.s.Conn(), "plan", `SELECT links FROM config_plans WHERE account_id = $1 AND id = $2`, account, id)
	return p.Links, err
}

// Find returns a plan.
func (k Plans) Find(ctx context.Context, account, id uuid.UUID) (Plan, error) {
	return db.Get[Plan](ctx, k.s.Conn(), "plan", selectPlan+` AND p.id = $2`, account, id)
}

// MaxListed is the maximum number of plans that List returns.
const MaxListed = 50

// List lists the newest plans of an account.
func (k Plans) List(ctx context.Context, account uuid.UUID) ([]Plan, error) {
	return db.Select[Plan](ctx, k.s.Conn(), "plans", selectPlan+` ORDER BY p.created_at DESC, p.id DESC LIMIT $2`, account, MaxListed)
}

// Item is an item of a plan with its position in the plan.
type Item struct {
	Position int                         `db:"position"`
	Kind     accountconfig.Kind          `db:"kind"`
	Key      string                      `db:"key"`
	Name     string                      `db:"name"`
	Op       string                      `db:"op"`
	Fields   []accountconfig.FieldChange `db:"fields,json"`
	Errors   []string                    `db:"errors,json"`
	Warnings []string                    `db:"warnings,json"`
	Done     bool                        `db:"done"`
}

// Work is an item that is to be written.
type Work struct {
	Position int                `db:"position"`
	Kind     accountconfig.Kind `db:"kind"`
	Key      string             `db:"key"`
	Op       string             `db:"op"`
	Before   accountconfig.Members
	After    accountconfig.Members
	Done     bool `db:"done"`

	Former []store.FormerLink `db:"former_links,json"` // where another tracker's links led before
}

const insertItems = `
INSERT INTO config_items (plan_id, account_id, position, kind, key, name, op, fields, errors, warnings, before, after)
SELECT $1, $2, i.* FROM jsonb_to_recordset($3) AS i
	(position int, kind text, key text, name text, op text, fields jsonb, errors jsonb, warnings jsonb, before jsonb, after jsonb)
ON CONFLICT DO NOTHING`

const itemsAtOnce = 500

// SetItems stores the items of a plan and sets the plan's state to planned.
func (k Plans) SetItems(ctx context.Context, account, id uuid.UUID, items []accountconfig.Item, notes []trackerimport.Note) error {
	counts := map[string]int{}
	for from := 0; from < len(items); from += itemsAtOnce {
		rows := make([]map[string]any, 0, itemsAtOnce)
		for i, item := range items[from:min(from+itemsAtOnce, len(items))] {
			counts[item.Op]++
			rows = append(rows, map[string]any{
				"position": from + i, "kind": item.Kind, "key": item.Key, "name": item.Name, "op": item.Op, "fields": orEmpty(item.Fields),
				"errors": orEmpty(item.Errors), "warnings": orEmpty(item.Warnings), "before": item.Before, "after": item.After,
			})
		}
		if _, err := db.Exec(ctx, k.s.Conn(), "items of a plan", insertItems, id, account, db.Document(rows)); err != nil {
			return err
		}
	}
	const q = `UPDATE config_plans SET state = 'planned', counts = $3, notes = $4 WHERE account_id = $1 AND id = $2`
	_, err := db.Exec(ctx, k.s.Conn(), "plan", q, account, id, db.Document(counts), db.Document(orEmpty(notes)))
	return err
}

func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// SetState changes the state of a plan, and deletes the access to another tracker. problem says what went wrong.
func (k Plans) SetState(ctx context.Context, account, id uuid.UUID, state, problem string) error {
	const q = `UPDATE config_plans SET state = $3, problem = $4, access = NULL, progress = '', applied_at = CASE WHEN $3 = 'applied' THEN now() ELSE applied_at END,
		undone_at = CASE WHEN $3 = 'undone' THEN now() ELSE undone_at END WHERE account_id = $1 AND id = $2`
	_, err := db.Exec(ctx, k.s.Conn(), "plan", q, account, id, state, problem)
	return err
}

// Begin stores that a job starts to apply or to undo a plan, and changes the plan's state. ok is false, and nothing changes, if the
// parameter from does not list the plan's present state.
func (k Plans) Begin(ctx context.Context, account, id, job uuid.UUID, state string, from ...string) (ok bool, err error) {
	const q = `UPDATE config_plans SET state = $4, job_id = $3, problem = '' WHERE account_id = $1 AND id = $2 AND state = ANY ($5)`
	n, err := db.Exec(ctx, k.s.Conn(), "plan", q, account, id, job, state, from)
	return n > 0, err
}

// Items lists at most limit items of a plan, from the given position on. If ops is not empty, it lists only items with these
// operations.
func (k Plans) Items(ctx context.Context, account, id uuid.UUID, from, limit int, ops []string) ([]Item, error) {
	const q = `SELECT position, kind, key, name, op, fields, errors, warnings, done FROM config_items
		WHERE account_id = $1 AND plan_id = $2 AND position >= $3 AND ($5::text[] IS NULL OR op = ANY ($5)) ORDER BY position LIMIT $4`
	return db.Select[Item](ctx, k.s.Conn(), "items of a plan", q, account, id, from, limit, ops)
}

// Work lists the items of a plan that are to be written, in their order.
func (k Plans) Work(ctx context.Context, account, id uuid.UUID) ([]Work, error) {
	const q = `SELECT position, kind, key, op, before, after, done, former_links FROM config_items
		WHERE account_id = $1 AND plan_id = $2 AND op NOT IN ('same', 'refused') ORDER BY position`
	rows, err := db.Select[struct {
		Work
		BeforeText []byte `db:"before"`
		AfterText  []byte `db:"after"`
	}](ctx, k.s.Conn(), "items of a plan", q, account, id)
	if err != nil {
		return nil, err
	}
	list := make([]Work, len(rows))
	for i, r := range rows {
		list[i] = r.Work
		if list[i].Before, err = accountconfig.ReadMembers(r.BeforeText); err != nil {
			return nil, err
		}
		if list[i].After, err = accountconfig.ReadMembers(r.AfterText); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// SetDone marks an item as written or undone. after has the current members of its record, and former says where links of another
// tracker led before.
func (k Plans) SetDone(ctx context.Context, account, id uuid.UUID, position int, done bool, after accountconfig.Members, former []store.FormerLink) error {
	const q = `UPDATE config_items SET done = $4, after = $5, former_links = $6 WHERE account_id = $1 AND plan_id = $2 AND position = $3`
	return db.ExecOne(ctx, k.s.Conn(), "item of a plan", q, account, id, position, done, documentOrNull(after), db.Document(orEmpty(former)))
}

const planRetention = 90 * 24 * time.Hour

// DeleteExpired deletes at most 100 plans that are older than planRetention, and returns their number.
func (k Plans) DeleteExpired(ctx context.Context) (int64, error) {
	const q = `DELETE FROM config_plans WHERE id = ANY (ARRAY(SELECT id FROM config_plans WHERE created_at < now() - make_interval(secs => $1)
		LIMIT 100))`
	return db.Exec(ctx, k.s.Conn(), "delete plans", q, planRetention.Seconds())
}

func documentOrNull(m accountconfig.Members) any {
	if m == nil {
		return nil
	}
	return db.Document(m)
}
