package reporting

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/postback"
)

// PostbackLog is a page of the log of postbacks.
type PostbackLog struct {
	Range   bind.Range    `json:"range"`
	Rows    []PostbackRow `json:"rows"`
	Sampled bool          `json:"sampled" doc:"true: some rows of this page are samples (see the field sample), so there may have been more postbacks of their kind"`
}

// PostbackRow is a postback. Missing ids are null.
type PostbackRow struct {
	ID            uuid.UUID  `json:"id"`
	Direction     string     `json:"direction" enum:"in,out"`
	At            string     `json:"at" doc:"when a received postback arrived, or, for a postback to a traffic source, when the conversion got its status; ISO 8601, UTC"`
	DecidedAt     *string    `json:"decided_at" doc:"when the result was decided; null: the postback is waiting, or was skipped before an attempt to send it"`
	Result        string     `json:"result" enum:"accepted,matched,unmatched,refused,duplicate,ignored,pending,told,failed,skipped" doc:"accepted: the postback is stored, and its conversion is recorded as soon as its click is known. pending, told, failed and skipped are results of postbacks to traffic sources. skipped: the postback was not sent, for example because its source was paused"`
	Reason        string     `json:"reason" doc:"reason of the result, as text for people"`
	Sample        bool       `json:"sample" doc:"true: the postback names no click; each web process stores only about 20 postbacks of this kind an hour for each network or domain"`
	NetworkID     *uuid.UUID `json:"network_id" doc:"in: the network that the postback's address names; out: the network of the conversion"`
	NetworkName   string     `json:"network_name"`
	CampaignID    *uuid.UUID `json:"campaign_id" doc:"campaign of the postback's click"`
	CampaignName  string     `json:"campaign_name"`
	ClickID       *string    `json:"click_id"`
	ConversionID  *uuid.UUID `json:"conversion_id" doc:"the id of the conversion in the log of conversions"`
	InvalidPayout *string    `json:"invalid_payout" doc:"the text that was received as the payout, if it is not an amount or is a macro that was not filled in. If the offer takes the payout from postbacks (payout_from_param), the payout is then 0. If it does not, the offer's own payout is used"`
	InvalidTime   *string    `json:"invalid_time" doc:"the stated time as received, if it cannot be used: it is not understood, is before the click or is in the future; the reason says which. The conversion then has the nearest possible time, or the time of its click if the stated time is not understood"`
	AmountReason  *string    `json:"amount_reason" doc:"why the payout or the cost counts as 0, or in another currency than its parameter says: it is not an amount, it can be read in two ways, or its currency is not understood; null: both count as they were received"`
	Query         string     `json:"query" doc:"in: the received parameters, in the order of their names; out: the query or the body of the last attempt; *** stands for a secret or for a text that may be a secret"`
	Source        string     `json:"source" doc:"in: postback, pixel, tag or goal_api; out: empty"`
	Domain        string     `json:"domain" doc:"the domain to which the postback was sent"`
	IP            string     `json:"ip" doc:"address of the sender; empty for a postback to a traffic source"`

	Sent *SentPostback `json:"sent" doc:"details of a postback to a traffic source; null for received postbacks"`
}

var directions = []string{"in", "out"}

// postbackLog returns the route of the log of postbacks.
func postbackLog(d Deps, paging []route.Param) route.Route {
	return route.New("GET", "/logs/postbacks", "Logs",
		"postbacks with their results, newest first; they are kept for 30 to 90 days, depending on the plan", route.Handle(d.listPostbacks),
		route.Codes("400 invalid_id")).WithWindow().WithShare(route.Reads).WithQuery(paging...).WithQuery(
		route.Param{Name: "direction", Enum: directions, Default: "in", Doc: "in: from networks and shops; out: to traffic sources"},
		route.Param{Name: "result", Enum: slices.Concat(models.PostbackResults, models.SentResults)},
		route.Param{Name: "network", Default: "all", Doc: "a network's id, or all; in: the network in the address; out: the network of the conversion"},
		route.Param{Name: "campaign", Default: "all", Doc: "the id of the click's campaign, or all"},
		route.Param{Name: "click_id", Doc: "only postbacks about this click"},
		route.Param{Name: "conversion", Default: "all", Doc: "the id of a conversion in the log of conversions, or all"},
		route.Param{Name: "transaction", Doc: "the network's or shop's own id of the conversion; in: searched in every parameter"},
		route.Param{Name: "source", Default: "all", Doc: "only with direction=out: the id of a traffic source, or all"})
}

