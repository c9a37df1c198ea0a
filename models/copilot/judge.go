package copilot

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models"
)

// The shares of suggestions that may be wrong ones, of all that one refresh finds.
const (
	levelPause = 0.01 // those that stop something
	levelMove  = 0.05
)

// Life is how long a suggestion stays that is not found again.
const Life = 3 * 24 * time.Hour

// kind is one sort of suggestion.
type kind struct {
	name string
	// level is how many of its suggestions may be wrong ones; 0: what it finds was seen and needs no statistics.
	level float64
	// find gives what is worth judging, and what a suggestion would be. It leaves out what is below the minimum sample.
	find func(*Input) []finding
}

// finding is something that was judged.
type finding struct {
	p     float64 // of the hypothesis that nothing is to be done
	level float64 // where it is not that of its kind
	// group tells findings apart of which only the first that is kept becomes a suggestion, in the order of weight.
	group  string
	weight float64
	make   func() Suggestion // nil: judged only
}

// Judge gives the suggestions that the figures call for. Of each kind and key there is one. They have no ids.
func Judge(in Input) (list []Suggestion, judged int) {
	type row struct {
		finding
		kind string
	}
	var rows []row
	var values []float64
	for _, k := range kinds {
		for _, f := range k.find(&in) {
			if k.level > 0 {
				f.level = cmp.Or(f.level, k.level)
				values = append(values, f.p)
			}
			rows = append(rows, row{f, k.name})
		}
	}
	bounds := map[float64]float64{}
	for _, level := range []float64{levelPause, levelMove} {
		bounds[level] = discover(values, level)
	}
	rows = slices.DeleteFunc(rows, func(r row) bool {
		return r.make == nil || r.level > 0 && r.p > bounds[r.level]
	})
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.weight, a.weight) })
	taken := map[string]bool{}
	for _, r := range rows {
		if r.group != "" && taken[r.group] {
			continue
		}
		taken[r.group] = true
		s := r.make()
		s.Kind = r.kind
		s.JudgedAt, s.ExpiresAt = models.Stamp{Time: in.Now}, models.Stamp{Time: in.Now.Add(Life)}
		s.Evidence.From, s.Evidence.To = in.window()
		list = append(list, s)
	}
	return list, max(len(values), len(rows))
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
