package faults

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/dbtest"
	"switchyard/db/oauth"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/rest/resttest"
)

const (
	killedUploads = 1000
	uploadsAtOnce = 50 // the number of conversions that TikTok accepts in one request
)

// startUploads connects the clicks' traffic source to a platform, and records conversions to be uploaded to it. param is the URL
// parameter by which the platform knows a click.
func (m *midwayEnv) startUploads(provider, param string) {
	m.t.Helper()
	source := uuid.New()
	dbtest.Exec(m.t, m.db, `INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, 'S')`, source, m.account)
	dbtest.Exec(m.t, m.db, `UPDATE clicks SET source_id = $1, params = $3 || '=' || id WHERE account_id = $2`, source, m.account, param)
	dbtest.Exec(m.t, m.db, `UPDATE ledger SET source_id = $1 WHERE account_id = $2`, source, m.account)
	body := map[string]any{
		"provider": provider, "credentials": adstest.UploadTokens[provider], "is_enabled": false, "conversions_enabled": true, "mode": "live",
	}
	if provider == models.GoogleAds {
		body["conversion_action"] = "987654321"
	}
	if err := m.api.Do(m.t.Context(), http.StatusOK, "PUT", "/traffic-sources/"+source.String()+"/integration", body, nil); err != nil {
		m.t.Fatal(err)
	}
	list := make([]conversion.Input, killedUploads)
	for i, id := range m.clicks[:killedUploads] {
		payout := decimal.NewFromInt(int64(1 + i%7))
		list[i] = conversion.Input{
			ClickID: id, ConversionID: fmt.Sprintf("T%05d", i), Status: models.StatusApproved, Payout: &payout, Currency: "USD", Final: true,
		}
	}
	if err := db.Tx(m.t.Context(), m.db, func(c db.Conn) error {
		_, _, err := conversion.Correct(m.t.Context(), click.Log{Conn: m.db}, c, m.account, list, true)
		return err
	}); err != nil {
		m.t.Fatal(err)
	}
	m.sweepUploads()
}

func (m *midwayEnv) sweepUploads() {
	m.t.Helper()
	if _, err := jobs.Submit(m.t.Context(), m.client, jobs.SweepUploads, uuid.Nil, jobs.Tick{}); err != nil {
		m.t.Fatal(err)
	}
}

// uploads returns the results of the account's uploads, and the figures of its runs.
func (m *midwayEnv) uploads() string {
	m.t.Helper()
	const all = `SELECT concat_ws(E'\n',
		(SELECT string_agg(concat_ws(' ', v.conversion_id, u.action, u.result, u.reason, u.value::float, u.currency), ',' ORDER BY v.conversion_id)
			FROM conversion_uploads u JOIN conversions v ON v.id = u.conversion_id WHERE u.account_id = $1),
		(SELECT concat_ws(' ', sum(matched), sum(changed)) FROM integration_runs WHERE account_id = $1))`
	return dbtest.Get[string](m.t, m.db, all, m.account)
}

func (m *midwayEnv) waitUploaded() {
	m.t.Helper()
	m.until("all conversions are uploaded", func() bool {
		return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM conversion_uploads WHERE account_id = $1 AND result = 'pending'`, m.account) == 0 &&
			dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM integration_runs WHERE account_id = $1 AND ended_at IS NULL`, m.account) == 0
	})
}

