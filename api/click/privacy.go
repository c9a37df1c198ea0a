package click

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"time"

	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/netguard"
)

// concealing reduces the sender's address in a postback or an event to the part that the install may store.
type concealing struct {
	Recorder
	privacy models.IPPrivacy
}

// Append implements Recorder.
func (c concealing) Append(ctx context.Context, r spool.Record) error {
	if r.Postback != nil {
		r.Postback.IP = c.privacy.StoredPart(r.Postback.IP)
	}
	if r.Event != nil {
		r.Event.IP = c.privacy.StoredPart(r.Event.IP)
	}
	return c.Recorder.Append(ctx, r)
}

// truncateAddress does nothing if whole addresses are stored. Otherwise it reduces the click's address to the part that may be
// stored, and sets AddressKey to a hash of the address or, for IPv6, of its first 64 bits.
func (r *request) truncateAddress() {
	if r.h.privacy.StoresWhole() {
		return
	}
	r.click.IP = r.h.privacy.StoredPart(r.seen.IP)
	key := r.appendAddress(r.scratch[:0], netguard.ClientPrefix(r.seen.IP).Addr())
	sum := sha256.Sum256(key)
	r.click.AddressKey = binary.BigEndian.Uint64(sum[:])
	r.scratch = key[:0]
}

// appendAddress appends bytes that identify an address. If whole addresses are not stored, the bytes begin with the install's
// secret and the date. A hash of the bytes can therefore not be reversed by trying all addresses, and differs from the hash of
// another day.
func (r *request) appendAddress(b []byte, ip netip.Addr) []byte {
	if !r.h.privacy.StoresWhole() {
		b = append(b, r.snap.SigningSecret()...)
		b = r.now.UTC().AppendFormat(b, time.DateOnly)
	}
	addr := ip.As16()
	return append(b, addr[:]...)
}
