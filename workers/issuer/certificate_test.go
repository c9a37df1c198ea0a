package issuer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers/providers/cloudflare/cloudflaretest"
)

const day = 24 * time.Hour

func storeOf(account, domain uuid.UUID) store.CertificateOf {
	return store.CertificateOf{AccountID: account, DomainID: domain}
}

// TestVerifiedDomainGetsACertificate checks that a verified domain gets a certificate, that the certificate is then checked daily,
// and that it is released when the domain is deleted.
func TestVerifiedDomainGetsACertificate(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.domain(w.account, "go.shop.example", !verified)
	if w.advance(time.Minute); w.fake.Count("") != 0 {
		t.Error("a certificate was requested for an unverified domain")
	}
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = true WHERE id = $1`, id)
	w.advance(time.Second)
	c := w.stored(w.account, id)
	if c.SSLStatus != "pending_validation" || c.Serving || c.ExternalID == "" || c.Ownership == nil || c.OwnershipHTTP == nil || c.Detail == "" {
		t.Fatalf("%+v", c)
	}
	states := []string{c.SSLStatus}
	for range 20 {
		w.advance(time.Minute)
		if c = w.stored(w.account, id); c.SSLStatus != states[len(states)-1] {
			states = append(states, c.SSLStatus)
		}
		if c.Serving {
			break
		}
	}
	if want := []string{"pending_validation", "pending_issuance", "pending_deployment", "active"}; !slices.Equal(states, want) {
		t.Errorf("the states were %v, want each state of the validation in turn", states)
	}
	if !c.Serving || c.ExpiresAt == nil || c.IssuedAt == nil || c.Ownership != nil || len(c.Errors) != 0 || c.Attempts != 0 {
		t.Errorf("%+v", c)
	}
	asked := w.fake.Count("")
	if w.advance(12 * time.Hour); w.fake.Count("") != asked {
		t.Error("a serving certificate was checked again after half a day")
	}
	if w.advance(15 * time.Hour); w.fake.Count("") != asked+1 || w.count("POST") != 1 {
		t.Errorf("after more than a day: %d further requests, %d hostnames created", w.fake.Count("")-asked, w.count("POST"))
	}
	w.fake.Remove("go.shop.example") // someone deletes the hostname at Cloudflare
	w.advance(2 * day)
	if c = w.stored(w.account, id); c.Serving || c.SSLStatus != models.SSLNone {
		t.Errorf("%+v", c)
	}
	if w.advance(2 * time.Minute); w.count("POST") != 2 {
		t.Error("the hostname was not created again")
	}
	released, err := w.store.Domains().Delete(t.Context(), w.account, id)
	if err != nil || !released {
		t.Fatalf("%t, %v", released, err)
	}
	w.until("the hostname is gone", func() bool { return len(w.fake.Hosts()) == 0 })
}

// TestRequestReadRelease checks the answers of request, read and release, and that other accounts' and unknown domains are
// not_found.
func TestRequestReadRelease(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.domain(w.account, "go.shop.example", !verified)
	for _, who := range []struct{ account, domain uuid.UUID }{{w.other, id}, {w.account, uuid.New()}} {
		_, err := w.request(who.account, who.domain)
		w.wantCode(err, "not_found")
		_, err = w.read(who.account, who.domain)
		w.wantCode(err, "not_found")
		_, err = w.release(who.account, who.domain)
		w.wantCode(err, "not_found")
	}
	got, err := w.read(w.account, id)
	if err != nil || got.SSLStatus != models.SSLNone || got.Host != "go.shop.example" || got.Errors == nil || w.fake.Count("") != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	none, err := w.release(w.account, id)
	if err != nil || none.Deleted || none.Detail == "" || w.fake.Count("") != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	// Cloudflare itself verifies the owner of a host, so the domain need not be verified.
	got, err = w.request(w.account, id)
	if err != nil || got.SSLStatus != "pending_validation" || got.Ownership == nil || got.OwnershipHTTP == nil || got.Serving {
		t.Fatalf("%+v, %v", got, err)
	}
	for !got.Serving {
		if got, err = w.read(w.account, id); err != nil {
			t.Fatal(err)
		}
	}
	if got.SSLStatus != "active" || got.ExpiresAt == nil || got.Ownership != nil {
		t.Errorf("%+v", got)
	}
	patched := w.fake.Count("PATCH /zones/{zone}/custom_hostnames/{id}")
	if got, err = w.request(w.account, id); err != nil || !got.Serving || w.fake.Count("PATCH /zones/{zone}/custom_hostnames/{id}") != patched {
		t.Errorf("a request for a certificate that is already served: %+v, %v", got, err)
	}
	gone, err := w.release(w.account, id)
	if err != nil || !gone.Deleted || len(w.fake.Hosts()) != 0 {
		t.Errorf("%+v, %v, %v", gone, err, w.fake.Hosts())
	}
	if c := w.stored(w.account, id); c.Wanted || c.SSLStatus != models.SSLNone || c.ExternalID != "" || c.ExpiresAt != nil {
		t.Errorf("%+v", c)
	}
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = true WHERE id = $1`, id)
	if w.advance(2 * day); len(w.fake.Hosts()) != 0 {
		t.Error("a released certificate was requested again")
	}
	if got, err = w.request(w.account, id); err != nil || got.SSLStatus == models.SSLNone || len(w.fake.Hosts()) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestStatuses checks that each of Cloudflare's states is reported, and that a failing certificate is retried for a month, after
