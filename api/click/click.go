package click

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"switchyard/api/click/tag"
	"switchyard/api/click/visitor"
	"switchyard/api/routing"
	"switchyard/db"
	dbclick "switchyard/db/click"
	"switchyard/db/kv"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/botdata"
	"switchyard/models/matchkey"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// Recorder puts records, such as clicks and postbacks, on stable storage. Its implementation is *spool.Spool. Append keeps no
// reference to the record after it returns.
type Recorder interface {
	Append(ctx context.Context, r spool.Record) error
}

// Describer describes the visitor of a request. Its implementation is *visitor.Describer.
type Describer interface {
	Describe(r *http.Request, data *botdata.Set, into *visitor.Description)
	ClientIP(r *http.Request) netip.Addr
	ForwardedProto(r *http.Request) string
}

// Deps are the dependencies and settings of a Handler.
type Deps struct {
	DB          db.Conn // the pool; it may be unable to connect
	DatabaseURL string  // URL for the connection that listens to changes
	Clicks      dbclick.Log
	Usage       Usage
	Spool       Recorder // stores clicks and click-outs
	Postbacks   Recorder // stores postbacks, site events and requests of hidden links, in a spool of its own: no click waits for them
	Proofs      Proofs
	Visitors    Describer
	// DataDir is the directory for the copy of the routing snapshot. If it is empty, no copy is kept.
	DataDir string
	// Privacy sets how much of a visitor's IP address is stored.
	Privacy models.IPPrivacy
	// Caps shares the counts of daily caps among all processes. If it is nil, this process counts alone.
	Caps *kv.Caps
	// EdgeSecret is the key of the signatures on requests of the edge, the script that routes visitors at Cloudflare
	// (ops/deploy/edge). If it is empty, there is no edge.
	EdgeSecret []byte
	// Dashboard is the dashboard's host. No link routes there, even if an account has added the host as a domain. If Dashboard is
	// empty, links may be at any host.
	Dashboard string
	// Timeout is how long a visitor waits for a step that may hang, such as writing the click to stable storage or finding it in
	// PostgreSQL. 0 means 300 ms.
	Timeout time.Duration
}

const defaultTimeout = 300 * time.Millisecond

// The sizes of the caches fingerprints and recent. A fingerprint takes about 200 bytes, a recent click about 1,500 bytes.
const (
	maxFingerprints = 200_000
	maxRecent       = 20_000
)

// Handler answers the addresses of tracking domains. Safe for concurrent use.
type Handler struct {
	spool        Recorder
	postbacks    Recorder
	proofs       Proofs
	limits       postbackLimits
	eventLimits  postbackLimits
	visitors     Describer
	privacy      models.IPPrivacy
	url          string
	db           db.Conn
	clicks       dbclick.Log
	usage        Usage
	routes       *routing.Refresher
	caps         *capCounter
	fingerprints *otter.Cache[[16]byte, *storedBinding]
	recent       *otter.Cache[uuid.UUID, *models.Click] // clicks whose visitors were sent to a lander, and clicks read from PostgreSQL
	used         *otter.Cache[[32]byte, struct{}]       // hashes of single-use keys and clicks that have let a visitor into a lander
	edge         edgeProof
	dashboard    string
	edgeSeen     *otter.Cache[uuid.UUID, struct{}] // the edge's clicks that are on stable storage
	metrics      metrics
	pool         sync.Pool
	lastLogged   atomic.Int64
	timeout      time.Duration
	deadlines    deadlines
}

// Proofs encrypts the proof of a postback's sender and the hashes of a visitor's personal data, and decrypts the goal secret with
// which an account's servers sign. Its implementation is *store.Store.
type Proofs interface {
	SealProof(ctx context.Context, postback uuid.UUID, p postback.Proof) ([]byte, error)
	OpenGoalSecret(ctx context.Context, account uuid.UUID, sealed []byte) (string, error)
	SealKeys(ctx context.Context, account, message uuid.UUID, h matchkey.Hashes) ([]byte, error)
}

