package copilot

import (
	"context"
	"hash/crc32"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbcopilot "switchyard/db/copilot"
	"switchyard/models"
	"switchyard/models/copilot"
)

// maxArrivals is how many of an account's latest conversions are read to find out how late conversions arrive.
const maxArrivals = 20_000

// choose returns the active campaigns to judge today: those with the most clicks, and a part of the others. turn is the
// number of days in which each of the others is judged once.
func (r *reading) choose(ctx context.Context) (chosen []uuid.UUID, turn int, err error) {
	rows, err := r.readRows(ctx, copilot.Campaigns, maxRanked, nil, "campaign_id")
	if err != nil || len(rows) == 0 {
		return nil, 0, err
	}
	active := map[string]uuid.UUID{}
	err = each(ctx, r.store.Campaigns().List, r.account.ID, func(c models.Campaign) {
		if c.Status == models.CampaignActive {
			active[c.ID.String()] = c.ID
		}
	})
	if err != nil {
		return nil, 0, err
	}
	var others []uuid.UUID
	for _, row := range rows {
		id, ok := active[row.Dims[0]]
		switch {
		case !ok: // not an active campaign
		case len(chosen) < maxCampaigns:
			chosen = append(chosen, id)
		default:
			others = append(others, id)
		}
	}
	today, turn := byTurn(others, r.account.DayStart(r.in.Now))
	r.skipped = slices.DeleteFunc(others, func(id uuid.UUID) bool { return slices.Contains(today, id) })
	return append(chosen, today...), turn, nil
}

// byTurn divides the ids among a number of days, turn, and returns the ids of the given day. An id keeps its day as long as turn
// stays the same.
func byTurn(list []uuid.UUID, day time.Time) (out []uuid.UUID, turn int) {
	const usual = 25 // ids a day at first; turn grows until no day has more than maxTurn
	for turn = (len(list) + usual - 1) / usual; turn > 0; turn++ {
		days := make([][]uuid.UUID, turn)
		for _, id := range list {
			i := int(crc32.ChecksumIEEE(id[:])) % turn
			days[i] = append(days[i], id)
		}
		if !slices.ContainsFunc(days, func(ids []uuid.UUID) bool { return len(ids) > maxTurn }) {
			_, offset := day.Zone()
			return days[int((day.Unix()+int64(offset))/(24*60*60))%turn], turn
		}
	}
	return nil, 0
}

func (r *reading) delays(ctx context.Context) (copilot.Delays, error) {
	list, err := dbcopilot.NewSuggestions(r.store).Arrivals(ctx, r.account.ID, r.in.Now.AddDate(0, 0, -copilot.DelayDays), maxArrivals)
	return copilot.NewDelays(r.in.Now, list), err
}

// lateDays returns the distinct values of Late of the campaigns, in ascending order.
func (r *reading) lateDays() []int {
	list := db.Map(r.in.Campaigns, func(c copilot.CampaignInput) int { return c.Late })
	slices.Sort(list)
	return slices.Compact(list)
}

// unifyLateDays gives all campaigns the highest value of Late, if a separate report for each value would read too many clicks.
func (r *reading) unifyLateDays() {
	lates, clicks := r.lateDays(), int64(0)
	for _, c := range r.in.Campaigns {
		for _, row := range c.Rows {
			clicks += row.Clicks
		}
	}
	if len(lates) < 2 || clicks*int64(len(lates)*len(r.judged())) <= r.clicksLeft {
		return
	}
	for i := range r.in.Campaigns {
		r.in.Campaigns[i].Late = lates[len(lates)-1]
	}
}
