package v1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/alerts"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/money"
	"switchyard/models/token"
)

// alertEnv is an account with the records that most types of alerts are about.
type alertEnv struct {
	*apitest.Server
	t                                              *testing.T
	now                                            time.Time
	offer, lander, source, network, domain, hookID string
}

func newAlertEnv(t *testing.T) *alertEnv {
	t.Helper()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	a := &alertEnv{Server: s, t: t, now: time.Now().UTC().Truncate(time.Millisecond), domain: uuid.NewString()}
	create := func(path string, body object) string {
		return fmt.Sprint(s.Do("POST", path, body).Want(201, "").Map()["id"])
	}
	a.offer = create("/offers", object{"name": "Shop", "url": "https://o.acme.com/?c={clickid}", "daily_cap": 1})
	a.lander = create("/landers", object{"name": "Page", "url": "https://l.acme.com/"})
	a.source = create("/traffic-sources", object{"name": "Push", "postback_url": "https://t.acme.com/?c={external_id}"})
	a.network = create("/networks", object{"name": "Deals"})
	a.hookID = fmt.Sprint(s.Do("POST", "/webhooks", hook()).Want(201, "").Map()["id"])
	a.sql(`INSERT INTO domains (id, account_id, host, is_verified) VALUES ($2, $1, 'go.acme.com', true)`, a.domain)
	return a
}

// sql runs a statement whose $1 is the account.
func (a *alertEnv) sql(query string, args ...any) {
	a.t.Helper()
	dbtest.Exec(a.t, a.DB, query, append([]any{a.Account.ID}, args...)...)
}

