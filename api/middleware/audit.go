package middleware

import (
	"bytes"
	"cmp"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/models"
)

const (
	// maxAuditFields is the greatest number of a body's fields that the audit log names.
	maxAuditFields = 50
)

// recordedMembers returns the members of the record that a call changes, as the API shows it. It returns nil for a POST, for a
// route without such a record, and if the record does not exist.
func recordedMembers(c *route.Call) map[string]json.RawMessage {
	if c.Route.Scope != route.Write || c.Route.Recorded == nil || c.Request.Method == http.MethodPost {
		return nil
	}
	record, err := c.Route.Recorded(c, namedRecord(c))
	if err != nil || record == nil { // the handler reports a record that does not exist
		return nil
	}
	text, err := json.Marshal(record)
	if err != nil {
		return nil
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(text, &members)
	return members
}

// namedRecord returns the id of the record that a call names. It parses the id itself, because it also runs before the handler.
func namedRecord(c *route.Call) uuid.UUID {
	for _, text := range []string{c.Path["id"], c.Query.Get("id")} {
		if id, err := uuid.Parse(text); err == nil {
			return id
		}
	}
	return idIn(c.Body)
}

// idIn returns the id in a body, or the zero UUID if the body has no valid id.
func idIn(body []byte) uuid.UUID {
	var sent struct {
		ID uuid.UUID `json:"id"`
	}
	if json.Unmarshal(body, &sent) != nil {
		return uuid.Nil
	}
	return sent.ID
}

// changesOf lists the sent fields that the call changed, with their values before and after it. It leaves out fields with a
// value longer than models.MaxAuditValue.
func changesOf(c *route.Call, before map[string]json.RawMessage) (list []models.FieldChange) {
	if before == nil {
		return nil
	}
	// A deletion is listed as a change of the name to null.
	names, after := fieldsOf(c.Body), map[string]json.RawMessage{"name": json.RawMessage("null")}
	if c.Request.Method == http.MethodDelete {
		names = []string{"name"}
	} else {
		after = recordedMembers(c)
	}
	for _, name := range names {
		was, known := before[name]
		is, still := after[name]
		if known && still && !bytes.Equal(was, is) && len(was) <= models.MaxAuditValue && len(is) <= models.MaxAuditValue {
			list = append(list, models.FieldChange{Field: name, Before: was, After: is})
		}
	}
	return list
}

// recordAudit records a change in the audit log. In a transaction, the entry commits with the change. Without one, a failure is
// only logged, because the change is already made.
func (p *Pipeline) recordAudit(c *route.Call, reply envelope.Reply, before map[string]json.RawMessage) error {
	if c.Route.Scope != route.Write || c.Route.Checks || c.Checked || c.Account.ID == uuid.Nil {
		return nil
	}
	e := models.AuditEntry{
		AccountID: c.Account.ID, Who: c.Person.Name, Email: c.Person.Email, Address: c.Address(),
		Route: c.Route.Method + " " + c.Route.Path, Record: recordOf(c, reply),
		Fields: fieldsOf(c.Body), Changes: append(changesOf(c, before), c.Changes...),
		UserID: uuid.NullUUID{UUID: c.Person.ID, Valid: c.IsPerson()}, KeyID: uuid.NullUUID{UUID: c.KeyID, Valid: !c.IsPerson()},
		Via: route.ViaOf(c.Context()),
	}
	if a := c.Assistant; a != nil {
		e.Who, e.Email, e.UserID = cmp.Or(a.Person.Name, a.Person.Email), a.Person.Email, uuid.NullUUID{UUID: a.Person.ID, Valid: true}
	}
	err := c.Store.AddAudit(c.Context(), e)
	if err != nil && c.Store == p.store { // the call has no transaction
		slog.ErrorContext(c.Context(), "change not in the audit log", "request_id", c.RequestID, "error", err)
		return nil
	}
	return err
}

// recordOf returns the id of the record that a call changed or created.
func recordOf(c *route.Call, reply envelope.Reply) string {
	if c.Record != uuid.Nil {
		return c.Record.String()
	}
	if c.ID != uuid.Nil {
		return c.ID.String()
	}
	if id := idIn(c.Body); id != uuid.Nil {
		return id.String()
	}
	var made struct {
		Data struct {
			ID uuid.UUID `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(reply.Body, &made) == nil && made.Data.ID != uuid.Nil {
		return made.Data.ID.String()
	}
	return ""
}

// fieldsOf returns the names of a body's members, sorted, and at most maxAuditFields of them.
func fieldsOf(body []byte) []string {
	var sent map[string]json.RawMessage
	if json.Unmarshal(body, &sent) != nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(sent))
	return names[:min(len(names), maxAuditFields)]
}
