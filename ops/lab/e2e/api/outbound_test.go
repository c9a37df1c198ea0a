package api

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/cmd/switchyard/cli"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models/await"
	"switchyard/models/netguard/netguardtest"
	"switchyard/ops/config"
	"switchyard/workers"
)

var mapped = []string{"hooks.slack.com", "discord.com", "api.telegram.org", "api.openai.com", "hooks.mapped.com"}

type outboundEnv struct {
	*testing.T
	api    *apitest.Server
	client *jobs.Client
	port   string
	conns  atomic.Int64
}

func newOutboundEnv(t *testing.T, allow ...netip.Prefix) *outboundEnv {
	t.Helper()
	o := &outboundEnv{T: t}
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, o.port, _ = net.SplitHostPort(l.Addr().String())
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			o.conns.Add(1)
			_ = conn.Close()
		}
	}()
	redis := jobstest.Redis(t)
	o.client = jobs.Connect(redis)
	o.api = apitest.New(t, apitest.Options{V1: v1.Deps{Jobs: o.client, EgressAllow: allow}})
	hosts := map[string]netip.AddrPort{}
	for _, name := range mapped {
		hosts[name] = netip.MustParseAddrPort("127.0.0.1:" + o.port)
	}
	r, err := cli.NewRuntime(config.Config{EgressAllow: allow, EgressHosts: hosts, EncryptionKey: bytes.Repeat([]byte{7}, 32)}, cli.Readers{Bulk: o.api.DB, Locks: o.api.DB}, workers.Options{
		DB: o.api.DB, Redis: redis, Client: o.client, Grace: 4 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	jobstest.Run(t, r.Run)
	return o
}

// try makes the service call each host in three ways: as the test of a webhook, as a repeated delivery, and as a check of links.
func (o *outboundEnv) try(hosts []string) {
	o.Helper()
	var hook struct{ ID string }
	body := map[string]any{"url": "https://hooks.acme.com/", "events": []string{"link.broken"}}
	o.api.Do("POST", "/webhooks", body).Want(http.StatusCreated, "").Into(&hook)
	for _, host := range hosts {
		// The endpoint looks as if it had been stored before addresses were checked.
		dbtest.Exec(o, o.api.DB, `UPDATE webhook_endpoints SET url = $2 WHERE id = $1`, hook.ID, "https://"+host+":"+o.port+"/")
		var sent struct {
			DeliveryID string `json:"deliveryId"`
			Delivered  bool
			Error      string
		}
		o.api.Do("POST", "/webhooks/test", map[string]any{"id": hook.ID}).Want(http.StatusOK, "").Into(&sent)
		again := sent
		o.api.Do("POST", "/webhooks/deliveries/redeliver", map[string]any{"id": sent.DeliveryID}).Want(http.StatusOK, "").Into(&again)
		for _, s := range []string{sent.Error, again.Error} {
			if s == "" || strings.Contains(s, host) {
				o.Errorf("the call to %s has the error %q, want one that does not name the host", host, s)
			}
		}
	}
	for i, table := range []string{"offers", "landers"} {
		for n, host := range hosts {
			scheme := []string{"https", "http"}[(i+n)%2]
			dbtest.Exec(o, o.api.DB, `INSERT INTO `+table+` (id, account_id, name, url) VALUES ($1, $2, $3, $4)`, uuid.New(), o.api.Account.ID,
				fmt.Sprint("l", n), scheme+"://"+host+":"+o.port+"/{clickid}")
		}
	}
	sweep, err := jobs.Submit(o.Context(), o.client, jobs.SweepLinks, uuid.Nil, jobs.Tick{At: time.Now()})
	if err != nil {
		o.Fatal(err)
	}
	if _, err := jobs.AwaitTimeout(o.Context(), sweep, await.Timeout); err != nil && !strings.Contains(err.Error(), "did not succeed") {
		o.Error(err)
	}
}

// TestNoPrivateAddressIsReached runs the assembled service, and lets it call private addresses in the three ways of try. The
// service connects to no form of a private address, and the API does not accept such an address as the URL of a webhook.
func TestNoPrivateAddressIsReached(t *testing.T) {
	t.Parallel()
	hosts := netguardtest.Hosts()
	if len(hosts) < 60 {
		t.Fatalf("%d forms of private addresses, want at least 60", len(hosts))
	}
	o := newOutboundEnv(t)
	hook := map[string]any{"url": "https://hooks.acme.com/", "events": []string{"link.broken"}}
	id := o.api.Do("POST", "/webhooks", hook).Want(http.StatusCreated, "").Map()["id"]
	for _, host := range hosts {
		hook["url"] = "https://" + host + ":" + o.port + "/"
		o.api.Do("POST", "/webhooks", hook).Want(http.StatusBadRequest, "invalid_url")
		o.api.Do("PATCH", "/webhooks", map[string]any{"id": id, "url": hook["url"]}).Want(http.StatusBadRequest, "invalid_url")
	}
	o.try(hosts)
	if n := o.conns.Load(); n != 0 {
		t.Errorf("%d connections were made, want none", n)
	}
}

// TestGuardOffIsSeen: the same calls reach the listener when its address is allowed. The test above would therefore notice a
// connection.
func TestGuardOffIsSeen(t *testing.T) {
	t.Parallel()
	o := newOutboundEnv(t, netip.MustParsePrefix("127.0.0.0/8"))
	o.try([]string{"127.0.0.1"})
	if n := o.conns.Load(); n < 6 {
		t.Errorf("%d connections reached the listener, want at least 6", n)
	}
}

// TestMappedHostsAreReached: calls to chats, a webhook and a language model reach the hosts in EGRESS_HOSTS at the addresses given
// there.
func TestMappedHostsAreReached(t *testing.T) {
	t.Parallel()
	o := newOutboundEnv(t, netip.MustParsePrefix("127.0.0.0/8"))
	connects := func(what string, call func()) {
		t.Helper()
		before := o.conns.Load()
		if call(); o.conns.Load() == before {
			t.Errorf("%s connected elsewhere, or not at all", what)
		}
	}
	for kind, credentials := range map[string]map[string]any{
		"slack":    {"url": "https://hooks.slack.com/services/T0/B0/x"},
		"discord":  {"url": "https://discord.com/api/webhooks/1/x"},
		"telegram": {"bot_token": "123456:" + strings.Repeat("a", 35), "chat_id": "1"},
	} {
		body := map[string]any{"kind": kind, "credentials": credentials, "name": kind}
		id := o.api.Do("POST", "/alerts/channels", body).Want(http.StatusCreated, "").Map()["id"]
		connects(kind, func() { o.api.Do("POST", "/alerts/channels/test", map[string]any{"id": id}).Want(http.StatusOK, "") })
	}
	connects("a webhook", func() {
		body := map[string]any{"url": "https://hooks.mapped.com/", "events": []string{"link.broken"}}
		id := o.api.Do("POST", "/webhooks", body).Want(http.StatusCreated, "").Map()["id"]
		o.api.Do("POST", "/webhooks/test", map[string]any{"id": id}).Want(http.StatusOK, "")
	})
	connects("a language model", func() {
		body := map[string]any{"action": "connect", "provider": "openai", "apiKey": strings.Repeat("k", 30)}
		o.api.Do("POST", "/copilot/ai", body)
	})
}
