package click

import (
	"net/netip"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"switchyard/models"
	"switchyard/models/bucket"
	"switchyard/models/notification"
)

// The limits of postbacks, events and goals in each process: a rate per second, and a burst. In a burst, a network sends hundreds
// of postbacks per second from one address. An addressee may receive more messages than a single address may send, so that a
// single stranger cannot use up the whole share of a network or a domain.
const (
	senderRate     = 300
	senderBurst    = 3000
	addresseeRate  = 1000
	addresseeBurst = 10_000
	// reserveRate is the rate at which one address may still send to an addressee that has reached its own limit.
	reserveRate  = 10
	reserveBurst = 100
	// notificationBurst is how many kilobytes of notifications a network may receive at once.
	notificationBurst = 64 << 10
	// goalRate is the number of goals per second that the servers of one account may report.
	goalRate  = 1000
	goalBurst = 10_000
	// samplesPerHour is the number of messages per addressee that are stored as samples. Samples are taken from messages that
	// name no click or are refused on arrival.
	samplesPerHour = 20
)

// The number of buckets that are kept for senders, and for addressees, accounts and networks.
const (
	maxSenders    = 50_000
	maxAddressees = 10_000
)

// addressee is the receiver of a postback: the network in the postback's address, or else the domain. If this service does not
// serve the domain, the domain is left empty, so that all made-up hosts share one addressee. For events of pages the receiver
// is the account.
type addressee struct {
	account uuid.UUID
	network uuid.UUID
	domain  string
}

// postbackLimits keep strangers from filling the disk and the database.
type postbackLimits struct {
	senders    bucket.Set[netip.Prefix]
	addressees bucket.Set[addressee]
	reserve    bucket.Set[netip.Prefix] // what each sender may send beyond the limit of an addressee
	samples    bucket.Set[addressee]
	goals      bucket.Set[uuid.UUID] // a bucket for each account
	unproven   *unprovenBodies
	kilobytes  bucket.Set[uuid.UUID] // kilobytes of notifications, with a bucket for each network
}

func newPostbackLimits() postbackLimits {
	return postbackLimits{
		senders:    bucket.New[netip.Prefix](senderRate, senderBurst, maxSenders),
		addressees: bucket.New[addressee](addresseeRate, addresseeBurst, maxAddressees),
		reserve:    bucket.New[netip.Prefix](reserveRate, reserveBurst, maxSenders),
		goals:      bucket.New[uuid.UUID](goalRate, goalBurst, maxAddressees),
		samples:    bucket.New[addressee](rate.Every(time.Hour/samplesPerHour), samplesPerHour, maxAddressees),
		unproven:   newUnprovenBodies(),
		kilobytes:  bucket.New[uuid.UUID](notification.Rate, notificationBurst, maxAddressees),
	}
}

// admits reports whether an addressee may receive n items from an address now, and counts them. If they exceed the limit of the
// addressee, they must be within the reserve of the sending address: see reserveRate.
func (l postbackLimits) admits(a addressee, from netip.Prefix, n int, now time.Time) bool {
	return l.addressees.AllowN(a, n, now) || l.reserve.AllowN(from, n, now)
}

// retryAfter is the number of seconds that a sender over a limit is told to wait.
const retryAfter = "1"

var errTooMany = models.Errorf(models.KindTooMany, "rate_limited", "too many messages at once; wait %s second", retryAfter)

// tooMany counts a message beyond a limit and returns the error for its sender.
func (h *Handler) tooMany() error {
	h.metrics.limited.Inc()
	return errTooMany
}
