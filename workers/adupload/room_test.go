package adupload_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/await"
)

// TestSlowPlatform checks that many uploads to a platform that does not answer do not hold up uploads to another platform.
func TestSlowPlatform(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.Meta)
	answer := make(chan struct{})
	t.Cleanup(func() { close(answer) })
	w.platform.Pause(func(platform string) {
		if platform == models.Meta {
			<-answer
		}
	})
	const more = 30 // more jobs than a worker has places for a platform
	for i := range more {
		w.connect()
		w.convert("approved", 10, w.storeClicks(fmt.Sprint("slow-", i))...)
		w.newAccount()
	}
	w.sweepOnce()
	await.Until(t, "the platform is asked", func() bool { return w.platform.Calls() > 0 })
	w.of = "tiktok"
	w.newAccount()
	w.connect()
	w.convert("approved", 10, w.storeClicks("quick")...)
	w.sweepOnce()
	await.Until(t, "the other platform has its conversion", func() bool { return len(w.platform.Stored("tiktok")) == 1 })
}

// TestSharedPlaces checks that other kinds of jobs for the same platform share its places with uploads.
func TestSharedPlaces(t *testing.T) {
	t.Parallel()
	w := newEnv(t, models.Meta)
	w.connect()
	w.convert("approved", 10, w.storeClicks("one")...)
	var free []func()
	for {
		release, wait := w.places.Admit(t.Context(), models.Meta, 0)
		if wait > 0 {
			break
		}
		free = append(free, release)
	}
	w.sweepOnce()
	w.of = "tiktok"
	w.newAccount()
	w.connect()
	w.convert("approved", 10, w.storeClicks("other")...)
	w.sweepOnce()
	await.Until(t, "the other platform has its conversion", func() bool { return len(w.platform.Stored("tiktok")) == 1 })
	if list := w.platform.Stored(models.Meta); len(list) != 0 {
		t.Errorf("the busy platform has received %+v, although other jobs have all its places", list)
	}
	for _, release := range free {
		release()
	}
	await.Until(t, "the platform that was busy has its conversion", func() bool { return len(w.platform.Stored(models.Meta)) == 1 })
}

// newAccount makes a new account, with which the test continues.
func (w *env) newAccount() {
	w.Helper()
	w.account, w.source = uuid.New(), uuid.New()
	dbtest.Exec(w, w.db, `INSERT INTO accounts (id, name, plan, site_key, timezone) VALUES ($1, 'a', 'pro', $2, 'Asia/Tokyo')`, w.account, w.account.String())
	dbtest.Exec(w, w.db, `INSERT INTO traffic_sources (id, account_id, name, send_payout_pct) VALUES ($1, $2, 'Ads', 50)`, w.source, w.account)
	dbtest.Exec(w, w.db, `INSERT INTO oauth_connections (id, account_id, provider, user_id, tokens) VALUES ($1, $1, $2, 'u', '')`, w.account, w.of)
}
