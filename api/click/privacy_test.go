package click

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"switchyard/db/dbtest"
	"switchyard/models"
)

// The operator's setting decides how much of an address is stored, in every kind of record that has one. Decisions use the whole
// address.
func TestPrivacy(t *testing.T) {
	t.Parallel()
	for privacy, stored := range map[models.IPPrivacy]string{
		models.IPFull: "203.0.113.77", models.IPTruncated: "203.0.113.0", models.IPNone: "",
	} {
		t.Run(string(privacy), func(t *testing.T) {
			t.Parallel()
			w := newEnv(t)
			w.h.privacy, w.h.postbacks = privacy, concealing{w.spool, privacy}
			offer, lander := w.offer("https://offer.test/?ip={ip}", w.network()), w.lander("https://lander.test/?ip={ip}")
			w.campaign("link", m{"uniqueness_method": "ip"},
				path("redirect", m{"filters": []m{condition("ip", "equals", "203.0.113.78")}}, m{"url": "https://other.test/?ip={ip}"}),
				path("lander", nil, to(lander), to(offer)))
			w.smartlink("smart", "https://smart.test/?ip={ip}")
			w.addBotEntry(w.account, nil, "deny", "ip", "equals", "203.0.113.79")
			w.site("", "")
			w.reload()

			const visitor, neighbour, denied = "203.0.113.77:1", "203.0.113.78:1", "203.0.113.79:1"
			res := w.get("/link", peer(visitor))
			first := *w.spool.last()
			if want := "https://lander.test/?ip=" + stored; res.Header.Get("Location") != want {
				t.Errorf("sent to %s, want %s", res.Header.Get("Location"), want)
			}
			if location := w.location("/link", peer(neighbour)); !strings.HasPrefix(location, "https://other.test/") {
				t.Errorf("a visitor is sent to %s, want the path whose condition names the visitor's whole address", location)
			}
			second := *w.spool.last()
			if !bytes.Equal(first.UniqueKey[:], w.key("/link", visitor)) || bytes.Equal(first.UniqueKey[:], second.UniqueKey[:]) {
				t.Error("uniqueness does not tell two visitors with similar addresses apart")
			}
			if privacy.StoresWhole() != (first.AddressKey == 0) || !privacy.StoresWhole() && first.AddressKey == second.AddressKey {
				t.Errorf("two visitors have the address keys %d and %d, want 0 if whole addresses are stored, else two keys",
					first.AddressKey, second.AddressKey)
			}
			w.location("/link", peer(denied))
			if c := w.spool.last(); !c.IsBot || c.BotReason != "deny_list" {
				t.Errorf("a visitor with a denied address has the score %d for %q, want a bot for deny_list", c.BotScore, c.BotReason)
			}
			w.location("/out/1", peer(visitor), withCookies(res.Cookies()))
			w.location("/smart", peer(visitor), host(ownHost))
			w.get("/postback?clickid="+models.FormatClickID(first.ID), peer(visitor))
			w.get("/pixel.gif?clickid="+models.FormatClickID(first.ID), peer(visitor))
			w.postEvents(`{"id": "1", "name": "view", "at": 1700000000000, "url": "shop.test/"}`, peer(visitor))
			w.checkPrivacy(privacy, stored)
		})
	}
}

// key follows a link from an address and returns the uniqueness key of the click.
func (w *env) key(target, from string) []byte {
	w.Helper()
	w.get(target, peer(from))
	key := w.spool.last().UniqueKey
	return key[:]
}

// checkPrivacy checks that each record in the spool has only the part of the address that may be stored, and that the spool has
// records of every kind.
func (w *env) checkPrivacy(privacy models.IPPrivacy, stored string) {
	w.Helper()
	kinds := map[string]bool{}
	for _, r := range w.spool.records {
		text, err := json.Marshal(r)
		if err != nil {
			w.Fatal(err)
		}
		if !privacy.StoresWhole() && bytes.Contains(text, []byte("203.0.113.7")) {
			w.Errorf("the visitor's address is stored: %s", text)
		}
		var ip netip.Addr
		switch {
		case r.Click != nil:
			kinds["click"], ip = true, r.Click.IP
		case r.Smart != nil:
			kinds["smartlink"], ip = true, r.Smart.IP
		case r.Postback != nil:
			kinds[r.Postback.Source], ip = true, r.Postback.IP
		case r.Event != nil:
			kinds["event"], ip = true, r.Event.IP
		default:
			kinds["hop"] = true
			continue
		}
		if ip.IsValid() != (stored != "") || stored == "203.0.113.0" && ip.String() != stored {
			w.Errorf("the stored address is %s, which the setting does not allow: %s", ip, text)
		}
	}
	for _, kind := range []string{"click", "hop", "smartlink", models.FromPostback, models.FromPixel, "event"} {
		if !kinds[kind] {
			w.Errorf("the spool has no record of the kind %s", kind)
		}
	}
}

// If whole addresses are not stored, the address key of a visitor changes every day and differs between installs.
func TestAddressKeys(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.h.privacy = models.IPNone
	r := w.h.acquire(nil)
	r.seen.IP = netip.MustParseAddr("203.0.113.77")
	key := func() uint64 { r.truncateAddress(); return r.click.AddressKey }
	r.now = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	first := key()
	r.now = r.now.Add(24*time.Hour - time.Second)
	if key() != first {
		t.Error("the key changed within a day")
	}
	r.now = r.now.Add(time.Second)
	if key() == first {
		t.Error("the key is the same on the next day")
	}
	dbtest.Exec(w, w.db, `UPDATE installation SET secret = sha256(secret)`)
	other := w.handler(w.spool, "")
	other.privacy = models.IPNone
	s := other.acquire(nil)
	s.seen.IP, s.now = r.seen.IP, r.now
	s.truncateAddress()
	if s.click.AddressKey == r.click.AddressKey {
		t.Error("two installs have the same key")
	}
}
