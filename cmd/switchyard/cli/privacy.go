package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/jobrow"
	"switchyard/db/retention"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/queue"
)

// privacyCmd answers the requests of visitors for a copy or the erasure of the data stored about them.
type privacyCmd struct {
	Export privacyExport `cmd:"" help:"Print the data that is stored about a visitor, as JSON."`
	Erase  privacyErase  `cmd:"" help:"Remove the data that describes a visitor from everything that is stored."`
}

type whichVisitor struct {
	Click   string `help:"Id of one of the visitor's clicks. All clicks with the same visitor id belong to the visitor." xor:"who" required:""`
	Visitor string `help:"The visitor id: the value of the cookie sy_v or, on a shared domain, of the cookie whose name is sy_v followed by the id of the account. All clicks are searched." xor:"who" required:""`
}

// each calls fn once for each account that has clicks of the visitor.
func (c whichVisitor) each(ctx context.Context, e *env, fn func(queue.Inspector, click.Visitor) error) error {
	clickID, visitor, err := c.ids()
	if err != nil {
		return usageError{err}
	}
	return withInspector(ctx, e, func(i queue.Inspector) error {
		found, err := retention.FindVisitors(ctx, click.Log{Conn: i.DB}, clickID, visitor)
		if err == nil && len(found) == 0 {
			err = errors.New("no stored click belongs to this visitor: the click may be too old, or still wait in the spool of a web process")
		}
		for _, v := range found {
			err = errors.Join(err, fn(i, v))
		}
		return err
	})
}

func (c whichVisitor) ids() (click, visitor uuid.UUID, err error) {
	if c.Click != "" {
		click, err = parseVisitorID("--click", c.Click)
		return click, visitor, err
	}
	visitor, err = parseVisitorID("--visitor", c.Visitor)
	return click, visitor, err
}

func parseVisitorID(flag, text string) (uuid.UUID, error) {
	id, err := models.ParseClickID(text)
	if err != nil {
		id, err = uuid.Parse(text)
	}
	if err != nil || id == uuid.Nil {
		return id, fmt.Errorf("%s: %q is no id: an id has 22 letters and digits, or is a UUID", flag, text)
	}
	return id, nil
}

type privacyExport struct{ whichVisitor }

// knownVisitor is the stored data about a visitor in one account.
type knownVisitor struct {
	AccountID uuid.UUID  `json:"account_id"`
	VisitorID *uuid.UUID `json:"visitor_id"` // null: the clicks have no visitor id
	retention.Known
}

// Run implements the command.
func (c *privacyExport) Run(ctx context.Context, e *env) error {
	var list []knownVisitor
	err := c.each(ctx, e, func(i queue.Inspector, v click.Visitor) error {
		known, err := retention.ReadKnown(ctx, click.Log{Conn: i.DB}, v)
		exported := knownVisitor{AccountID: v.AccountID, Known: known}
		if v.ID != uuid.Nil {
			exported.VisitorID = &v.ID
		}
		list = append(list, exported)
		return err
	})
	if err != nil {
		return err
	}
	return e.printJSON(list)
}

type privacyErase struct {
	whichVisitor
	Yes  bool `help:"Required. It confirms the erasure, which cannot be undone."`
	JSON bool `help:"Print one JSON value."`
}

// Help implements kong.HelpProvider.
func (c *privacyErase) Help() string {
	return `Empties the addresses, user agents, referrers, parameters, visitor ids and destinations of the visitor's clicks, removes these
clicks from site events, and deletes the postbacks that were received and sent for these clicks. Figures, conversions and
amounts of money stay. A worker erases one day of clicks after another, and continues automatically if it is interrupted.
Clicks in the spool of a web process are stored later, so run the command again then. Backups, export files and data that
were sent to others are not changed.`
}

// erasedVisitor is what was erased in one account.
type erasedVisitor struct {
	AccountID uuid.UUID  `json:"account_id"`
	JobID     *uuid.UUID `json:"job_id"` // null: the visitor was already erased
	Already   bool       `json:"already_erased"`
	jobs.EraseAnswer
}

// Run implements the command.
func (c *privacyErase) Run(ctx context.Context, e *env) error {
	if !c.Yes {
		return usageError{errors.New("erased data cannot be restored: look at the data with `switchyard privacy export`, then give --yes")}
	}
	var list []erasedVisitor
	rows := []string{"ACCOUNT\tCLICKS\tSMARTLINK CLICKS\tPOSTBACKS\tSITE EVENTS"}
	err := c.each(ctx, e, func(i queue.Inspector, v click.Visitor) error {
		erased, err := eraseVisitor(ctx, e, i, v)
		if err != nil {
			return err
		}
		list = append(list, erased)
		rows = append(rows, fmt.Sprintf("%s\t%d\t%d\t%d\t%d", erased.AccountID, erased.Clicks, erased.SmartlinkClicks,
			erased.Postbacks, erased.SiteEvents))
		return nil
	})
	if err != nil {
		return err
	}
	return e.print(c.JSON, list, rows...)
}

// eraseVisitor submits the erase job and waits for it, unless no data about the visitor is left.
func eraseVisitor(ctx context.Context, e *env, i queue.Inspector, v click.Visitor) (out erasedVisitor, err error) {
	out.AccountID = v.AccountID
	if out.Already, err = retention.IsErased(ctx, click.Log{Conn: i.DB}, v); err != nil {
		return out, err
	}
	if out.Already {
		e.logf("already erased: nothing in account %s describes this visitor", v.AccountID)
		return out, nil
	}
	row, err := jobs.EraseVisitor.NewRow(v.AccountID, jobs.EraseArgs{Visitor: v.ID, Click: v.ClickID})
	if err != nil {
		return out, err
	}
	if err := jobrow.Insert(ctx, i.DB, row); err != nil {
		return out, err
	}
	i.Client.DispatchFor(ctx, v.AccountID, row.Kind, row.ID)
	e.logf("job %s erases the data in account %s; a worker does it, even if this command is stopped", row.ID, v.AccountID)
	out.JobID = &row.ID
	out.EraseAnswer, err = jobs.Await(ctx, jobs.RowHandle(i.Client, jobs.EraseVisitor, row.ID.String(),
		func(ctx context.Context) (models.JobStatus, error) {
			return jobrow.Status(ctx, i.DB, v.AccountID, row.ID)
		}))
	return out, err
}