// link records the result of a check of the offer's link, or the threats that are reported for the lander's link.
func (a *alertEnv) link(kind string, r models.LinkResult, threats []string) {
	a.t.Helper()
	links, later := a.Store.Links(), a.now.AddDate(0, 0, 9) // in nine days every link is due for its next check
	due, err := links.Unchecked(a.t.Context(), later, 9)
	if kind == models.LinkLander {
		due, err = links.Unscreened(a.t.Context(), later, later, 9)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	i := slices.IndexFunc(due, func(l models.Link) bool { return l.Kind == kind })
	if i < 0 {
		a.t.Fatalf("no link of a %s is due for a check: %v", kind, due)
	}
	if kind == models.LinkOffer {
		_, err = links.RecordCheck(a.t.Context(), due[i], r)
	} else {
		_, err = links.RecordScreen(a.t.Context(), due[i], "web_risk", r.At, threats)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

// cause has the functions that begin and end an alert.
type cause struct{ raise, clear func() }

// rowCause returns a cause that begins and ends with SQL statements. Their $1 is the account. If they have a $2, it is
// the parameter id.
func (a *alertEnv) rowCause(raise, clear string, id any) cause {
	args := func(query string) []any {
		if strings.Contains(query, "$2") {
			return []any{id}
		}
		return nil
	}
	return cause{func() { a.sql(raise, args(raise)...) }, func() { a.sql(clear, args(clear)...) }}
}

// unreadCosts stores clicks with the currency Unknown, which a click has if the cost in its link could not be read.
func (a *alertEnv) unreadCosts() {
	a.t.Helper()
	log, err := spool.Open(a.t.TempDir(), spool.Options{})
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	for range 12 {
		c := &models.Click{ID: models.NewClickID(), AccountID: a.Account.ID, CampaignID: uuid.New(), SourceID: uuid.MustParse(a.source), Currency: money.Unknown}
		if err := log.Append(a.t.Context(), spool.Record{Click: c}); err != nil {
			a.t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(log, a.DB, ingest.Options{}).Drain(a.t.Context()); err != nil {
		a.t.Fatal(err)
	}
}

const (
	networkRow = `INSERT INTO network_integrations (account_id, network_id, provider, secrets, failure, failures, failing_since, next_at, wide_at)
		VALUES ($1, $2, 'everflow', '', 'it answered 401', 9, now(), now(), now())`
	sourceRow = `INSERT INTO source_integrations (account_id, source_id, provider, secrets, next_at, wide_at, conversions_enabled, %s)
		VALUES ($1, $2, 'google_ads', '', now(), now(), true, %s)`
	dropSource = `DELETE FROM source_integrations WHERE account_id = $1`
	oauthRow   = `INSERT INTO oauth_connections (account_id, id, provider, user_id, tokens, status, failure, failing_since)
		VALUES ($1, $2, 'google_ads', 'u', '', '%s', 'it is said to be wrong', now() - interval '1 hour')`
	dropOAuth = `DELETE FROM oauth_connections WHERE account_id = $1`
	badRows   = `INSERT INTO postbacks (account_id, id, network_id, source, domain, params, received_at, outcome)
		SELECT $1, gen_random_uuid(), $2, 'postback', 'go.acme.com', '{}', now() - interval '1 minute', '%s' FROM generate_series(1, 12)`
	dropBad        = `DELETE FROM postbacks WHERE account_id = $1`
	certificateRow = `INSERT INTO certificates (account_id, domain_id, host, edge, %s) VALUES ($1, $2, 'go.acme.com', 'acme', %s)`
	conversionRow  = `INSERT INTO conversions (account_id, id, click_id, conversion_id, goal, status, original_status, payout, currency, cost,
			campaign_id, offer_id, source_id, network_id, source, recorded_at, updated_at)
		VALUES ($1, gen_random_uuid(), gen_random_uuid(), '', '', 'approved', '', 1, 'USD', 0, gen_random_uuid(), $2, gen_random_uuid(),
			gen_random_uuid(), 'postback', now(), now())`
	clicksRow = `INSERT INTO ledger (account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country, device_type, os,
			browser, clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected, chargebacks, cost, revenue,
			pending_revenue)
		VALUES ($1, date_trunc('hour', now()), $2, $2, $2, $2, $2, '', '', '', '', 9000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`
	ruleRow = `WITH rule AS (INSERT INTO copilot_rules (account_id, id, name, is_active, mode, looks_at, conditions, window_size, window_unit,
			include_current, every_minutes, action, factor, min_weight, max_weight, cooldown_minutes, max_changes)
		VALUES ($1, $2, 'Watch', true, 'live', 'campaign', '[]', 1, 'days', false, 60, 'alert', 1, 1, 100, 60, 1) RETURNING id)
		INSERT INTO copilot_rule_targets (account_id, rule_id, target, until, name, message, alert_since)
		SELECT $1, id, 'x', now(), 'Shoes', 'cost is 5', now() FROM rule`
	tokenRow = `INSERT INTO copilot_suggestions (account_id, id, kind, key, title, detail, evidence, judged_at, expires_at)
		VALUES ($1, gen_random_uuid(), 'empty_token', $2::text || '/sub2', 'Traffic source “Push” never fills sub2',
			'None of its 500 clicks came with sub2.', '{}', now(), now() + interval '2 days')`
)

// causes returns the cause of each type of alert.
func (a *alertEnv) causes() map[string]cause {
	broken, works := models.LinkResult{Error: "the page answered 404", Status: new(int)}, models.LinkResult{}
	atHour := func(r models.LinkResult, hours int) models.LinkResult {
		r.At = a.now.Add(time.Duration(hours) * time.Hour)
		return r
	}
	id := uuid.New()
	return map[string]cause{
		"link.broken": {
			func() { a.link("offer", atHour(broken, -9), nil); a.link("offer", atHour(broken, -8), nil) },
			func() { a.link("offer", atHour(works, -7), nil) },
		},
		"link.unsafe": {
			func() { a.link("lander", atHour(works, -2), []string{"MALWARE"}) }, func() { a.link("lander", atHour(works, -1), nil) },
		},
		"domain.stray": a.rowCause(`INSERT INTO domain_checks (account_id, domain_id, wrong_since, checked_at, detail) VALUES ($1, $2, now(), now(), 'it leads to 192.0.2.7.')
			ON CONFLICT (domain_id) DO UPDATE SET wrong_since = now(), checked_at = now(), detail = excluded.detail`,
			`UPDATE domain_checks SET wrong_since = NULL WHERE account_id = $1`, a.domain),
		"domain.expiring": a.rowCause(`INSERT INTO domain_checks (account_id, domain_id, registered_until, registration_checked_at)
			VALUES ($1, $2, now() + interval '3 days', now()) ON CONFLICT (domain_id) DO UPDATE
			SET registered_until = excluded.registered_until, registration_checked_at = now()`,
			`UPDATE domain_checks SET registered_until = NULL WHERE account_id = $1`, a.domain),
		"certificate.expiring": a.rowCause(fmt.Sprintf(certificateRow, "serving, expires_at", "true, now() + interval '1 day'"),
			`DELETE FROM certificates WHERE account_id = $1`, a.domain),
		"certificate.failing": a.rowCause(fmt.Sprintf(certificateRow, "attempts, failure, failing_since", "3, 'no CNAME', now()"),
			`DELETE FROM certificates WHERE account_id = $1`, a.domain),
		"dns_account.failing": a.rowCause(`INSERT INTO dns_accounts (account_id, id, provider, settings, secrets, failing_since, failure)
			VALUES ($1, $2, 'cloudflare', '{}', '', now(), 'the token is refused')`, `UPDATE dns_accounts SET failing_since = NULL WHERE account_id = $1`, id),
		"network.failing": a.rowCause(networkRow, `UPDATE network_integrations SET failures = 0, failing_since = NULL WHERE account_id = $1`, a.network),
		"uploads.failing": a.rowCause(fmt.Sprintf(sourceRow, "upload_failure, upload_failures, upload_failing_since", "'no', 9, now()"), dropSource, a.source),
		"uploads.stopped": a.rowCause(fmt.Sprintf(sourceRow, "uploads_stopped, uploads_stopped_at", "'half was refused', now()"), dropSource, a.source),
		"spend.failing":   a.rowCause(fmt.Sprintf(sourceRow, "failure, failures, failing_since", "'no', 9, now()"), dropSource, a.source),
		"oauth.revoked":   a.rowCause(fmt.Sprintf(oauthRow, models.OAuthRevoked), dropOAuth, id),
		"oauth.failing":   a.rowCause(fmt.Sprintf(oauthRow, models.OAuthActive), dropOAuth, id),
		"webhook.failing": a.rowCause(`UPDATE webhook_endpoints SET consecutive_failures = 3, failing_since = now() WHERE account_id = $1`,
			`UPDATE webhook_endpoints SET consecutive_failures = 0, failing_since = NULL WHERE account_id = $1`, nil),
		"source.failing": a.rowCause(`INSERT INTO source_failures (account_id, source_id, origin, failures)
			VALUES ($1, $2, '`+token.Origin("https://t.acme.com/")+`', 9)`, `DELETE FROM source_failures WHERE account_id = $1`, a.source),
		"source.unfilled": a.rowCause(tokenRow, `UPDATE copilot_suggestions SET status = 'expired' WHERE account_id = $1`, a.source),
		"geo_database.failing": a.rowCause(`INSERT INTO geo_databases (account_id, provider, key, enabled, looked_after, failing_since, failure)
			VALUES ($1, 'ipinfo', '', true, $2, now(), 'the key is refused')`, `UPDATE geo_databases SET failing_since = NULL WHERE account_id = $1`, uuid.Nil),
		"postbacks.unmatched":  a.rowCause(fmt.Sprintf(badRows, "unmatched"), dropBad, a.network),
		"postbacks.refused":    a.rowCause(fmt.Sprintf(badRows, "refused"), dropBad, a.network),
		"postbacks.unread":     a.rowCause(strings.NewReplacer("outcome)", "outcome, amount_reason)", "'%s'", "'recorded', 'the payout is not one number'").Replace(badRows), dropBad, a.network),
		"clicks.unread":        {a.unreadCosts, func() { a.sql(`DELETE FROM clicks WHERE account_id = $1`) }},
		"offer.capped":         a.rowCause(conversionRow, `UPDATE offers SET daily_cap = 2 WHERE account_id = $1`, a.offer),
		"currency.unconverted": a.rowCause(`INSERT INTO account_rates (account_id, day, currency) VALUES ($1, '2026-03-02', 'VND')`, `UPDATE account_rates SET rate = 2 WHERE account_id = $1`, nil),
		"plan.limit_near":      a.rowCause(clicksRow, `DELETE FROM ledger WHERE account_id = $1`, uuid.Nil),
		"rule.matched":         a.rowCause(ruleRow, `UPDATE copilot_rule_targets SET alert_since = NULL WHERE account_id = $1`, id),
		"clicks.behind": a.rowCause(`INSERT INTO spool_states (process, seen_at, behind_since, stored_until)
			SELECT $2, now(), now() - interval '2 minutes', now() - interval '9 minutes' WHERE $1::uuid IS NOT NULL`,
			`UPDATE spool_states SET behind_since = NULL, stored_until = NULL WHERE $1::uuid IS NOT NULL`, id),
		"jobs.behind": a.rowCause(`INSERT INTO jobs (account_id, id, kind, next_attempt_at) VALUES ($1, $2, 'export:clicks', now() - interval '1 hour')`,
			`DELETE FROM jobs WHERE account_id = $1`, id),
		models.EventPlanLimitReached: {
			func() {
				if _, err := a.Store.Usage().Announce(a.t.Context(), store.PlanLimit{
					AccountID: a.Account.ID, Plan: "growth", Allowance: 1_000_000, Clicks: 1_000_007, ReachedAt: time.Now(),
				}); err != nil {
					a.t.Fatal(err)
				}
			},
			func() { a.sql(`UPDATE accounts SET plan = 'pro' WHERE id = $1`) },
		},
	}
}

func (a *alertEnv) find(kind string) (found []map[string]any, others []any) {
	a.t.Helper()
	for _, v := range a.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any) {
		if one := v.(map[string]any); one["type"] == kind {
			found = append(found, one)
		} else {
			others = append(others, one["type"])
		}
	}
	return found, others
}

// TestAlertTypes raises and ends an alert of every type. While its cause exists, GET /alerts has this alert and no other.
func TestAlertTypes(t *testing.T) {
	t.Parallel()
	a := newAlertEnv(t)
	causes := a.causes()
	for _, typ := range alerts.Types {
		c, ok := causes[typ.Name]
		if !ok {
			t.Errorf("this test has no cause for the alert %s: add one to causes", typ.Name)
			continue
		}
		c.raise()
		found, others := a.find(typ.Name)
		if len(found) != 1 || len(others) != 0 {
			t.Errorf("%s was raised %d times, want once; other alerts: %v, want none", typ.Name, len(found), others)
			c.clear()
			continue
		}
		got := found[0]
		since, err := time.Parse(models.EventTimeFormat, fmt.Sprint(got["since"]))
		if err != nil || since.After(time.Now().Add(time.Minute)) || since.Before(a.now.AddDate(0, 0, -40)) {
			t.Errorf("%s: the alert began at %v, want a time in the last 40 days: %v", typ.Name, got["since"], err)
		}
		if got["do"] != typ.Do || len(typ.Do) < 10 || len(fmt.Sprint(got["message"])) < 5 || got["name"] == "" && typ.Name != "webhook.failing" {
			t.Errorf("%s lacks its advice, a message or a name: %v", typ.Name, got)
		}
		if text := fmt.Sprint(got["message"], got["do"]); strings.Contains(text, "GET ") || strings.Contains(text, "POST ") || strings.Contains(text, "PUT ") {
			t.Errorf("%s names a call of the API, but people read it: %s", typ.Name, text)
		}
		if _, err := uuid.Parse(fmt.Sprint(got["id"])); err != nil {
			t.Errorf("%s: the id of the record is %v, want a UUID", typ.Name, got["id"])
		}
		c.clear()
		if found, _ := a.find(typ.Name); len(found) != 0 {
			t.Errorf("%s is still listed after its cause ended: %v", typ.Name, found)
		}
	}
}
