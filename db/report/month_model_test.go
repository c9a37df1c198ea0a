package report

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// This file is the reference of TestMonth. It adds up the facts one by one, as they were sent, without ledger, rows or SQL.

// moneyDecimals is the number of decimals of an amount. The model counts money in units of 10^-10.
const moneyDecimals = 10

// sums holds figures. Money is in units of 10^-10. waiting is the payout of pending conversions.
type sums struct {
	clicks, unique, bots, views, outs, approved, pending, rejected, charged int64
	cost, revenue, waiting                                                  int64
}

func (s *sums) add(o *sums) {
	s.clicks += o.clicks
	s.unique += o.unique
	s.bots += o.bots
	s.views += o.views
	s.outs += o.outs
	s.approved += o.approved
	s.pending += o.pending
	s.rejected += o.rejected
	s.charged += o.charged
	s.cost += o.cost
	s.revenue += o.revenue
	s.waiting += o.waiting
}

func units(d decimal.Decimal) int64 {
	n := d.Shift(moneyDecimals)
	if !n.IsInteger() {
		panic("finer than a unit: " + d.String())
	}
	return n.IntPart()
}

func sumsOf(f models.Figures) sums {
	return sums{
		f.Clicks, f.UniqueClicks, f.BotClicks, f.LPViews, f.LPClicks, f.Approved, f.Pending, f.Rejected, f.Chargebacks,
		units(f.Cost), units(f.Revenue), units(f.PendingRevenue),
	}
}

// pool numbers the values of a dimension.
type pool struct {
	list   []string
	places map[string]uint32
}

func (p *pool) number(value string) uint32 {
	n, known := p.places[value]
	if !known {
		if p.places == nil {
			p.places = map[string]uint32{}
		}
		n = uint32(len(p.list))
		p.places[value], p.list = n, append(p.list, value)
	}
	return n
}

// monthFact is a click as it was sent, with its later events, or spend without a click (see alone), or a single conversion (see
// sold).
type monthFact struct {
	id          uuid.UUID
	at          time.Time
	values      []uint32 // by the place of the dimension among monthDims
	bot         bool
	unique      bool
	landed      bool
	out         bool
	last        uuid.UUID // the id of the last click-out, which decides the offer, the network and the slot
	cost        int64     // cost of the click
	each        int64     // fixed cost of each approved conversion
	share       int64     // cost of each approved conversion, in percent of its revenue
	sales       map[string]*monthSale
	deleted     bool
	fingerprint string // the campaign's id and the visitor's id
	total       sums   // figures at the last sumUp
	alone       int64  // spend without a click
	sold        bool   // only a conversion of a click, without the click's own figures
}

type monthSale struct {
	status       string
	payout, cost int64
	given        int64 // if isGiven: the reported cost, or 0 after spend was set for the day
	isGiven      bool
}

func (f *monthFact) sums() sums {
	var s sums
	switch {
	case f.sold:
	case f.alone > 0:
		s.cost = f.alone
	case f.bot:
		s.bots = 1
	default:
		s.clicks, s.cost, s.unique, s.views, s.outs = 1, f.cost, count(f.unique), count(f.landed), count(f.out)
	}
	for _, v := range f.sales {
		switch v.status {
		case "approved":
			s.approved, s.revenue, s.cost = s.approved+1, s.revenue+v.payout, s.cost+v.cost
		case "pending":
			s.pending, s.waiting = s.pending+1, s.waiting+v.payout
		case "rejected":
			s.rejected++
		case "chargeback":
			s.charged++
		}
	}
	return s
}

// fromRowsOrNot lists the values of Query.FromRows to try. If the ledger cannot answer, false is left out.
func fromRowsOrNot(ledgerAnswers bool) []bool {
	if ledgerAnswers {
		return []bool{false, true}
	}
	return []bool{true}
}

