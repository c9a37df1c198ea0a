package middleware

import (
	"bytes"
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
	// maxAuditFields is how many members of a body the audit log names.
	maxAuditFields = 50
	// maxAuditValue is how long a value is that the audit log keeps, in bytes of JSON. Of a longer one it names the field.
	maxAuditValue = 500
)

// shown is what a change is about, as the API shows it, by its members; nil where the row does not tell.
func shown(c *route.Call) map[string]json.RawMessage {
	if c.Route.Scope != route.Write || c.Route.Recorded == nil || c.Request.Method == http.MethodPost {
		return nil
	}
	record, err := c.Route.Recorded(c, namedBy(c))
	if err != nil || record == nil { // what does not exist is the handler's to say
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

// namedBy is the record that a call names: in the path, the query or the body. The handler has not read them yet.
func namedBy(c *route.Call) uuid.UUID {
	for _, text := range []string{c.Path["id"], c.Query.Get("id")} {
		if id, err := uuid.Parse(text); err == nil {
			return id
		}
	}
	return idIn(c.Body)
}

// idIn is the id in a body, zero if it has none.
func idIn(body []byte) uuid.UUID {
	var sent struct {
		ID uuid.UUID `json:"id"`
	}
	if json.Unmarshal(body, &sent) != nil {
		return uuid.Nil
	}
	return sent.ID
}

// changesOf are the values of what was sent, before and after the call. Of what was deleted it is the name.
func changesOf(c *route.Call, before map[string]json.RawMessage) (list []models.FieldChange) {
	if before == nil {
		return nil
	}
	names, after := fieldsOf(c.Body), map[string]json.RawMessage{"name": json.RawMessage("null")}
	if c.Request.Method == http.MethodDelete {
		names = []string{"name"}
	} else {
		after = shown(c)
	}
	for _, name := range names {
		was, known := before[name]
		is, still := after[name]
		if known && still && !bytes.Equal(was, is) && len(was) <= maxAuditValue && len(is) <= maxAuditValue {
			list = append(list, models.FieldChange{Field: name, Before: was, After: is})
		}
	}
	return list
}

// audited notes a change in the audit log, of what was before it. In a transaction the note commits with the change.
// Otherwise the change has been made: that it could not be noted is logged, and fails nothing.
func (p *Pipeline) audited(c *route.Call, reply envelope.Reply, before map[string]json.RawMessage) error {
	if c.Route.Scope != route.Write || c.Route.Looks || c.Account.ID == uuid.Nil {
		return nil
	}
	e := models.AuditEntry{
		AccountID: c.Account.ID, Who: c.Person.Name, Email: c.Person.Email, Address: c.Address(),
		Route: c.Route.Method + " " + c.Route.Path, Record: recordOf(c, reply),
		Fields: fieldsOf(c.Body), Changes: append(changesOf(c, before), c.Changes...),
		UserID: uuid.NullUUID{UUID: c.Person.ID, Valid: c.IsPerson()}, KeyID: uuid.NullUUID{UUID: c.KeyID, Valid: !c.IsPerson()},
	}
	err := c.Store.AddAudit(c.Context(), e)
	if err != nil && c.Store == p.store {
		slog.ErrorContext(c.Context(), "change not in the audit log", "request_id", c.RequestID, "error", err)
		return nil
	}
	return err
}

// recordOf is the id of the record that a call changed or made: that of the path or the query, of the body, or of the
// answer.
func recordOf(c *route.Call, reply envelope.Reply) string {
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

// fieldsOf names the members of a body.
func fieldsOf(body []byte) []string {
	var sent map[string]json.RawMessage
	if json.Unmarshal(body, &sent) != nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(sent))
	return names[:min(len(names), maxAuditFields)]
}
