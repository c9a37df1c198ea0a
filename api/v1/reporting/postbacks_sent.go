package reporting

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/sourcepostback"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// SentPostback is a postback to a traffic source about a conversion, with the results of its attempts.
type SentPostback struct {
	SourceID      uuid.UUID        `json:"source_id"`
	SourceName    string           `json:"source_name"`
	Reference     string           `json:"conversion_reference" doc:"the network's or shop's own id of the conversion"`
	Goal          string           `json:"goal"`
	Status        string           `json:"status" enum:"pending,approved,rejected,chargeback" doc:"the status that the conversion got"`
	Payout        models.Money     `json:"payout" doc:"payout of the conversion; the source is sent a share of it, see send_payout_pct"`
	Currency      string           `json:"currency"`
	Method        string           `json:"method" doc:"method of the last attempt; empty: there was no attempt yet"`
	URL           string           `json:"url" doc:"address of the last attempt; *** stands for a text that may be a secret"`
	Body          string           `json:"body" doc:"body of the last attempt; empty: it did not use POST, or there was no attempt yet"`
	HTTPStatus    *int             `json:"http_status" doc:"status of the source's last answer; null: no answer came"`
	Answer        string           `json:"answer" doc:"the first 2 kB of the source's last answer"`
	Attempts      int              `json:"attempts"`
	Tries         []models.SentTry `json:"tries" doc:"the last 20 attempts, oldest first"`
	LastAttemptAt *string          `json:"last_attempt_at"`
	NextAttemptAt *string          `json:"next_attempt_at" doc:"when the next attempt is made, while the postback is pending"`
	ToldAt        *string          `json:"told_at"`
}

func listSent(c *route.Call) (PostbackLog, error) {
	q, err := sentQuery(c)
	if err != nil {
		return PostbackLog{}, err
	}
	list, err := sourcepostback.List(c.Context(), c.Store.Conn(), q)
	if err != nil {
		return PostbackLog{}, err
	}
	rows, err := sentRows(c, list)
	return PostbackLog{Range: c.Window.Range(), Rows: rows}, err
}

func sentQuery(c *route.Call) (q sourcepostback.Query, err error) {
	paging, err := logQuery(c)
	if err != nil {
		return q, err
	}
	q = sourcepostback.Query{
		AccountID: c.Account.ID, From: paging.From, To: paging.To, Limit: paging.Limit, Offset: paging.Offset,
		Result: c.Query.Get("result"),
	}
	if q.Result != "" && !slices.Contains(models.SentResults, q.Result) {
		return q, models.Invalid("invalid_input", "result must be one of %s", strings.Join(models.SentResults, ", "))
	}
	if q.Reference, err = transaction(c); err != nil {
		return q, err
	}
	q.Click, err = parseClickID(c)
	ids := map[string]*uuid.UUID{"network": &q.Network, "campaign": &q.Campaign, "source": &q.Source, "conversion": &q.Conversion}
	for name, into := range ids {
		var failed error
		*into, failed = idOrAll(c, name)
		err = cmp.Or(err, failed)
	}
	return q, err
}

func sentRows(c *route.Call, list []sourcepostback.Logged) ([]PostbackRow, error) {
	idsOf := func(id func(sourcepostback.Logged) uuid.UUID) []string {
		return answer.Each(list, func(p sourcepostback.Logged) string { return models.IDText(id(p)) })
	}
	names, err := namesOf(c, map[string][]string{
		"network_id":  idsOf(func(p sourcepostback.Logged) uuid.UUID { return p.NetworkID }),
		"campaign_id": idsOf(func(p sourcepostback.Logged) uuid.UUID { return p.CampaignID }),
		"source_id":   idsOf(func(p sourcepostback.Logged) uuid.UUID { return p.SourceID }),
	})
	return answer.Each(list, func(p sourcepostback.Logged) PostbackRow {
		row := PostbackRow{
			ID: p.ID, Direction: "out", At: answer.Stamp(p.CreatedAt), Result: p.Result, Reason: p.Reason,
			NetworkID: answer.OrNull(p.NetworkID), NetworkName: names[p.NetworkID.String()],
			CampaignID: answer.OrNull(p.CampaignID), CampaignName: names[p.CampaignID.String()],
			ClickID: new(models.FormatClickID(p.ClickID)), ConversionID: answer.OrNull(p.ConversionID),
			Sent: &SentPostback{
				SourceID: p.SourceID, SourceName: names[p.SourceID.String()], Reference: p.Reference, Goal: p.Goal, Status: p.Status,
				Payout: models.NewMoney(p.Payout), Currency: p.Currency, Method: p.Request.Method, URL: p.Request.URL,
				Body: p.Request.Body, HTTPStatus: p.HTTPStatus, Answer: p.Answer, Attempts: p.Attempts, Tries: p.Tries,
				LastAttemptAt: answer.StampOrNull(p.LastAttempt), NextAttemptAt: answer.StampOrNull(p.NextAttempt),
				ToldAt: answer.StampOrNull(p.ToldAt),
			},
		}
		if p.Result != models.SentPending {
			row.DecidedAt = answer.StampOrNull(cmp.Or(p.ToldAt, p.LastAttempt))
		}
		if u, err := url.Parse(p.Request.URL); err == nil {
			row.Domain, row.Query = u.Host, cmp.Or(u.RawQuery, p.Request.Body)
		}
		return row
	}), err
}