// TestKilledUploads kills the worker with -9 before the platform has accepted a request, and after it has accepted a request that
// it has not answered. Only the conversions in flight are sent again, under the same ids.
func TestKilledUploads(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	platform := &adstest.Uploads{}
	server := adstest.ServeUploads(t, platform)
	m := newMidwayEnv(t, "AD_URL="+server.URL, "EGRESS_CA_FILE="+egresstest.CAFile(t, server), "EGRESS_ALLOW=127.0.0.0/8",
		"ENCRYPTION_KEY="+strings.Repeat("07", 32))
	undisturbed := m.undisturbed()
	undisturbed.startUploads("tiktok", "ttclid")
	undisturbedWorker := m.worker()
	undisturbed.waitUploaded()
	undisturbedWorker.Stop()
	if n := len(platform.Stored("tiktok")); n != killedUploads {
		t.Fatalf("without a kill, the platform has %d conversions, want %d", n, killedUploads)
	}

	m.startUploads("tiktok", "ttclid")
	kills := longtest.Size(2, 7) // after an eighth kill, the job would be given up, because too many of its workers died
	for kill := range kills {
		answered, before := 1+kill%4, platform.Calls()
		release := func() {}
		if kill%2 == 1 {
			answered, release = 0, platform.Block()
		} else {
			platform.Fail(append(make([]resttest.Fault, answered), resttest.Slow)...)
		}
		worker := m.worker()
		m.until("a request is under way", func() bool { return platform.Calls() > before+answered })
		worker.Kill()
		platform.Fail(resttest.None)
		release()
	}
	defer m.worker().Stop()
	m.waitUploaded()
	if got, want := m.uploads(), undisturbed.uploads(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := m.money(), undisturbed.money(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	m.checkCount("uploads", killedUploads, `SELECT count(*) FROM conversion_uploads WHERE account_id = $1 AND result = 'accepted'`, m.account)
	taken, twice := m.receivedBy(platform, "tiktok")
	if taken != killedUploads || twice == 0 || twice > kills*uploadsAtOnce {
		t.Errorf("the platform has %d conversions and received %d again after %d kills", taken, twice, kills)
	}
}

// receivedBy returns the number of the account's conversions that a platform has, and how often they were sent again.
func (m *midwayEnv) receivedBy(platform *adstest.Uploads, provider string) (taken, again int) {
	m.t.Helper()
	ids := map[string]bool{}
	for _, id := range m.ids(`SELECT id FROM conversions WHERE account_id = $1`, m.account) {
		ids[id.String()] = true
	}
	for _, v := range platform.Stored(provider) {
		if ids[v.ID] {
			taken++
			again += v.Sent - 1
		}
	}
	return taken, again
}

// signIn connects the account to a platform with a token that does not expire.
func (m *midwayEnv) signIn(provider, token string) {
	m.t.Helper()
	box, err := seal.New(m.db, bytes.Repeat([]byte{7}, 32))
	if err != nil {
		m.t.Fatal(err)
	}
	grant := models.OAuthGrant{UserID: "u", UserName: "u", Tokens: models.OAuthTokens{Access: token}}
	if _, err := oauth.NewConnections(store.New(m.db, box)).Save(m.t.Context(), m.account, provider, grant, time.Now()); err != nil {
		m.t.Fatal(err)
	}
}

// TestKilledGoogleUploads kills the worker with -9 while it sends conversions to Google's Data Manager, and while it asks for the
// result. A conversion that is sent again has the same id, and Google refuses the second copy as a duplicate. Every
// upload still ends with the result accepted.
func TestKilledGoogleUploads(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	platform := &adstest.Uploads{}
	platform.DecideAtOnce()
	server := adstest.ServeUploads(t, platform)
	m := newMidwayEnv(t, "AD_URL="+server.URL, "EGRESS_CA_FILE="+egresstest.CAFile(t, server), "EGRESS_ALLOW=127.0.0.0/8",
		"ENCRYPTION_KEY="+strings.Repeat("07", 32), "GOOGLE_ADS_CLIENT_ID=app", "GOOGLE_ADS_CLIENT_SECRET=made-up")
	m.signIn(models.GoogleAds, platform.SignedIn())
	m.startUploads(models.GoogleAds, "gclid")
	const few = 20 // conversions in the first request
	killedAt := func(what string, calls int, release func()) {
		t.Helper()
		before := platform.Calls()
		worker := m.worker()
		m.until(what, func() bool { return platform.Calls() >= before+calls })
		worker.Kill()
		platform.Fail(resttest.None)
		release()
	}
	killedAt("the first request comes", 1, platform.Block())
	platform.Fail(resttest.None, resttest.Slow)
	killedAt("the second request is taken", 2, func() {})
	m.checkCount("conversions of the first request", few, `SELECT count(*) FROM conversion_uploads WHERE result = 'accepted' AND request <> ''`)

	worker := m.worker()
	m.waitUploaded()
	worker.Stop()
	m.checkCount("conversions whose request is under way", killedUploads, `SELECT count(*) FROM conversion_uploads WHERE result = 'accepted' AND request <> ''`)
	dbtest.Exec(m.t, m.db, `UPDATE upload_requests SET check_at = now()`)
	release := platform.Block()
	m.sweepUploads()
	killedAt("the worker asks for the result of a request", 1, release)
	defer m.worker().Stop()
	m.until("all results are known", func() bool { return dbtest.Get[int](m.t, m.db, `SELECT count(*) FROM upload_requests`) == 0 })
	m.checkCount("conversions that Google has", killedUploads,
		`SELECT count(*) FROM conversion_uploads WHERE result = 'accepted' AND (reason LIKE '%: processed' OR reason LIKE '%DUPLICATE%')`)
	taken, again := m.receivedBy(platform, models.GoogleAds)
	if taken != killedUploads || again < killedUploads-few || again > killedUploads {
		t.Errorf("the platform has %d conversions and received %d again", taken, again)
	}
	m.checkCount("conversions that came again", again, `SELECT count(*) FROM conversion_uploads WHERE reason LIKE '%DUPLICATE%'`)
}

func (m *midwayEnv) ids(query string, args ...any) []uuid.UUID {
	m.t.Helper()
	return dbtest.Select[uuid.UUID](m.t, m.db, query, args...)
}
