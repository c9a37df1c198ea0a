package autorule

import (
	"time"

	"switchyard/models"
)

// Series holds the figures of a target over time, by the index of the hour or day. An hour or day without figures has no entry.
type Series struct {
	Target Target // without figures
	At     map[int]models.Figures
	// Zeros says that the figures of an hour or day without an entry are 0, from the index Since on.
	Zeros bool
	Since int
}

// ReplayedAct is an action that a rule would have taken.
type ReplayedAct struct {
	Bucket int            // index of the hour or day after which the rule would have acted
	Target Target         // with the figures that matched
	After  models.Figures // sum of the figures that the target had after that hour or day
}

// Buckets returns the number of hours or days in the rule's window, and the length of each.
func (s Settings) Buckets() (size int, each time.Duration) {
	if s.WindowUnit == Days {
		return s.Window, 24 * time.Hour
	}
	return s.Window, time.Hour
}

// Replay returns the actions that the rule would have taken. It runs the rule at the end of hours or days, as often as EveryMinutes
// says, but at most once per hour or day. A rule that runs more often may therefore act sooner. The parameter first is the index
// of the hour or day with which the runs begin. The parameter all is the number of hours or days in the series. The figures are
// recorded ones, so an action does not change later figures. A target that would have been paused or denied is not acted on again.
func (s Settings) Replay(list []Series, first, all int) (out []ReplayedAct) {
	size, each := s.Buckets()
	every := max(1, int(time.Duration(s.EveryMinutes)*time.Minute/each))
	r := replay{Settings: s, cooldown: max(1, int((s.Cooldown()+each-1)/each)), until: map[string]int{}, stands: map[string]bool{}}
	// For each series: the sum of the window that ends with bucket b, and the number of buckets with figures in it.
	sums, filled := make([]models.Figures, len(list)), make([]int, len(list))
	for b := range all {
		runs := b >= first && (b-first)%every == 0
		var matched []Target
		for i := range list {
			if f, ok := list[i].At[b]; ok {
				sums[i], filled[i] = sums[i].Plus(f), filled[i]+1
			}
			if f, ok := list[i].At[b-size]; ok { // this hour or day has left the window
				sums[i], filled[i] = sums[i].Plus(f.Neg()), filled[i]-1
			}
			if !runs {
				continue
			}
			t := list[i].Target
			t.Figures, t.place = sums[i], i
			if (filled[i] > 0 || list[i].Zeros && b >= list[i].Since) && s.Matches(&t) {
				matched = append(matched, t)
			}
		}
		if !runs {
			continue
		}
		ByCost(matched)
		for _, t := range r.step(b, matched[:min(len(matched), MaxMatched)]) {
			out = append(out, ReplayedAct{b, t, list[t.place].after(b)})
		}
	}
	return out
}

func (s Series) after(b int) (sum models.Figures) {
	for at, f := range s.At {
		if at > b {
			sum = sum.Plus(f)
		}
	}
	return sum
}

type replay struct {
	Settings
	cooldown int             // cool-down in hours or days
	until    map[string]int  // by the key of a target: the hour or day from which the rule may act on it again
	stands   map[string]bool // keys of the targets whose alert is active
}

// never is larger than the index of every hour or day.
const never = 1 << 30

func (r *replay) step(b int, matched []Target) (acted []Target) {
	stood := r.stands
	r.stands = map[string]bool{}
	groups, changes := map[string]bool{}, 0 // the groups that a change of this run covers, and the number of changes
	for _, t := range matched {
		key := r.Key(t)
		if r.Action == Alert && stood[key] {
			r.stands[key] = true
			continue
		}
		if r.until[key] > b {
			continue
		}
		group := r.group(t)
		if r.Changes() && !groups[group] {
			if changes >= r.MaxChanges {
				continue
			}
			changes, groups[group] = changes+1, group != ""
		}
		r.until[key], r.stands[key] = b+r.cooldown, true
		if r.Action == Pause || r.Action == Deny {
			r.until[key] = never
		}
		acted = append(acted, t)
	}
	return acted
}
