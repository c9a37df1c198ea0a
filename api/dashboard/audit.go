package dashboard

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/models"
)

// audit is the row of the audit log.
func audit() []route.Route {
	row := owned("GET", "/audit", "who changed what, newest first", route.Do(listAudit))
	row.Page = true
	return []route.Route{row}
}

// AuditRow is a change. Who has no id where a job made it.
type AuditRow struct {
	ID        uuid.UUID  `json:"id"`
	At        string     `json:"at"`
	Who       string     `json:"who"`
	PersonID  *uuid.UUID `json:"person_id"`
	KeyID     *uuid.UUID `json:"key_id"`
	Address   string     `json:"address"`
	Operation string     `json:"operation" doc:"method and path"`
	Record    *string    `json:"record"`
	Fields    []string   `json:"fields" doc:"what was sent, without values"`
}

// AuditList is a page of the audit log.
type AuditList struct {
	Rows       []AuditRow `json:"rows"`
	NextCursor *string    `json:"next_cursor"`
}

func listAudit(c *route.Call) (AuditList, error) {
	list, next, err := c.Store.Audit(c.Context(), c.Account.ID, c.Page)
	return AuditList{answer.Each(list, func(e models.AuditEntry) AuditRow {
		return AuditRow{
			e.ID, answer.Stamp(e.CreatedAt), e.Who, answer.OrNull(e.UserID.UUID), answer.OrNull(e.KeyID.UUID), e.Address, e.Route,
			answer.OrNull(e.Record), append([]string{}, e.Fields...),
		}
	}), answer.Cursor(next)}, err
}
