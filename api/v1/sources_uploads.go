package v1

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	dbmatchkey "switchyard/db/matchkey"
	"switchyard/db/upload"
	"switchyard/models"
	"switchyard/models/matchkey"
)

// SourceUploads describes the uploads of conversions to a platform.
type SourceUploads struct {
	Accepted  int            `json:"accepted" doc:"uploads of the last 30 days that the platform accepted; rejected, shadow, skipped and pending cover the same 30 days"`
	Rejected  int            `json:"rejected" doc:"uploads that the platform rejected"`
	Shadow    int            `json:"shadow" doc:"uploads in shadow mode: they were built, and validated if the platform offers validation, but do not count"`
	Skipped   int            `json:"skipped" doc:"conversions for which there was nothing to upload, or which could not be uploaded"`
	Pending   int            `json:"pending"`
	ReadyAt   *string        `json:"ready_at" doc:"the platform accepts no uploads before this time; null: it accepts them now"`
	Stopped   *string        `json:"stopped" doc:"why uploads were stopped; a PUT starts them again"`
	StoppedAt *string        `json:"stopped_at"`
	MatchKeys UploadKeys     `json:"match_keys" doc:"hashed personal data of the conversions of the last seven days"`
	LastError *string        `json:"last_error" doc:"why the last job failed; null: it did not fail"`
	Rows      []SourceUpload `json:"rows" doc:"the last 20 uploads, newest first"`
}

// UploadKeys counts the conversions of a source with each kind of hashed personal data, even if these data are not sent.
type UploadKeys struct {
	Conversions int              `json:"conversions" doc:"number of conversions that were counted: the latest that can be uploaded to the platform, at most 10,000"`
	Keys        []UploadKeyShare `json:"keys" doc:"all kinds of data, including those that no conversion has"`
}

// UploadKeyShare tells how many conversions have one kind of hashed personal data.
type UploadKeyShare struct {
	Key         string  `json:"key" enum:"email,phone,first_name,last_name,street,city,region,zip,country"`
	Conversions int     `json:"conversions"`
	Share       float64 `json:"share" doc:"share of the conversions that have this kind of data, 0 to 1"`
}

// SourceUpload is an upload of a conversion to a platform.
type SourceUpload struct {
	ID           string       `json:"id"`
	ClickID      string       `json:"click_id"`
	ConversionID string       `json:"conversion_id" doc:"our id, by which the platform identifies the conversion"`
	Goal         string       `json:"goal"`
	Status       string       `json:"status" doc:"status of the conversion, as it was recorded"`
	Action       string       `json:"action" enum:"upload,restate,retract"`
	Value        models.Money `json:"value" doc:"the value that is uploaded: the share send_payout_pct of the payout"`
	Currency     string       `json:"currency"`
	HappenedAt   string       `json:"happened_at" doc:"the time that is sent to the platform"`
	Result       string       `json:"result" enum:"pending,accepted,rejected,shadow,skipped"`
	Reason       string       `json:"reason" doc:"the platform's message, or why the upload waits or was skipped"`
	Attempts     int          `json:"attempts"`
	Keys         []string     `json:"keys" doc:"hashed personal data that were sent or, in shadow mode, would have been sent"`
	DecidedAt    *string      `json:"decided_at"`
	CreatedAt    string       `json:"created_at"`
}

const (
	listedUploads  = 20
	countedUploads = 30 // days
)

func sourceUploads(c *route.Call, i models.SourceIntegration) (*SourceUploads, error) {
	counts, err := upload.Count(c.Context(), c.Store.Conn(), c.Account.ID, i.TargetID, time.Now().AddDate(0, 0, -countedUploads))
	if err != nil {
		return nil, err
	}
	keys, err := uploadKeys(c, i.TargetID)
	if err != nil {
		return nil, err
	}
	rows, err := upload.List(c.Context(), c.Store.Conn(), c.Account.ID, i.TargetID, listedUploads)
	return &SourceUploads{
		Accepted: counts[models.UploadAccepted], Rejected: counts[models.UploadRejected], Shadow: counts[models.UploadShadow],
		Skipped: counts[models.UploadSkipped], Pending: counts[models.UploadPending],
		ReadyAt: answer.StampOrNull(i.UploadsReadyAt), Stopped: answer.OrNull(i.UploadsStopped),
		MatchKeys: keys, StoppedAt: answer.StampOrNull(i.UploadsStoppedAt), LastError: answer.OrNull(i.UploadFailure),
		Rows: answer.Each(rows, func(u models.ConversionUpload) SourceUpload {
			return SourceUpload{
				ID: u.ID.String(), ClickID: models.FormatClickID(u.ClickID), ConversionID: u.ConversionID.String(), Goal: u.Goal,
				Status: u.Status, Action: u.Action, Value: models.NewMoney(u.Value), Currency: u.Currency,
				HappenedAt: answer.Stamp(u.HappenedAt), Result: u.Result, Reason: u.Reason, Attempts: u.Attempts, Keys: u.Keys,
				DecidedAt: answer.StampOrNull(u.DecidedAt), CreatedAt: answer.Stamp(u.CreatedAt),
			}
		}),
	}, err
}

func uploadKeys(c *route.Call, source uuid.UUID) (UploadKeys, error) {
	n, with, err := dbmatchkey.Shares(c.Context(), c.Store.Conn(), c.Account.ID, source, time.Now())
	out := UploadKeys{Conversions: n, Keys: make([]UploadKeyShare, len(matchkey.Names))}
	for i, name := range matchkey.Names {
		out.Keys[i] = UploadKeyShare{Key: name, Conversions: with[name], Share: float64(with[name]) / float64(max(n, 1))}
	}
	return out, err
}
