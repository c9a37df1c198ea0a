package v1

import (
	"cmp"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/api/v1/resource"
	"switchyard/db/click"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
)

// costChanges returns the routes that set costs by hand, and that list and undo changes of cost.
func costChanges(d Deps) []route.Route {
	const group, path = "Corrections", "/corrections/cost"
	return []route.Route{
		route.New("POST", path+"/set", group, "set the cost of days by hand; a dry run unless apply is true", route.HandleBody(d.setCost),
			route.Codes("400 invalid_campaign invalid_source invalid_currency bad_range no_clicks too_many", "409 rate_missing")).Awaits(setCostJob.Answer()),
		route.New("GET", path+"/changes", group, "changes of cost that were set by hand or came from a file, newest first", route.Handle(listCostChanges)).WithPage(),
		route.New("POST", path+"/changes/{id}/undo", group, "restore the costs from before the change", route.Handle(d.undoCost),
			route.Codes("404 not_found", "409 stale too_old overlapped")).Awaits(undoCostJob.Answer()),
	}
}

// SetCostBody is the body of POST /corrections/cost/set.
type SetCostBody struct {
	CampaignID uuid.NullUUID `json:"campaign_id" bad:"invalid_campaign" doc:"the clicks of this campaign; left out: the clicks of all campaigns of the source"`
	SourceID   uuid.NullUUID `json:"source_id" bad:"invalid_source" doc:"the clicks of this traffic source; left out: the clicks of all sources of the campaign"`
	Sub        int           `json:"sub" bad:"invalid_input" min:"0" max:"{mostSubs}" doc:"the number of a sub-parameter, to select only clicks in which it has the value sub_value; 0: all clicks"`
	SubValue   string        `json:"sub_value" bad:"invalid_input" maxLength:"300" doc:"the value of the sub-parameter; empty: clicks without a value"`
	From       string        `json:"from" required:"bad_range" bad:"bad_range" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"first day, YYYY-MM-DD, in the account's time zone"`
	To         string        `json:"to" required:"bad_range" bad:"bad_range" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"last day, YYYY-MM-DD, in the account's time zone; from and to include at most 92 days"`
	Amount     *models.Money `json:"amount" bad:"invalid_input" min:"0" max:"1000000000" doc:"the total cost of all clicks; send either amount or cpc"`
	CPC        *models.Money `json:"cpc" bad:"invalid_input" min:"0" max:"1000000" doc:"the cost of each click; send either amount or cpc"`
	Currency   string        `json:"currency" bad:"invalid_currency" trim:"true" case:"upper" pattern:"^([A-Za-z]{3})?$" doc:"three letters; default: the account's currency"`
	Apply      onlyTrue      `json:"apply" doc:"true: the cost is set; any other value: the call is a dry run"`
}

// request checks a body and converts it to a CostRequest.
func (b SetCostBody) request(c *route.Call) (r models.CostRequest, err error) {
	r = models.CostRequest{
		CampaignID: b.CampaignID.UUID, SourceID: b.SourceID.UUID, Sub: b.Sub, SubValue: b.SubValue, From: b.From, To: b.To, Amount: exact(b.Amount),
		CPC: exact(b.CPC), AloneAt: b.SourceID.UUID,
		Currency: cmp.Or(b.Currency, c.Account.Currency), // stored, because the account's currency may change before the job runs
	}
	switch {
	case (b.Amount == nil) == (b.CPC == nil):
		return r, models.Invalid("invalid_input", "send either amount or cpc")
	case b.Sub == 0 && b.SubValue != "":
		return r, models.Invalid("invalid_input", "sub_value needs sub, the number of its sub-parameter")
	case !b.CampaignID.Valid && !b.SourceID.Valid:
		return r, models.Invalid("invalid_input", "send campaign_id, source_id or both")
	}
	if err := b.checkDays(c); err != nil {
		return r, err
	}
	if b.CampaignID.Valid {
		campaign, err := c.Store.Campaigns().Find(c.Context(), c.Account.ID, b.CampaignID.UUID)
		if err != nil {
			return r, asInvalid(err, "invalid_campaign", "there is no such campaign")
		}
		if !b.SourceID.Valid {
			r.AloneAt = campaign.SourceID.UUID
		}
	}
	if b.SourceID.Valid {
		if _, err := c.Store.Sources().Find(c.Context(), c.Account.ID, b.SourceID.UUID); err != nil {
			return r, asInvalid(err, "invalid_source", "there is no such traffic source")
		}
	}
	return r, nil
}

