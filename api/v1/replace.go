package v1

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/bulk"
	"switchyard/models/flow"
)

// replacing returns the routes that list the places where flows lead to a record, and put another record there. The parameter
// `what` is the kind with its article, such as "an offer". dimension is the report dimension with the records' ids.
func replacing[T, R, A any](
	res resource.Kind[T, R, A], what, dimension string, table func(*store.Store) store.Destinations,
) []route.Route {
	with := route.Param{
		Name: "with", Type: "uuid",
		Doc: "id of the replacement; each place in the answer then has the weight that the replacement would get",
	}
	return []route.Route{
		res.Row("GET", "/{id}/uses", "the places where flows lead to "+what, route.Handle(func(c *route.Call) (Uses, error) {
			return findUses(c, table(c.Store))
		}), answer.IDCodes, route.Codes("400 invalid_with")).WithQuery(with),
		res.Row("POST", "/{id}/replace", "replace "+what+" with another one, in all flows or in chosen flows",
			route.HandleBody(func(c *route.Call, b ReplaceBody) (Replaced, error) {
				return replace(c, table(c.Store), dimension, b)
			}), answer.IDCodes, route.Codes("400 invalid_with invalid_chosen invalid_weight too_many")),
	}
}

// Uses lists the places where flows lead to a record.
type Uses struct {
	Places []UsePlace `json:"places" doc:"campaigns first, then saved flows, each in the order of names"`
	Whole  bool       `json:"whole" doc:"false: there are more places than the list has"`
}

// UsePlace is a slot of a path that leads to a record.
type UsePlace struct {
	Kind   string    `json:"kind" enum:"campaign,flow" doc:"flow: a saved flow"`
	ID     uuid.UUID `json:"id" doc:"id of the campaign or the saved flow"`
	Name   string    `json:"name"`
	Status string    `json:"status" enum:"active,paused,archived"`
	PathID string    `json:"path_id"`
	Path   string    `json:"path" doc:"name of the path"`
	Slot   int       `json:"slot" doc:"click slot of the landing page; 0: every slot"`
	Weight float64   `json:"weight"`
	New    *float64  `json:"new_weight" doc:"weight of the replacement; null: the call names no replacement"`
	Joins  bool      `json:"joins" doc:"the replacement is already in the same slot of the path, so both become one place whose weight is the sum of their weights"`
}

// usePlaces returns the slots of the places that lead to the record with the given id. The parameter `with` is the id of the
// replacement, or zero.
func usePlaces(places []store.Place, id, with uuid.UUID) []UsePlace {
	out := []UsePlace{}
	for _, p := range places {
		_, uses := flow.Replace(p.Destinations, id.String(), with.String())
		for _, u := range uses {
			place := UsePlace{
				Kind: p.Kind, ID: p.ID, Name: p.Name, Status: p.Status, PathID: p.PathID, Path: p.Path, Slot: u.Slot, Weight: u.Weight,
				Joins: u.Joins,
			}
			if with != uuid.Nil {
				place.New = &u.NewWeight
			}
			out = append(out, place)
		}
	}
	return out
}

func findUses(c *route.Call, table store.Destinations) (Uses, error) {
	with, err := bind.QueryID(c.Query, "with", "invalid_with")
	if err != nil {
		return Uses{}, err
	}
	places, whole, err := table.Places(c.Context(), c.Account.ID, c.ID)
	if err == nil && with != uuid.Nil {
		err = table.CheckWith(c.Context(), c.Account.ID, c.ID, with)
	}
	return Uses{usePlaces(places, c.ID, with), whole}, err
}

// ReplaceBody is the body of POST /offers/{id}/replace and of POST /landers/{id}/replace.
type ReplaceBody struct {
	With      uuid.UUID             `json:"with" bad:"invalid_with" required:"invalid_with" doc:"id of the replacement"`
	Campaigns bind.Opt[[]uuid.UUID] `json:"campaigns" bad:"invalid_chosen" maxItems:"5000" doc:"replace only in these campaigns; if both campaigns and flows are left out, replace everywhere"`
	Flows     bind.Opt[[]uuid.UUID] `json:"flows" bad:"invalid_chosen" maxItems:"5000" doc:"replace only in these saved flows"`
}

