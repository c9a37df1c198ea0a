package click

import (
	"testing"

	"switchyard/db/dbtest"
	"switchyard/models"
)

func TestTrackFillsSubsInTheOrderOfTheSource(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	dbtest.Exec(w, w.db, `UPDATE traffic_sources SET token_macros = '{"zoneid": "{z}", "b": "{b}"}'`)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	w.location("/summer-sale?b=two&zoneid=one")
	if c := w.spool.last(); c.Subs[0] != "one" || c.Subs[1] != "two" {
		t.Errorf("the sub parameters are %q, want one and two first", c.Subs)
	}
}

// If a parameter is removed from a source, its sub-parameter stays empty.
func TestTrackLeavesTheSubOfARemovedParameterEmpty(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	dbtest.Exec(w, w.db, `UPDATE traffic_sources SET token_macros = '{"b": "{b}", "c": "{c}"}',
		subs = '[{"sub": 1, "param": "zoneid"}, {"sub": 2, "param": "b"}, {"sub": 4, "param": "c"}]'`)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	w.location("/summer-sale?b=two&zoneid=one&c=four")
	if c := w.spool.last(); c.Subs != [models.Subs]string{1: "two", 3: "four"} {
		t.Errorf("the sub parameters are %q, want only two and four, as the source places them", c.Subs)
	}
}

// A link can fill every sub-parameter, by the parameters of the source or by the names that every source may use.
func TestTrackFillsEverySub(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	dbtest.Exec(w, w.db, `UPDATE traffic_sources SET token_macros = '{"zone": "{z}"}', subs = '[{"sub": 30, "param": "zone"}]'`)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/?a={sub11}&b={sub_id_20}&c={t30}", "weight": 1}))
	w.reload()
	if got := w.location("/summer-sale?zone=thirty&Sub11=eleven&sub_id_20=twenty&sub31=none"); got != "https://a.test/?a=eleven&b=twenty&c=thirty" {
		t.Error(got)
	}
	if c := w.spool.last(); c.Subs != [models.Subs]string{10: "eleven", 19: "twenty", 29: "thirty"} {
		t.Errorf("the sub parameters are %q, want the 11th, the 20th and the 30th", c.Subs)
	}
}

// Deactivated sources and networks are kept for history. Clicks that still arrive through them are recorded with them.
func TestDeactivatedSourceAndNetworkGoOn(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	n := w.network()
	w.campaign("summer-sale", nil, path("offer", nil, to(w.offer("https://one.test/?s={sub1}", n))))
	dbtest.Exec(w, w.db, `UPDATE traffic_sources SET deactivated_at = now()`)
	dbtest.Exec(w, w.db, `UPDATE networks SET deactivated_at = now()`)
	w.reload()
	to := w.location("/summer-sale?zone=one&bid=0.25")
	c := w.spool.last()
	if want := "https://one.test/?s=one&clk=" + models.FormatClickID(c.ID); to != want {
		t.Errorf("to %s, want %s", to, want)
	}
	if c.SourceID != w.source || c.NetworkID != n || c.Cost.String() != "0.25" {
		t.Errorf("the click has the source %s, the network %s and the cost %s, want %s, %s and 0.25", c.SourceID, c.NetworkID, c.Cost, w.source, n)
	}
}
