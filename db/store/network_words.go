package store

import (
	"context"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/postback"
)

// maxNetworkWords is the maximum number of unknown status words that are kept for a network. A further word replaces the word
// that was received least recently.
const maxNetworkWords = 50

// The DELETE in countWord does not wait for rows that another transaction has locked.
const countWord = `
WITH counted AS (
	INSERT INTO network_words (network_id, account_id, word, count, last_at)
	SELECT id, account_id, $3, 1, now() FROM networks WHERE account_id = $1 AND id = $2
	ON CONFLICT (network_id, word) DO UPDATE SET count = network_words.count + 1, last_at = now()
)
DELETE FROM network_words WHERE account_id = $1 AND network_id = $2 AND word IN (
	SELECT word FROM network_words WHERE account_id = $1 AND network_id = $2 AND word <> $3
	ORDER BY last_at DESC, word OFFSET $4 FOR UPDATE SKIP LOCKED
)`

// CountWord counts an unknown status word of a network.
func (k Networks) CountWord(ctx context.Context, account, network uuid.UUID, word string) error {
	return k.s.run(ctx, "count status word", countWord, account, network, postback.FoldWord(word), maxNetworkWords-1)
}

const selectWords = `
SELECT network_id, word, count, last_at FROM network_words
WHERE account_id = $1 AND network_id = ANY ($2::uuid[]) ORDER BY count DESC, word`

// UnknownWords returns, for each network, the status words that are in neither the network's own map nor the common table. The
// most frequent word comes first.
func (k Networks) UnknownWords(ctx context.Context, account uuid.UUID, list []models.Network) (map[uuid.UUID][]models.StatusWord, error) {
	rows, err := db.Select[struct {
		NetworkID uuid.UUID `db:"network_id"`
		models.StatusWord
	}](ctx, k.s.c, "unknown status words", selectWords, account, db.UUIDs(db.Map(list, models.Network.RecordID)))
	statusMaps := make(map[uuid.UUID]map[string][]string, len(list))
	for _, n := range list {
		statusMaps[n.ID] = n.StatusMap
	}
	out := map[uuid.UUID][]models.StatusWord{}
	for _, r := range rows {
		if !postback.Means(r.Word, statusMaps[r.NetworkID]).Known {
			out[r.NetworkID] = append(out[r.NetworkID], r.StatusWord)
		}
	}
	return out, err
}

// MapWords changes the status map of a network under a lock.
func (k Networks) MapWords(ctx context.Context, account, id uuid.UUID,
	edit func(map[string][]string) (map[string][]string, error),
) (models.Network, error) {
	return TxOf(ctx, k.s, func(s *Store) (models.Network, error) {
		n, err := networkTable.findLocked(ctx, s, account, id)
		if err == nil {
			n.StatusMap, err = edit(n.StatusMap)
		}
		if err != nil {
			return n, err
		}
		return networkTable.change(ctx, s, n)
	})
}
