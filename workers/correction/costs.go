package correction

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/spend"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/correction"
	"switchyard/workers/rowimport"
)

type costOutcome = correction.CostOutcome

// cost is a row whose source and campaign have been looked up.
type cost struct {
	correction.Cost

	source, campaign uuid.UUID
	change           uuid.NullUUID // the change that sets this cost; null in a dry run
}

func readCosts(ctx context.Context, s *store.Store, job models.Job, args jobs.CorrectionArgs, text string) ([]cost, correction.Skips, error) {
	account := job.AccountID.UUID
	owner, err := s.FindAccount(ctx, account)
	if err != nil {
		return nil, correction.Skips{}, err
	}
	o := correction.CostOptions{Source: args.Source, Order: owner.DateOrder()}
	read, skips, err := correction.ReadCosts(text, o)
	if err != nil {
		return nil, skips, err
	}
	sources, err := s.SourceNames(ctx, account)
	if err != nil {
		return nil, skips, err
	}
	campaigns, err := s.CampaignNames(ctx, account)
	if err != nil {
		return nil, skips, err
	}
	oldestKept, err := click.KeptFrom(ctx, s.Conn(), account)
	if err != nil {
		return nil, skips, err
	}
	l := lookup{
		sources: index(sources), campaigns: index(campaigns), setBy: map[spendKey]int{}, now: time.Now(), oldest: oldestKept,
		sourceOf: map[uuid.UUID]store.NamedRecord{}, change: uuid.NullUUID{UUID: job.ID, Valid: args.Apply},
	}
	for _, r := range campaigns {
		l.sourceOf[r.ID] = r
	}
	if read, err = l.withCurrencies(ctx, s, account, text, o, read); err != nil {
		return nil, skips, err
	}
	return db.Map(read, l.resolve), skips, nil
}

// withCurrencies reads a file again if an amount states no currency and cannot be read without one. The currency is the
// campaign's, or else the account's.
func (l *lookup) withCurrencies(ctx context.Context, s *store.Store, account uuid.UUID, text string, o correction.CostOptions, read []correction.Cost) (
	[]correction.Cost, error,
) {
	campaigns, depends := map[uuid.UUID]bool{}, false
	for _, r := range read {
		if depends = depends || r.DependsOnCurrency; r.DependsOnCurrency && r.Campaign != "" {
			id, _ := findOne(l.campaigns, "campaign", r.Campaign)
			campaigns[id] = true
		}
	}
	if !depends {
		return read, nil
	}
	known, err := spend.Currencies(ctx, s.Conn(), account, db.SortedIDs(campaigns))
	if err != nil {
		return nil, err
	}
	o.Fallback = func(r correction.Cost) string {
		id, _ := findOne(l.campaigns, "campaign", r.Campaign)
		return cmp.Or(known[id], known[uuid.Nil])
	}
	read, _, err = correction.ReadCosts(text, o)
	return read, err
}

// lookup finds the sources and campaigns that rows name, and detects rows that set the same spend.
type lookup struct {
	sources, campaigns map[string][]uuid.UUID
	sourceOf           map[uuid.UUID]store.NamedRecord // campaigns by id, with their traffic sources
	change             uuid.NullUUID
	setBy              map[spendKey]int // the line that sets the spend
	now                time.Time
	oldest             time.Time // clicks before it are deleted; zero: all clicks are kept
}

type spendKey struct {
	day              time.Time
	source, campaign uuid.UUID
}

// index maps ids, names and aliases, in lower case, to records. An id wins, then the name of a live record, then an alias, then
// the name of a deactivated record. A word that is still ambiguous maps to several ids.
func index(list []store.NamedRecord) map[string][]uuid.UUID {
	known := map[string][]uuid.UUID{}
	for _, words := range []func(store.NamedRecord) string{
		func(r store.NamedRecord) string { return r.ID.String() },
		func(r store.NamedRecord) string { return wordIf(r.Live, r.Name) },
		func(r store.NamedRecord) string { return r.Alias },
		func(r store.NamedRecord) string { return wordIf(!r.Live, r.Name) },
	} {
		found := map[string][]uuid.UUID{}
		for _, r := range list {
			if w := strings.ToLower(strings.TrimSpace(words(r))); w != "" && known[w] == nil {
				found[w] = append(found[w], r.ID)
			}
		}
		maps.Copy(known, found)
	}
	return known
}

