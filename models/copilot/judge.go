package copilot

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// The levels of the statistical tests: the largest expected share of wrong suggestions in one run.
const (
	levelPause = 0.01 // suggestions that stop something
	levelMove  = 0.05 // all other suggestions that are judged by statistics
)

// Life is the time after which a suggestion disappears if it is not found again.
const Life = 3 * 24 * time.Hour

type kind struct {
	name string
	// minimum is a text for people that describes the minimum sample.
	minimum string
	// level is one of the levels above. It is 0 for findings that are counted, without statistics.
	level float64
	// find returns what is worth judging, without samples below the minimum.
	find func(*Input) []finding
}

// finding is a hypothesis that was judged.
type finding struct {
	p     float64 // p value of the hypothesis that nothing needs to be done
	level float64 // overrides the level of the kind if it is not 0
	// group combines findings into one suggestion. The finding with the largest weight makes the suggestion.
	group  string
	weight float64
	item   int // index of the judged value, which is passed to suggest
	// suggest returns the suggestion for the significant items of the group. Nil means that no suggestion is possible.
	suggest func(items []int) Suggestion
}

type row struct {
	finding
	kind    string
	minimum string
}

// Scope describes the data that was judged in a run.
type Scope struct {
	From        string  `json:"from" doc:"first day of the figures"`
	To          string  `json:"to" doc:"last day of the figures; today is left out, because many of its conversions are not reported yet"`
	Campaigns   int     `json:"campaigns" doc:"active campaigns whose figures were read"`
	Skipped     int     `json:"skipped" doc:"active campaigns that are judged on another day"`
	Clicks      int64   `json:"clicks" doc:"number of clicks of the campaigns that were read"`
	Conversions int64   `json:"conversions" doc:"number of conversions of these clicks"`
	Checks      []Check `json:"checks"`
}

// Check says, for a kind of suggestion, how many cases had enough data to be judged.
type Check struct {
	Kind    string `json:"kind"`
	Judged  int    `json:"judged" doc:"cases with enough data; kinds that look for faults count only the faults that were found"`
	Minimum string `json:"minimum" doc:"the minimum data that a case needs to be judged"`
}

// Judged returns the number of cases that were judged.
func (s Scope) Judged() (n int) {
	for _, c := range s.Checks {
		n += c.Judged
	}
	return n
}

// Judge returns the suggestions that follow from the figures, the most important first. No two of them have the same Kind and
// Key. They have no ids yet.
func Judge(in Input) (list []Suggestion, scope Scope) {
	rows, checks := in.significant()
	at, items := map[string]int{}, [][]int{}
	var first []row
	for _, r := range rows {
		i, ok := at[r.group]
		if !ok || r.group == "" {
			i = len(first)
			at[r.group] = i
			first, items = append(first, r), append(items, nil)
		}
		if r.kind == first[i].kind { // the first finding of a group determines the kind of the group's suggestion
			items[i] = append(items[i], r.item)
		}
	}
	for i, r := range first {
		s := r.suggest(items[i])
		if s.Kind = r.kind; s.Evidence.Figures == nil {
			s.Evidence.Figures = []Figure{}
		}
		s.JudgedAt, s.ExpiresAt = models.Stamp{Time: in.Now}, models.Stamp{Time: in.Now.Add(Life + in.judgeOffset(s.CampaignID.UUID))}
		from, to := in.window()
		s.Evidence.From, s.Evidence.To = from, cmp.Or(s.Evidence.To, to)
		s.Evidence.Minimum = r.minimum
		list = append(list, s)
	}
	return list, in.scope(checks)
}

func (in *Input) scope(checks []Check) Scope {
	out := Scope{Campaigns: len(in.Campaigns), Checks: checks}
	out.From, out.To = in.window()
	for i := range in.Campaigns {
		for _, r := range in.Campaigns[i].Rows {
			out.Clicks += r.Clicks
			out.Conversions += r.Conversions
		}
	}
	return out
}

// significant returns the significant findings, the one with the largest weight first. checks counts the judged findings of each
// kind.
func (in *Input) significant() (rows []row, checks []Check) {
	var values []float64
	for _, k := range kinds {
		found := k.find(in)
		checks = append(checks, Check{k.name, len(found), k.minimum})
		for _, f := range found {
			if f.level = cmp.Or(f.level, k.level); f.level > 0 {
				values = append(values, f.p)
			}
			rows = append(rows, row{f, k.name, k.minimum})
		}
	}
	bounds := map[float64]float64{}
	for _, level := range []float64{levelPause, levelMove} {
		bounds[level] = largestRejected(values, level)
	}
	rows = slices.DeleteFunc(rows, func(r row) bool {
		return r.suggest == nil || r.level > 0 && r.p > bounds[r.level]
	})
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.weight, a.weight) })
	return rows, checks
}

// judgeOffset returns by how much longer than Life a campaign's suggestions stay.
func (in *Input) judgeOffset(campaign uuid.UUID) time.Duration {
	if i := slices.IndexFunc(in.Campaigns, func(c CampaignInput) bool { return c.ID == campaign }); i >= 0 {
		return time.Duration(in.Campaigns[i].Turn) * 24 * time.Hour
	}
	return 0
}

func (in *Input) window() (from, to string) {
	if len(in.Days) == 0 {
		return "", ""
	}
	return in.Days[0], in.Days[len(in.Days)-1]
}

func amount(v float64) models.Money { return models.NewMoney(decimal.NewFromFloat(v).Round(6)) }

func count(object, name string, n int64) Figure {
	return Figure{object, name, models.NewMoney(decimal.NewFromInt(n))}
}

func money(object, name string, v float64) Figure { return Figure{object, name, amount(v)} }
