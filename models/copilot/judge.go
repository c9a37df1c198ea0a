package copilot

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
)

// The shares of suggestions that may be wrong ones, of all that one refresh finds.
const (
	levelPause = 0.01 // suggestions that stop something
	levelMove  = 0.05
)

// Life is how long a suggestion stays that is not found again.
const Life = 3 * 24 * time.Hour

// kind is one sort of suggestion.
type kind struct {
	name string
	// minimum is the sample below which nothing is judged, for a person.
	minimum string
	// level is how many of its suggestions may be wrong ones; 0: what it finds was seen and needs no statistics.
	level float64
	// find gives what is worth judging, and what a suggestion would be. It leaves out what is below the minimum sample.
	find func(*Input) []finding
}

// finding is something that was judged.
type finding struct {
	p     float64 // of the hypothesis that nothing is to be done
	level float64 // where it differs from the level of its kind
	// group joins findings into one suggestion. The finding with the most weight makes the suggestion.
	group  string
	weight float64
	item   int
	// suggest gets the items of its group that were kept. Nil: it was judged only.
	suggest func(items []int) Suggestion
}

// row is a finding of a kind.
type row struct {
	finding
	kind    string
	minimum string
}

// Judge returns the suggestions that the figures call for, the most important first, and how many things it judged. There is
// one suggestion for each kind and key. The suggestions have no ids.
func Judge(in Input) (list []Suggestion, judged int) {
	rows, judged := in.keep()
	at, items := map[string]int{}, [][]int{}
	var first []row
	for _, r := range rows {
		i, ok := at[r.group]
		if !ok || r.group == "" {
			i = len(first)
			at[r.group] = i
			first, items = append(first, r), append(items, nil)
		}
		if r.kind == first[i].kind {
			items[i] = append(items[i], r.item)
		}
	}
	for i, r := range first {
		s := r.suggest(items[i])
		if s.Kind = r.kind; s.Evidence.Figures == nil {
			s.Evidence.Figures = []Figure{}
		}
		s.JudgedAt, s.ExpiresAt = models.Stamp{Time: in.Now}, models.Stamp{Time: in.Now.Add(Life + in.turn(s.CampaignID.UUID))}
		from, to := in.window()
		s.Evidence.From, s.Evidence.To = from, cmp.Or(s.Evidence.To, to)
		s.Evidence.Minimum = r.minimum
		list = append(list, s)
	}
	return list, judged
}

// keep gives the findings that hold, those with the most weight first.
func (in *Input) keep() (rows []row, judged int) {
	var values []float64
	for _, k := range kinds {
		for _, f := range k.find(in) {
			if f.level = cmp.Or(f.level, k.level); f.level > 0 {
				values = append(values, f.p)
			}
			judged++
			rows = append(rows, row{f, k.name, k.minimum})
		}
	}
	bounds := map[float64]float64{}
	for _, level := range []float64{levelPause, levelMove} {
		bounds[level] = discover(values, level)
	}
	rows = slices.DeleteFunc(rows, func(r row) bool {
		return r.suggest == nil || r.level > 0 && r.p > bounds[r.level]
	})
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.weight, a.weight) })
	return rows, judged
}

// turn returns how much later than others a campaign is judged again.
func (in *Input) turn(campaign uuid.UUID) time.Duration {
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

// amount is a figure as evidence shows it.
func amount(v float64) models.Money { return models.NewMoney(decimal.NewFromFloat(v).Round(6)) }

func count(of, name string, n int64) Figure {
	return Figure{of, name, models.NewMoney(decimal.NewFromInt(n))}
}

func money(of, name string, v float64) Figure { return Figure{of, name, amount(v)} }
