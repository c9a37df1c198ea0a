package v1

import (
	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// links returns the route that checks the link of an offer or a landing page.
func links(d Deps) []route.Route {
	return []route.Route{route.New("POST", "/tools/check-links", "Account", "request the link of an offer or a landing page now",
		route.HandleBody(d.checkLink), route.Codes("400 required invalid_id", "404 not_found")).WithShare(route.Sends).Awaits(checkJob.Answer())}
}

// LinkBody selects the record whose link is checked. Exactly one of the two fields must be set.
type LinkBody struct {
	OfferID  bind.Opt[string] `json:"offer_id" bad:"invalid_id" format:"uuid" doc:"an active offer"`
	LanderID bind.Opt[string] `json:"lander_id" bad:"invalid_id" format:"uuid" doc:"an active landing page"`
}

// LinkChecked is the result of the check of a link.
type LinkChecked struct {
	Kind      string    `json:"kind" enum:"offer,lander"`
	ID        uuid.UUID `json:"id"`
	URL       string    `json:"url" doc:"the URL that was requested, with example values in place of its tokens"`
	OK        bool      `json:"ok" doc:"false: no answer came, or its status was 404, 410 or 5xx"`
	Status    *int      `json:"status" doc:"status of the answer; null: no answer came"`
	Error     *string   `json:"error" doc:"why the link is not ok; null: it is ok"`
	CheckedAt string    `json:"checked_at"`
}

var checkJob = slow.New(jobs.CheckLink, func(a jobs.CheckLinkAnswer) LinkChecked {
	return LinkChecked{
		Kind: a.Kind, ID: a.ID, URL: a.URL, OK: a.Error == "", Status: a.Status, Error: answer.OrNull(a.Error),
		CheckedAt: answer.Stamp(a.At),
	}
})

func (d Deps) checkLink(c *route.Call, b LinkBody) (LinkChecked, error) {
	args, text := jobs.CheckLinkArgs{Kind: models.LinkOffer}, b.OfferID
	if b.LanderID.Given() {
		args.Kind, text = models.LinkLander, b.LanderID
	}
	if b.OfferID.Given() == b.LanderID.Given() {
		return LinkChecked{}, models.Invalid("required", "send either offer_id or lander_id")
	}
	args.ID, _ = models.ParseID(text.Value) // its format has been checked
	if _, err := c.Store.Links().Find(c.Context(), c.Account.ID, args.Kind, args.ID); err != nil {
		return LinkChecked{}, err
	}
	return checkJob.Run(c, d.Jobs, args)
}

// LastCheck is the last check of a link. Checks run every hour.
type LastCheck struct {
	OK           bool    `json:"ok"`
	Status       *int    `json:"status" doc:"status of the answer; null: no answer came"`
	Error        *string `json:"error" doc:"why the link is not ok; null: it is ok"`
	CheckedAt    string  `json:"checked_at"`
	FailingSince *string `json:"failing_since" doc:"when the first of the consecutive failures happened"`
	Broken       bool    `json:"broken" doc:"true: several checks in a row failed, the last at least 30 minutes after the first, and GET /alerts lists the record"`
}

// lastChecks reads the last checks of a page of records, and returns a function that finds the check of a record.
func lastChecks[R interface{ RecordID() uuid.UUID }](c *route.Call, kind string, page []R) (
	func(uuid.UUID) *LastCheck, error,
) {
	states, err := c.Store.Links().States(c.Context(), c.Account.ID, kind, answer.Each(page, R.RecordID))
	return func(id uuid.UUID) *LastCheck {
		s, checked := states[id]
		if !checked {
			return nil
		}
		return &LastCheck{
			OK: s.Error == "", Status: s.Status, Error: answer.OrNull(s.Error), CheckedAt: answer.Stamp(s.CheckedAt),
			FailingSince: answer.StampOrNull(s.FailingSince), Broken: s.BrokenAt != nil,
		}
	}, err
}
