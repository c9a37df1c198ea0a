package copilot_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models/copilot"
)

// arrivals returns n conversions of a campaign, all with the same delay. The ages of their clicks are spread evenly, up to oldest.
func arrivals(id uuid.UUID, n int, oldest, delay time.Duration) (list []copilot.Arrival) {
	for i := range n {
		clicked := now.Add(-oldest * time.Duration(i+1) / time.Duration(n))
		list = append(list, copilot.Arrival{Campaign: id, Clicked: clicked, Came: clicked.Add(delay)})
	}
	return list
}

// TestDelays checks how many of the last days are late. A day is late if its clicks may still get conversions.
func TestDelays(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	id, other := uuid.New(), uuid.New()
	end := now.Truncate(day)
	for name, c := range map[string]struct {
		list []copilot.Arrival
		want int
	}{
		"no conversions":                                   {nil, 3},
		"conversions at once":                              {arrivals(id, 40, 30*day, time.Minute), 0},
		"a delay of 20 hours":                              {arrivals(id, 40, 30*day, 20*time.Hour), 1},
		"a delay of four days":                             {arrivals(id, 40, 30*day, 4*day), 5},
		"a delay of half a year":                           {arrivals(id, 40, 30*day, 180*day), 21},
		"too few conversions":                              {arrivals(id, 19, 30*day, 9*day), 3},
		"recent conversions only":                          {arrivals(id, 40, 5*day, time.Minute), 3},
		"the delay of the account":                         {arrivals(other, 40, 30*day, 6*day), 7},
		"its own delay, next to a slow campaign":           {append(arrivals(id, 40, 30*day, 0), arrivals(other, 400, 30*day, 9*day)...), 0},
		"one of a hundred comes after nine days":           {append(arrivals(id, 99, 30*day, time.Hour), arrivals(id, 1, 30*day, 9*day)...), 0},
		"conversions before the click, by another clock":   {arrivals(id, 40, 30*day, -time.Hour), 0},
		"recent conversions only, next to a slow campaign": {append(arrivals(id, 40, 5*day, time.Minute), arrivals(other, 400, 30*day, 9*day)...), 10},
	} {
		if got := copilot.NewDelays(now, c.list).Late(id, end); got != c.want {
			t.Errorf("%s: %d late days, want %d", name, got, c.want)
		}
	}
}

// TestLateDays checks that the evidence about values ends before the days whose clicks may still get conversions. A campaign that
// is not judged in every run keeps its suggestions longer.
func TestLateDays(t *testing.T) {
	t.Parallel()
	in := quiet()
	placement(&in, "sub1", "p7", 900)
	in.Campaigns[0].Late, in.Campaigns[0].Turn = 7, 4
	list, _ := copilot.Judge(in)
	if len(list) != 1 || list[0].Evidence.To != in.Days[len(in.Days)-8] || list[0].Evidence.From != in.Days[0] {
		t.Fatalf("the suggestions are %+v, want one whose evidence leaves out the last 7 days", list)
	}
	if got := list[0].ExpiresAt.Sub(now); got != copilot.Life+4*24*time.Hour {
		t.Errorf("the suggestion stays for %v, but the campaign is judged again only in four days", got)
	}
	// In the two days that remain, the value causes more than half of the cost, so the campaign loses, not the value.
	in.Campaigns[0].Late = 28
	if list, _ := copilot.Judge(in); len(list) > 0 {
		t.Errorf("the suggestions are %+v, want none", list)
	}
}
