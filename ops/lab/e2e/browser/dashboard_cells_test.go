package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/clickattr"
	"switchyard/models/parttest"
)

// counted holds the figures of a row in the order of countedColumns.
type counted [3]int64

// timely are the dimensions of time. Reports by them are in the order of time.
var timely = []string{"date", "hour", "hour_of_day", "day_of_week", "month"}

const (
	countedColumns = "clicks,unique_clicks,bot_clicks"
	recount        = `SELECT %s AS value, count(*) FILTER (WHERE NOT is_bot) AS clicks, count(*) FILTER (WHERE is_unique AND NOT is_bot) AS uniques,
		count(*) FILTER (WHERE is_bot) AS bots FROM clicks f WHERE account_id = $1 AND at >= $2 AND at < $3 GROUP BY 1`
	mostChecked = 1000
)

// cellsEnv is the dashboard and a window of whole past days, so that current traffic does not change the figures.
type cellsEnv struct {
	*env
	db       *db.DB
	account  uuid.UUID
	zone     *time.Location
	from, to time.Time
}

// TestDashboardCells: for the dimensions of reports, the dashboard and the API show the figures of a plain count of the clicks.
func TestDashboardCells(t *testing.T) {
	parttest.Browser.Only(t)
	t.Parallel()
	c := &cellsEnv{env: newEnv(t)}
	var err error
	if c.db, err = db.Open(t.Context(), c.f.DatabaseURL, db.Options{Name: "test"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.db.Close() })
	var set struct {
		Timezone string `json:"timezone"`
	}
	if err := c.api.Get(t.Context(), "/settings", &set); err != nil {
		t.Fatal(err)
	}
	if c.zone, err = time.LoadLocation(set.Timezone); err != nil {
		t.Fatal(err)
	}
	if err := c.db.GetContext(t.Context(), &c.account, `SELECT account_id FROM clicks LIMIT 1`); err != nil {
		t.Fatal(err)
	}
	now := time.Now().In(c.zone)
	c.to = time.Date(now.Year(), now.Month(), now.Day()-1, 0, 0, 0, 0, c.zone)
	c.from = c.to.AddDate(0, 0, -9)
	c.signIn()
	c.setScreen(1440, "light")
	for _, dimension := range report.Dimensions() {
		// sub11 and the last sub-parameter stand for those between them.
		if !slices.Contains(models.SubKeys[models.EarlySubs+1:models.Subs-1], dimension) {
			c.dimension(dimension)
		}
	}
	c.hostile()
	c.slow()
}

// expression returns plain SQL for the value of a dimension as reports show it.
func (c *cellsEnv) expression(dimension string) string {
	at := "(at AT TIME ZONE " + `'` + c.zone.String() + `')`
	switch dimension {
	case "date":
		return "to_char(" + at + ", 'YYYY-MM-DD')"
	case "month":
		return "to_char(" + at + ", 'YYYY-MM')"
	case "hour":
		return "to_char(" + at + ", 'YYYY-MM-DD HH24:00:00')"
	case "hour_of_day":
		return "extract(hour FROM " + at + ")::int::text"
	case "day_of_week":
		return "extract(isodow FROM " + at + ")::int::text"
	case "group":
		return "coalesce((SELECT group_name FROM campaigns c WHERE c.id = f.campaign_id), '')"
	case "tag":
		return "unnest((SELECT coalesce(nullif(tags, '{}'), '{\"\"}') FROM campaigns c WHERE c.id = f.campaign_id))"
	case "goal", "status":
		return "''"
	case "lp_slot":
		return "coalesce(nullif(lp_slot, 0)::text, '')"
	}
	a := clickattr.Find(dimension)
	switch {
	case a == nil:
		c.t.Fatalf("no attribute of %s", dimension)
	case a.ID != nil:
		return "coalesce(nullif(f." + a.Column() + ", '00000000-0000-0000-0000-000000000000')::text, '')"
	case a.ASN != nil:
		return "coalesce(nullif(f." + a.Column() + ", 0)::text, '')"
	case a.Addr != nil:
		return "coalesce(host(f." + a.Column() + "), '')"
	}
	return "coalesce(f." + a.Column() + ", '')"
}

