package difference

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/difference"
)

// sent is a conversion with the results of its last postback and its last upload to the traffic source. Each is empty if there
// is no such postback or upload.
type sent struct {
	ID             uuid.UUID `db:"id"`
	ClickID        uuid.UUID `db:"click_id"`
	Reference      string    `db:"conversion_id"`
	Campaign       uuid.UUID `db:"campaign_id"`
	Status         string    `db:"status"`
	Accepted       bool      `db:"accepted"` // by a postback, or by an upload without a later retraction
	Postback       string    `db:"postback"`
	PostbackReason string    `db:"postback_reason"`
	Upload         string    `db:"upload"`
	UploadReason   string    `db:"upload_reason"`
	Kept           bool      `db:"kept"` // postbacks of this age are still stored
}

const selectSent = `
SELECT v.id, v.click_id, v.conversion_id, v.campaign_id, v.status,
	EXISTS (SELECT FROM source_postbacks p WHERE p.conversion_id = v.id AND p.source_id = $2 AND p.result = 'told')
		OR coalesce(a.action <> 'retract', false) AS accepted,
	coalesce(p.result, '') AS postback, coalesce(p.reason, '') AS postback_reason,
	coalesce(u.result, '') AS upload, coalesce(u.reason, '') AS upload_reason, v.updated_at >= $5 AS kept
FROM conversions v
LEFT JOIN LATERAL (SELECT result, reason FROM source_postbacks p WHERE p.conversion_id = v.id AND p.source_id = $2
	ORDER BY place DESC LIMIT 1) p ON true
LEFT JOIN LATERAL (SELECT result, reason FROM conversion_uploads u WHERE u.conversion_id = v.id AND u.source_id = $2
	ORDER BY place DESC LIMIT 1) u ON true
LEFT JOIN LATERAL (SELECT action FROM conversion_uploads a WHERE a.conversion_id = v.id AND a.source_id = $2 AND a.result = 'accepted'
	ORDER BY place DESC LIMIT 1) a ON true
WHERE v.account_id = $1 AND v.source_id = $2 AND v.click_id >= $3 AND v.click_id < $4
ORDER BY v.click_id, v.id LIMIT $6`

// compareConversions compares our conversions with the conversions that the source has accepted. If nothing was sent, it compares
// nothing, because platforms report no conversions of their own.
func (s *sourceSheet) compareConversions(ctx context.Context) error {
	from, to := s.bounds(s.comparison.ours)
	plan, err := db.Get[string](ctx, s.Conn, "account", `SELECT plan FROM accounts WHERE id = $1`, s.account)
	if err != nil {
		return err
	}
	p, _ := models.PlanNamed(plan)
	oldestKept := time.Now().AddDate(0, 0, -p.PostbackDays)
	list, err := db.Select[sent](ctx, s.Conn, "conversions of the source", selectSent, s.account, s.out.ID,
		models.FloorClickID(from), models.FloorClickID(to), oldestKept, difference.MaxConversions+1)
	if err != nil {
		return err
	}
	if len(list) > difference.MaxConversions {
		return tooMany("conversions", difference.MaxConversions)
	}
	for _, v := range list {
		s.out.Compares.Conversions = s.out.Compares.Conversions || v.Postback != "" || v.Upload != ""
	}
	if !s.out.Compares.Conversions {
		return nil
	}
	for _, v := range list {
		s.compareSent(v)
	}
	return nil
}

// counts reports whether a comparison counts a conversion with this status.
func counts(status string) bool {
	return status == models.StatusApproved || status == models.StatusPending
}

// compareSent adds a conversion in the cell of its click, because the source does not say on which day it counts the conversion.
func (s *sourceSheet) compareSent(v sent) {
	c := s.place(difference.Cell{Day: dayIn(models.ClickTime(v.ClickID), s.comparison.ours), Campaign: v.Campaign})
	x := difference.Example{Day: c.Day, ClickID: v.ClickID, ConversionID: v.Reference, OurStatus: v.Status}
	conversion := difference.Figures{Conversions: 1}
	if v.Accepted {
		s.sheet.AddTheirs(c, conversion)
	}
	switch {
	case v.Accepted && !counts(v.Status):
		x.Cause, x.Reason = difference.Late, "it was reported to the source, and is "+v.Status+" now"
		s.sheet.Explain(c, x.Cause, x.Reason, conversion)
	case !v.Accepted && counts(v.Status):
		x.Cause, x.Reason = difference.NotSent, reasonOf(v.reason())
		s.sheet.Explain(c, x.Cause, x.Reason, conversion.Neg())
	default:
		return
	}
	s.sheet.AddExample(x)
}

// reason returns why the source does not have a conversion.
func (v sent) reason() string {
	result, reason := v.Upload, v.UploadReason
	if result == "" {
		result, reason = v.Postback, v.PostbackReason
	}
	switch result {
	case "":
		if !v.Kept {
			return "the record of what was sent is no longer kept"
		}
		return "the settings of the source send no conversion with this goal and status"
	case models.UploadPending:
		return "it waits to be sent"
	case models.UploadShadow:
		return "uploads are in shadow mode"
	case models.UploadAccepted:
		return "it was taken back"
	}
	return cmp.Or(reason, "it was not accepted")
}