// Usage counts the clicks and conversions that daily caps limit. Its implementation is report.Reader.
type Usage interface {
	ClicksSince(ctx context.Context, account uuid.UUID, since time.Time) (map[uuid.UUID]int, error)
	ConversionsIn(ctx context.Context, account uuid.UUID, from, to time.Time) (map[uuid.UUID]int, error)
}

// New returns a Handler and loads the routing snapshot from PostgreSQL or, when PostgreSQL cannot be reached, from the copy in
// DataDir. If neither can be read, New succeeds without a snapshot, and Ready returns false.
func New(ctx context.Context, d Deps) (*Handler, error) {
	if d.DB == nil || d.Clicks.Conn == nil || d.Usage == nil || d.Spool == nil || d.Postbacks == nil ||
		d.Proofs == nil || d.Visitors == nil {
		return nil, errors.New("click: DB, Clicks, Usage, Spool, Postbacks, Proofs and Visitors must be set")
	}
	h := &Handler{
		spool: d.Spool, postbacks: concealing{d.Postbacks, d.Privacy}, proofs: d.Proofs, limits: newPostbackLimits(), eventLimits: newPostbackLimits(),
		visitors: d.Visitors, privacy: d.Privacy,
		url: d.DatabaseURL, db: d.DB, clicks: d.Clicks, usage: d.Usage,
		routes: routing.NewRefresher(d.DB, d.DataDir), caps: newCapCounter(d.Caps),
		fingerprints: otter.Must(&otter.Options[[16]byte, *storedBinding]{MaximumSize: maxFingerprints}),
		recent:       otter.Must(&otter.Options[uuid.UUID, *models.Click]{MaximumSize: maxRecent}),
		used:         otter.Must(&otter.Options[[32]byte, struct{}]{MaximumSize: maxUsedKeys}),
		edge:         d.EdgeSecret, dashboard: d.Dashboard,
		edgeSeen: otter.Must(&otter.Options[uuid.UUID, struct{}]{MaximumSize: maxEdgeSeen}),
		metrics:  newMetrics(), timeout: cmp.Or(d.Timeout, defaultTimeout),
	}
	h.pool.New = h.newRequest
	h.routes.Start(ctx)
	return h, nil
}

// Run keeps the snapshot and the counts of daily caps fresh until the context ends.
func (h *Handler) Run(ctx context.Context) error {
	var all sync.WaitGroup
	all.Go(func() { h.routes.Run(ctx, h.url) })
	all.Go(func() { h.syncCounts(ctx) })
	all.Go(func() { h.caps.run(ctx) })
	all.Go(func() { h.pruneUsedKeys(ctx) })
	all.Wait()
	return nil
}

// Ready reports whether a routing snapshot is loaded.
func (h *Handler) Ready() bool { return h.routes.Loaded() }

// find returns the domain of a host, and the campaign to which the given word leads on that domain. It returns neither for the
// dashboard's host, because a customer's page at that host could act as the signed-in user.
func (h *Handler) find(host, word string) (*routing.Domain, *routing.Campaign) {
	if host == h.dashboard {
		return nil, nil
	}
	return h.routes.Current().Find(host, word)
}

// ServeHTTP answers the paths of tracking domains. Further slashes at the start or at the end do not matter, because addresses are
// put together by hand.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	word, below, _ := strings.Cut(strings.TrimLeft(r.URL.Path, "/"), "/")
	subpath := strings.Trim(below, "/")
	switch word {
	case "postback":
		h.postback(w, r, subpath)
		return
	case "pixel.gif":
		h.pixel(w, r)
		return
	case "edge":
		if subpath == "clicks" {
			h.edgeClicks(w, r)
			return
		}
	case "t":
		switch subpath {
		case "event":
			h.pageEvents(w, r)
			return
		case "goal":
			h.serverGoals(w, r)
			return
		}
		if id, ok := strings.CutPrefix(below, trapWord); ok {
			h.hiddenLink(w, r, strings.TrimRight(id, "/"))
			return
		}
	default:
		if h.foreignReport(w, r, word, subpath) {
			return
		}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if subpath == "" && h.toRenamedTag(r, word) {
			h.pageEvents(w, r)
			return
		}
		refuseMethod(w)
		return
	}
	if word == challengeWord && subpath == challengeSubpath {
		h.answerChallenge(w, r)
		return
	}
	d, c := h.find(models.BareHost(r.Host), word)
	switch {
	case d == nil:
		notFound(w)
	case h.upgrade(w, r, d): // redirected
	case word == "out":
		h.clickOut(w, r, d, subpath)
	case word == "":
		if r.URL.RawQuery == "" || !h.foreignLink(w, r, d, word, subpath) {
			h.index(w, d)
		}
	case word == "robots.txt":
		robots(w, d)
	case subpath == "" && models.TagFile(word, d.TagName):
		tag.Serve(w, r)
	case word == "lp":
		h.verifyLander(w, r, d, subpath)
	case c == nil || subpath != "":
		h.otherLink(w, r, d, word, subpath)
	default:
		h.track(w, r, d, c)
	}
}