func exact(m *models.Money) *decimal.Decimal {
	if m == nil {
		return nil
	}
	return &m.Decimal
}

// asInvalid replaces a not-found error, because the body names a record that does not exist.
func asInvalid(err error, code, text string) error {
	if isNotFound(err) {
		return models.Invalid(code, "%s", text)
	}
	return err
}

// checkDays checks that from and to are days that have begun, that their clicks are still stored, and that they include at most
// MaxCostDays.
func (b SetCostBody) checkDays(c *route.Call) error {
	from, err := time.Parse(time.DateOnly, b.From)
	to, toErr := time.Parse(time.DateOnly, b.To)
	if err != nil || toErr != nil {
		return models.Invalid("bad_range", "from and to must be days, YYYY-MM-DD")
	}
	kept, err := click.KeptFrom(c.Context(), c.Store.Conn(), c.Account.ID)
	if err != nil {
		return err
	}
	if oldest := time.Now().AddDate(0, 0, -models.LongestHistory()); kept.Before(oldest) {
		kept = oldest
	}
	today := c.Account.DayStart(time.Now()).Format(time.DateOnly)
	switch {
	case to.Before(from):
		return models.Invalid("bad_range", "to lies before from")
	case to.Sub(from) >= models.MaxCostDays*24*time.Hour:
		return models.Invalid("bad_range", "from and to include at most %d days", models.MaxCostDays)
	case b.To > today:
		return models.Invalid("bad_range", "%s has not begun in the account's time zone", b.To)
	case from.AddDate(0, 0, -1).Before(kept):
		return models.Invalid("bad_range", "the clicks of %s are not kept any more", b.From)
	}
	return nil
}

// CostSet is the answer of POST /corrections/cost/set.
type CostSet struct {
	DryRun bool         `json:"dryRun"`
	ID     *uuid.UUID   `json:"id" doc:"id of the change in the list of changes; null: this was a dry run"`
	Clicks int64        `json:"clicks" doc:"number of clicks over which the cost is spread; bots are not counted"`
	Before models.Money `json:"before" doc:"earlier cost of the clicks; all amounts of this answer are in the account's currency"`
	After  models.Money `json:"after"`
	Days   []CostDay    `json:"days" doc:"in the order of days; each day has at least one row"`
}

// CostDay is the cost of a campaign's clicks on one day, before and after the change.
type CostDay struct {
	Day          string       `json:"day" doc:"in the account's time zone"`
	CampaignID   *uuid.UUID   `json:"campaign_id" doc:"null: the day has no clicks that the change concerns"`
	CampaignName string       `json:"campaign_name"`
	Clicks       int64        `json:"clicks"`
	Before       models.Money `json:"before"`
	After        models.Money `json:"after"`
}

var setCostJob = slow.New(jobs.SetCost, func(a jobs.CostSet) CostSet {
	return CostSet{
		DryRun: a.DryRun, Clicks: a.Quote.Clicks, Before: a.Quote.Before, After: a.Quote.After, ID: answer.OrNull(a.ID),
		Days: answer.Each(a.Quote.Days, func(d models.CostDay) CostDay {
			return CostDay{d.Day, answer.OrNull(d.CampaignID), a.Names[d.CampaignID.String()], d.Clicks, d.Before, d.After}
		}),
	}
})

func (d Deps) setCost(c *route.Call, b SetCostBody) (out CostSet, err error) {
	r, err := b.request(c)
	if err != nil {
		return out, err
	}
	args := jobs.SetCostArgs{Apply: bool(b.Apply), Request: r}
	c.Checked = !args.Apply // the dashboard sends a dry run after each edit
	c.Record = changedBy(r)
	return setCostJob.Start(c, d.Jobs, args, func(tx *store.Store, id uuid.UUID) error {
		if !args.Apply {
			return nil
		}
		return addCostChange(c, tx, id, models.CostByHand, r)
	})
}

// changedBy returns the campaign or the traffic source whose cost a request sets. It is zero for a change from a file.
func changedBy(r models.CostRequest) uuid.UUID { return cmp.Or(r.CampaignID, r.SourceID) }

// addCostChange adds a change of cost to the history. The job makes the change later.
func addCostChange(c *route.Call, tx *store.Store, id uuid.UUID, kind string, r models.CostRequest) error {
	by := authorOf(c)
	return tx.CostChanges().Add(c.Context(), c.Account.ID, id, kind, by.Person, by.Key.UUID, r)
}

