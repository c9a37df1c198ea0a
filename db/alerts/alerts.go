// Package alerts finds the problems of an account that need attention, and stores the channels to which alerts are sent. A new
// alert needs a type in Types and a function in finders.
package alerts

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
)

// Alert is one thing that needs attention. An alert ends when its cause ends. Type, Kind, ID and Name identify it.
type Alert struct {
	Type      string
	Severity  string // Warning or Critical
	Kind      string // kind of the record that ID identifies, one of Kinds
	ID        uuid.UUID
	Name      string
	URL       *string // address of the record, with its tokens
	Message   string  // what is wrong
	Do        string  // what to do
	Status    *int    // status of the last check's answer; nil: no check, or no answer
	Threats   []string
	Since     time.Time
	CheckedAt *time.Time // when the record was last checked
}

// The severities.
const (
	Warning  = models.AlertWarning
	Critical = models.AlertCritical
)

// Kinds lists the kinds of records that alerts are about.
var Kinds = []string{
	"offer", "lander", "domain", "dns_account", "oauth_connection", "webhook", "source", "network", "account", "copilot_rule",
}

// Type is a type of alerts. Do tells people what to do about them.
type Type struct{ Name, Do string }

// Types is the table of all types.
var Types = []Type{
	{models.EventLinkBroken, "Correct the URL, or take it out of rotation. It is checked again within the hour."},
	{models.EventLinkUnsafe, "Move the campaigns to another URL, and ask the provider of the list to check this URL again."},
	{"domain.stray", "At the domain's DNS provider, set the records that the domain's page shows, then check the domain again."},
	{"domain.expiring", "Renew the name where it was registered, or move its campaigns to another domain. The registration is looked up again within a day."},
	{"certificate.expiring", "See at the domain what its certificate lacks, correct it, and ask for the certificate again."},
	{"certificate.failing", "See at the domain what its certificate lacks, correct it, and ask for the certificate again."},
	{"dns_account.failing", "Test the credentials of the DNS account, and save ones that work."},
	{"network.failing", "Test the credentials of the network's connection, and save ones that work."},
	{"uploads.failing", "See the runs of the source's connection for what the platform answered. Waiting uploads are sent once the platform accepts them again."},
	{"uploads.stopped", "See at the source's connection what was refused, correct it, and save the connection to begin again."},
	{"oauth.revoked", "Sign in at the platform again."},
	{"oauth.failing", "Nothing yet: the service tries again. If that keeps failing, sign in at the platform again."},
	{"spend.failing", "See the runs of the source's connection, and correct what the platform refuses."},
	{"webhook.failing", "See in the log of deliveries what the endpoint answered, and correct it. Failed deliveries can be sent again from there."},
	{"source.failing", "See in the log of postbacks what the source answered, and correct its postback URL. Failed postbacks can be sent again from the log."},
	{"source.unfilled", "Correct the macro in the tracking link at the traffic source. The alert ends when the figures are checked next, a day later at most."},
	{"geo_database.failing", "Try another key of the geo database, or switch it off."},
	{"postbacks.unmatched", "Open one of the unmatched postbacks, correct the network's parameter names there, and let all unmatched postbacks be read again."},
	{"postbacks.refused", "Compare the saved secret and addresses of the network with what the network sends, then read the refused postbacks again."},
	{"postbacks.unread", "Correct the amounts or the currency that the network sends, or its parameter names. Amounts that were not read so far can be added by a correction."},
	{"clicks.unread", "Correct the cost that the traffic source puts into the link. Costs that were not read so far can be added by a correction of the day's spend."},
	{"offer.capped", "Raise the cap, or wait until tomorrow, when the count begins again."},
	{"currency.unconverted", "Ask the operator to import a rate of these days."},
	{models.EventPlanLimitReached, "Nothing is lost: clicks are recorded and counted as before. Ask the operator for a larger plan."},
	{"plan.limit_near", "Ask the operator for a larger plan. Clicks beyond the allowance are recorded too."},
	{"rule.matched", "Look at the campaign, path, offer or value that the alert names. The alert ends once the rule no longer matches."},
	{"clicks.behind", "Nothing is lost: clicks that wait are on disk, and links work. Ask the operator whether PostgreSQL keeps up."},
	{"jobs.behind", "Nothing is lost. Ask the operator whether workers run and reach the queue."},
}

// Figures reads the figures that alerts depend on. report.Reader implements it.
type Figures interface {
	ConversionsIn(ctx context.Context, account uuid.UUID, from, to time.Time) (map[uuid.UUID]int, error)
	ClicksOf(ctx context.Context, accounts []uuid.UUID, from, to time.Time) (map[uuid.UUID]int64, error)
}

// Reader reads alerts.
type Reader struct {
	Store   *store.Store
	Figures Figures
}

// reading is the argument of the finders: an account and the time at which its alerts are listed.
type reading struct {
	Reader
	account models.Account
	now     time.Time
}

// finders are the functions that find the alerts of an account. Each looks for one or two causes.
var finders = []func(context.Context, reading) ([]Alert, error){
	brokenLinks, unsafeLinks, failingWebhooks,
	strayDomains, endingDomains, troubledCertificates, failingDNSAccounts,
	failingNetworks, failingSpend, troubledUploads, troubledConnections, failingGeoDatabase,
	failingSources, unfilledTokens, badPostbacks, unreadMoney,
	unconvertedMoney, cappedOffers, planLimit,
	matchedRules, lateJobs, lateClicks,
}

// List returns the alerts of an account, latest first. At most 500 are of one cause.
func (r Reader) List(ctx context.Context, account models.Account, now time.Time) ([]Alert, error) {
	out := []Alert{}
	for _, find := range finders {
		found, err := find(ctx, reading{r, account, now})
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	for i := range out {
		if t := slices.IndexFunc(Types, func(t Type) bool { return t.Name == out[i].Type }); t >= 0 {
			out[i].Do = Types[t].Do
		}
	}
	slices.SortStableFunc(out, func(a, b Alert) int {
		return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}
