package reporting

import (
	"errors"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/models"
)

// maxPreviewed is the maximum number of postbacks that a dry run of a replay reads.
const maxPreviewed = 100

// previewReplay reads the newest unmatched postbacks of the window again, and stores nothing. A network that is not zero selects
// the postbacks with this network in their address.
func previewReplay(c *route.Call, network uuid.UUID) (out PostbacksReplayed, err error) {
	clicks := click.Log{Conn: c.Store.Conn()}
	list, err := conversion.ListPostbacks(c.Context(), clicks, conversion.PostbackQuery{
		LogQuery: click.LogQuery{AccountID: c.Account.ID, From: c.Window.From, To: c.Window.End(), Limit: maxPreviewed},
		Network:  network, Result: models.PostbackUnmatched,
	})
	out = PostbacksReplayed{
		Range: c.Window.Range(), Replayed: int64(len(list)), DryRun: true, Outcomes: make([]ReplayOutcome, 0, len(list)),
	}
	reader := conversion.Reader{Store: c.Store, Clicks: clicks}
	for i := 0; i < len(list) && err == nil; i++ {
		var outcome ReplayOutcome
		outcome, err = outcomeOf(c, reader, list[i].ID)
		if errors.Is(err, models.NotFound("postback")) { // deleted since the list was read
			err = nil
			continue
		}
		out.Outcomes = append(out.Outcomes, outcome)
	}
	return out, err
}

// outcomeOf returns the result that a postback would have now.
func outcomeOf(c *route.Call, reader conversion.Reader, id uuid.UUID) (out ReplayOutcome, err error) {
	out = ReplayOutcome{ID: id, Result: models.PostbackMatched}
	m, err := reader.Find(c.Context(), id)
	if err != nil {
		return out, err
	}
	m.AccountID = c.Account.ID                   // clicks of other accounts are not found
	v, err := reader.Read(c.Context(), m, false) // a preview does not wait for the visitor's step to an offer
	if err != nil {
		return out, err
	}
	switch {
	case v.Wait != "":
		out.Result, out.Reason = models.PostbackUnmatched, v.Wait
	case v.Decision.Outcome != "":
		out.Result, out.Reason = v.Decision.Outcome, v.Decision.Detail
	}
	out.ClickID = answer.ClickID(v.Decision.ClickID)
	return out, nil
}