// CostChange is a change of cost, set by hand or applied from a file.
type CostChange struct {
	ID           uuid.UUID     `json:"id"`
	Kind         string        `json:"kind" enum:"hand,file"`
	Who          string        `json:"who" doc:"name of the person or of the key"`
	CreatedAt    string        `json:"created_at"`
	CampaignID   *uuid.UUID    `json:"campaign_id" doc:"null: the change concerns all campaigns, or comes from a file"`
	CampaignName string        `json:"campaign_name"`
	SourceID     *uuid.UUID    `json:"source_id" doc:"null: the change concerns all sources, or comes from a file"`
	SourceName   string        `json:"source_name"`
	Sub          int           `json:"sub" doc:"0: all clicks"`
	SubValue     string        `json:"sub_value"`
	From         string        `json:"from" doc:"first day; in UTC if the change comes from a file"`
	To           string        `json:"to"`
	CPC          *models.Money `json:"cpc" doc:"the cost of each click, in the currency of the field currency; null: a total amount was set, or the change comes from a file"`
	Amount       *models.Money `json:"amount" doc:"the total cost, in the currency of the field currency; null: cpc was set, or the change comes from a file"`
	Currency     string        `json:"currency" doc:"empty: the change comes from a file"`
	Clicks       int64         `json:"clicks"`
	Before       models.Money  `json:"before" doc:"earlier cost of the clicks; like after, in the currency of the field base"`
	After        models.Money  `json:"after"`
	Base         string        `json:"base" doc:"the account's currency at that time"`
	MayUndo      bool          `json:"may_undo" doc:"whether the earlier cost is still stored; then the change can be undone unless the cost was changed again"`
	UndoneAt     *string       `json:"undone_at"`
	UndoneBy     string        `json:"undone_by"`
}

func listCostChanges(c *route.Call) (out resource.Listed[CostChange], err error) {
	list, next, err := c.Store.CostChanges().List(c.Context(), c.Account.ID, c.Page)
	if err != nil {
		return out, err
	}
	ids := map[string][]string{}
	for _, k := range list {
		ids["campaign_id"] = append(ids["campaign_id"], k.Request.CampaignID.String())
		ids["source_id"] = append(ids["source_id"], k.Request.SourceID.String())
	}
	names, err := c.Store.NamesOf(c.Context(), c.Account.ID, ids)
	out.NextCursor, out.Rows = answer.Cursor(next), answer.Each(list, func(k models.CostChange) CostChange { return costChangeOf(k, names) })
	return out, err
}

func costChangeOf(k models.CostChange, names map[string]string) CostChange {
	r := k.Request
	out := CostChange{
		ID: k.ID, Kind: k.Kind, Who: k.Who, CreatedAt: answer.Stamp(k.CreatedAt), CampaignID: answer.OrNull(r.CampaignID),
		CampaignName: names[r.CampaignID.String()], SourceID: answer.OrNull(r.SourceID), SourceName: names[r.SourceID.String()], Sub: r.Sub,
		SubValue: r.SubValue, From: r.From, To: r.To, CPC: models.MoneyOf(r.CPC), Amount: models.MoneyOf(r.Amount), Currency: r.Currency,
		Clicks: k.Clicks, Before: models.NewMoney(k.Before), After: models.NewMoney(k.After), Base: k.Base, MayUndo: k.MayUndo(time.Now()),
		UndoneAt: answer.StampOrNull(k.UndoneAt), UndoneBy: k.UndoneBy,
	}
	if k.Kind == models.CostFromFile {
		out.From, out.To = k.FirstDay.Format(time.DateOnly), k.LastDay.Format(time.DateOnly)
	} else {
		out.Currency = cmp.Or(r.Currency, k.Base)
	}
	return out
}

// CostUndone is the answer of POST /corrections/cost/changes/{id}/undo.
type CostUndone struct {
	Undone bool `json:"undone"`
}

var undoCostJob = slow.New(jobs.UndoCost, func(jobs.None) CostUndone { return CostUndone{true} })

func (d Deps) undoCost(c *route.Call) (out CostUndone, err error) {
	k, err := c.Store.CostChanges().Find(c.Context(), c.Account.ID, c.ID)
	switch {
	case err != nil:
		return out, err
	case k.UndoneAt != nil:
		return out, models.Conflict("stale", "the change was undone already")
	case !k.MayUndo(time.Now()):
		return out, models.Conflict("too_old", "the costs from before the change are not kept any more")
	}
	c.Record = changedBy(k.Request)
	by := authorOf(c)
	args := jobs.UndoCostArgs{ID: k.ID, By: by.Person, Key: by.Key.UUID}
	return undoCostJob.Start(c, d.Jobs, args, nil)
}
