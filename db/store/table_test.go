package store

import (
	"database/sql/driver"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
)

type thing struct {
	ID        uuid.UUID `db:"id"`
	AccountID uuid.UUID `db:"account_id"`
	Shape     []string  `db:"shape,json,once"`
	Name      string    `db:"name"`
	OwnerID   uuid.UUID `db:"owner_id"`
	IsActive  bool      `db:"is_active,auto"`
	CreatedAt time.Time `db:"created_at,auto"`
	Owner     string    `db:"owner,joined"`
	Clear     string
}

// TestStatementsOfATable checks the SQL that follows from the tags of a record.
func TestStatementsOfATable(t *testing.T) {
	t.Parallel()
	table := newTable(table[thing]{
		name: "things", what: "thing", removed: "deleted_at", joined: `, o.name AS owner`, join: `JOIN owners o ON o.id = t.owner_id`,
	})
	const (
		columns = `t.account_id, t.id, t.name, t.owner_id, t.is_active, t.created_at, t.shape, o.name AS owner`
		join    = `t JOIN owners o ON o.id = t.owner_id`
		this    = `t.account_id = $1 AND t.deleted_at IS NULL AND t.id = $2`
	)
	for got, want := range map[string]string{
		table.from: `SELECT ` + columns + ` FROM things ` + join,
		table.insert: `WITH t AS (INSERT INTO things (account_id, id, name, owner_id, shape) VALUES ($1, $2, $3, $4, $5)` +
			` RETURNING *) SELECT ` + columns + ` FROM ` + join,
		table.update: `WITH t AS (UPDATE things t SET name = $3, owner_id = $4, updated_at = ` + nextVersion + ` WHERE ` + this +
			` RETURNING *) SELECT ` + columns + ` FROM ` + join,
		table.remove: `UPDATE things t SET deleted_at = now(), is_active = false, updated_at = ` + nextVersion + ` WHERE ` + this,
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if len(table.params) != 5 || table.updated != 4 {
		t.Errorf("%d parameters, %d of them in an update, want 5 and 4", len(table.params), table.updated)
	}
}

func TestParam(t *testing.T) {
	t.Parallel()
	v := reflect.ValueOf(thing{Name: "n"})
	const isJSON = true
	if id, ok := param(v.FieldByName("OwnerID"), !isJSON).(uuid.NullUUID); !ok || id.Valid {
		t.Errorf("a missing id is %v, want NULL", id)
	}
	if list, ok := param(v.FieldByName("Shape"), !isJSON).([]string); !ok || list == nil {
		t.Errorf("a nil list is %v, want an empty list", list)
	}
	doc, ok := param(v.FieldByName("Shape"), isJSON).(driver.Valuer)
	if text, err := doc.Value(); !ok || err != nil || text != "[]" {
		t.Errorf("a nil list in a document is %v, %v, want []", text, err)
	}
	if name := param(v.FieldByName("Name"), !isJSON); name != "n" {
		t.Errorf("the text n becomes the parameter %v, want n", name)
	}
}
