package v1_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db"
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

// TestReportsAgreeWithLogs: reports and the click log count the same clicks, also after a later look-up has changed the visitors'
// description (botscan.Revise).
func TestReportsAgreeWithLogs(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	pick := func(of ...string) string { return of[rand.IntN(len(of))] }
	sets := []bot.Signals{0, 0, bot.Datacenter | bot.NoAcceptLanguage, bot.DeclaredBot, bot.TorExit, bot.NoAcceptLanguage}
	var records []spool.Record
	var findings []botscan.Finding
	for i := range 600 {
		c := &models.Click{
			ID: models.NewClickID(), AccountID: s.Account.ID, CampaignID: uuid.New(), UniqueHours: 24, UniqueKey: [16]byte{byte(i), byte(i >> 8)},
			Arrival: pick("url", "cookie", "local", "redirect", "gclid", "fbclid"),
			Visitor: models.Visitor{
				IP: netip.MustParseAddr("203.0.113.7"), ISP: pick("", "Telecom", "Cable, \"Ltd\""), ASN: models.ASN(rand.IntN(3) * 3320),
				ConnectionType: pick("", "wifi", "cellular"), ProxyKind: pick("none", "vpn", "datacenter", ""),
			},
		}
		fired := sets[rand.IntN(len(sets))]
		c.BotSignals = uint64(fired)
		c.BotScore, c.IsBot, c.BotReason = bot.Score(fired, bot.Settings{})
		records = append(records, spool.Record{Click: c})
		if i%5 == 0 {
			findings = append(findings, botscan.Finding{
				ClickID: c.ID, Signals: sets[rand.IntN(len(sets))], Source: "ipinfo",
				Place: &models.Place{ISP: pick("Later", "Telecom"), ProxyKind: pick("tor", "none"), ConnectionType: "wifi", ASN: 64500},
			})
		}
	}
	storeRecords(t, s, records...)
	err := db.Tx(t.Context(), s.DB, func(c db.Conn) error {
		_, err := botscan.Revise(t.Context(), click.Log{}, c, s.Account.ID, bot.Settings{}, findings)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	log := s.Do("GET", "/logs/clicks?limit=1000", nil).Want(200, "").Map()["rows"].([]any)
	if len(log) != len(records) {
		t.Fatalf("the log has %d rows, want one for each record", len(log))
	}
	for _, dimension := range []string{"bot_reason", "proxy_kind", "arrival", "connection_type", "isp", "asn"} {
		counted, reported := map[string][2]float64{}, map[string][2]float64{}
		for _, row := range log {
			row := row.(map[string]any)
			n := counted[textOf(row[dimension])]
			if row["is_bot"] == true {
				n[1]++
			} else {
				n[0]++
			}
			counted[textOf(row[dimension])] = n
		}
		rows := s.Do("GET", "/reports/performance?dimension="+dimension+"&limit=100", nil).Want(200, "").Map()["rows"].([]any)
		for _, row := range rows {
			row := row.(map[string]any)
			reported[textOf(row["dims"].(map[string]any)[dimension])] = [2]float64{number(row["clicks"]), number(row["bot_clicks"])}
		}
		if diff := cmp.Diff(counted, reported); diff != "" || len(counted) < 2 {
			t.Errorf("by %s, the log and the report count different clicks: %s", dimension, diff)
		}
	}
}

// textOf returns a value as text. nil becomes "".
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}
