package middleware

import (
	"encoding/json"
	"log/slog"
	"maps"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/models"
)

// maxAuditFields is how many members of a body the audit log names.
const maxAuditFields = 50

// audited notes a change in the audit log. In a transaction the note commits with the change. Otherwise the change has
// been made: that it could not be noted is logged, and fails nothing.
func (p *Pipeline) audited(c *route.Call, reply envelope.Reply) error {
	if c.Route.Scope != route.Write || c.Account.ID == uuid.Nil {
		return nil
	}
	e := models.AuditEntry{
		AccountID: c.Account.ID, Who: c.Person.Name, Route: c.Route.Method + " " + c.Route.Path, Record: recordOf(c, reply),
		Fields: fieldsOf(c.Body),
		UserID: uuid.NullUUID{UUID: c.Person.ID, Valid: c.IsPerson()}, KeyID: uuid.NullUUID{UUID: c.KeyID, Valid: !c.IsPerson()},
	}
	if c.Client.IsValid() {
		e.Address = c.Client.String()
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
	var sent struct {
		ID uuid.UUID `json:"id"`
	}
	if json.Unmarshal(c.Body, &sent) == nil && sent.ID != uuid.Nil {
		return sent.ID.String()
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