// Replaced is the answer to a replacement.
type Replaced struct {
	ChangeID uuid.UUID  `json:"change_id" doc:"id of the change, for POST /changes/{id}/undo"`
	Places   []UsePlace `json:"places" doc:"the places where the record was replaced, with the old and the new weights"`
}

func replace(c *route.Call, table store.Destinations, dimension string, b ReplaceBody) (Replaced, error) {
	var only *store.Chosen
	if b.Campaigns.Given() || b.Flows.Given() {
		only = &store.Chosen{Campaigns: b.Campaigns.Value, Flows: b.Flows.Value}
	}
	places, change, err := table.Replace(c.Context(), c.Account.ID, c.ID, b.With, only)
	if err != nil {
		return Replaced{}, err
	}
	names, err := c.Store.Labels(c.Context(), c.Account.ID, dimension, []string{c.ID.String(), b.With.String()})
	if err != nil {
		return Replaced{}, err
	}
	c.Changes = append(c.Changes, models.FieldChange{
		Field: "with", Before: textJSON(names[c.ID.String()]), After: textJSON(names[b.With.String()]),
	})
	recordNames(c, "campaigns", store.NamesOfPlaces(places))
	c.RecordField(changeIDField, change.ID)
	return Replaced{change.ID, usePlaces(places, c.ID, b.With)}, nil
}

// changeIDField is the audit log's field for the id of a change of several records.
const changeIDField = "change_id"

func textJSON(text string) json.RawMessage {
	raw, _ := json.Marshal(text) //nolint:errchkjson // a text is always a JSON value
	return raw
}

const maxAuditNames = 10

// recordChanged records the changed fields in the audit log. It also records the changed record, or the names of several records.
func recordChanged(c *route.Call, records []bulk.Record) {
	c.Changes = append(c.Changes, fieldChanges(records)...)
	if len(records) == 1 {
		c.Record = records[0].ID
		return
	}
	recordNames(c, "ids", db.Map(records, func(r bulk.Record) string { return r.Name }))
}

func recordNames(c *route.Call, field string, names []string) {
	text := strings.Join(names[:min(len(names), maxAuditNames)], ", ")
	if len(names) > maxAuditNames {
		text += ", …"
	}
	c.RecordField(field, text)
}

// fieldChanges returns the changed fields of records, sorted by name. A field whose value is longer than models.MaxAuditValue is
// left out.
func fieldChanges(records []bulk.Record) []models.FieldChange {
	before, after := map[string][]string{}, map[string][]string{}
	for _, r := range records {
		for name, value := range r.After {
			before[name], after[name] = append(before[name], string(r.Before[name])), append(after[name], string(value))
		}
	}
	list := db.Map(slices.Sorted(maps.Keys(after)), func(name string) models.FieldChange {
		return models.FieldChange{Field: name, Before: oneOrList(before[name]), After: oneOrList(after[name])}
	})
	return db.Without(list, func(f models.FieldChange) bool { return max(len(f.Before), len(f.After)) > models.MaxAuditValue })
}

// oneOrList returns the only value of a list of JSON texts, or a JSON list of the different values. A shortened list ends with
// "…".
func oneOrList(values []string) json.RawMessage {
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) == 1 {
		return json.RawMessage(values[0])
	}
	for shown := min(len(values), maxAuditNames); ; shown-- {
		list := slices.Clone(values[:shown])
		if shown < len(values) {
			list = append(list, `"…"`)
		}
		if text := "[" + strings.Join(list, ", ") + "]"; shown == 0 || len(text) <= models.MaxAuditValue {
			return json.RawMessage(text)
		}
	}
}