// growing waits.
func TestStatuses(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.domain(w.account, "go.shop.example", verified)
	w.sweep()
	const patch = "PATCH /zones/{zone}/custom_hostnames/{id}"
	for _, status := range models.SSLStatuses {
		if status == models.SSLNone {
			continue
		}
		w.fake.SetStates("go.shop.example", "pending", status, "Custom hostname does not CNAME to this zone.")
		got, err := w.read(w.account, id)
		if err != nil || got.SSLStatus != status || got.Serving || len(got.Errors) == 0 {
			t.Errorf("%s: %+v, %v", status, got, err)
		}
		before := w.fake.Count(patch)
		if w.advance(2 * time.Hour); models.SSLStuck(status) && w.fake.Count(patch) == before {
			t.Errorf("the state %s was not retried", status)
		}
		w.fake.SetStates("go.shop.example", "active", "active")
		if got, err = w.read(w.account, id); err != nil || !got.Serving {
			t.Errorf("after %s: %+v, %v", status, got, err)
		}
	}
	w.fake.SetStates("go.shop.example", "moved", "active")
	if got, err := w.read(w.account, id); err != nil || got.Serving || !strings.Contains(got.Detail, "moved") {
		t.Errorf("%+v, %v", got, err)
	}
	w.fake.Remove("go.shop.example")
	if w.advance(2 * time.Hour); w.stored(w.account, id).ExternalID != "" {
		t.Errorf("%+v", w.stored(w.account, id))
	}
	w.fake.Refuse(403, 1405, "Quota exceeded.")
	var tries []int
	for range 40 {
		before := w.count("POST")
		for range 4 {
			w.advance(6 * time.Hour)
		}
		tries = append(tries, w.count("POST")-before)
	}
	// Several tries on the first day, at most two a day from the fifth day on, and none after a month.
	if tries[0] < 2 || slices.Max(tries[4:]) > 2 || slices.Max(tries[:29]) == 0 || slices.Max(tries[34:]) > 0 {
		t.Errorf("number of tries on each day: %v", tries)
	}
	c := w.stored(w.account, id)
	if !strings.HasPrefix(c.Failure, "edge_1405: ") || c.FailingSince == nil {
		t.Errorf("%+v", c)
	}
	troubled, err := w.store.Certificates().Troubled(t.Context(), w.account, w.clock())
	if err != nil || len(troubled) != 1 {
		t.Errorf("%+v, %v", troubled, err)
	}
	_, err = w.request(w.account, id)
	w.wantCode(err, "edge_1405")
	w.fake.Refuse(0, 0, "")
	if w.advance(2 * time.Minute); w.stored(w.account, id).Failure != "" {
		t.Errorf("%+v", w.stored(w.account, id))
	}
}

// TestRefusalCodes checks that each refusal of a hostname, and each fault of the connection to Cloudflare, gives the customer a
// code. A later request succeeds.
func TestRefusalCodes(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.domain(w.account, "go.shop.example", !verified)
	codes := map[int][]int{
		400: {1400, 1402, 1403, 1407, 1408, 1409, 1410, 1411, 1415, 1416, 1417, 1418, 1419, 1420, 1421, 1422, 1424, 1425, 1432, 1433, 1434, 1435, 1438, 1440, 1442, 1448, 1449},
		401: {1000, 1001, 1002, 1003, 1004, 1005}, 403: {1404, 1405, 1413, 1414, 10000, 9109}, 409: {1439}, 500: {1500},
	}
	for status, list := range codes {
		for _, code := range list {
			w.fake.Refuse(status, code, "Refused for a test.")
			_, err := w.request(w.account, id)
			w.wantCode(err, fmt.Sprint("edge_", code))
			if e, ok := models.AsError(err); !ok || e.Kind != models.KindBadGateway || !strings.Contains(e.Message, "Refused for a test.") {
				t.Errorf("%d: %+v", code, err)
			}
		}
	}
	for fault, code := range map[cloudflaretest.Fault]string{
		cloudflaretest.Broken: "edge_502", cloudflaretest.Echo: "edge_1400", cloudflaretest.Drop: "edge_unavailable",
	} {
		w.fake.Refuse(0, 0, "")
		w.fake.Fail(fault)
		_, err := w.request(w.account, id)
		w.wantCode(err, code)
	}
	w.fake.Fail(cloudflaretest.None)
	w.fake.Refuse(404, 1436, "The custom hostname was not found.")
	_, err := w.request(w.account, id)
	w.wantCode(err, "edge_1436")
	w.fake.Refuse(0, 0, "")
	if got, err := w.request(w.account, id); err != nil || got.SSLStatus == models.SSLNone || len(w.fake.Hosts()) != 1 {
		t.Errorf("%+v, %v, %v", got, err, w.fake.Hosts())
	}
}

