package conversion

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Any sender can send thousands of postbacks whose click does not exist, so one query looks up the clicks of many due postbacks. If
// click_id is zero, the postback's text must be read with the settings of its network to find the click id.
var matchPostbacks = `
WITH due AS MATERIALIZED (
	SELECT id, account_id, network_id, click_id, attempts FROM postbacks
	WHERE match_at <= clock_timestamp() AND (click_id >= $3 OR click_id = '00000000-0000-0000-0000-000000000000') ORDER BY match_at LIMIT $1 FOR UPDATE SKIP LOCKED
), looked AS MATERIALIZED (
	SELECT p.id, owner.account_id AS owner, ($2::float8[])[p.attempts + 1] AS wait,
		coalesce(nullif(p.account_id, '00000000-0000-0000-0000-000000000000'), owner.account_id, n.account_id, p.account_id) AS account_id,
		owner.account_id IS NOT NULL OR p.click_id = '00000000-0000-0000-0000-000000000000' AS ready,
		p.network_id <> '00000000-0000-0000-0000-000000000000' AND n.id IS NULL AS astray
	FROM due p LEFT JOIN networks n ON n.id = p.network_id
		AND p.account_id IN (n.account_id, '00000000-0000-0000-0000-000000000000') ` + joinOwner + `
), decided AS (
	UPDATE postbacks SET account_id = looked.account_id, attempts = attempts + 1, decided_at = clock_timestamp(),
		outcome = CASE WHEN astray THEN 'refused' WHEN ready OR wait IS NOT NULL THEN 'pending' ELSE 'unmatched' END,
		detail = CASE WHEN astray THEN '` + NoSuchNetwork + `' WHEN ready THEN ''
			WHEN wait IS NOT NULL THEN '` + ClickNotKnown + `' ELSE '` + ClickNeverCame + `' END,
		match_at = CASE WHEN NOT astray AND NOT ready THEN clock_timestamp() + make_interval(secs => wait) END,
		proof = CASE WHEN NOT astray THEN proof END,
		signature = CASE WHEN astray THEN '' ELSE signature END,
		signed_text = CASE WHEN astray THEN '' ELSE signed_text END
	FROM looked WHERE postbacks.id = looked.id
), open AS MATERIALIZED (
	SELECT id, coalesce(owner, nullif(account_id, '00000000-0000-0000-0000-000000000000')) AS account_id
	FROM looked WHERE ready AND NOT astray
), due_now AS (
	` + jobrow.InsertFrom("open", recordKind, "NULL") + `
	ON CONFLICT (id) DO NOTHING
)
SELECT CASE WHEN o.id IS NULL THEN '' ELSE ` + recordKind + ` END AS kind, l.id,
	coalesce(o.account_id, '00000000-0000-0000-0000-000000000000') AS account_id,
	CASE WHEN l.astray THEN 'refused' WHEN l.ready OR l.wait IS NOT NULL THEN 'pending' ELSE 'unmatched' END AS outcome
FROM looked l LEFT JOIN open o ON o.id = l.id`

// Why a postback is refused, or not matched to a click.
const (
	NoSuchNetwork  = "there is no such network"
	ClickNotKnown  = "its click is not known yet"
	ClickNeverCame = "its click never came"
)

// Matched is the result of MatchPostbacks.
type Matched struct {
	Jobs     []models.JobRef // jobs of the postbacks that can now be read
	Examined int             // number of postbacks examined
	Decided  map[string]int  // numbers of refused and unmatched postbacks, by outcome
}

// MatchPostbacks looks for the clicks of due postbacks, the longest due first. It takes at most `limit` postbacks. A postback gets
// its job if its click is now stored, or if its click id can be read only with the settings of its network. A postback that names a
// missing network is refused. Every other postback is due again after waits[n], where n is the number of its earlier attempts.
// After the last wait it is unmatched.
func MatchPostbacks(ctx context.Context, l click.Log, waits []time.Duration, limit int) (Matched, error) {
	seconds := db.Map(waits, time.Duration.Seconds)
	copied, err := click.ReadCopy(ctx, l.Conn)
	if err != nil {
		return Matched{}, err
	}
	oldest, err := thawDue(ctx, l, copied.ColdBefore, limit)
	if err != nil {
		slog.WarnContext(ctx, "postbacks of old clicks wait", "error", err)
	}
	list, err := db.Select[struct {
		models.JobRef
		Outcome string `db:"outcome"`
	}](ctx, l.Conn, "match postbacks", matchPostbacks, limit, pq.Float64Array(seconds), oldest)
	m := Matched{Examined: len(list), Decided: map[string]int{}}
	for _, row := range list {
		if row.Kind != "" {
			m.Jobs = append(m.Jobs, row.JobRef)
		}
		if row.Outcome != PostbackPending {
			m.Decided[row.Outcome]++
		}
	}
	return m, err
}

const selectColdDue = `
SELECT click_id FROM postbacks WHERE match_at <= clock_timestamp() AND click_id < $2 AND click_id <> '00000000-0000-0000-0000-000000000000'
ORDER BY match_at LIMIT $1`

// thawDue inserts the clicks of due postbacks into PostgreSQL again if the clicks are only in ClickHouse. Clicks with ids below
// oldest cannot be looked up at the moment, so their postbacks stay waiting.
func thawDue(ctx context.Context, l click.Log, coldBefore time.Time, limit int) (oldest uuid.UUID, err error) {
	if coldBefore.IsZero() {
		return uuid.Nil, nil
	}
	cold := models.FloorClickID(coldBefore)
	ids, err := db.Select[uuid.UUID](ctx, l.Conn, "postbacks of cold clicks", selectColdDue, limit, cold)
	if err == nil && len(ids) > 0 {
		_, err = l.Store().Thaw(ctx, l.Conn, uuid.Nil, ids)
	}
	if err != nil {
		return cold, err
	}
	return uuid.Nil, nil
}
