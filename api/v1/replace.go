package v1

import (
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/flow"
)

// replacing returns the routes that list the places where flows lead to a record, and that put another record there. what names
// such a record with its article, such as "an offer", and dimension is the report dimension with the records' ids.
func replacing[T, R, A any](
	res resource.Kind[T, R, A], what, dimension string, table func(*store.Store) store.Destinations,
) []route.Route {
	with := route.Param{Name: "with", Type: "uuid", Doc: "what would replace it: the places then say which weight it would have"}
	return []route.Route{
		res.Row("GET", "/{id}/uses", "where flows lead to "+what, route.Handle(func(c *route.Call) (Uses, error) {
			return findUses(c, table(c.Store))
		}), answer.IDCodes, route.Codes("400 invalid_with")).WithQuery(with),
		res.Row("POST", "/{id}/replace", "put another one in the place of "+what+", in all flows or in chosen ones",
			route.HandleBody(func(c *route.Call, b ReplaceBody) (Replaced, error) {
				return replace(c, table(c.Store), dimension, b)
			}), answer.IDCodes, route.Codes("400 invalid_with invalid_chosen invalid_weight too_many")),
	}
}

// Uses lists the places where flows lead to a record.
type Uses struct {
	Places []UsePlace `json:"places" doc:"campaigns first, by name"`
	Whole  bool       `json:"whole" doc:"false: there are more places"`
}

// UsePlace is a slot of a path that leads to a record.
type UsePlace struct {
	Kind   string    `json:"kind" enum:"campaign,flow" doc:"flow: a saved flow"`
	ID     uuid.UUID `json:"id" doc:"of the campaign or the saved flow"`
	Name   string    `json:"name"`
	Status string    `json:"status" enum:"active,paused,archived"`
	PathID string    `json:"path_id"`
	Path   string    `json:"path" doc:"name of the path"`
	Slot   int       `json:"slot" doc:"click slot of the landing page; 0: every slot"`
	Weight float64   `json:"weight"`
	New    *float64  `json:"new_weight" doc:"weight of the record that replaces it; null without one"`
	Joins  bool      `json:"joins" doc:"the replacement is already in the same slot of the path: one place remains, and its weight is the sum of both"`
}

// usePlaces returns the slots of places that lead to id. with is zero if nothing replaces it.
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

// ReplaceBody is the body of POST /offers/{id}/replace.
type ReplaceBody struct {
	With      uuid.UUID             `json:"with" bad:"invalid_with" required:"invalid_with" doc:"what replaces it"`
	Campaigns bind.Opt[[]uuid.UUID] `json:"campaigns" bad:"invalid_chosen" maxItems:"5000" doc:"only in these campaigns; if campaigns and flows are both left out, everywhere"`
	Flows     bind.Opt[[]uuid.UUID] `json:"flows" bad:"invalid_chosen" maxItems:"5000" doc:"only in these saved flows"`
}

// Replaced is the answer to a replacement.
type Replaced struct {
	ChangeID uuid.UUID  `json:"change_id" doc:"for POST /changes/{id}/undo"`
	Places   []UsePlace `json:"places" doc:"where it was replaced, with the weights before and now"`
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

// changeIDField is the field of the audit log that says which change of many records an entry is about.
const changeIDField = "change_id"

// textJSON returns a text as JSON.
func textJSON(text string) json.RawMessage {
	raw, _ := json.Marshal(text) //nolint:errchkjson // a text is always a JSON value
	return raw
}

// maxAuditNames is how many names an entry of the audit log has.
const maxAuditNames = 10

// recordNames names the changed records in the audit log, at most maxAuditNames of them.
func recordNames(c *route.Call, field string, names []string) {
	text := strings.Join(names[:min(len(names), maxAuditNames)], ", ")
	if len(names) > maxAuditNames {
		text += ", …"
	}
	c.RecordField(field, text)
}
