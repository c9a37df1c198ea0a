package click

import (
	"net/netip"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"switchyard/api/bucket"
	"switchyard/models"
)

// The limits of postbacks, events and goals in each process: a rate per second, and a burst. Each stored item counts, even if one
// message brings several. A network sends hundreds per second from one address in a burst. An addressee may receive more than one
// address may send, so that a single stranger cannot use up the whole share of a network or a domain.
const (
	senderRate     = 300
	senderBurst    = 3000
	addresseeRate  = 1000
	addresseeBurst = 10_000
	// fewRate is what one address may send to an addressee that has received its share. Addresses that send many messages
	// therefore do not shut out addresses that send few.
	fewRate  = 10
	fewBurst = 100
	// goalRate is how many goals the servers of one account may report.
	goalRate  = 1000
	goalBurst = 10_000
	// samplesPerHour is how many messages that name no click, or are refused as they arrive, are stored for one addressee.
	samplesPerHour = 20
)

// How many buckets are kept.
const (
	maxSenders    = 50_000
	maxAddressees = 10_000
)

// addressee is the receiver of a postback: the network in its address, or else the domain. The domain is empty if it is not one
// of ours, so that all made-up hosts share one addressee. For events of pages the receiver is the account.
type addressee struct {
	account uuid.UUID
	network uuid.UUID
	domain  string
}

// postbackLimits keep strangers from filling the disk and the database.
type postbackLimits struct {
	senders    bucket.Set[netip.Prefix]
	addressees bucket.Set[addressee]
	few        bucket.Set[netip.Prefix]
	samples    bucket.Set[addressee]
	goals      bucket.Set[uuid.UUID] // by account
	unproven   *unprovenBodies
}

func newPostbackLimits() postbackLimits {
	return postbackLimits{
		senders:    bucket.New[netip.Prefix](senderRate, senderBurst, maxSenders),
		addressees: bucket.New[addressee](addresseeRate, addresseeBurst, maxAddressees),
		few:        bucket.New[netip.Prefix](fewRate, fewBurst, maxSenders),
		goals:      bucket.New[uuid.UUID](goalRate, goalBurst, maxAddressees),
		samples:    bucket.New[addressee](rate.Every(time.Hour/samplesPerHour), samplesPerHour, maxAddressees),
		unproven:   newUnprovenBodies(),
	}
}

// admitsTo reports whether an addressee may receive one more message of a sender within its own limit.
func (l postbackLimits) admitsTo(a addressee, from netip.Prefix, now time.Time) bool {
	return l.admitsMany(a, from, 1, now)
}

// admitsMany reports whether an addressee may receive n items at once.
func (l postbackLimits) admitsMany(a addressee, from netip.Prefix, n int, now time.Time) bool {
	return l.addressees.TakeN(a, n, now) || l.few.TakeN(from, n, now)
}

// retryAfter is how many seconds a sender over a limit is told to wait. Both buckets have hundreds of tokens by then.
const retryAfter = "1"

var errTooMany = models.Errorf(models.KindTooMany, "rate_limited", "too many messages at once; wait %s second", retryAfter)
