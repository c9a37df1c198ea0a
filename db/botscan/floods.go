package botscan

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

const (
	// sourcesRemembered is the number of sources, or of visitors, that a counter remembers in each of two generations (see
	// frequency). All counters of an ingester take at most about 30 MB of memory.
	sourcesRemembered = 50_000
	// uniqueInWindow is the largest number of unique clicks that a visitor can make in a campaign within bot.RepeatWindow. A
	// visitor is unique in a campaign at most once an hour.
	uniqueInWindow = int(bot.RepeatWindow/time.Hour) + 1
)

// Floods recognises the clicks of a flood before they are stored. The clicks are stored with their signals, so that a scan need
// not write the rows again. Floods counts the clicks that this process has recorded, and the clicks that other processes report
// to it. A process that does not know all clicks finds fewer signals than the scan, but never more.
type Floods struct {
	onAccount, onCampaign, visitors *frequency
	// Found maps each click that is not stored yet to its signals. It keeps a click from being counted again when a batch is
	// retried.
	Found map[uuid.UUID]bot.Signals

	// The exchange of clicks with other ingesters: see floods_shared.go.
	mu       sync.Mutex
	id       [16]byte
	reported *frequency
	due      map[uuid.UUID]struct{} // clicks to report once they are stored
	out      []byte
}

// NewFloods returns Floods without clicks.
func NewFloods() *Floods {
	return &Floods{
		id: uuid.New(), reported: newFrequency(bot.FloodBound, bot.FloodWindow, sourcesRemembered), due: map[uuid.UUID]struct{}{},
		onAccount:  newFrequency(bot.FloodBound, bot.FloodWindow, sourcesRemembered),
		onCampaign: newFrequency(bot.FloodBound, bot.FloodWindow, sourcesRemembered),
		visitors:   newFrequency(bot.RepeatBound+uniqueInWindow, bot.RepeatWindow-time.Minute, sourcesRemembered),
		Found:      map[uuid.UUID]bot.Signals{},
	}
}

// Count counts the clicks of items that it has not counted yet.
func (f *Floods) Count(items []spool.Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var fresh []*models.Click
	for _, it := range items {
		if c := it.Record.Click; c != nil {
			if _, counted := f.Found[c.ID]; !counted {
				f.Found[c.ID] = 0
				fresh = append(fresh, c)
			}
		}
	}
	slices.SortFunc(fresh, func(a, b *models.Click) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	for _, c := range fresh {
		if s, ok := senderOf(c); ok {
			f.Found[c.ID] = f.signals(c, s)
		}
	}
}

// signals counts a click and returns the signals that the click fires.
func (f *Floods) signals(c *models.Click, s sender) (fired bot.Signals) {
	at := models.ClickTime(c.ID)
	source := keyOfSource(c.AccountID, noCampaign, s.source())
	if f.onAccount.count(source, at) {
		fired |= bot.ClickFlood
	}
	if f.onAccount.countYoung(source) > shareFrom && !f.reported.countToBound(source, at) {
		f.due[c.ID] = struct{}{}
	}
	if f.onCampaign.count(keyOfSource(c.AccountID, c.CampaignID, s.source()), at) {
		fired |= bot.CampaignFlood
	}
	if f.visitors.count(keyOfVisitor(c, s), at) {
		fired |= bot.RepeatClick
	}
	return fired
}

// Marks holds the signals of floods, and the settings with which accounts score clicks.
type Marks struct {
	Found    map[uuid.UUID]bot.Signals
	Settings map[uuid.UUID]bot.Settings
}

// score adds signals to a click that is not stored yet.
func (m Marks) score(c *click.StoredClick, signals bot.Signals) {
	has := bot.Signals(c.BotSignals)
	if signals &^= has; signals == 0 {
		return
	}
	c.BotSignals = uint64(has | signals)
	score, isBot, reason := bot.Score(has|signals, m.Settings[c.AccountID])
	if isBot || !c.IsBot { // a bot's click stays a bot's click, whatever the new score is
		c.BotScore, c.IsBot, c.BotReason = score, isBot, reason
	}
}

// Floods adds all signals that were found, except bot.RepeatClick. Call it before uniqueness is decided, because a bot's click is
// never unique.
func (m Marks) Floods(clicks []*click.StoredClick) {
	for _, c := range clicks {
		m.score(c, m.Found[c.ID]&^bot.RepeatClick)
	}
}

// MarkRepeats adds the signal bot.RepeatClick to repeated clicks. Call it after uniqueness is decided, because a click is not a
// repeat if it is unique in a campaign that counts visitors by the address.
func (m Marks) MarkRepeats(ctx context.Context, c db.Conn, clicks []*click.StoredClick) error {
	accounts, campaigns := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for _, k := range clicks {
		switch {
		case m.Found[k.ID]&bot.RepeatClick == 0:
		case k.IsUnique:
			accounts[k.AccountID], campaigns[k.CampaignID] = true, true
		default:
			m.score(k, bot.RepeatClick)
		}
	}
	list, err := byAddress(ctx, c, accounts, campaigns)
	if err != nil || len(campaigns) == 0 {
		return err
	}
	for _, k := range clicks {
		if k.IsUnique && m.Found[k.ID]&bot.RepeatClick != 0 && !slices.Contains(list, k.CampaignID) {
			m.score(k, bot.RepeatClick)
			k.IsUnique = !k.IsBot
		}
	}
	return nil
}

// ClickSources counts the clicks of each account by address or /64 network, in the memory of the process.
type ClickSources struct {
	mu     sync.Mutex
	counts *frequency
}

// NewClickSources returns ClickSources without clicks.
func NewClickSources() *ClickSources {
	return &ClickSources{counts: newFrequency(bot.FloodBound, bot.FloodWindow, sourcesRemembered)}
}

// IsFlood counts a click and reports whether the click belongs to a flood.
func (s *ClickSources) IsFlood(c *models.Click) bool {
	from, ok := senderOf(c)
	if !ok {
		return false
	}
	key := keyOfSource(c.AccountID, noCampaign, from.source())
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.count(key, models.ClickTime(c.ID))
}
