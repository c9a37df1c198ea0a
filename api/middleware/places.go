package middleware

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/models"
)

// placed limits how many calls run at the same time. It comes before any transaction, so a call that waits for a place holds no
// connection. A download keeps its place until the file is written.
func (p *Pipeline) placed(next step) step {
	return func(c *route.Call) envelope.Reply {
		share := c.Route.Share
		release, err := p.placesOf(share).acquire(c.Context(), c.Account.ID)
		if errors.Is(err, errNoPlace) {
			wait := strconv.Itoa(seconds(share.Wait))
			c.Header().Set("Retry-After", wait)
			err = models.Errorf(models.KindTooMany, "rate_limited",
				"too many such calls are running; an account may run %d of them at a time; wait %s seconds", share.Running, wait)
		}
		if err != nil {
			return envelope.New(c, nil, err)
		}
		c.SetPlace(release)
		reply := next(c)
		if !reply.IsFile() {
			c.ReleasePlace()
		}
		return reply
	}
}

func (p *Pipeline) placesOf(share *route.Share) *places {
	if found, ok := p.shares.Load(share); ok {
		return found.(*places)
	}
	created := &places{share: share, accounts: map[uuid.UUID]*accountPlaces{}}
	if share.Places > 0 {
		created.all = semaphore.NewWeighted(int64(share.Places))
	}
	found, _ := p.shares.LoadOrStore(share, created)
	return found.(*places)
}

// places hands out the places of a share in this process. Calls of an account get places in the order of their arrival.
type places struct {
	share *route.Share
	all   *semaphore.Weighted // the places that all accounts share; nil: not limited

	mu       sync.Mutex
	accounts map[uuid.UUID]*accountPlaces
}

type accountPlaces struct {
	free  *semaphore.Weighted
	calls int // number of calls that run or wait
}

var errNoPlace = errors.New("middleware: no place")

// acquire takes a place for a call of an account. It returns errNoPlace if no place is free within the share's Wait, or if too
// many calls wait already. If the context ends first, it returns the error of the context.
func (p *places) acquire(ctx context.Context, account uuid.UUID) (release func(), err error) {
	a := p.count(account)
	if a == nil {
		return nil, errNoPlace
	}
	limited, cancel := context.WithTimeoutCause(ctx, p.share.Wait, errNoPlace)
	defer cancel()
	if a.free.Acquire(limited, 1) != nil {
		p.uncount(account, a)
		return nil, context.Cause(limited)
	}
	if p.all != nil && p.all.Acquire(limited, 1) != nil {
		a.free.Release(1)
		p.uncount(account, a)
		return nil, context.Cause(limited)
	}
	return sync.OnceFunc(func() {
		if p.all != nil {
			p.all.Release(1)
		}
		a.free.Release(1)
		p.uncount(account, a)
	}), nil
}

// count counts a call of the account. It returns nil if the account has too many calls that run or wait.
func (p *places) count(account uuid.UUID) *accountPlaces {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.accounts[account]
	if a == nil {
		a = &accountPlaces{free: semaphore.NewWeighted(int64(p.share.Running))}
		p.accounts[account] = a
	}
	if a.calls >= p.share.Running+p.share.Waiting {
		return nil
	}
	a.calls++
	return a
}

func (p *places) uncount(account uuid.UUID, a *accountPlaces) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.calls--; a.calls == 0 {
		delete(p.accounts, account)
	}
}
