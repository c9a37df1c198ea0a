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

const (
	debounce     = 20 * time.Millisecond // notices within this time become one snapshot
	fullReload   = time.Minute           // how often the versions of all records are compared, in case a notice was lost
	retryReload  = 500 * time.Millisecond
	copyInterval = 15 * time.Second // the shortest time between two copies on disk
	copyShare    = 50               // the time between two copies is at least this many times the duration of the last copy
	loadTimeout  = 30 * time.Second

	manyCampaigns = 1000 // after reading more campaigns than this, free memory is returned to the system
	// loadGCPercent is the garbage collector's target (GOGC) while all records are read. With a higher target, the records end up
	// scattered among garbage, in memory pages that are never returned to the system. With 10,000 campaigns of 20 paths, each
	// campaign then takes 55 kB instead of 38 kB.
	loadGCPercent = 60
)

// Refresher holds the current snapshot and replaces it when a record changes. Safe for concurrent use.
type Refresher struct {
	conn    db.Conn
	cache   string // path of the copy on disk; empty: no copy is kept
	current atomic.Pointer[Snapshot]
	changes atomic.Int64 // number of snapshots published
	loaded  atomic.Bool  // a snapshot was loaded from PostgreSQL or from the copy

	mu      sync.Mutex
	dirty   map[store.RoutingKey]bool
	resync  bool
	wake    chan struct{}
	readAll bool // everything was read from PostgreSQL once; not protected by mu
}

// NewRefresher returns a Refresher with an empty snapshot. Its copy on disk is in dir. If dir is empty, no copy is kept.
func NewRefresher(conn db.Conn, dir string) *Refresher {
	k := &Refresher{conn: conn, dirty: map[store.RoutingKey]bool{}, wake: make(chan struct{}, 1)}
	if dir != "" {
		k.cache = filepath.Join(dir, "routing.copy")
	}
	k.current.Store(&Snapshot{})
	return k
}

// Fixed returns a Refresher whose snapshot never changes.
func Fixed(s *Snapshot) *Refresher {
	k := NewRefresher(nil, "")
	k.Publish(s)
	k.loaded.Store(true)
	return k
}

// Current returns the snapshot to route by.
func (k *Refresher) Current() *Snapshot { return k.current.Load() }

// Changes returns the number of snapshots that were published.
func (k *Refresher) Changes() int64 { return k.changes.Load() }

// Loaded reports whether a snapshot was loaded, from PostgreSQL or from the copy on disk.
func (k *Refresher) Loaded() bool { return k.loaded.Load() }

// Start loads the first snapshot: from PostgreSQL or, if that fails, from the copy on disk. It reports whether a snapshot was
// loaded. Without a snapshot every link is unknown until PostgreSQL answers.
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
		slog.ErrorContext(ctx, "neither postgres nor the copy on disk has routing to start with", "error", err)
		return false
	}
	k.Publish(Compile(r))
	k.loaded.Store(true)
	return true
}

// Run keeps the snapshot fresh until the context ends.
func (k *Refresher) Run(ctx context.Context, url string) {
	var helpers sync.WaitGroup
	defer helpers.Wait()
	helpers.Go(func() { k.saveAll(ctx) })
	helpers.Go(func() {
		if err := db.Listen(ctx, url, store.RoutingChannel, k.mark); err != nil {
			slog.ErrorContext(ctx, "cannot listen to routing changes", "error", err)
		}
	})
	reload := time.NewTicker(fullReload)
	defer reload.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-reload.C:
			k.mark(ctx, db.Notice{Resync: true})
		case <-k.wake:
			if interval.Sleep(ctx, debounce) != nil {
				return
			}
			if err := k.refresh(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "routing could not be refreshed", "error", err)
				_ = interval.Sleep(ctx, retryReload) // the loop checks the context
				k.signal()
			}
		}
	}
}

// mark stores which record a notice names, for the next refresh.
func (k *Refresher) mark(_ context.Context, n db.Notice) {
	k.mu.Lock()
	if key, ok := store.ParseRoutingKey(n.Payload); ok {
		k.dirty[key] = true
	} else {
		k.resync = true // a resync, or a malformed notice, which still means that something changed
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

// refresh reads the records that notices have named, and publishes a snapshot with them. After a resync, and until everything was
// read once, it calls Reload instead. If either fails, the next attempt repeats it.
func (k *Refresher) refresh(ctx context.Context) error {
	k.mu.Lock()
	dirty, resync := k.dirty, k.resync
	k.dirty, k.resync = map[store.RoutingKey]bool{}, false
	k.mu.Unlock()
	var err error
	if resync || len(dirty) > 0 && !k.readAll {
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

// Reload compares the versions of all records with the snapshot's versions and reads the records that differ. The first time it
// reads everything, because the snapshot may come from the copy of another database.
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
		if old, ok := have[v.RoutingKey]; !ok || old != v.Version || !k.readAll {
			keys = append(keys, v.RoutingKey)
		}
		delete(have, v.RoutingKey)
	}
	keys = slices.AppendSeq(keys, maps.Keys(have))
	var secret []byte
	if !k.readAll { // the secret is read only once, because it never changes
		if secret, err = seal.InstallSecret(ctx, k.conn, store.LanderKeys); err != nil {
			return err
		}
	}
	if len(keys) > 0 || secret != nil {
		if err := k.load(ctx, keys, secret); err != nil {
			return err
		}
	}
	k.readAll = true
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
	if !k.readAll { // nothing in the snapshot is kept, because it may come from the copy on disk
		from = &Snapshot{}
	}
	k.Publish(from.Update(keys, r))
	return nil
}

// Publish replaces the current snapshot.
func (k *Refresher) Publish(s *Snapshot) {
	k.current.Store(s)
	k.changes.Add(1)
}

// saveAll writes the copy on disk after changes of the snapshot, until the context ends. Before it returns, it writes a last copy
// if there are changes.
func (k *Refresher) saveAll(ctx context.Context) {
	if k.cache == "" {
		return
	}
	var saved int64
	var duration time.Duration // duration of the last copy
	for alive := true; ; alive = interval.Sleep(ctx, max(copyInterval, copyShare*duration)) == nil {
		if now := k.changes.Load(); now != saved {
			began := time.Now()
			if err := WriteDiskCache(k.cache, k.current.Load()); err != nil {
				slog.WarnContext(ctx, "the copy of routing could not be written", "error", err)
			} else {
				saved = now
			}
			duration = time.Since(began)
		}
		if !alive {
			return
		}
	}
}
