package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/rest/resttest"
)

// killedUploads is how many conversions are uploaded while workers are killed. TikTok takes 50 at once.
const (
	killedUploads = 1000
	uploadsAtOnce = 50
)

// uploading connects a traffic source of the clicks to TikTok, and records conversions, of which the platform is told.
func (m *midway) uploading() {
	m.t.Helper()
	source := uuid.New()
	m.exec(`INSERT INTO traffic_sources (id, account_id, name) VALUES ($1, $2, 'S')`, source, m.account)
	m.exec(`UPDATE clicks SET source_id = $1, params = 'ttclid=' || id WHERE account_id = $2`, source, m.account)
	m.exec(`UPDATE ledger SET source_id = $1 WHERE account_id = $2`, source, m.account)
	if err := m.api.Do(m.t.Context(), http.StatusOK, "PUT", "/traffic-sources/"+source.String()+"/integration", map[string]any{
		"provider": "tiktok", "credentials": adstest.UploadTokens["tiktok"], "is_enabled": false, "conversions_enabled": true, "mode": "live",
	}, nil); err != nil {
		m.t.Fatal(err)
	}
	list := make([]clicklog.ConversionInput, killedUploads)
	for i, id := range m.clicks[:killedUploads] {
		payout := decimal.NewFromInt(int64(1 + i%7))
		list[i] = clicklog.ConversionInput{
			ClickID: id, ConversionID: fmt.Sprintf("T%05d", i), Status: models.StatusApproved, Payout: &payout, Currency: "USD", Final: true,
		}
	}
	if err := db.Tx(m.t.Context(), m.db, func(c db.Conn) error {
		_, _, err := clicklog.Log{Conn: m.db}.CorrectConversions(m.t.Context(), c, m.account, list, true)
		return err
	}); err != nil {
		m.t.Fatal(err)
	}
	if _, err := jobs.Submit(m.t.Context(), m.client, jobs.SweepUploads, uuid.Nil, jobs.Tick{}); err != nil { // before the clock does
		m.t.Fatal(err)
	}
}

// uploads are what became of the account's uploads, and what its runs say.
func (m *midway) uploads() (out string) {
	m.t.Helper()
	const all = `SELECT concat_ws(E'\n',
		(SELECT string_agg(concat_ws(' ', v.conversion_id, u.action, u.result, u.reason, u.value::float, u.currency), ',' ORDER BY v.conversion_id)
			FROM conversion_uploads u JOIN conversions v ON v.id = u.conversion_id WHERE u.account_id = $1),
		(SELECT concat_ws(' ', sum(matched), sum(changed)) FROM integration_runs WHERE account_id = $1))`
	if err := m.db.GetContext(m.t.Context(), &out, all, m.account); err != nil {
		m.t.Fatal(err)
	}
	return out
}

// sent waits until nothing of the account is left to upload.
func (m *midway) sent() {
	m.t.Helper()
	m.until("all is uploaded", func() bool {
		return m.count(`SELECT count(*) FROM conversion_uploads WHERE account_id = $1 AND result = 'pending'`, m.account) == 0 &&
			m.count(`SELECT count(*) FROM integration_runs WHERE account_id = $1 AND ended_at IS NULL`, m.account) == 0
	})
}

// TestKilledUploads kills the worker with -9 in the middle of the upload of 1,000 conversions: when the platform has not yet got a
// request, and when it has taken one that it has not answered. What was in flight is sent again under the same ids, nothing else is,
// and all figures are those of an account that nobody disturbed.
func TestKilledUploads(t *testing.T) {
	t.Parallel()
	world := &adstest.Uploads{}
	server := adstest.ServeUploads(t, world)
	m := newMidway(t, "AD_URL="+server.URL, "EGRESS_CA_FILE="+egresstest.CAFile(t, server), "EGRESS_ALLOW=127.0.0.0/8",
		"ENCRYPTION_KEY="+strings.Repeat("07", 32))
	calm := m.undisturbed()
	calm.uploading()
	quiet := m.worker()
	calm.sent()
	quiet.Stop()
	if n := len(world.Taken("tiktok")); n != killedUploads {
		t.Fatalf("undisturbed: the platform has %d conversions", n)
	}

	m.uploading()
	kills := longtest.Size(2, 7) // one more, and the job is given up for its workers
	for kill := range kills {
		fine, before := 1+kill%4, world.Calls()
		release := func() {}
		if kill%2 == 1 {
			fine, release = 0, world.Hold()
		} else {
			world.Fail(append(make([]resttest.Fault, fine), resttest.Slow)...)
		}
		worker := m.worker()
		m.until("a request is under way", func() bool { return world.Calls() > before+fine })
		worker.Kill()
		world.Fail(resttest.None)
		release()
	}
	defer m.worker().Stop()
	m.sent()
	if got, want := m.uploads(), calm.uploads(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := m.money(), calm.money(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	m.holds("uploads", killedUploads, `SELECT count(*) FROM conversion_uploads WHERE account_id = $1 AND result = 'accepted'`, m.account)
	ids := map[string]bool{}
	for _, id := range m.ids(`SELECT id FROM conversions WHERE account_id = $1`, m.account) {
		ids[id.String()] = true
	}
	taken, twice := 0, 0
	for _, v := range world.Taken("tiktok") {
		if ids[v.ID] {
			taken++
			twice += v.Sent - 1
		}
	}
	if taken != killedUploads || twice == 0 || twice > kills*uploadsAtOnce {
		t.Errorf("the platform has %d conversions, of which %d came again after %d kills", taken, twice, kills)
	}
}

func (m *midway) ids(query string, args ...any) []uuid.UUID {
	m.t.Helper()
	list, err := db.Select[uuid.UUID](m.t.Context(), m.db, "ids", query, args...)
	if err != nil {
		m.t.Fatal(err)
	}
	return list
}
