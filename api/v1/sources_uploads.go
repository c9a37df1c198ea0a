package v1

import (
	"time"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/upload"
	"switchyard/models"
)

// SourceUploads describes the uploads of conversions to a platform.
type SourceUploads struct {
	Accepted  int            `json:"accepted" doc:"of the last 30 days, by the platform, as are the next ones"`
	Rejected  int            `json:"rejected" doc:"by the platform"`
	Shadow    int            `json:"shadow" doc:"built, and tried where the platform can try, without counting"`
	Skipped   int            `json:"skipped" doc:"there was nothing to tell, or no way to"`
	Pending   int            `json:"pending"`
	ReadyAt   *string        `json:"ready_at" doc:"the platform takes none before"`
	Stopped   *string        `json:"stopped" doc:"why they were stopped; a PUT begins them again"`
	StoppedAt *string        `json:"stopped_at"`
	LastError *string        `json:"last_error" doc:"why the last job failed; null: it did not"`
	Rows      []SourceUpload `json:"rows" doc:"the last 20, the latest first"`
}

// SourceUpload is an upload of a conversion to a platform.
type SourceUpload struct {
	ID           string       `json:"id"`
	ClickID      string       `json:"click_id"`
	ConversionID string       `json:"conversion_id" doc:"ours, by which the platform knows the conversion"`
	Goal         string       `json:"goal"`
	Status       string       `json:"status" doc:"of the conversion, as it was recorded"`
	Action       string       `json:"action" enum:"upload,restate,retract"`
	Value        models.Money `json:"value" doc:"send_payout_pct of the payout"`
	Currency     string       `json:"currency"`
	HappenedAt   string       `json:"happened_at" doc:"as the platform is told"`
	Result       string       `json:"result" enum:"pending,accepted,rejected,shadow,skipped"`
	Reason       string       `json:"reason" doc:"the platform's words, or why it waits or was skipped"`
	Attempts     int          `json:"attempts"`
	DecidedAt    *string      `json:"decided_at"`
	CreatedAt    string       `json:"created_at"`
}

const (
	listedUploads  = 20
	countedUploads = 30 // days
)

// sourceUploads returns the uploads of the source of the connection i.
func sourceUploads(c *route.Call, i models.SourceIntegration) (*SourceUploads, error) {
	counts, err := upload.Count(c.Context(), c.Store.Conn(), c.Account.ID, i.TargetID, time.Now().AddDate(0, 0, -countedUploads))
	if err != nil {
		return nil, err
	}
	rows, err := upload.List(c.Context(), c.Store.Conn(), c.Account.ID, i.TargetID, listedUploads)
	return &SourceUploads{
		Accepted: counts[models.UploadAccepted], Rejected: counts[models.UploadRejected], Shadow: counts[models.UploadShadow],
		Skipped: counts[models.UploadSkipped], Pending: counts[models.UploadPending],
		ReadyAt: answer.StampOrNull(i.UploadsReadyAt), Stopped: answer.OrNull(i.UploadsStopped),
		StoppedAt: answer.StampOrNull(i.UploadsStoppedAt), LastError: answer.OrNull(i.UploadFailure),
		Rows: answer.Each(rows, func(u models.ConversionUpload) SourceUpload {
			return SourceUpload{
				ID: u.ID.String(), ClickID: models.FormatClickID(u.ClickID), ConversionID: u.ConversionID.String(), Goal: u.Goal,
				Status: u.Status, Action: u.Action, Value: models.NewMoney(u.Value), Currency: u.Currency,
				HappenedAt: answer.Stamp(u.HappenedAt), Result: u.Result, Reason: u.Reason, Attempts: u.Attempts,
				DecidedAt: answer.StampOrNull(u.DecidedAt), CreatedAt: answer.Stamp(u.CreatedAt),
			}
		}),
	}, err
}