// dimension compares the figures of a dimension in the API with a plain count of the clicks and with the dashboard.
func (c *cellsEnv) dimension(name string) {
	c.t.Helper()
	var answer struct {
		Rows []struct {
			Dims         map[string]string
			Clicks       int64
			UniqueClicks int64 `json:"unique_clicks"`
			BotClicks    int64 `json:"bot_clicks"`
		}
		Truncated bool
	}
	stamp := func(t time.Time) string { return t.UTC().Format(time.DateTime) }
	order := "-clicks"
	if slices.Contains(timely, name) {
		order = name
	}
	query := url.Values{
		"dimension": {name}, "sort": {order}, "limit": {strconv.Itoa(mostChecked)}, "tz": {c.zone.String()},
		"from": {stamp(c.from)}, "to": {stamp(c.to.Add(-time.Second))},
	}
	if err := c.api.Get(c.t.Context(), "/reports/performance?"+query.Encode(), &answer); err != nil {
		c.t.Fatal(name, err)
	}
	var list []counted
	found := map[string]counted{}
	for _, row := range answer.Rows {
		figures := counted{row.Clicks, row.UniqueClicks, row.BotClicks}
		list, found[row.Dims[name]] = append(list, figures), figures
	}
	if len(list) == 0 {
		c.t.Errorf("%s has no rows", name)
		return
	}
	plain := c.recount(name)
	for value, want := range plain {
		if got, ok := found[value]; got != want && (ok || !answer.Truncated) {
			c.t.Errorf("%s %q: the API has %v, a count of the clicks gives %v", name, value, got, want)
		}
	}
	for value := range found {
		if _, ok := plain[value]; !ok && found[value] != (counted{}) {
			c.t.Errorf("%s %q: the API has %v, but the value occurs in no click", name, value, found[value])
		}
	}
	c.goTo(c.f.URL + "/app/reports?cmp=none&g=" + name + "&c=" + countedColumns + "&w=" + c.from.Format(time.DateOnly) + "_" + c.to.AddDate(0, 0, -1).Format(time.DateOnly))
	c.waitIdle()
	c.until("the rows of "+name+" are shown", func() bool {
		return c.run(`document.querySelector('tr[aria-level="1"]:not(.total)')?.ariaLevel`) == "1"
	})
	shown := c.visible()
	if len(shown) == 0 || len(shown) > len(list) || len(shown) < min(10, len(list)) || !slices.Equal(shown, list[:len(shown)]) {
		c.t.Errorf("%s: the dashboard shows %v, the API has %v", name, shown, list[:min(len(list), len(shown)+1)])
	}
}

func (c *cellsEnv) recount(name string) map[string]counted {
	c.t.Helper()
	rows, err := db.Select[struct {
		Value   string `db:"value"`
		Clicks  int64  `db:"clicks"`
		Uniques int64  `db:"uniques"`
		Bots    int64  `db:"bots"`
	}](c.t.Context(), c.db, "recount", fmt.Sprintf(recount, c.expression(name)), c.account, c.from, c.to)
	if err != nil {
		c.t.Fatal(name, err)
	}
	out := map[string]counted{}
	for _, r := range rows {
		out[r.Value] = counted{r.Clicks, r.Uniques, r.Bots}
	}
	return out
}

// visible returns the figures of the rows that the table has rendered, from top to bottom.
func (c *cellsEnv) visible() (list []counted) {
	c.t.Helper()
	var rows [][]string
	text := c.run(`JSON.stringify([...document.querySelectorAll('tr[aria-level="1"]:not(.total)')].map(r => [...r.querySelectorAll('td')].slice(1).map(c => c.firstChild.textContent.replaceAll(',', ''))))`)
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		c.t.Fatal(err)
	}
	for _, r := range rows {
		var f counted
		for i := range f {
			f[i], _ = strconv.ParseInt(r[i], 10, 64)
		}
		list = append(list, f)
	}
	return list
}

// hostile renames a campaign to a long name with markup and Hebrew letters. The dashboard shows the name as text.
func (c *cellsEnv) hostile() {
	c.t.Helper()
	name := `<img src=x onerror="window.taken=1"> "><script>window.taken=1</script> ` + strings.Repeat("ש", 180)
	var id string
	const busiest = `SELECT campaign_id FROM clicks WHERE account_id = $1 AND at >= $2 AND at < $3 GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`
	if err := c.db.GetContext(c.t.Context(), &id, busiest, c.account, c.from, c.to); err != nil {
		c.t.Fatal(err)
	}
	if err := c.api.Do(c.t.Context(), 200, "PATCH", "/campaigns/"+id, map[string]any{"name": name}, nil); err != nil {
		c.t.Fatal(err)
	}
	for _, path := range []string{"/app", "/app/reports?g=campaign_id"} {
		c.goTo(c.f.URL + path)
		c.waitIdle()
		c.waitText(name)
		if taken := c.run(`String(window.taken) + document.querySelectorAll('#app img[src=x], #app script').length`); taken != "undefined0" {
			c.t.Errorf("%s: the markup in the name was executed: %s", path, taken)
		}
		for _, width := range []int{1440, 390} {
			c.setScreen(width, "light")
			c.sound("hostile" + strconv.Itoa(width))
		}
		c.setScreen(1440, "light")
	}
}

func (c *cellsEnv) slow() {
	c.t.Helper()
	c.goTo(c.f.URL + "/app/more")
	c.waitIdle()
	c.run(`(window.held = new Promise(go => window.letGo = go), window.plain = window.fetch,
		window.fetch = async (a, o) => { if (String(a).includes('/performance')) await window.held; return window.plain(a, o) }, 1)`)
	c.run(`document.querySelector('.nav a[href^="/app/reports"]').click()`)
	c.until("the page shows that it waits", func() bool { return c.run(`document.querySelector('.bar, [aria-busy=true]') ? 'yes' : ''`) == "yes" })
	c.sound("slow")
	c.run(`(window.letGo(), 1)`)
	c.until("the answer is shown", func() bool {
		return c.run(`document.querySelector('tr[aria-level="1"]:not(.total)')?.ariaLevel`) == "1"
	})
	c.waitIdle()
}