func wordIf(yes bool, word string) string {
	if !yes {
		return ""
	}
	return word
}

// resolve finds the source and the campaign of a row, and checks its day.
func (l *lookup) resolve(r correction.Cost) cost {
	v := cost{Cost: r, change: l.change}
	if v.Refusal == "" && v.Source != "" {
		v.source, v.Refusal = findOne(l.sources, "traffic source", v.Source)
	}
	if v.Refusal == "" && v.Campaign != "" {
		v.campaign, v.Refusal = findOne(l.campaigns, "campaign", v.Campaign)
		for _, other := range v.Others { // a platform's file has the platform's id of the campaign, which matches nothing here, but the campaign's name may match
			if id, refusal := findOne(l.campaigns, "campaign", other); v.campaign == uuid.Nil && refusal == "" {
				v.campaign, v.Refusal, v.Campaign = id, "", other
			}
		}
	}
	if v.Refusal == "" && v.Source == "" {
		if v.source = l.sourceOf[v.campaign].SourceID.UUID; v.source == uuid.Nil {
			v.Refusal = "it names no source, and its campaign has none"
		}
	}
	at := spendKey{v.Day, v.source, v.campaign}
	earlier, twice := l.setBy[at]
	switch {
	case v.Refusal != "": // the row sets nothing
	case v.Day.After(l.now.Add(models.AheadOfUTC)):
		v.Refusal = "its day has not begun"
	case v.Day.Before(l.oldest), v.Day.Before(l.now.AddDate(0, 0, -models.LongestHistory())):
		v.Refusal = "the clicks of its day are not kept any more"
	case twice:
		v.Refusal = fmt.Sprintf("line %d sets the spend of the same day, source and campaign", earlier)
	default:
		l.setBy[at] = v.Line
	}
	return v
}

// findOne finds the record that a word names, or returns the reason of the refusal.
func findOne(known map[string][]uuid.UUID, what, word string) (id uuid.UUID, refusal string) {
	switch ids := known[strings.ToLower(word)]; len(ids) {
	case 0:
		return id, "there is no such " + what
	case 1:
		return ids[0], ""
	}
	return id, "more than one " + what + " has this name"
}

func (v cost) spend() spend.Spend {
	return spend.Spend{
		Day: v.Day, SourceID: v.source, CampaignID: v.campaign, Amount: v.Spend, Currency: v.Currency,
		Clicks: v.Clicks, Impressions: v.Impressions, ChangeID: v.change,
	}
}

type corrector struct{ clicks click.Log }

func (k corrector) costs(ctx context.Context, c db.Conn, account uuid.UUID, _ jobs.CorrectionArgs, rows []cost, write bool,
) ([]costOutcome, []models.JobRef, error) {
	apply := func(list []spend.Spend) (out []spread, err error) {
		var clicks []int64
		if write {
			clicks, err = spend.Set(ctx, k.clicks, c, account, list...)
		} else {
			clicks, err = spend.Preview(ctx, c, account, list)
		}
		if err != nil {
			return nil, err
		}
		rates, err := spend.Rates(ctx, c, account, list)
		if err != nil {
			return nil, err
		}
		for i, n := range clicks {
			out = append(out, spread{n, rates[i]})
		}
		return out, nil
	}
	out, err := rowimport.Each(rows, costRow, cost.spend, apply, costResult)
	return out, nil, err
}

// spread is the number of clicks that share a row's spend, and the exchange rate of the spend.
type spread struct {
	clicks int64
	rate   decimal.NullDecimal
}

// costResult returns the outcome of a row.
func costResult(row cost, s spread) costOutcome {
	result := correction.Spread
	if s.clicks == 0 {
		result = correction.Alone
	}
	out := costRow(row, row.Accept(result))
	out.SpreadClicks, out.Counts = s.clicks, correction.Counts(row.Spend, s.rate)
	return out
}

func costRow(v cost, verdict correction.Verdict) costOutcome {
	return costOutcome{
		Verdict: verdict, Day: v.DayText, Source: v.Source, SourceID: id(v.source), Campaign: v.Campaign,
		CampaignID: id(v.campaign), Spend: models.NewMoney(v.Spend), Currency: v.Currency, Clicks: v.Clicks,
		Impressions: v.Impressions,
	}
}

func id(u uuid.UUID) *string {
	if u == uuid.Nil {
		return nil
	}
	text := u.String()
	return &text
}