func findSent(c *route.Call) (PostbackRow, error) {
	p, err := sourcepostback.Get(c.Context(), c.Store.Conn(), c.Account.ID, c.ID)
	if err != nil {
		return PostbackRow{}, err
	}
	rows, err := sentRows(c, []sourcepostback.Logged{p})
	if err != nil {
		return PostbackRow{}, err
	}
	return rows[0], nil
}

// PostbackRedelivered is the result of sending a postback again.
type PostbackRedelivered struct {
	ID         uuid.UUID `json:"id"`
	Told       bool      `json:"told"`
	HTTPStatus *int      `json:"http_status" doc:"status of the source's answer; null: no answer came"`
	Error      *string   `json:"error" doc:"why the source was not notified"`
}

var resendJob = slow.New(jobs.ResendPostback, func(a jobs.PostbackAnswer) PostbackRedelivered {
	return PostbackRedelivered{a.ID, a.Told, a.Status, answer.OrNull(a.Error)}
})

// redeliverRow returns the route that sends a postback to a traffic source again.
func redeliverRow(d Deps) route.Route {
	return route.New("POST", "/logs/postbacks/{id}/redeliver", "Logs",
		"send a postback to its traffic source again now, under the same id; neither its result so far nor a pause of the source matters",
		route.Handle(d.redeliverPostback), answer.IDCodes,
		route.Codes("400 no_url", "409 in_progress too_old")).WithShare(route.Sends).Awaits(resendJob.Answer())
}

func (d Deps) redeliverPostback(c *route.Call) (PostbackRedelivered, error) {
	if _, err := sourcepostback.Get(c.Context(), c.Store.Conn(), c.Account.ID, c.ID); err != nil {
		return PostbackRedelivered{}, err
	}
	return resendJob.Run(c, d.Jobs, jobs.PostbackArgs{ID: c.ID})
}

// ResendBody selects the traffic source whose postbacks are sent again.
type ResendBody struct {
	Source bind.Opt[string] `json:"source" bad:"invalid_id" format:"uuid" doc:"only postbacks to this traffic source; left out: postbacks to all active traffic sources"`
}

// PostbacksResent is the answer to sending failed postbacks again.
type PostbacksResent struct {
	Range    bind.Range `json:"range" doc:"the window in which the conversions got their status"`
	Requeued int64      `json:"requeued" doc:"number of postbacks that are pending again; the log shows their results later"`
}

var resendFailedJob = slow.New(jobs.ResendFailed, func(a jobs.RedeliverFailedAnswer) PostbacksResent {
	return PostbacksResent{bind.RangeOf(a.From, a.To), a.Requeued}
})

// resendFailedRow returns the route that sends all failed postbacks of a window again.
func resendFailedRow(d Deps) route.Route {
	return route.New("POST", "/logs/postbacks/redeliver-failed", "Logs",
		"send every failed postback of a window to its traffic source again", route.HandleBody(d.resendFailed), answer.IDCodes).
		WithWindow().WithOptionalBody().WithShare(route.Sends).Awaits(resendFailedJob.Answer())
}

func (d Deps) resendFailed(c *route.Call, b ResendBody) (PostbacksResent, error) {
	args := jobs.ResendFailedArgs{From: c.Window.From, To: c.Window.End()}
	if b.Source.Given() {
		args.Source, _ = models.ParseID(b.Source.Value) // its format has been checked
		if _, err := c.Store.Sources().Find(c.Context(), c.Account.ID, args.Source); err != nil {
			return PostbacksResent{}, err
		}
	}
	return resendFailedJob.Run(c, d.Jobs, args)
}
