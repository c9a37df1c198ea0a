package jobs

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
)

// Tick is the argument of a job that the scheduler starts. At is the time for which the run was scheduled.
type Tick struct {
	At time.Time `json:"at"`
}

// CronRow is a job that the scheduler starts, and the spec of its times. The spec is in UTC: five fields, six fields with seconds
// first, or a descriptor such as @daily.
type CronRow struct {
	Name string
	Spec string
	Job  Job[Tick, None]
}

// Cron is the table of the jobs that the scheduler starts.
var Cron = []CronRow{
	{"enqueue rows whose task was lost", "*/2 * * * * *", Reconcile},
	{"look for the clicks of postbacks", "* * * * * *", MatchPostbacks},
	{"look new clicks up in geo databases", "*/20 * * * * *", SweepGeo},
	{"look for bots among new clicks", "5/20 * * * * *", SweepBots},
	{"verify crawlers", "23 * * * * *", SweepCrawlers},
	{"delete old jobs", "17 3 * * *", Prune},
	{"delete expired answers", "7 * * * *", DeleteExpiredAnswers},
	{"delete expired entries", "13 * * * *", DeleteExpiredEntries},
	{"delete hashed personal data", "21 * * * *", DeleteExpiredKeys},
	{"delete removed rules", "29 * * * *", DeleteUnusedRules},
	{"compact the ledger", "*/5 * * * *", CompactLedger},
	{"tidy clicks", "41 3 * * *", TidyClicks},
	{"delete data that plans no longer keep", "11 4 * * *", DeleteExpiredHistory},
	{"check links", "23 * * * *", SweepLinks},
	{"look for unsafe links", "7/20 * * * *", ScreenLinks},
	{"check domains", "41 * * * * *", SweepDomains},
	{"look up when registrations of domains end", "33 * * * *", SweepRegistrations},
	{"get certificates for own hosts", "47 * * * * *", SweepOwnHosts},
	{"get certificates for domains", "10/15 * * * * *", SweepCertificates},
	{"import orders of networks", "17 * * * * *", SweepNetworks},
	{"upload conversions to ad platforms", "12/30 * * * * *", SweepUploads},
	{"renew the tokens of sign-ins", "37 * * * * *", SweepOAuth},
	{"read the spend of traffic sources", "27 * * * * *", SweepSpend},
	{"publish changed campaigns to the edge", "*/5 * * * * *", SweepEdge},
	{"read exchange rates", "19 */10 * * * *", FetchRates},
	{"convert amounts that wait for a rate", "37 * * * * *", UpdateRates},
	{"watch allowances", "*/5 * * * *", WatchPlans},
	{"judge the figures of accounts", "53 * * * * *", SweepCopilot},
	{"run the rules of accounts", "3 * * * * *", SweepRules},
	{"delete old usage of chats", "37 4 * * *", DeleteAIUsage},
	{"announce alerts", "33 * * * * *", SweepAlerts},
	{"delete old exports", "23 * * * *", DeleteExpiredExports},
}

// Some of the jobs that the scheduler starts. The others are in the files of their subjects.
var (
	// Reconcile enqueues the rows that are due, have no worker and have no task.
	Reconcile = tickWithin("jobs:reconcile", 30*time.Second)

	// MatchPostbacks looks for the clicks of postbacks whose click was not found yet.
	MatchPostbacks = tickWithin("postbacks:match", 30*time.Second)

	// Prune deletes finished jobs, events and deliveries after jobrow.Retention.
	Prune = tickWithin("jobs:prune", 10*time.Minute, tickRetries...)

	// DeleteExpiredEntries deletes ended sessions, sign-in links and tokens, and old data, such as entries of the audit log and
	// figures that networks have reported.
	DeleteExpiredEntries = tickWithin("entries:forget", 5*time.Minute)
	// DeleteExpiredAnswers deletes the API's stored answers to idempotent calls after 24 hours.
	DeleteExpiredAnswers = tickWithin("answers:forget", 5*time.Minute)

	// DeleteExpiredKeys deletes hashed personal data of conversions, and encrypted proofs of postbacks that contain personal data.
	// Neither is kept for longer than matchkey.Retention.
	DeleteExpiredKeys = tickWithin("keys:forget", 5*time.Minute, tickRetries...)

	// DeleteUnusedRules deletes removed rules that no flow uses any more.
	DeleteUnusedRules = tickWithin("rules:forget", 10*time.Minute)

	// CompactLedger merges ledger rows with equal keys into one. It also applies the click-outs and other steps of a click that
	// were stored before the click.
	CompactLedger = tickWithin("ledger:compact", 5*time.Minute)

	// TidyClicks creates the partitions of the next days, and drops partitions older than every plan's history.
	TidyClicks = tickWithin("clicks:tidy", 30*time.Minute, tickRetries...)

	// DeleteExpiredHistory deletes clicks and postbacks that are older than the history of their account's plan.
	DeleteExpiredHistory = tickWithin("history:forget", 2*time.Hour, tickRetries...)

	// SweepLinks checks the links of active offers and landing pages that were not checked in the last 50 minutes.
	SweepLinks = tickWithin("links:sweep", 50*time.Minute)

	// ScreenLinks looks up links and tracking domains in the list of unsafe addresses. Campaigns on a listed domain may move to a
	// spare domain.
	ScreenLinks = tickWithin("links:screen", 20*time.Minute)

	// WatchPlans announces accounts whose clicks of the month exceed the allowance of their plan.
	WatchPlans = tickWithin("plans:watch", 5*time.Minute)

	// DeleteExpiredExports deletes report files that are older than 30 days.
	DeleteExpiredExports = tickWithin("export:sweep", 10*time.Minute, tickRetries...)
)

// tickRetries is for jobs whose next scheduled run is an hour or more away.
var tickRetries = []time.Duration{time.Minute, 10 * time.Minute}

func tickWithin(kind string, timeout time.Duration, retries ...time.Duration) Job[Tick, None] {
	return Define[Tick, None](kind, Policy{Queue: Maintenance, Timeout: timeout, Retries: retries})
}

var specParser = cron.NewParser(
	cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// ParseSpec parses the spec of a CronRow. The schedule calculates in the location of the time that is passed to it.
func ParseSpec(spec string) (cron.Schedule, error) {
	s, err := specParser.Parse(spec)
	if err != nil {
		return nil, fmt.Errorf("jobs: cron spec %q: %w", spec, err)
	}
	return s, nil
}
