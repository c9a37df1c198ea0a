package clicklog

import (
	"encoding/binary"

	"switchyard/db/spool"
	"switchyard/models"
)

const (
	// shareFrom is how many clicks of a source a process remembers before it tells others of more. It tells at most
	// bot.FloodBound in a minute: these are enough for all others to recognise a flood.
	shareFrom = 8
	// sharedAtOnce is how many clicks one message has at most. Others are not told.
	sharedAtOnce = 2000
	sharedBytes  = 24 // of a click: both keys and the moment
)

// tell notes the clicks that other processes should count: stored clicks of sources that may be a flood.
func (f *floods) tell(c *models.Click) {
	s, ok := senderOf(c)
	if _, due := f.due[c.ID]; !ok || !due {
		return
	}
	delete(f.due, c.ID)
	if len(f.out) == sharedAtOnce*sharedBytes {
		return
	}
	f.out = binary.BigEndian.AppendUint64(f.out, keyOfSource(c.AccountID, noCampaign, s.source()))
	f.out = binary.BigEndian.AppendUint64(f.out, keyOfSource(c.AccountID, c.CampaignID, s.source()))
	f.out = binary.BigEndian.AppendUint64(f.out, uint64(models.ClickTime(c.ID).UnixMicro()))
}

// take returns a message with the clicks to tell of since the last call. It is nil if there is no such click.
func (f *floods) take() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.out) == 0 {
		return nil
	}
	message := append(f.id[:len(f.id):len(f.id)], f.out...)
	f.out = f.out[:0]
	return message
}

// hear counts the clicks of another ingester. A click counts where it was stored and where it was heard of once, so signals
// are never found too often.
func (f *floods) hear(message []byte) {
	if len(message) < len(f.id) || [16]byte(message[:16]) == f.id || (len(message)-len(f.id))%sharedBytes != 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for rest := message[len(f.id):]; len(rest) > 0; rest = rest[sharedBytes:] {
		at := int64(binary.BigEndian.Uint64(rest[16:])) //nolint:gosec // the same bits come back
		f.onAccount.add(binary.BigEndian.Uint64(rest), at, true)
		f.onCampaign.add(binary.BigEndian.Uint64(rest[8:]), at, true)
	}
}

// stored forgets the signals of records that are stored or put aside, and tells others of them.
func (f *floods) stored(items []spool.Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, it := range items {
		if c := it.Record.Click; c != nil {
			delete(f.found, c.ID)
			f.tell(c)
		}
	}
}

// TakeFloods returns what ingesters tell each other about floods: a message of each that has something.
func TakeFloods(ingesters ...*Ingester) (messages [][]byte) {
	for _, g := range ingesters {
		if message := g.floods.take(); message != nil {
			messages = append(messages, message)
		}
	}
	return messages
}

// HearFloods counts the clicks in a message of TakeFloods, of any process. An ingester ignores its own.
func HearFloods(message []byte, ingesters ...*Ingester) {
	for _, g := range ingesters {
		g.floods.hear(message)
	}
}
