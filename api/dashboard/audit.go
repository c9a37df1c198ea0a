package dashboard

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
)

// audit returns the route that lists the audit log. People who are not owners see only their own entries.
func audit() []route.Route {
	row := personRoute("GET", "/audit", "who changed what, newest first", route.Handle(listAudit), "400 invalid_id too_long", "403 role_required").
		WithPage().WithWindow().WithQuery(route.Param{Name: "who", Type: "uuid", Doc: "id of a person or a key; only owners may send another id than their own"}).
		WithQuery(route.Param{Name: "what", Doc: "the first part of the calls' path, such as offers"})
	row.Role = models.RoleContributor
	return []route.Route{row}
}

// AuditRow is an entry of the audit log. It stands for a change or, if Refused is not 0, for wrong passwords and codes. PersonID and
// KeyID are null if a job made the change.
type AuditRow struct {
	ID        uuid.UUID  `json:"id"`
	At        string     `json:"at"`
	Who       string     `json:"who" doc:"the name at that time, which people choose themselves"`
	Email     *string    `json:"email" doc:"the person's e-mail; null if no person made the change"`
	PersonID  *uuid.UUID `json:"person_id"`
	KeyID     *uuid.UUID `json:"key_id"`
	Address   string     `json:"address"`
	Operation string     `json:"operation" doc:"method and path"`
	Record    *string    `json:"record"`
	Kind      string     `json:"kind" doc:"the record's kind, such as campaigns; empty: the record has no name, or is deleted"`
	Name      string     `json:"name" doc:"the record's present name; empty: the record has no name, or is deleted"`
	Fields    []string   `json:"fields" doc:"names of the fields that were sent, without their values"`
	Changes   []Change   `json:"changes" doc:"the changed fields whose values may be shown and have at most 500 bytes"`
	Via       string     `json:"via" doc:"mcp: an assistant made the change through a tool; empty: a direct call"`
	Client    string     `json:"client" doc:"the name that the assistant's program gives itself"`
	Tool      string     `json:"tool" doc:"the tool that the assistant called"`
	Refused   int        `json:"refused" doc:"how many wrong passwords and codes were given for the person in an hour; 0: the entry is a change"`
}

// Change is a field before and after a change, as JSON text, with the names of records in place of their ids.
type Change struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// AuditList is a page of the audit log.
type AuditList struct {
	Rows       []AuditRow `json:"rows"`
	NextCursor *string    `json:"next_cursor"`
}

const maxWhat = 40 // maximum length in bytes of the parameter `what`, which filters changes by the first part of the call's path

func listAudit(c *route.Call) (AuditList, error) {
	from, to := c.Window.From, c.Window.End()
	filter := store.AuditFilter{What: c.Query.Get("what"), From: &from, To: &to}
	if len(filter.What) > maxWhat {
		return AuditList{}, models.Invalid("too_long", "the parameter what may have at most %d bytes", maxWhat)
	}
	if who := c.Query.Get("who"); who != "" {
		id, err := uuid.Parse(who)
		if err != nil {
			return AuditList{}, models.Invalid("invalid_id", "the parameter who must be the id of a person or a key")
		}
		filter.Who = uuid.NullUUID{UUID: id, Valid: true}
	}
	if me := (uuid.NullUUID{UUID: c.Person.ID, Valid: true}); !c.Role.Includes(models.RoleOwner) {
		if filter.Who.Valid && filter.Who != me {
			return AuditList{}, models.Errorf(models.KindForbidden, "role_required", "to see what others did, you need the role %s", models.RoleOwner)
		}
		filter.Who = me
	}
	list, next, err := c.Store.Audit(c.Context(), c.Account.ID, filter, c.Page)
	if err != nil {
		return AuditList{}, err
	}
	names, err := namesInChanges(c, list)
	return AuditList{answer.Each(list, func(e store.AuditRow) AuditRow {
		return AuditRow{
			e.ID, answer.Stamp(e.CreatedAt), e.Who, answer.OrNull(e.Email), answer.OrNull(e.UserID.UUID), answer.OrNull(e.KeyID.UUID), e.Address, e.Route,
			answer.OrNull(e.Record), e.RecordKind, e.RecordName, append([]string{}, e.Fields...),
			answer.Each(e.Changes, func(f models.FieldChange) Change {
				return Change{f.Field, withNames(f.Before, names), withNames(f.After, names)}
			}),
			e.Through, e.Client, e.Tool, e.Refused,
		}
	}), answer.Cursor(next)}, err
}

var quotedID = regexp.MustCompile(`"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"`)

// namesInChanges returns the names of the records whose ids are values of changed fields, such as domain_id.
func namesInChanges(c *route.Call, list []store.AuditRow) (map[string]string, error) {
	ids := map[string][]string{}
	for _, e := range list {
		for _, f := range e.Changes {
			for _, id := range quotedID.FindAllString(string(f.Before)+string(f.After), -1) {
				ids[f.Field] = append(ids[f.Field], strings.Trim(id, `"`))
			}
		}
	}
	return c.Store.NamesOf(c.Context(), c.Account.ID, ids)
}

// withNames returns a value as JSON text, with names in place of the ids of records.
func withNames(value json.RawMessage, names map[string]string) string {
	return quotedID.ReplaceAllStringFunc(string(value), func(id string) string {
		name, ok := names[strings.Trim(id, `"`)]
		raw, err := json.Marshal(name)
		if !ok || err != nil {
			return id
		}
		return string(raw)
	})
}
