package faults

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/devstack"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/fleet"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/issuer/acme/acmetest"
)

// edgeEnv is a service whose web processes serve HTTPS themselves. A BIND server has the customers' zone and is the service's
// resolver. A Pebble server is the CA.
type edgeEnv struct {
	*testing.T
	*fleet.Fleet
	db      *db.DB
	api     *client.API
	account string
	ca      *acmetest.CA
	dns     netip.AddrPort
	before  int   // the number of orders for the install's own host
	ports   []int // of HTTP and TLS; clients and the CA connect to these ports
	seen    []int // of HTTP and TLS; the first web process listens at these ports
}

// zoneKey is the TSIG key that may change the customers' zone.
var zoneKey = egresstest.Key{Name: "tracker.", Algorithm: "hmac-sha256", Secret: "Y2FuYXJ5LXRzaWcta2V5LW9mLTMyLWJ5dGVzLSEhIQ=="}

// customerZone holds both the customers' hosts and the tracking host, because a server that does not recurse follows a CNAME only
// within a zone. The customers' zone is a public suffix, so that the install does not reserve the customers' names. It is not below
// .example, because workers do not query such hosts.
const customerZone, trackingHost = "co.uk", "go.tracker.co.uk"

// newEdgeEnv starts the servers but no process of the service. behind means that several web processes share the public ports.
func newEdgeEnv(t *testing.T, behind bool) *edgeEnv {
	t.Helper()
	parttest.Needs(t, parttest.Edge)
	e := &edgeEnv{T: t}
	for range 4 {
		port, err := devstack.FreePort(append(slices.Clone(e.ports), e.seen...)...)
		if err != nil {
			t.Fatal(err)
		}
		if len(e.ports) < 2 {
			e.ports = append(e.ports, port)
		} else {
			e.seen = append(e.seen, port)
		}
	}
	if !behind {
		e.seen = e.ports
	}
	e.dns, _ = egresstest.NamedWithKey(t, map[string]string{
		customerZone: "go.tracker A 127.0.0.1\n*.go.tracker A 127.0.0.1",
	}, zoneKey)
	e.ca = acmetest.Start(t, acmetest.Options{DNS: e.dns, HTTPPort: e.ports[0], TLSPort: e.ports[1]})
	file := filepath.Join(t.TempDir(), "ca.pem")
	own, err := os.ReadFile(e.ca.CAFile)
	if err == nil {
		err = os.WriteFile(file, append(own, e.ca.Root()...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	e.Fleet = e2e.StartFleet(t, fleet.Options{Env: []string{
		"HTTP_ADDR=127.0.0.1:" + strconv.Itoa(e.seen[0]), "TLS_ADDR=127.0.0.1:" + strconv.Itoa(e.seen[1]),
		fmt.Sprintf("DOMAIN_PORTS=%d,%d", e.ports[0], e.ports[1]), "DNS_SERVERS=" + e.dns.String(),
		"TRACKING_HOST=" + trackingHost, "ACME_DIRECTORY=" + e.ca.Directory, "ACME_EMAIL=ops@acme.com",
		"EGRESS_CA_FILE=" + file, "HSTS_MAX_AGE=1h",
	}})
	if e.db, err = db.Open(t.Context(), e.DatabaseURL, db.Options{Name: "test"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.db.Close() })
	return e
}

// start starts processes, creates the account and connects the customers' zone. It returns the id of the DNS account.
func (e *edgeEnv) start(processes ...string) (dnsAccount string) {
	e.Helper()
	for _, name := range processes {
		if _, err := e.Spawn(name); err != nil {
			e.Fatal(err)
		}
	}
	if err := e.WaitReady(e.Context()); err != nil {
		e.Fatal(err)
	}
	var err error
	if e.account, e.api, err = e.Account(e.Context(), "Edge", "scale"); err != nil {
		e.Fatal(err)
	}
	var saved struct{ ID string }
	body := map[string]any{"provider": "rfc2136", "label": "BIND", "credentials": map[string]string{
		"server": e.dns.String(), "zones": customerZone, "key_name": zoneKey.Name, "key": zoneKey.Secret,
	}}
	if err := e.api.Do(e.Context(), http.StatusOK, http.MethodPut, "/integrations", body, &saved); err != nil {
		e.Fatal(err)
	}
	return saved.ID
}

// browser returns a transport that reaches the service as a visitor's browser does. It trusts only the test's CA.
func (e *edgeEnv) browser() *http.Transport {
	e.Helper()
	roots := e.ca.Roots()
	return &http.Transport{
		ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			port := e.ports[0]
			if strings.HasSuffix(address, ":443") {
				port = e.ports[1]
			}
			return (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port))
		},
	}
}

func (e *edgeEnv) get(via http.RoundTripper, address string) (*http.Response, error) {
	e.Helper()
	req, err := http.NewRequestWithContext(e.Context(), http.MethodGet, address, nil)
	if err != nil {
		e.Fatal(err)
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36")
	res, err := via.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return res, errors.Join(err, res.Body.Close())
}

func (e *edgeEnv) shake(host string) (*x509.Certificate, error) {
	e.Helper()
	d := tls.Dialer{Config: &tls.Config{ServerName: host, RootCAs: e.ca.Roots(), MinVersion: tls.VersionTLS12}}
	conn, err := d.DialContext(e.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(e.ports[1]))
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

func (e *edgeEnv) domains() map[string]edgeDomain {
	e.Helper()
	var list struct{ Rows []edgeDomain }
	if err := e.api.Get(e.Context(), "/domains?limit=200", &list); err != nil {
		e.Fatal(err)
	}
	all := map[string]edgeDomain{}
	for _, d := range list.Rows {
		all[d.Domain] = d
	}
	return all
}

type edgeDomain struct {
	ID, Domain string
	IsVerified bool `json:"is_verified"`
	Proof      string
	DNSRecords []struct{ Type, Name, Value string } `json:"dns_records"`
}

// targetOf returns the name below the tracking host to which a domain's CNAME may point.
func (e *edgeEnv) targetOf(host string) string {
	e.Helper()
	records := e.domains()[host].DNSRecords
	if len(records) != 2 || records[0].Type != "CNAME" || records[0].Value != records[1].Value+"."+trackingHost {
		e.Fatalf("the records of %s are %+v", host, records)
	}
	return records[0].Value
}

// awaitOwnHost waits until the install's own host is served.
func (e *edgeEnv) awaitOwnHost() {
	e.Helper()
	e2e.Tick(e.T, e.Fleet, jobs.SweepOwnHosts)
	await.Until(e.T, "the install's own host is served", func() bool {
		_, err := e.shake(trackingHost)
		return err == nil
	})
	e.before = e.ca.Orders()
}

// orders returns the number of orders for customers' domains.
func (e *edgeEnv) orders() int { return e.ca.Orders() - e.before }

func (e *edgeEnv) issued() int { return strings.Count(e.ca.Log(), "Issued certificate serial") }

// add adds domains, and lets the service set their records in the DNS account.
func (e *edgeEnv) add(account string, hosts ...string) {
	e.Helper()
	var added struct {
		DNS []struct {
			OK      bool
			Message string
		}
	}
	body := map[string]any{"domain": strings.Join(hosts, " "), "dns_account_id": account}
	if err := e.api.Do(e.Context(), http.StatusCreated, http.MethodPost, "/domains", body, &added); err != nil {
		e.Fatal(err)
	}
	for _, point := range added.DNS {
		if !point.OK {
			e.Errorf("the DNS records of a domain were not set: %s", point.Message)
		}
	}
	if len(added.DNS) != len(hosts) {
		e.Errorf("the answer has DNS results for %d of %d domains", len(added.DNS), len(hosts))
	}
	e2e.Tick(e.T, e.Fleet, jobs.SweepDomains)
}

// TestZeroToServing: a new hostname is served over HTTPS, also without PostgreSQL and Redis. Its certificate is renewed and
// released.
func TestZeroToServing(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	e := newEdgeEnv(t, false)
	account := e.start("web", "worker", "clock")
	const host = "go.shop." + customerZone
	e.awaitOwnHost()
	e.add(account, host)
	// This domain is never verified, so no client can make the service order a certificate for it.
	const stranger = "stranger.example"
	if err := e.api.Do(t.Context(), http.StatusCreated, http.MethodPost, "/domains", map[string]any{"domain": stranger}, nil); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	await.Until(t, "the domain is served over HTTPS", func() bool {
		for _, none := range []string{stranger, e.targetOf(host)} {
			if _, err := e.shake(none); err == nil {
				t.Fatalf("%s is served, although it is not a verified domain", none)
			}
		}
		_, err := e.shake(host)
		return err == nil
	})
	t.Logf("the domain is served %s after it was added", time.Since(began).Round(time.Second))
	if d := e.domains()[host]; e.orders() != 1 || !d.IsVerified || d.Proof != models.ProofTXT || e.domains()[stranger].IsVerified {
		t.Errorf("%d orders for customers' domains, want 1; the domains are %+v", e.orders(), e.domains())
	}
	id := e.domains()[host].ID

	var campaign struct{ URL string }
	err := e.api.Create(t.Context(), "/campaigns", map[string]any{
		"name": "c", "alias": "edge-campaign", "domain_id": id, "destination_url": "https://shop.example/?c={clickid}",
	}, &campaign)
	if err != nil {
		t.Fatal(err)
	}
	click := func(what string) {
		t.Helper()
		browser := e.browser()
		await.Until(t, what+": a click", func() bool {
			res, err := e.get(browser, "https://"+host+"/edge-campaign")
			return err == nil && res.StatusCode == http.StatusFound && res.ProtoMajor == 2 &&
				strings.HasPrefix(res.Header.Get("Location"), "https://shop.example/?c=") &&
				res.Header.Get("Strict-Transport-Security") == "max-age=3600"
		})
		res, err := e.get(browser, "http://"+host+"/edge-campaign?a=b")
		if err != nil || res.Header.Get("Location") != "https://"+host+"/edge-campaign?a=b" || res.Header.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s: a click over HTTP is not redirected to HTTPS: %+v, %v", what, res, err)
		}
	}
	click("served")
	for address, want := range map[string]int{
		"https://" + host + "/metrics": 404, "http://" + host + "/metrics": 307, "http://" + host + "/api/v1/plan": 404,
		"https://" + host + "/api/v1/plan": 401, "http://" + host + "/postback?clickid=x": 200,
		"http://" + host + "/.well-known/acme-challenge/x": 404, "http://" + stranger + "/.well-known/acme-challenge/x": 404,
	} {
		if res, err := e.get(e.browser(), address); err != nil || res.StatusCode != want {
			t.Errorf("%s: %+v, %v", address, res, err)
		}
	}
	e.withoutServers(host, click)
	e.renewAndRelease(id, host)
}

// withoutServers checks clicks without PostgreSQL and Redis, before and after a restart of the web process.
func (e *edgeEnv) withoutServers(host string, click func(what string)) {
	e.Helper()
	for _, name := range []string{"worker", "clock"} {
		e.Find(name).Stop()
	}
	postgres, err := e.Postgres()
	if err != nil {
		e.Fatal(err)
	}
	redis, err := e.Redis(e.Context())
	if err == nil {
		err = errors.Join(postgres.Kill(e.Context()), redis.Kill(e.Context()))
	}
	if err != nil {
		e.Fatal(err)
	}
	click("without PostgreSQL")
	e.Find("web").Stop() // it then writes its copy of the routing
	if _, err := e.Spawn("web"); err != nil {
		e.Fatal(err)
	}
	await.Until(e.T, "a start without PostgreSQL", func() bool {
		_, err := e.shake(host)
		return err == nil
	})
	click("started without PostgreSQL")
	if err := e.StartServers(e.Context()); err != nil {
		e.Fatal(err)
	}
	for _, name := range []string{"worker", "clock"} {
		if _, err := e.Spawn(name); err != nil {
			e.Fatal(err)
		}
	}
}

// renewAndRelease checks that a certificate is renewed when the CA advises it, and then releases it.
func (e *edgeEnv) renewAndRelease(id, host string) {
	e.Helper()
	first, err := e.shake(host)
	if err != nil {
		e.Fatal(err)
	}
	e.ca.RenewNow(first)
	var state struct {
		SSLStatus string `json:"ssl_status"`
		Serving   bool
		ExpiresAt *time.Time `json:"expires_at"`
	}
	path := "/domains/" + id + "/certificate"
	await.Until(e.T, "the certificate is renewed", func() bool {
		// The call makes a worker ask the CA for its advice. The statement below makes the renewal due now, and not a minute
		// later.
		if err := e.api.Get(e.Context(), path, &state); err != nil && e.Context().Err() != nil {
			e.Fatal(err)
		}
		dbtest.Exec(e, e.db, `UPDATE certificates SET next_at = now() WHERE next_at > now() + interval '2 seconds'`)
		now, err := e.shake(host)
		return err == nil && now.SerialNumber.Cmp(first.SerialNumber) != 0
	})
	if e.orders() != 2 || !strings.Contains(e.ca.Log(), "is a replacement of") {
		e.Errorf("%d orders, want a second one that replaces the first certificate", e.orders())
	}
	if err := e.api.Get(e.Context(), path, &state); err != nil || state.SSLStatus != "active" || !state.Serving || state.ExpiresAt == nil {
		e.Errorf("%+v, %v", state, err)
	}
	var released struct{ Deleted bool }
	if err := e.api.Do(e.Context(), http.StatusOK, http.MethodDelete, path, nil, &released); err != nil || !released.Deleted {
		e.Errorf("%+v, %v", released, err)
	}
	await.Until(e.T, "the host is not served any more", func() bool {
		_, err := e.shake(host)
		return err != nil && strings.Contains(err.Error(), "unrecognized name")
	})
	copies, err := os.ReadDir(filepath.Join(e.Dir, "data", "certificates"))
	if err != nil || len(copies) != 1 || copies[0].Name() != trackingHost {
		e.Errorf("the stored certificates are %v, want only that of the install's own host: %v", copies, err)
	}
}

// countFailedOrders creates a trigger that records each failed attempt and each attempt whose worker was too slow for its lease.
const countFailedOrders = `
CREATE TABLE failed_orders (host text);
CREATE FUNCTION note_failed_order() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO failed_orders VALUES (NEW.host);
	RETURN NULL;
END $$;
CREATE TRIGGER failed_order AFTER UPDATE ON certificates FOR EACH ROW
	WHEN (NEW.attempts > OLD.attempts OR NEW.fence > OLD.fence AND OLD.lease_until IS NOT NULL)
	EXECUTE FUNCTION note_failed_order()`

// TestHundredDomains adds 100 domains. All of them are served, each after one order. An order that failed on a busy machine
// causes one more.
func TestHundredDomains(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	e := newEdgeEnv(t, false)
	account := e.start("web", "worker", "clock")
	e.awaitOwnHost()
	hosts := make([]string, 100)
	for n := range hosts {
		hosts[n] = fmt.Sprintf("h%d.shop.%s", n, customerZone)
	}
	dbtest.Exec(t, e.db, countFailedOrders)
	began := time.Now()
	for part := range slices.Chunk(hosts, 10) {
		e.add(account, part...)
	}
	left := map[string]bool{}
	for _, host := range hosts {
		left[host] = true
	}
	const again = `UPDATE certificates SET next_at = now() WHERE attempts > 0 AND NOT serving AND next_at > now() + interval '1 minute'`
	// If the clock checked a domain before its records were set, the next check is due only ten minutes later.
	const lookAgain = `UPDATE domain_checks SET due_at = now() WHERE NOT points AND due_at > now() + interval '1 minute'`
	for len(left) > 0 {
		before := len(left)
		await.Until(t, fmt.Sprintf("one more of %d domains is served", before), func() bool {
			for host := range maps.Clone(left) {
				if _, err := e.shake(host); err != nil {
					break // most other hosts are probably not served yet either
				}
				delete(left, host)
			}
			_, _ = e.db.ExecContext(t.Context(), again)
			_, _ = e.db.ExecContext(t.Context(), lookAgain)
			return len(left) < before
		})
	}
	t.Logf("100 domains are served %s after they were added", time.Since(began).Round(time.Second))
	failed := dbtest.Get[int](t, e.db, `SELECT count(*) FROM failed_orders`)
	if n := e.orders(); n < len(hosts) || n > len(hosts)+failed || e.ca.Accounts() != 1 {
		t.Errorf("%d orders by %d accounts at the CA; %d orders failed", n, e.ca.Accounts(), failed)
	}
}

// TestKilledIssue: with two web processes, a worker that is killed while it orders a certificate causes at most one additional
// order and one additional certificate.
func TestKilledIssue(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	e := newEdgeEnv(t, true)
	e.secondWeb()
	account := e.start("web", "clock", "worker")
	const host = "go.shop." + customerZone
	e.awaitOwnHost()
	issued := e.issued()
	e.add(account, host)
	await.Until(t, "an order is under way", func() bool { return e.orders() == 1 })
	e.Find("worker").Kill()
	for range 2 {
		if _, err := e.Spawn("worker"); err != nil {
			t.Fatal(err)
		}
	}
	e.overLeases()
	await.Until(t, "both web processes serve the domain", func() bool {
		for range 4 {
			if _, err := e.shake(host); err != nil {
				return false
			}
		}
		return true
	})
	if e.orders() > 2 || e.issued()-issued > 2 {
		t.Errorf("%d orders and %d certificates, want at most 2 of each", e.orders(), e.issued()-issued)
	}
}

func (e *edgeEnv) overLeases() {
	e.Helper()
	dbtest.Exec(e, e.db, `UPDATE certificates SET lease_until = now() WHERE lease_until > now()`)
	dbtest.Exec(e, e.db, `UPDATE edge_hosts SET lease_until = now() WHERE lease_until > now()`)
}

// secondWeb starts a second web process. The public ports lead to the two processes in turn.
func (e *edgeEnv) secondWeb() (p *fleet.Process, tlsPort int) {
	e.Helper()
	second := make([]int, 0, 3)
	for range 3 {
		port, err := devstack.FreePort(append(slices.Concat(e.ports, e.seen), second...)...)
		if err != nil {
			e.Fatal(err)
		}
		second = append(second, port)
	}
	for n, port := range e.ports {
		e.forward(port, e.seen[n], second[n])
	}
	p, err := e.SpawnWith([]string{
		"PORT=" + strconv.Itoa(second[2]), "OPS_ADDR=", "DATA_DIR=" + filepath.Join(e.Dir, "data-2"),
		"HTTP_ADDR=127.0.0.1:" + strconv.Itoa(second[0]), "TLS_ADDR=127.0.0.1:" + strconv.Itoa(second[1]),
	}, "web")
	if err != nil {
		e.Fatal(err)
	}
	return p, second[1]
}

func (e *edgeEnv) forward(port int, to ...int) {
	e.Helper()
	l, err := (&net.ListenConfig{}).Listen(e.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		e.Fatal(err)
	}
	var all sync.WaitGroup
	e.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	all.Go(func() {
		for n := 0; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { relay(conn, to[n%len(to)]) })
		}
	})
}

func relay(conn net.Conn, port int) {
	defer func() { _ = conn.Close() }()
	other, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return
	}
	defer func() { _ = other.Close() }()
	var both sync.WaitGroup
	for _, pair := range [][2]net.Conn{{conn, other}, {other, conn}} {
		both.Go(func() {
			_, _ = io.Copy(pair[0], pair[1])
			_ = pair[0].(*net.TCPConn).CloseWrite()
		})
	}
	both.Wait()
}
