package routing

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models/interval"
)

// How the snapshot is kept fresh.
const (
	debounce    = 20 * time.Millisecond // notices that come together become one snapshot
	fullReload  = time.Minute           // the safety net under the notices
	retryReload = 500 * time.Millisecond
	writeCopy   = 15 * time.Second // between two copies on disk, or
	copyShare   = 50               // times as long as the last one took
	loadTimeout = 30 * time.Second

	manyCampaigns = 1000 // reading this many leaves memory behind that is worth giving back
	// loadGCPercent is for the collector while everything is read. Memory that stays lies between garbage, so rarer collections
	// leave pages that are never given back: 55 kB for each of 10,000 campaigns of 20 paths instead of 38 kB.
	loadGCPercent = 60
)

// Refresher holds the current snapshot and replaces it when a record changes. Safe for concurrent use.
type Refresher struct {
	conn    db.Conn
	cache   string // path of the copy on disk; empty keeps none
	current atomic.Pointer[Snapshot]
	changes atomic.Int64 // snapshots made
	loaded  atomic.Bool  // from PostgreSQL or from the copy

	mu     sync.Mutex
	dirty  map[store.RoutingKey]bool
	resync bool
	wake   chan struct{}
	forced bool // everything was read from this database once; run only
}

// NewRefresher makes a Refresher with an empty snapshot. Its copy on disk lies in dir; without one it keeps none.
func NewRefresher(conn db.Conn, dir string) *Refresher {
	k := &Refresher{conn: conn, dirty: map[store.RoutingKey]bool{}, wake: make(chan struct{}, 1)}
	if dir != "" {
		k.cache = filepath.Join(dir, "routing.copy")
	}
	k.current.Store(&Snapshot{})
	return k
}

// Fixed is a Refresher whose snapshot stays.
func Fixed(s *Snapshot) *Refresher {
	k := NewRefresher(nil, "")
	k.Publish(s)
	k.loaded.Store(true)
	return k
}

// Current gives the snapshot to route by.
func (k *Refresher) Current() *Snapshot { return k.current.Load() }

// Changes is how many snapshots were made.
func (k *Refresher) Changes() int64 { return k.changes.Load() }

// Loaded reports whether anything was read, from PostgreSQL or from the copy on disk.
func (k *Refresher) Loaded() bool { return k.loaded.Load() }

// Start loads the first snapshot: from PostgreSQL, or from the copy on disk when it is away. It reports whether
// anything was loaded; without it every link is unknown until PostgreSQL answers.
func (k *Refresher) Start(ctx context.Context) bool {
	percent := debug.SetGCPercent(loadGCPercent)
	defer debug.SetGCPercent(percent)
	err := k.Reload(ctx)
	if err == nil {
		if k.Current().Campaigns() > manyCampaigns {
			debug.FreeOSMemory()
		}
		return true
	}
	slog.WarnContext(ctx, "routing cannot be read from postgres, using the copy on disk", "error", err)
	r, err := ReadDiskCache(k.cache)
	if err != nil {
		slog.ErrorContext(ctx, "there is no routing to start with", "error", err)
		return false
	}
	k.Publish(Compile(r))
	k.loaded.Store(true)
	return true
}

// Run keeps the snapshot fresh until the context ends.
func (k *Refresher) Run(ctx context.Context, url string) {
	var others sync.WaitGroup
	defer others.Wait()
	others.Go(func() { k.saveAll(ctx) })
	others.Go(func() {
		if err := db.Listen(ctx, url, store.RoutingChannel, k.notice); err != nil {
			slog.ErrorContext(ctx, "routing changes cannot be listened to", "error", err)
		}
	})
	reload := time.NewTicker(fullReload)
	defer reload.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-reload.C:
			k.mark(db.Notice{Resync: true})
		case <-k.wake:
			if interval.Sleep(ctx, debounce) != nil {
				return
			}
			if err := k.refresh(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "routing could not be refreshed", "error", err)
				_ = interval.Sleep(ctx, retryReload) // the loop asks the context itself
				k.signal()
			}
		}
	}
}

func (k *Refresher) notice(_ context.Context, n db.Notice) { k.mark(n) }

func (k *Refresher) mark(n db.Notice) {
	k.mu.Lock()
	if key, ok := store.ParseRoutingKey(n.Payload); ok {
		k.dirty[key] = true
	} else {
		k.resync = true // a notice that cannot be read says that something changed
	}
	k.mu.Unlock()
	k.signal()
}

func (k *Refresher) signal() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// refresh brings the snapshot up to date with what was noticed. What fails is noticed again.
func (k *Refresher) refresh(ctx context.Context) error {
	k.mu.Lock()
	dirty, resync := k.dirty, k.resync
	k.dirty, k.resync = map[store.RoutingKey]bool{}, false
	k.mu.Unlock()
	var err error
	if resync || len(dirty) > 0 && !k.forced {
		err = k.Reload(ctx)
	} else if len(dirty) > 0 {
		err = k.load(ctx, slices.Collect(maps.Keys(dirty)), nil)
	}
	if err != nil {
		k.mu.Lock()
		maps.Copy(k.dirty, dirty)
		k.resync = k.resync || resync
		k.mu.Unlock()
	}
	return err
}

// Reload compares the versions of all records with the snapshot's and reads what differs; the first time it reads
// everything, since the snapshot may come from the copy of another database.
func (k *Refresher) Reload(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	list, err := store.RoutingVersions(ctx, k.conn)
	if err != nil {
		return err
	}
	have := k.current.Load().Versions()
	var keys []store.RoutingKey
	for _, v := range list {
		if old, ok := have[v.RoutingKey]; !ok || old != v.Version || !k.forced {
			keys = append(keys, v.RoutingKey)
		}
		delete(have, v.RoutingKey)
	}
	keys = slices.AppendSeq(keys, maps.Keys(have))
	var secret []byte
	if !k.forced { // it never changes
		if secret, err = seal.InstallSecret(ctx, k.conn, store.LanderKeys); err != nil {
			return err
		}
	}
	if len(keys) > 0 || secret != nil {
		if err := k.load(ctx, keys, secret); err != nil {
			return err
		}
	}
	k.forced = true
	k.loaded.Store(true)
	return nil
}

func (k *Refresher) load(ctx context.Context, keys []store.RoutingKey, secret []byte) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	r, err := store.LoadRouting(ctx, k.conn, keys)
	if err != nil {
		return err
	}
	r.LanderSecret = secret
	from := k.current.Load()
	if !k.forced {
		from = &Snapshot{}
	}
	k.Publish(from.Update(keys, r))
	return nil
}

// Publish makes a snapshot the one to route by.
func (k *Refresher) Publish(s *Snapshot) {
	k.current.Store(s)
	k.changes.Add(1)
}

// saveAll keeps the copy on disk close behind the snapshot until the context ends.
func (k *Refresher) saveAll(ctx context.Context) {
	if k.cache == "" {
		return
	}
	var saved int64
	var took time.Duration
	for alive := true; ; alive = interval.Sleep(ctx, max(writeCopy, copyShare*took)) == nil {
		if now := k.changes.Load(); now != saved {
			began := time.Now()
			if err := WriteDiskCache(k.cache, k.current.Load()); err != nil {
				slog.WarnContext(ctx, "the copy of routing could not be written", "error", err)
			} else {
				saved = now
			}
			took = time.Since(began)
		}
		if !alive {
			return
		}
	}
}
