package autorule_test

import (
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"switchyard/models"
	"switchyard/models/autorule"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	acted := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := settings(func(s *autorule.Settings) {
			s.Window, s.EveryMinutes = rapid.IntRange(1, 5).Draw(rt, "window"), 24*60*rapid.IntRange(1, 3).Draw(rt, "every")
			s.CooldownMinutes = rapid.IntRange(60, 5*24*60).Draw(rt, "cool-down")
			s.MaxChanges = rapid.IntRange(1, 3).Draw(rt, "most")
			s.Action = rapid.SampledFrom([]string{autorule.Pause, autorule.Alert}).Draw(rt, "action")
			s.Conditions = []autorule.Comparison{{Figure: "clicks", Operator: rapid.SampledFrom([]string{">", "<="}).Draw(rt, "operator"), Value: whole(3)}}
		})
		const days = 12
		list := make([]autorule.Series, rapid.IntRange(1, 4).Draw(rt, "campaigns"))
		for i := range list {
			list[i] = autorule.Series{Target: autorule.Target{Campaign: uuid.New()}, At: map[int]models.Figures{}}
			for _, day := range rapid.SliceOfNDistinct(rapid.IntRange(0, days-1), 0, days, rapid.ID[int]).Draw(rt, "days") {
				list[i].At[day] = counts(rt)
			}
		}
		first := s.Window - 1
		got := s.Replay(list, first, days)
		last, standing := map[uuid.UUID]int{}, map[uuid.UUID]bool{}
		next := 0
		for b := first; b < days; b++ {
			if (b-first)%(s.EveryMinutes/(24*60)) != 0 {
				continue
			}
			var today []autorule.ReplayedAct
			for ; next < len(got) && got[next].Bucket == b; next++ {
				today = append(today, got[next])
			}
			if s.Action == autorule.Pause && len(today) > s.MaxChanges {
				rt.Fatalf("day %d: %d changes, want at most %d", b, len(today), s.MaxChanges)
			}
			matches := map[uuid.UUID]bool{}
			for _, l := range list {
				var sum models.Figures
				some := false
				for d := b - s.Window + 1; d <= b; d++ {
					f, ok := l.At[d]
					sum, some = sum.Plus(f), some || ok
				}
				matches[l.Target.Campaign] = some && s.Matches(&autorule.Target{Figures: sum})
			}
			for _, w := range today {
				id := w.Target.Campaign
				acted++
				at, before := last[id]
				switch {
				case !matches[id]:
					rt.Fatalf("day %d: acted on a target that does not match: %+v", b, w)
				case before && s.Action == autorule.Pause:
					rt.Fatalf("day %d: a campaign was paused a second time", b)
				case before && (b-at)*24*60 < s.CooldownMinutes:
					rt.Fatalf("day %d: acted again after %d days, within the cool-down of %d minutes", b, b-at, s.CooldownMinutes)
				case standing[id]:
					rt.Fatalf("day %d: the alert was already active", b)
				}
				last[id] = b
			}
			left := 0
			for id, yes := range matches {
				at, before := last[id]
				if yes && !before && (s.Action == autorule.Alert || len(today) < s.MaxChanges) {
					rt.Fatalf("day %d: %s matches for the first time, but the rule did not act", b, id)
				}
				standing[id] = yes && before && s.Action == autorule.Alert && (standing[id] || at == b)
				left++
			}
			if left != len(list) {
				rt.Fatalf("%d campaigns were checked, want all %d", left, len(list))
			}
		}
		if next != len(got) {
			rt.Fatalf("%d actions are outside the days of the replay", len(got)-next)
		}
	})
	if acted == 0 {
		t.Error("no rule acted in any run")
	}
}

// TestReplayZeros checks that missing days count as zero from the creation of a campaign on.
func TestReplayZeros(t *testing.T) {
	t.Parallel()
	s := settings(func(s *autorule.Settings) {
		s.EveryMinutes, s.Conditions = 24*60, []autorule.Comparison{{Figure: "clicks", Operator: "=", Value: whole(0)}}
	})
	series := autorule.Series{
		Target: autorule.Target{Campaign: uuid.New()}, Zeros: true, Since: 2,
		At: map[int]models.Figures{2: {Clicks: 5}, 4: {Clicks: 6}, 5: {Clicks: 1}},
	}
	got := s.Replay([]autorule.Series{series}, 0, 6)
	if len(got) != 1 || got[0].Bucket != 3 || got[0].After.Clicks != 7 {
		t.Errorf("the actions are %+v, want one on day 3 with 7 clicks after it", got)
	}
	series.Zeros = false
	if got := s.Replay([]autorule.Series{series}, 0, 6); len(got) != 0 {
		t.Errorf("without Zeros, the actions are %+v, want none", got)
	}
}
