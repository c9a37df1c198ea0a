package botscan

import (
	"encoding/binary"

	"switchyard/db/spool"
	"switchyard/models"
)

const (
	// shareFrom is the number of clicks of a sender that a process counts before it reports further clicks of the sender to other
	// processes. It reports at most bot.FloodBound clicks of a sender a minute.
	shareFrom = 8
	// sharedAtOnce is the largest number of clicks in a message. Clicks beyond it are not reported.
	sharedAtOnce = 2000
	sharedBytes  = 24 // bytes for a click in a message: two keys and the time
)

// report adds a click to the next message if other processes must count it too.
func (f *Floods) report(c *models.Click) {
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

// NextMessage returns a message with the clicks that FinishStored has added since the last call. It is nil without such clicks.
func (f *Floods) NextMessage() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.out) == 0 {
		return nil
	}
	message := append(f.id[:len(f.id):len(f.id)], f.out...)
	f.out = f.out[:0]
	return message
}

// CountMessage counts the clicks in a message of another ingester. It ignores the messages of this ingester.
func (f *Floods) CountMessage(message []byte) {
	if len(message) < len(f.id) || [16]byte(message[:16]) == f.id || (len(message)-len(f.id))%sharedBytes != 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	const addBeyondBound = true
	for rest := message[len(f.id):]; len(rest) > 0; rest = rest[sharedBytes:] {
		at := int64(binary.BigEndian.Uint64(rest[16:])) //nolint:gosec // the bits were stored from an int64
		f.onAccount.add(binary.BigEndian.Uint64(rest), at, addBeyondBound)
		f.onCampaign.add(binary.BigEndian.Uint64(rest[8:]), at, addBeyondBound)
	}
}

// FinishStored removes the clicks of stored or rejected items from Found, and adds due clicks to the next message.
func (f *Floods) FinishStored(items []spool.Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, it := range items {
		if c := it.Record.Click; c != nil {
			delete(f.Found, c.ID)
			f.report(c)
		}
	}
}
