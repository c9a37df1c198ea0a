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

// The wrong passwords of a client, and of a proxy for all the clients that it names: as many as the burst at once, and then one after
// each pause. A client that invents the address that a proxy forwards has no more guesses than the proxy.
const (
	clientBurst = 10
	clientPause = 10 * time.Second
	proxyBurst  = 100
	proxyPause  = time.Second
)

// maxAddresses is how many addresses each list remembers at most. An address that comes back often stays longest. An address
// takes some 200 bytes.
const maxAddresses = 4096

// guard decides who may see the pages.
type guard struct {
	secret [sha256.Size]byte
	name   string // the one public name of the pages; may be empty
	now    func() time.Time

	mu      sync.Mutex // held while a password is compared, so that guesses sent at once are counted one by one
	wrong   bucket.Set[netip.Prefix]
	proxies bucket.Set[netip.Prefix]
	right   *otter.Cache[netip.Prefix, struct{}] // clients that do not wait with their proxy
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

// password asks for basic auth. An address that has been wrong too often must wait, even with the right password. Other
// addresses do not wait with it. If the clients behind a proxy have together been wrong too often, only clients that have never
// been right must wait.
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

// prefixOf returns the prefix that identifies the client of an address. All invalid addresses count as one client.
func prefixOf(address string) netip.Prefix {
	parsed, _ := netip.ParseAddr(address)
	return netguard.ClientPrefix(parsed)
}

// try compares a password, in a time that depends on neither its content nor its length. It does not compare while the client
// or its proxy has to wait. A client without a proxy is its own peer.
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

// isLast counts a wrong password of an address. It reports whether that was the last one before the address has to wait.
func isLast(wrong bucket.Set[netip.Prefix], from netip.Prefix, now time.Time) bool {
	return wrong.Allow(from, now) && wrong.Wait(from, now) > 0
}

// privateNames are the last labels of names that networks give their own machines. Others without a dot do too.
var privateNames = strings.Fields("localhost local localdomain internal intranet lan home corp private")

// host refuses requests that came by a public name, such as a customer's tracking domain.
func (g *guard) host(c *gin.Context) {
	name := models.BareHost(c.Request.Host)
	last := name[strings.LastIndexByte(name, '.')+1:]
	_, err := netip.ParseAddr(name)
	if name == "" || err != nil && last != name && !slices.Contains(privateNames, last) && name != g.name {
		c.AbortWithStatus(http.StatusMisdirectedRequest)
	}
}

// plainHeaders are the headers that browsers, curl and Prometheus send. Proxies add other headers. Their names are unlimited,
// and some may begin with Sec- as well.
var plainHeaders = []string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection",
	"Cookie", "Dnt", "If-Modified-Since", "If-None-Match", "Pragma", "Priority", "Referer", "Sec-Ch-Ua", "Sec-Ch-Ua-Mobile",
	"Sec-Ch-Ua-Platform", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-Gpc", "Sec-Purpose",
	"Te", "Upgrade-Insecure-Requests", "User-Agent", "X-Prometheus-Scrape-Timeout-Seconds",
}

// sameMachine lets in requests from this machine that no proxy has passed on. A proxy on this machine that adds no header
// speaks HTTP/1.0, or keeps the host name that its visitor asked for.
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