func (d Deps) listPostbacks(c *route.Call) (PostbackLog, error) {
	switch direction := c.Query.Get("direction"); {
	case direction == "out":
		return listSent(c)
	case direction != "" && direction != "in":
		return PostbackLog{}, models.Invalid("invalid_input", "direction must be one of %s", strings.Join(directions, ", "))
	}
	q, err := postbackQuery(c)
	if err != nil {
		return PostbackLog{}, err
	}
	list, err := conversion.ListPostbacks(c.Context(), d.clicks(c), q)
	if err != nil {
		return PostbackLog{}, err
	}
	rows, err := postbackRows(c, list)
	return PostbackLog{c.Window.Range(), rows, slices.ContainsFunc(list, conversion.PostbackEntry.Sampled)}, err
}

func postbackQuery(c *route.Call) (q conversion.PostbackQuery, err error) {
	if q.LogQuery, err = logQuery(c); err != nil {
		return q, err
	}
	if q.Result = c.Query.Get("result"); q.Result != "" && !slices.Contains(models.PostbackResults, q.Result) {
		return q, models.Invalid("invalid_input", "result must be one of %s", strings.Join(models.PostbackResults, ", "))
	}
	if q.Network, err = idOrAll(c, "network"); err != nil {
		return q, err
	}
	if q.Campaign, err = idOrAll(c, "campaign"); err != nil {
		return q, err
	}
	if q.Conversion, err = idOrAll(c, "conversion"); err != nil {
		return q, err
	}
	if q.Transaction, err = transaction(c); err != nil {
		return q, err
	}
	q.Click, err = parseClickID(c)
	return q, err
}

// maxTransaction is the maximum length of the parameter transaction in bytes.
const maxTransaction = 255

func transaction(c *route.Call) (string, error) {
	text := c.Query.Get("transaction")
	if len(text) > maxTransaction || strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return "", models.Invalid("invalid_input", "transaction must be a text of at most %d bytes", maxTransaction)
	}
	return text, nil
}

// postbackRows returns the rows of postbacks. It shows only the names of encrypted parameters.
func postbackRows(c *route.Call, list []conversion.PostbackEntry) ([]PostbackRow, error) {
	secrets, err := c.Store.SecretParams(c.Context(), c.Account.ID)
	if err != nil {
		return nil, err
	}
	names, err := namesOf(c, map[string][]string{
		report.Network: answer.Each(list, func(p conversion.PostbackEntry) string { return models.IDText(p.NetworkID) }),
		"campaign_id":  answer.Each(list, func(p conversion.PostbackEntry) string { return models.IDText(p.CampaignID) }),
	})
	rows := answer.Each(list, func(p conversion.PostbackEntry) PostbackRow {
		proof, _ := c.Store.OpenProof(c.Context(), p.ID, p.Proof) // if it cannot be decrypted, the row is still shown
		ip, _ := p.IP.MarshalText()                               // empty if there is no address
		row := PostbackRow{
			ID: p.ID, Direction: "in", At: answer.Stamp(p.ReceivedAt), DecidedAt: answer.StampOrNull(p.DecidedAt),
			Result: p.Result, Reason: p.Detail, Sample: p.Sampled(),
			NetworkID: answer.OrNull(p.NetworkID), NetworkName: names[p.NetworkID.String()],
			CampaignID: answer.OrNull(p.CampaignID), CampaignName: names[p.CampaignID.String()],
			ClickID: answer.ClickID(p.ClickID), ConversionID: answer.OrNull(p.ConversionID), InvalidPayout: answer.OrNull(p.InvalidPayout),
			AmountReason: answer.OrNull(p.AmountReason), InvalidTime: answer.OrNull(p.InvalidTime),
			Query: postback.Query(postback.Masked(p.Params, secrets), proof.Names()), Source: p.Source, Domain: p.Domain, IP: string(ip),
		}
		if reason := postback.TimeReason(p.InvalidTime, p.ClickID); reason != "" {
			row.Reason += "; " + reason
		}
		if p.Result == models.PostbackAccepted {
			row.DecidedAt = nil // it is the time of the last search for the click
		}
		return row
	})
	return rows, err
}