// TestAdopt checks that a verified domain adopts an existing hostname. An unverified domain adopts neither a hostname that someone
// else created nor the hostname of another domain.
func TestAdopt(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	hostname := w.fake.Add("go.shop.example") // someone else created it
	w.mu.Lock()
	w.now = w.now.Add(time.Hour)
	w.mu.Unlock()
	id := w.domain(w.account, "go.shop.example", !verified)
	_, err := w.request(w.account, id)
	w.wantCode(err, "edge_1406")
	if gone, err := w.release(w.account, id); err != nil || !gone.Deleted || len(w.fake.Hosts()) != 1 {
		t.Errorf("a hostname that someone else created was deleted: %+v, %v", gone, err)
	}
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = true WHERE id = $1`, id)
	if _, err := w.request(w.account, id); err != nil || w.stored(w.account, id).ExternalID != hostname {
		t.Errorf("%+v, %v", w.stored(w.account, id), err)
	}
	second := w.domain(w.other, "go.shop.example", !verified)
	_, err = w.request(w.other, second)
	w.wantCode(err, "edge_1406")
	if w.stored(w.other, second).Wanted {
		t.Error("the certificate of another account's host was requested")
	}
	// Once verified, the second domain takes over the hostname.
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = false WHERE id = $1`, id)
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = true WHERE id = $1`, second)
	w.advance(time.Minute)
	if first, next := w.stored(w.account, id), w.stored(w.other, second); first.Wanted || first.ExternalID != "" || next.ExternalID != hostname {
		t.Errorf("%+v\n%+v", first, next)
	}
	if _, err := w.store.Domains().Delete(t.Context(), w.account, id); err != nil || len(w.fake.Hosts()) != 1 || w.count("POST") != 2 {
		t.Errorf("%v, %v, %d requests to create a hostname", err, w.fake.Hosts(), w.count("POST"))
	}
}

// TestWorkerDies: a hostname that a worker created and did not record is adopted later, or deleted if the domain is deleted.
func TestWorkerDies(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	for i, verified := range []bool{true, false} {
		host := fmt.Sprintf("go%d.shop.example", i)
		id := w.domain(w.account, host, verified)
		w.dieAfterCreating(id, host)
		if w.advance(10 * time.Second); w.stored(w.account, id).ExternalID != "" {
			t.Error("the lease of the dead worker was ignored")
		}
		w.advance(10 * time.Second)
		if c := w.stored(w.account, id); c.ExternalID == "" || c.Failure != "" || !slices.Contains(w.fake.Hosts(), host) {
			t.Errorf("%+v, %v", c, w.fake.Hosts())
		}
	}
	// The same if the answer to the request is lost.
	lost := w.domain(w.account, "lost.shop.example", !verified)
	w.fake.Fail(cloudflaretest.Drop)
	_, err := w.request(w.account, lost)
	w.wantCode(err, "edge_unavailable")
	w.fake.Fail(cloudflaretest.None)
	if w.advance(2 * time.Minute); w.stored(w.account, lost).ExternalID == "" || len(w.fake.Hosts()) != 3 {
		t.Errorf("%+v, %v", w.stored(w.account, lost), w.fake.Hosts())
	}
	gone := w.domain(w.account, "gone.shop.example", !verified)
	w.dieAfterCreating(gone, "gone.shop.example")
	released, err := w.store.Domains().Delete(t.Context(), w.account, gone)
	if err != nil || !released {
		t.Fatalf("%t, %v", released, err)
	}
	dbtest.Exec(w, w.db, `UPDATE jobs SET next_attempt_at = now() WHERE kind = $1`, jobs.ReleaseAtEdge.Kind()) // the lease has ended
	w.until("the hostname is gone", func() bool { return !slices.Contains(w.fake.Hosts(), "gone.shop.example") })
	leased := w.domain(w.account, "leased.shop.example", verified)
	w.dieAfterCreating(leased, "leased.shop.example")
	if got, err := w.release(w.account, leased); err != nil || !got.Deleted || !strings.Contains(got.Detail, "will soon") {
		t.Errorf("a release during the lease of another worker: %+v, %v", got, err)
	}
}

// dieAfterCreating simulates a worker that creates a hostname and dies before it records the hostname.
func (w *env) dieAfterCreating(id uuid.UUID, host string) {
	w.Helper()
	of := storeOf(w.account, id)
	if err := w.store.Certificates().Request(w.Context(), of, models.EdgeCloudflare, w.clock()); err != nil {
		w.Fatal(err)
	}
	const due = true // with !due, Begin also leases a certificate that is not due
	if _, ok, err := w.store.Certificates().Begin(w.Context(), of, w.clock(), 15*time.Second, !due); err != nil || !ok {
		w.Fatal(ok, err)
	}
	w.fake.Add(host)
}

// TestRelease checks that a release that the issuer refuses succeeds in the end, and that releasing a host that is gone is not an
// error.
func TestRelease(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.domain(w.account, "go.shop.example", !verified)
	if _, err := w.request(w.account, id); err != nil {
		t.Fatal(err)
	}
	w.fake.Refuse(403, 10000, "Authentication error")
	_, err := w.release(w.account, id)
	w.wantCode(err, "edge_10000")
	if w.stored(w.account, id).Wanted || len(w.fake.Hosts()) != 1 {
		t.Errorf("%+v, %v", w.stored(w.account, id), w.fake.Hosts())
	}
	w.fake.Refuse(0, 0, "")
	makeDue := func() {
		dbtest.Exec(w, w.db, `UPDATE jobs SET next_attempt_at = now() WHERE kind = $1 AND state = 'pending'`, jobs.ReleaseAtEdge.Kind())
	}
	makeDue()
	w.until("the hostname is gone", func() bool { return len(w.fake.Hosts()) == 0 })
	second := w.domain(w.account, "b.shop.example", !verified)
	if _, err := w.request(w.account, second); err != nil {
		t.Fatal(err)
	}
	w.fake.Remove("b.shop.example")
	if gone, err := w.release(w.account, second); err != nil || !gone.Deleted {
		t.Errorf("%+v, %v", gone, err)
	}
	// Deleting an account releases all its hostnames.
	third := w.domain(w.other, "c.shop.example", verified)
	w.advance(10 * time.Minute) // until the sweep's pause after the refusal is over
	if w.stored(w.other, third).ExternalID == "" {
		t.Fatal("the hostname was not created")
	}
	if err := w.store.DeleteAccount(t.Context(), w.other, func(string, int64) {}); err != nil {
		t.Fatal(err)
	}
	w.until("the account's hostname is gone", func() bool { return len(w.fake.Hosts()) == 0 })
	// A release keeps a hostname that a domain uses again.
	fourth := w.domain(w.account, "d.shop.example", verified)
	w.sweep()
	w.fake.Refuse(403, 10000, "Authentication error")
	deleted := w.fake.Count("DELETE /zones/{zone}/custom_hostnames/{id}")
	if _, err := w.store.Domains().Delete(t.Context(), w.account, fourth); err != nil {
		t.Fatal(err)
	}
	// When the refusal is stored, the sweep is already paused.
	w.until("the release has failed", func() bool {
		var n int
		err := w.db.GetContext(t.Context(), &n, `SELECT count(*) FROM jobs WHERE kind = $1 AND state = 'pending' AND error IS NOT NULL`, jobs.ReleaseAtEdge.Kind())
		return err == nil && n == 1
	})
	if w.fake.Count("DELETE /zones/{zone}/custom_hostnames/{id}") == deleted {
		t.Error("the edge was not asked to delete the hostname")
	}
	w.fake.Refuse(0, 0, "")
	again := w.domain(w.account, "d.shop.example", verified)
	w.advance(10 * time.Minute)
	if w.stored(w.account, again).ExternalID == "" {
		t.Fatalf("%+v", w.stored(w.account, again))
	}
	makeDue()
	w.until("all releases have ended", func() bool {
		var n int
		err := w.db.GetContext(t.Context(), &n, `SELECT count(*) FROM jobs WHERE kind = $1 AND state <> 'done'`, jobs.ReleaseAtEdge.Kind())
		return err == nil && n == 0
	})
	if !slices.Equal(w.fake.Hosts(), []string{"d.shop.example"}) {
		t.Errorf("%v", w.fake.Hosts())
	}
}
