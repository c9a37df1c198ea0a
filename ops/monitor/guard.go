package monitor

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"switchyard/models/netguard"
)

// How often an address may be wrong: ten times at once, then six times a minute. The addresses that were wrong last are
// remembered, in some 200 bytes each.
const (
	wrongBurst   = 10
	wrongEvery   = 10 * time.Second
	maxAddresses = 4096
)

// guard lets in who may see the pages.
type guard struct {
	secret [sha256.Size]byte
	name   string // the one public name of the pages; may be empty
	now    func() time.Time

	mu    sync.Mutex // held while a password is compared, so that guesses sent at once are counted one by one
	wrong *lru.Cache[netip.Prefix, *rate.Limiter]
}

func newGuard(o Options) *guard {
	g := &guard{secret: sha256.Sum256([]byte(o.Password)), name: strings.ToLower(o.Host), now: o.Now}
	if g.now == nil {
		g.now = time.Now
	}
	g.wrong, _ = lru.New[netip.Prefix, *rate.Limiter](maxAddresses) // fails only without a size
	return g
}

// password asks for basic auth. An address that has been wrong too often waits, even with the right password; others
// do not wait with it.
func (g *guard) password(c *gin.Context) {
	_, given, sent := c.Request.BasicAuth()
	if sent {
		ok, wait := g.try(c.ClientIP(), given)
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

// try compares a password, in a time that depends on neither its content nor its length. It does not while the address
// has to wait.
func (g *guard) try(address, given string) (ok bool, wait time.Duration) {
	parsed, _ := netip.ParseAddr(address) // what is no address counts as one client
	from, now := netguard.ClientPrefix(parsed), g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	budget, known := g.wrong.Get(from)
	if known && budget.TokensAt(now) < 1 {
		return false, time.Duration((1 - budget.TokensAt(now)) * float64(wrongEvery))
	}
	sum := sha256.Sum256([]byte(given))
	if subtle.ConstantTimeCompare(sum[:], g.secret[:]) == 1 {
		return true, 0
	}
	if !known {
		budget = rate.NewLimiter(rate.Every(wrongEvery), wrongBurst)
		g.wrong.Add(from, budget)
	}
	if budget.AllowN(now, 1); budget.TokensAt(now) < 1 {
		slog.Warn("an address guesses the password of the operators' pages and has to wait", "address", address)
	}
	return false, 0
}

// privateNames are the last labels of names that networks give their own machines. Others without a dot do too.
var privateNames = strings.Fields("localhost local localdomain internal intranet lan home corp private")

// host refuses requests that came by a public name, such as a customer's tracking domain.
func (g *guard) host(c *gin.Context) {
	name := bareHost(c.Request.Host)
	last := name[strings.LastIndexByte(name, '.')+1:]
	_, err := netip.ParseAddr(name)
	if name == "" || err != nil && last != name && !slices.Contains(privateNames, last) && name != g.name {
		c.AbortWithStatus(http.StatusMisdirectedRequest)
	}
}

// Loopback reports whether a request's host is this machine by a name of its own: localhost or a loopback address.
func Loopback(host string) bool {
	name := bareHost(host)
	a, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && a.Unmap().IsLoopback()
}

// bareHost is a Host header without port, brackets and the dot at the end, in lower case.
func bareHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// plainHeaders are those that browsers, curl and Prometheus send. A proxy adds others, under names without end.
var plainHeaders = []string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control", "Connection",
	"Cookie", "Dnt", "If-Modified-Since", "If-None-Match", "Pragma", "Priority", "Referer", "Te", "Upgrade-Insecure-Requests",
	"User-Agent", "X-Prometheus-Scrape-Timeout-Seconds",
}

// sameMachine lets in requests of this machine that no proxy has passed on. A proxy on this machine that adds no header
// speaks HTTP/1.0, or keeps the name that its visitor asked for.
func sameMachine(c *gin.Context) {
	r := c.Request
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	own := err == nil && peer.Addr().Unmap().IsLoopback() && Loopback(r.Host) && r.ProtoAtLeast(1, 1)
	for name := range r.Header {
		own = own && (slices.Contains(plainHeaders, name) || strings.HasPrefix(name, "Sec-"))
	}
	if !own {
		c.AbortWithStatus(http.StatusNotFound)
	}
}