func (d Deps) findPostback(c *route.Call) (PostbackRow, error) {
	p, err := conversion.ReadPostback(c.Context(), d.clicks(c), c.Account.ID, c.ID)
	if errors.Is(err, models.NotFound("postback")) {
		return findSent(c)
	}
	if err != nil {
		return PostbackRow{}, err
	}
	rows, err := postbackRows(c, []conversion.PostbackEntry{p})
	if err != nil {
		return PostbackRow{}, err
	}
	return rows[0], nil
}

// PostbackReplayed is the answer to the replay of a postback.
type PostbackReplayed struct {
	ID     uuid.UUID `json:"id"`
	Result string    `json:"result" enum:"accepted" doc:"accepted: the new result is in the log within seconds"`
}

func (d Deps) replayPostback(c *route.Call) (PostbackReplayed, error) {
	if _, err := conversion.ReadPostback(c.Context(), click.Log{Conn: c.Store.Conn()}, c.Account.ID, c.ID); err != nil {
		return PostbackReplayed{}, err
	}
	ok, err := conversion.ReplayPostback(c.Context(), c.Store.Conn(), c.Account.ID, c.ID)
	if err == nil && !ok {
		err = models.Conflict("in_progress", "the postback waits for its click or is being recorded")
	}
	return PostbackReplayed{c.ID, models.PostbackAccepted}, err
}

// ReplayBody selects the unmatched postbacks that are read again.
type ReplayBody struct {
	Network bind.Opt[string] `json:"network" bad:"invalid_id" format:"uuid" doc:"only postbacks whose address names this network; left out: all postbacks"`
	DryRun  bool             `json:"dry_run" doc:"true: change nothing, and report the result that each of the newest postbacks would have"`
}

// PostbacksReplayed is the answer to the replay of unmatched postbacks.
type PostbacksReplayed struct {
	Range    bind.Range      `json:"range" doc:"the window in which the postbacks arrived"`
	Replayed int64           `json:"replayed" doc:"number of postbacks that were accepted again; their results are in the log within seconds. In a dry run, the number of postbacks that were read"`
	DryRun   bool            `json:"dry_run"`
	Outcomes []ReplayOutcome `json:"outcomes" doc:"in a dry run, the result of each postback that was read, newest first, at most 100; otherwise empty"`
}

// ReplayOutcome is the result that a postback would have.
type ReplayOutcome struct {
	ID      uuid.UUID `json:"id"`
	Result  string    `json:"result" enum:"matched,unmatched,refused" doc:"matched: the click was found and the sender is trusted"`
	Reason  string    `json:"reason" doc:"reason of the result, as text for people"`
	ClickID *string   `json:"click_id" doc:"the click that the postback names; null: it names no click"`
}

var replayJob = slow.New(jobs.ReplayPostbacks, func(a jobs.ReplayAnswer) PostbacksReplayed {
	return PostbacksReplayed{Range: bind.RangeOf(a.From, a.To), Replayed: a.Replayed, Outcomes: []ReplayOutcome{}}
})

func (d Deps) replayPostbacks(c *route.Call, b ReplayBody) (PostbacksReplayed, error) {
	args := jobs.ReplayArgs{From: c.Window.From, To: c.Window.End()}
	if b.Network.Given() {
		args.Network, _ = models.ParseID(b.Network.Value) // its format has been checked
		if _, err := c.Store.Networks().Find(c.Context(), c.Account.ID, args.Network); err != nil {
			return PostbacksReplayed{}, err
		}
	}
	if b.DryRun {
		c.RecordDryRun()
		return previewReplay(c, args.Network)
	}
	return replayJob.Run(c, d.Jobs, args)
}
