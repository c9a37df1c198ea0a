package spend

import (
	"context"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
)

// Unescaped decodes an id of an ad platform that is escaped as in a URL. It returns the value unchanged if it cannot be decoded.
func Unescaped(value string) string {
	if plain, err := url.QueryUnescape(value); err == nil {
		return plain
	}
	return value
}

// SentClicks is the number of clicks from a traffic source on a day (UTC), for one campaign of its platform and one of our
// campaigns. Bots are not counted.
type SentClicks struct {
	Day        time.Time `db:"day"`
	Platform   string    `db:"platform"` // the platform's id of its campaign; empty: the clicks carry no such id
	CampaignID uuid.UUID `db:"campaign_id"`
	Clicks     int64     `db:"clicks"`
}

// maxSent is the largest number of rows that CountSent reads.
const maxSent = 100000

const selectSent = `
SELECT date_trunc('day', at, 'UTC') AS day, platform, campaign_id, count(*) AS clicks FROM (
	SELECT at, campaign_id, left(coalesce(nullif(subs[$5], ''), substring(params FROM $6), ''), 300) AS platform
	FROM clicks WHERE account_id = $1 AND id >= $2 AND id < $3 AND source_id = $4 AND NOT is_bot
) c GROUP BY 1, 2, 3 ORDER BY 1, 4 DESC LIMIT $7`

// CountSent counts the clicks of a source in [from, to) by the platform's campaign id. The argument param is the name of
// the link parameter that carries this id: a sub-parameter, such as sub1, or any other parameter.
func CountSent(ctx context.Context, l click.Log, c db.Conn, account, source uuid.UUID, from, to time.Time, param string) ([]SentClicks, error) {
	sub := 0
	if digits, ok := strings.CutPrefix(strings.ToLower(param), "sub"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= models.Subs {
			sub = n
		}
	}
	if err := l.Store().ThawRange(ctx, c, account, models.FloorClickID(from), models.FloorClickID(to)); err != nil {
		return nil, err
	}
	// Upper and lower case do not matter in the name of the parameter, as in links.
	pattern := `(?i)(?:^|&)` + regexp.QuoteMeta(url.QueryEscape(param)) + `=([^&]*)`
	if param == "" || sub > 0 && sub <= models.EarlySubs { // sub-parameters up to EarlySubs are always in the column subs
		pattern = `^\y$` // matches nothing
	}
	list, err := db.Select[SentClicks](ctx, c, "clicks of a source", selectSent, account, models.FloorClickID(from),
		models.FloorClickID(to), source, sub, pattern, maxSent)
	for i := range list {
		list[i].Platform = strings.TrimSpace(Unescaped(list[i].Platform))
	}
	return list, err
}

// ForSource returns the spend at a source on a day: in total, and for single campaigns. It leaves out spend for a part of the
// day or for a value of a sub-parameter.
func ForSource(ctx context.Context, c db.Conn, account, source uuid.UUID, day time.Time) ([]Spend, error) {
	return db.Select[Spend](ctx, c, "spend of a source", `SELECT day, source_id, campaign_id, amount, currency, clicks, impressions FROM spend
		WHERE account_id = $1 AND source_id = $2 AND day = $3::date AND `+whole, account, source, day.Format(time.DateOnly))
}
