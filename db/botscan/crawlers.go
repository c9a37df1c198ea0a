package botscan

import (
	"context"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models/bot"
)

// CrawlerAddress is a visitor's address and the crawler that the visitor's user agent names.
type CrawlerAddress struct {
	Address netip.Addr `db:"address"`
	Crawler string     `db:"crawler"`
}

// CrawlerClaim is a click whose user agent names a crawler and whose address is not verified yet.
type CrawlerClaim struct {
	ClickID uuid.UUID `db:"click_id"`
	CrawlerAddress
}

// maxClaims is the largest number of claims that are stored for one batch, so that a flood of forged crawlers does not slow the
// ingester down. A click without a claim still counts as a declared bot.
const maxClaims = 2000

const insertClaims = `
INSERT INTO crawler_claims (click_id, account_id, address, crawler, attempt_at)
SELECT click_id, account_id, address, crawler, now()
FROM unnest($1::uuid[], $2::uuid[], $3::inet[], $4::text[]) AS c (click_id, account_id, address, crawler)
ON CONFLICT DO NOTHING`

// StoreCrawlerClaims stores a claim for each new click whose user agent names a crawler that can be verified. It runs in the
// transaction that stores the clicks. A click without its full address cannot be verified.
func StoreCrawlerClaims(ctx context.Context, c db.Conn, clicks []*click.StoredClick) error {
	const declared = bot.DeclaredBot | bot.AICrawler | bot.LinkPreview
	var ids, accounts []uuid.UUID
	var addresses, names []string
	for _, click := range clicks {
		if bot.Signals(click.BotSignals)&declared == 0 || !click.IP.IsValid() || click.AddressKey != 0 || len(ids) == maxClaims {
			continue
		}
		if crawler, ok := bot.CrawlerOf(click.UserAgent); ok && len(crawler.Hosts) > 0 {
			ids, accounts = append(ids, click.ID), append(accounts, click.AccountID)
			addresses, names = append(addresses, click.IP.Unmap().String()), append(names, crawler.Name)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return db.Run(ctx, c, "claim crawlers", insertClaims, db.UUIDs(ids), db.UUIDs(accounts), addresses, names)
}

const claimsWaiting = `
SELECT account_id FROM crawler_claims WHERE attempt_at <= $1 GROUP BY account_id ORDER BY min(attempt_at) LIMIT $2`

// AccountsWithClaims returns the accounts with due claims.
func AccountsWithClaims(ctx context.Context, c db.Conn, now time.Time, limit int) ([]uuid.UUID, error) {
	return db.Select[uuid.UUID](ctx, c, "crawler claims", claimsWaiting, now, limit)
}

const leaseClaims = `
UPDATE crawler_claims SET attempts = attempts + 1, attempt_at = $2 + make_interval(mins => 1 << least(attempts, 10))
WHERE click_id IN (
	SELECT click_id FROM crawler_claims WHERE account_id = $1 AND attempt_at <= $2 ORDER BY attempt_at, click_id LIMIT $3
	FOR UPDATE SKIP LOCKED
) RETURNING click_id, address, crawler`

// LeaseClaims returns at most limit due claims of an account. Each claim goes to only one worker. A claim that is not deleted
// becomes due again after one minute, then two, then four, up to 1,024 minutes.
func LeaseClaims(ctx context.Context, c db.Conn, account uuid.UUID, now time.Time, limit int) ([]CrawlerClaim, error) {
	return db.Select[CrawlerClaim](ctx, c, "lease crawler claims", leaseClaims, account, now, limit)
}

// ReleaseClaims makes claims due at once, without counting the attempt. It is for claims that the worker had no time to verify.
func ReleaseClaims(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID, now time.Time) error {
	return db.Run(ctx, c, "release crawler claims", `UPDATE crawler_claims SET attempts = attempts - 1, attempt_at = $3
		WHERE account_id = $1 AND click_id = ANY ($2::uuid[])`, account, db.UUIDs(clicks), now)
}

// DeleteClaims deletes claims that are decided or given up, in the transaction of c.
func DeleteClaims(ctx context.Context, c db.Conn, account uuid.UUID, clicks []uuid.UUID) error {
	return db.Run(ctx, c, "delete crawler claims", `DELETE FROM crawler_claims WHERE account_id = $1
		AND click_id = ANY ($2::uuid[])`, account, db.UUIDs(clicks))
}

// CrawlerAnswer is the result of a look-up: whether an address belongs to a crawler.
type CrawlerAnswer struct {
	CrawlerAddress
	Verified bool `db:"verified"`
}

// CrawlerAnswers returns the stored answers about addresses, if they are newer than the given time.
func CrawlerAnswers(ctx context.Context, c db.Conn, addresses []netip.Addr, since time.Time) ([]CrawlerAnswer, error) {
	return db.Select[CrawlerAnswer](ctx, c, "crawler answers", `SELECT address, crawler, verified FROM crawler_answers
		WHERE address = ANY ($1::inet[]) AND asked_at > $2`, db.Map(addresses, netip.Addr.String), since)
}

// Rows are locked in a fixed order, so that two workers never deadlock.
const storeAnswers = `
INSERT INTO crawler_answers (address, crawler, verified, asked_at)
SELECT address, crawler, verified, $4 FROM unnest($1::inet[], $2::text[], $3::boolean[]) AS a (address, crawler, verified)
ORDER BY address, crawler
ON CONFLICT (address, crawler) DO UPDATE SET verified = excluded.verified, asked_at = excluded.asked_at`

// StoreCrawlerAnswers stores answers about addresses.
func StoreCrawlerAnswers(ctx context.Context, c db.Conn, answers []CrawlerAnswer, now time.Time) error {
	if len(answers) == 0 {
		return nil
	}
	return db.Run(ctx, c, "store crawler answers", storeAnswers,
		db.Map(answers, func(a CrawlerAnswer) string { return a.Address.String() }),
		db.Map(answers, func(a CrawlerAnswer) string { return a.Crawler }),
		db.Map(answers, func(a CrawlerAnswer) bool { return a.Verified }), now)
}

// DeleteExpiredCrawlers deletes claims made before claimsBefore and answers received before answersBefore, at most limit rows of
// each.
func DeleteExpiredCrawlers(ctx context.Context, c db.Conn, claimsBefore, answersBefore time.Time, limit int) error {
	for q, before := range map[string]time.Time{
		`DELETE FROM crawler_claims WHERE ctid = ANY (ARRAY(SELECT ctid FROM crawler_claims WHERE claimed_at < $1 LIMIT $2))`: claimsBefore,
		`DELETE FROM crawler_answers WHERE ctid = ANY (ARRAY(SELECT ctid FROM crawler_answers WHERE asked_at < $1 LIMIT $2))`: answersBefore,
	} {
		if err := db.Run(ctx, c, "delete old crawlers", q, before, limit); err != nil {
			return err
		}
	}
	return nil
}