func count(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

const monthCampaigns = 40 // number of campaigns

// monthDims are the dimensions of the month. The function set stores a value in a click. It is nil if the value follows from
// other data.
var monthDims = []struct {
	name  string
	size  int // number of values; 0: the values are set elsewhere
	value func(i int) string
	set   func(*models.Click, string)
}{
	{"campaign_id", monthCampaigns, idNamed("campaign"), func(c *models.Click, v string) { c.CampaignID = asID(v) }},
	{"stream_id", 120, idNamed("stream"), func(c *models.Click, v string) { c.StreamID = asID(v) }},
	{"lander_id", 60, idNamed("lander"), func(c *models.Click, v string) { c.LanderID = asID(v) }},
	{"offer_id", 80, idNamed("offer"), func(c *models.Click, v string) { c.OfferID = asID(v) }},
	{"source_id", 15, idNamed("source"), func(c *models.Click, v string) { c.SourceID = asID(v) }},
	{"network_id", 8, idNamed("network"), func(c *models.Click, v string) { c.NetworkID = asID(v) }},
	{"lp_slot", 0, nil, nil},
	{"country", 12, named("C"), func(c *models.Click, v string) { c.Country = v }},
	{"region", 30, named("region "), func(c *models.Click, v string) { c.Region = v }},
	{"city", 200, named("Ville d'été, "), func(c *models.Click, v string) { c.City = v }},
	{"language", 8, named("l"), func(c *models.Click, v string) { c.Language = v }},
	{"isp", 40, named(`"ISP" \`), func(c *models.Click, v string) { c.ISP = v }},
	{"asn", 40, named(""), func(c *models.Click, v string) { n, _ := strconv.Atoi("0" + v); c.ASN = models.ASN(n) }},
	{"connection_type", 4, named("conn"), func(c *models.Click, v string) { c.ConnectionType = v }},
	{"mobile_operator", 10, named("op"), func(c *models.Click, v string) { c.MobileOperator = v }},
	{"device_type", 4, named("device"), func(c *models.Click, v string) { c.DeviceType = v }},
	{"device_brand", 12, named("brand"), func(c *models.Click, v string) { c.DeviceBrand = v }},
	{"os", 7, named("os "), func(c *models.Click, v string) { c.OS = v }},
	{"os_version", 30, named("1."), func(c *models.Click, v string) { c.OSVersion = v }},
	{"browser", 9, named("browser "), func(c *models.Click, v string) { c.Browser = v }},
	{"browser_version", 60, named("1"), func(c *models.Click, v string) { c.BrowserVersion = v }},
	{"ip", 14_000, address, func(c *models.Click, v string) { c.IP, _ = netip.ParseAddr(v) }},
	{"referrer", 120, named("https://r.example/?q=%20&n="), func(c *models.Click, v string) { c.Referrer = v }},
	{"arrival", 4, named("a"), func(c *models.Click, v string) { c.Arrival = v }},
	{"bot_reason", 6, named("reason"), func(c *models.Click, v string) { c.BotReason = v }},
	{"proxy_kind", 4, named("proxy"), func(c *models.Click, v string) { c.ProxyKind = v }},
	{"crawler", 5, named("bot "), func(c *models.Click, v string) { c.Crawler = v }},
	{"passed_reason", 3, named("reason "), func(c *models.Click, v string) { c.PassedReason = v }},
	{"date", 0, nil, nil},
	{"hour", 0, nil, nil},
	{"hour_of_day", 0, nil, nil},
	{"day_of_week", 0, nil, nil},
	{"month", 0, nil, nil},
	{"sub1", 500, named("zone,"), sub(0)},
	{"sub2", 40, named("=2+"), sub(1)},
	{"sub3", 3000, named("ключ "), sub(2)},
	{"sub4", 5, named("{x}"), sub(3)},
	{"sub5", 5, named(" "), sub(4)},
	{"sub6", 5, named("NULL"), sub(5)},
	{"sub7", 5, named(`\N`), sub(6)},
	{"sub8", 5, named("\t"), sub(7)},
	{"sub9", 5, named("'"), sub(8)},
	{"sub10", 5, named("10"), sub(9)},
	{"sub11", 5, named("11"), sub(10)},
	{models.SubKeys[models.Subs-1], 3, named("last"), sub(models.Subs - 1)},
	{"domain", 4, named("go.example-"), func(c *models.Click, v string) { c.Domain = v }},
	{"referrer_domain", 20, named("r.example-"), func(c *models.Click, v string) { c.ReferrerDomain = v }},
	{"keyword", 60, named("mot clé "), func(c *models.Click, v string) { c.Keyword = v }},
	{"search_engine", 4, named("engine "), func(c *models.Click, v string) { c.SearchEngine = v }},
	{"device_model", 40, named("model "), func(c *models.Click, v string) { c.DeviceModel = v }},
	{"goal", 0, nil, nil},
	{"status", 0, nil, nil},
}

// recordedDims returns the names of the dimensions that facts have themselves, with some of the sub-parameters. TestGroupsAndTags
// covers groups and tags.
func recordedDims() []string {
	left := append([]string{"group", "tag"}, models.SubKeys[models.EarlySubs+1:models.Subs-1]...)
	return slices.DeleteFunc(Dimensions(), func(name string) bool { return slices.Contains(left, name) })
}

// place returns the index of a dimension in monthDims.
func place(name string) int {
	for i := range monthDims {
		if monthDims[i].name == name {
			return i
		}
	}
	panic(name)
}

// named returns a function that turns a number into a value with the prefix, and 0 into an empty value.
func named(prefix string) func(int) string {
	return func(i int) string {
		if i == 0 {
			return ""
		}
		return prefix + strconv.Itoa(i)
	}
}

func idNamed(kind string) func(int) string {
	return func(i int) string {
		if i == 0 && kind != "campaign" {
			return ""
		}
		return uuid.NewSHA1(uuid.NameSpaceOID, []byte(kind+strconv.Itoa(i))).String()
	}
}

func asID(v string) uuid.UUID {
	u, _ := uuid.Parse(v)
	return u
}

func address(i int) string {
	switch {
	case i == 0:
		return ""
	case i%5 == 0:
		return fmt.Sprintf("2001:db8::%x", i)
	}
	return fmt.Sprintf("10.%d.%d.%d", i>>14, i>>7&127, i&127)
}

func sub(n int) func(*models.Click, string) {
	return func(c *models.Click, v string) { c.Subs[n] = v }
}

// setTimeValues sets the values of a fact that follow from its time, and empty values of the slot, the goal and the status.
func (m *monthEnv) setTimeValues(f *monthFact) {
	for name, v := range map[string]string{
		"date": f.at.Format("2006-01-02"), "hour": f.at.Format("2006-01-02 15") + ":00:00",
		"hour_of_day": strconv.Itoa(f.at.Hour()), "day_of_week": strconv.Itoa((int(f.at.Weekday())+6)%7 + 1),
		"month": f.at.Format("2006-01"), "lp_slot": "", "goal": "", "status": "",
	} {
		at := place(name)
		f.values[at] = m.pools[at].number(v)
	}
}

// goalValue returns the value of a conversion in the dimension goal.
func goalValue(goal string) string {
	switch goal {
	case "":
		return PlainGoal
	case PlainGoal, "(" + PlainGoal:
		return "(" + goal
	}
	return goal
}

// split moves the conversions of a fact to facts of their own, which have a goal and a status, and returns them.
func (m *monthEnv) split(f *monthFact) (list []*monthFact) {
	for _, key := range slices.Sorted(maps.Keys(f.sales)) {
		sale, v := *f, f.sales[key]
		sale.sold, sale.sales, sale.values = true, map[string]*monthSale{key: v}, slices.Clone(f.values)
		goal, _, _ := strings.Cut(key, "/")
		for name, value := range map[string]string{"goal": goalValue(goal), "status": v.status} {
			at := place(name)
			sale.values[at] = m.pools[at].number(value)
		}
		list = append(list, &sale)
	}
	f.sales = nil
	return list
}

// within calls fn with the facts in a window that pass all filters and are not deleted, in the order of time.
func (m *monthEnv) within(from, to time.Time, filters []Filter, fn func(*monthFact)) {
	low, _ := slices.BinarySearchFunc(m.facts, from, func(f *monthFact, t time.Time) int { return f.at.Compare(t) })
	type wanted struct {
		at   int
		list map[uint32]bool
		not  bool
	}
	var wants []wanted
	for _, x := range filters {
		w := wanted{place(x.Dimension), map[uint32]bool{}, x.Not}
		for _, v := range x.Values {
			if n, known := m.pools[w.at].places[v]; known {
				w.list[n] = true
			}
		}
		wants = append(wants, w)
	}
facts:
	for _, f := range m.facts[low:] {
		if !f.at.Before(to) {
			return
		}
		if f.deleted {
			continue
		}
		for _, w := range wants {
			if w.list[f.values[w.at]] == w.not {
				continue facts
			}
		}
		fn(f)
	}
}

// localName returns the name of the bucket of a moment in a time zone.
func localName(bucket string, at time.Time, zone *time.Location) string {
	t := at.In(zone)
	weekday := strconv.Itoa((int(t.Weekday())+6)%7 + 1)
	switch bucket {
	case "month":
		return t.Format("2006-01")
	case "day":
		return t.Format("2006-01-02")
	case "weekday":
		return weekday
	case "weekday_hour":
		return weekday + t.Format(" 15") + ":00"
	}
	if zone == time.UTC {
		return t.Format("2006-01-02 15") + ":00:00"
	}
	return t.Format("2006-01-02 15") + t.Format(":00:00-07:00")
}

// bucketNames returns the buckets of a window, in order, or all buckets of a week. It checks the local time every 15 minutes,
// because all zones change their clocks at :00, :15, :30 or :45.
func bucketNames(bucket string, from, to time.Time, zone *time.Location) []string {
	var list []string
	if bucket == "weekday" || bucket == "weekday_hour" {
		monday := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		for h := range 7 * 24 {
			if name := localName(bucket, monday.Add(time.Duration(h)*time.Hour), time.UTC); !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
		return list
	}
	const step = 15 * time.Minute
	for at := from; at.Before(to); at = at.Truncate(step).Add(step) {
		if name := localName(bucket, at, zone); len(list) == 0 || list[len(list)-1] != name {
			list = append(list, name)
		}
	}
	return list
}
