package certificate_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers/certificate"
)

// scripted is an edge that answers as it is told.
type scripted struct {
	mu     sync.Mutex
	state  models.CertificateState
	err    error
	asked  map[string]int // by what it was asked for
	hang   bool
	begun  chan struct{} // receives when a request hangs
	ending error         // why the request that hung has ended
}

func (s *scripted) Name() string { return models.EdgeOwn }

func (s *scripted) answer(ctx context.Context, what string) (models.CertificateState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[what]++
	if s.hang {
		s.mu.Unlock()
		s.begun <- struct{}{}
		<-ctx.Done()
		s.mu.Lock()
		s.ending = ctx.Err()
		return models.CertificateState{}, ctx.Err()
	}
	return s.state, s.err
}

func (s *scripted) Request(ctx context.Context, _ models.Certificate) (models.CertificateState, error) {
	return s.answer(ctx, "request")
}

func (s *scripted) Read(ctx context.Context, _ models.Certificate) (models.CertificateState, error) {
	return s.answer(ctx, "read")
}

func (s *scripted) Release(ctx context.Context, _ models.Certificate) error {
	_, err := s.answer(ctx, "release")
	return err
}

func (s *scripted) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *scripted) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[what]
}

func scriptedWorld(t *testing.T) (*world, *scripted) {
	t.Helper()
	w, e := prepared(t), &scripted{asked: map[string]int{}, begun: make(chan struct{}, 9)}
	e.state = models.CertificateState{ExternalID: "x", SSLStatus: models.SSLActive, Serving: true}
	w.start(certificate.Options{Edge: e})
	return w, e
}

// TestOwnEdge: an edge that does not prove by itself whose a host is is asked for verified domains alone, and to renew when
// it says so. What it cannot say is told without its words.
func TestOwnEdge(t *testing.T) {
	t.Parallel()
	w, e := scriptedWorld(t)
	id := w.domain(w.account, "go.shop.example", false)
	_, err := w.request(w.account, id)
	w.refused(err, "edge_unverified")
	w.exec(`UPDATE domains SET is_verified = true WHERE id = $1`, id)
	renew := w.clock().Add(60 * day)
	e.set(func() { e.state.RenewAt = &renew })
	if w.sweep(); !w.of(w.account, id).Serving || e.count("request") != 1 {
		t.Fatalf("%+v", w.of(w.account, id))
	}
	if w.pass(30 * day); e.count("request") != 1 || e.count("read") != 1 {
		t.Errorf("after a month: %v", e.asked)
	}
	w.exec(`UPDATE domains SET is_verified = false WHERE id = $1`, id)
	if w.pass(31 * day); e.count("request") != 1 || e.count("read") != 1 {
		t.Errorf("not verified any more: %v", e.asked)
	}
	w.exec(`UPDATE domains SET is_verified = true WHERE id = $1`, id)
	if w.pass(7 * time.Hour); e.count("request") != 2 {
		t.Errorf("it was not renewed: %v", e.asked)
	}
	e.set(func() { e.err = errors.New("secret words") })
	_, err = w.read(w.account, id)
	w.refused(err, "edge_unavailable")
	if c := w.of(w.account, id); !c.Serving || c.Failure == "" || c.Failure != "edge_unavailable: the edge could not be asked" {
		t.Errorf("%+v", c)
	}
}

// TestReleasedMeanwhile: a request whose certificate is released ends, and nothing of it is recorded.
func TestReleasedMeanwhile(t *testing.T) {
	t.Parallel()
	w, e := scriptedWorld(t)
	id := w.domain(w.account, "go.shop.example", true)
	e.set(func() { e.hang = true })
	done := make(chan error, 1)
	go func() {
		_, err := w.request(w.account, id)
		done <- err
	}()
	await.Recv(t, e.begun)
	e.set(func() { e.hang = false })
	if gone, err := w.release(w.account, id); err != nil || !gone.Deleted {
		t.Errorf("%+v, %v", gone, err)
	}
	if e.count("release") != 0 {
		t.Error("the edge was asked to forget the host while a request was under way")
	}
	w.refused(await.Recv(t, done), "edge_released")
	if c := w.of(w.account, id); c.Wanted || c.ExternalID != "" || e.ending == nil {
		t.Errorf("%+v", c)
	}
	w.until("the edge forgets the host", func() bool { return e.count("release") == 1 })
}
