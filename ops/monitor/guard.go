package monitor

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"switchyard/models"
	"switchyard/models/bucket"
	"switchyard/models/netguard"
)

// The limits on wrong passwords: a number of guesses without a pause, and then one guess after each pause. Each client has a
// limit. All clients of one proxy share a second one, because a client can make its proxy forward invented addresses.
const (
	clientBurst = 10
	clientPause = 10 * time.Second
	proxyBurst  = 100
	proxyPause  = time.Second
)

// maxAddresses is the maximum number of addresses in each list. A full list keeps the addresses that come back most often. An
// address takes some 200 bytes.
const maxAddresses = 4096

// guard decides which requests may see the operators' pages.
type guard struct {
	secret [sha256.Size]byte
	name   string // the only public name of the pages; may be empty
	now    func() time.Time

	mu      sync.Mutex // held during the comparison, so that simultaneous guesses are counted one by one
	wrong   bucket.Set[netip.Prefix]
	proxies bucket.Set[netip.Prefix]
	right   *otter.Cache[netip.Prefix, struct{}] // clients that gave the right password; they need not wait when their proxy has to
}

func newGuard(o Options) *guard {
	g := &guard{
		secret: sha256.Sum256([]byte(o.Password)), name: strings.ToLower(o.Host), now: o.Now,
		wrong:   bucket.New[netip.Prefix](rate.Every(clientPause), clientBurst, maxAddresses),
		proxies: bucket.New[netip.Prefix](rate.Every(proxyPause), proxyBurst, maxAddresses),
		right:   otter.Must(&otter.Options[netip.Prefix, struct{}]{MaximumSize: maxAddresses}),
	}
	if g.now == nil {
		g.now = time.Now
	}
	return g
}

// password requires the password by basic auth. A client that was wrong too often has to wait, even with the right password. If
// the clients of a proxy together were wrong too often, they have to wait, unless they have given the right password before.
func (g *guard) password(c *gin.Context) {
	_, given, sent := c.Request.BasicAuth()
	if sent {
		ok, wait := g.try(prefixOf(c.ClientIP()), prefixOf(c.RemoteIP()), given)
		if ok {
			return
		}
		if wait > 0 {
			c.Header("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			c.AbortWithStatus(http.StatusTooManyRequests)
			return
		}
	}
	c.Header("WWW-Authenticate", `Basic realm="switchyard"`)
	c.AbortWithStatus(http.StatusUnauthorized)
}

// prefixOf returns the network prefix by which the guard identifies a client. All invalid addresses count as one client.
func prefixOf(address string) netip.Prefix {
	parsed, _ := netip.ParseAddr(address)
	return netguard.ClientPrefix(parsed)
}

// try checks a password, in a time that does not depend on its content. If the client has to wait, try does not compare anything.
// For a client without a proxy, peer equals client.
func (g *guard) try(client, peer netip.Prefix, given string) (ok bool, wait time.Duration) {
	now := g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	wait = g.wrong.Wait(client, now)
	if _, known := g.right.GetEntryQuietly(client); peer != client && !known {
		wait = max(wait, g.proxies.Wait(peer, now))
	}
	if wait > 0 {
		return false, wait
	}
	sum := sha256.Sum256([]byte(given))
	if subtle.ConstantTimeCompare(sum[:], g.secret[:]) == 1 {
		g.right.Set(client, struct{}{})
		return true, 0
	}
	if isLast(g.wrong, client, now) {
		slog.Warn("an address guesses the password of the operators' pages and has to wait", "address", client)
	}
	if peer != client && isLast(g.proxies, peer, now) {
		slog.Warn("a proxy passes on guesses of the password of the operators' pages and has to wait", "address", peer)
	}
	return false, 0
}

// isLast counts a wrong password. It reports whether the address now has to wait.
func isLast(wrong bucket.Set[netip.Prefix], from netip.Prefix, now time.Time) bool {
	return wrong.Allow(from, now) && wrong.Wait(from, now) > 0
}

// privateNames lists the last labels of the names of machines in private networks.
var privateNames = strings.Fields("localhost local localdomain internal intranet lan home corp private")

// host refuses requests for a public name, such as a customer's tracking domain, except the name in Options.Host.
func (g *guard) host(c *gin.Context) {
	name := models.BareHost(c.Request.Host)
	last := name[strings.LastIndexByte(name, '.')+1:]
	_, err := netip.ParseAddr(name)
	if name == "" || err != nil && last != name && !slices.Contains(privateNames, last) && name != g.name {
		c.AbortWithStatus(http.StatusMisdirectedRequest)
	}
}

// plainHeaders lists the headers that browsers, curl and Prometheus send. Any other header may come from a proxy. The Sec-
// headers of browsers are listed one by one, because a proxy may add others.
var plainHeaders = []string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection",
	"Cookie", "Dnt", "If-Modified-Since", "If-None-Match", "Pragma", "Priority", "Referer", "Sec-Ch-Ua", "Sec-Ch-Ua-Mobile",
	"Sec-Ch-Ua-Platform", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-Gpc", "Sec-Purpose",
	"Te", "Upgrade-Insecure-Requests", "User-Agent", "X-Prometheus-Scrape-Timeout-Seconds",
}

// sameMachine accepts only requests from this machine that came without a proxy. A proxy on this machine is recognized by the
// headers that it adds, by HTTP/1.0, or by the host name of the visitor's request.
func sameMachine(c *gin.Context) {
	r := c.Request
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	own := err == nil && peer.Addr().Unmap().IsLoopback() && models.Loopback(r.Host) && r.ProtoAtLeast(1, 1)
	for name := range r.Header {
		own = own && slices.Contains(plainHeaders, name)
	}
	if !own {
		c.AbortWithStatus(http.StatusNotFound)
	}
}
