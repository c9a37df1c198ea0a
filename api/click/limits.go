package click

import (
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"switchyard/models"
)

// The limits of postbacks, in messages a second and at once, for each process. A network sends hundreds a second from
// one address in a burst. What goes to one addressee is more than what one address may send, so that a single stranger
// does not use up what a network or a domain may receive.
const (
	senderRate     = 300
	senderBurst    = 3000
	addresseeRate  = 1000
	addresseeBurst = 10_000
	// fewRate is what one address may send to an addressee that has received its share: senders of many messages from
	// several addresses do not shut out those of few.
	fewRate  = 10
	fewBurst = 100
	// samplesPerHour is how many messages that name no click are stored for one addressee.
	samplesPerHour = 20
)

// How many buckets are kept, in entries of some 200 bytes. A bucket that was forgotten is full again.
const (
	maxSenders    = 50_000
	maxAddressees = 10_000
)

// buckets are token buckets by key. It is safe for concurrent use.
type buckets[K comparable] struct {
	rate  rate.Limit
	burst int
	known *otter.Cache[K, *rate.Limiter]
}

func newBuckets[K comparable](r rate.Limit, burst, keys int) buckets[K] {
	return buckets[K]{r, burst, otter.Must(&otter.Options[K, *rate.Limiter]{MaximumSize: keys})}
}

// take takes a token from the bucket of a key. It is false if there is none.
func (b buckets[K]) take(key K, now time.Time) bool {
	l, ok := b.known.GetIfPresent(key)
	if !ok {
		l, _ = b.known.SetIfAbsent(key, rate.NewLimiter(b.rate, b.burst))
	}
	return l.AllowN(now, 1)
}

// addressee is whom a postback is for: the network that its address names, else the domain. The domain is empty if it
// is none of ours, so that made-up hosts share one addressee.
type addressee struct {
	network uuid.UUID
	domain  string
}

// postbackLimits keep strangers from filling the disk and the database.
type postbackLimits struct {
	senders    buckets[netip.Prefix]
	addressees buckets[addressee]
	few        buckets[netip.Prefix]
	samples    buckets[addressee]
}

func newPostbackLimits() postbackLimits {
	return postbackLimits{
		senders:    newBuckets[netip.Prefix](senderRate, senderBurst, maxSenders),
		addressees: newBuckets[addressee](addresseeRate, addresseeBurst, maxAddressees),
		few:        newBuckets[netip.Prefix](fewRate, fewBurst, maxSenders),
		samples:    newBuckets[addressee](rate.Every(time.Hour/samplesPerHour), samplesPerHour, maxAddressees),
	}
}

// admitsTo reports whether an addressee may receive a message of a sender who may send one.
func (l postbackLimits) admitsTo(a addressee, from netip.Prefix, now time.Time) bool {
	return l.addressees.take(a, now) || l.few.take(from, now)
}

// retryAfter is how many seconds a sender over a limit is told to wait. Both buckets have hundreds of tokens by then.
const retryAfter = "1"

var errTooMany = models.Errorf(models.KindTooMany, "rate_limited", "too many postbacks at once; wait %s second", retryAfter)
