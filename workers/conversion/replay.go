package conversion

import (
	"context"

	dbconversion "switchyard/db/conversion"
	"switchyard/jobs"
	"switchyard/workers"
)

// replayAtOnce is how many postbacks one statement of replay makes undecided.
const replayAtOnce = 500

// replay makes unmatched postbacks undecided, batch by batch. It walks by time of arrival, so that a postback that becomes
// unmatched again is not replayed twice.
func (rec *recorder) replay(ctx context.Context, a jobs.ReplayArgs) (jobs.ReplayAnswer, error) {
	out := jobs.ReplayAnswer{From: a.From, To: a.To}
	q := dbconversion.Replay{Account: workers.Account(ctx), Network: a.Network, From: a.From, To: a.To}
	for n := replayAtOnce; n == replayAtOnce; out.Replayed += int64(n) {
		var err error
		if n, q, err = dbconversion.ReplayPostbacks(ctx, rec.store.Conn(), q, replayAtOnce); err != nil {
			return out, err
		}
	}
	return out, nil
}