// toRenamedTag reports whether a request is for a page tag whose name the customer has chosen. Such a tag sends its page
// events to its own address, because ad blockers that block t.js block t/event too.
func (h *Handler) toRenamedTag(r *http.Request, word string) bool {
	d, _ := h.find(models.BareHost(r.Host), word)
	return d != nil && word != "t.js" && models.TagFile(word, d.TagName)
}

func refuseMethod(w http.ResponseWriter) {
	w.Header().Set("Allow", "GET, HEAD")
	writePage(w, http.StatusMethodNotAllowed, asText, []byte("only GET and HEAD are answered here\n"))
}

// index sends a visitor of the bare domain to its index page.
func (h *Handler) index(w http.ResponseWriter, d *routing.Domain) {
	if token.ValidURL(d.IndexPage) != nil {
		notFound(w)
		return
	}
	redirect(w, http.StatusFound, d.IndexPage)
}

func robots(w http.ResponseWriter, d *routing.Domain) {
	rule := "User-agent: *\nDisallow: /\n"
	if d.Crawlers == "allow" {
		rule = "User-agent: *\nAllow: /\n"
	}
	writePage(w, http.StatusOK, asText, []byte(rule))
}

// firstHop is the context key that marks requests sent directly to a listener of this service, without a proxy and without TLS.
type firstHop struct{}

// FirstHop returns a context that marks its requests as sent directly to an address of this service, without TLS. The function
// secure reports whether a host has a certificate.
func FirstHop(ctx context.Context, secure func(host string) bool) context.Context {
	return context.WithValue(ctx, firstHop{}, secure)
}

// upgrade redirects a visitor to https if the domain requires https. It does so in two cases only: a trusted proxy reports http,
// or the request came to the service's own listener and the host has a certificate. Postbacks, reports of pages and servers, and
// all methods except GET and HEAD are answered before this point, because a redirect could lose them.
func (h *Handler) upgrade(w http.ResponseWriter, r *http.Request, d *routing.Domain) bool {
	if !d.HTTPSOnly || r.TLS != nil {
		return false
	}
	if proto := h.visitors.ForwardedProto(r); proto != "http" {
		secure, isFirstHop := r.Context().Value(firstHop{}).(func(string) bool)
		if !isFirstHop || proto != "" || !secure(d.Host) {
			return false
		}
	}
	redirect(w, http.StatusTemporaryRedirect, "https://"+d.Host+r.URL.RequestURI())
	return true
}

// Domain returns the domain of a host, or nil if the service does not answer for that host.
func (h *Handler) Domain(host string) *routing.Domain { return h.routes.Current().Domain(host) }

func (h *Handler) isHTTPS(r *http.Request) bool {
	return r.TLS != nil || h.visitors.ForwardedProto(r) == "https"
}

// logThrottled logs, at most once a second, that records were written late or lost.
func (h *Handler) logThrottled(ctx context.Context, err error) {
	now := time.Now().Unix()
	if last := h.lastLogged.Load(); last < now && h.lastLogged.CompareAndSwap(last, now) {
		slog.ErrorContext(ctx, "records are late or lost", "error", err)
	}
}
