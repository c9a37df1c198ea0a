package v1_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
)

func TestSmartlinkLog(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	links := []uuid.UUID{smartlinkOf(t, s, s.Account.ID), smartlinkOf(t, s, s.Account.ID)}
	log, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var sent []*models.SmartlinkClick
	for i := range 5 {
		k := &models.SmartlinkClick{SmartlinkID: links[i%2], DestinationURL: "https://x.example/{sub1}"}
		k.ID, k.AccountID, k.Country, k.IsBot = models.NewClickID(), s.Account.ID, "DE", i == 3
		k.Destination, k.Subs[0] = fmt.Sprint("https://x.example/", i), strconv.Itoa(i)
		if i == 4 {
			k.RuleID = uuid.New()
		}
		sent = append(sent, k)
		if err := log.Append(t.Context(), spool.Record{Smart: k}); err != nil {
			t.Fatal(err)
		}
	}
	if err := ingest.NewIngester(log, s.DB, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]int{
		"": {4, 3, 2, 1, 0}, "link=all": {4, 3, 2, 1, 0}, "link=" + links[0].String(): {4, 2, 0},
		"limit=2&offset=1": {3, 2}, "from=2020-01-01&to=2020-01-02": {},
	} {
		var page logPage
		s.As(s.ReadKey).Do("GET", "/logs/smartlink-clicks?"+query, nil).Want(200, "").Into(&page)
		if len(page.Rows) != len(want) {
			t.Fatalf("%q: %d rows, want %d", query, len(page.Rows), len(want))
		}
		for i, row := range page.Rows {
			k := sent[want[i]]
			for field, value := range map[string]any{
				"click_id": models.FormatClickID(k.ID), "at": models.ClickTime(k.ID).Format(models.EventTimeFormat),
				"link_id": k.SmartlinkID.String(), "slug": "go", "rule_id": orNil(k.RuleID), "sub1": k.Subs[0],
				"destination": k.Destination, "destination_url": k.DestinationURL, "country": "DE", "is_bot": k.IsBot,
			} {
				if row[field] != value {
					t.Errorf("%q: %s is %v, want %v", query, field, row[field], value)
				}
			}
		}
	}
	foreign := smartlinkOf(t, s, uuid.New())
	for query, code := range map[string]string{
		"link=x": "invalid_id", "link=links": "invalid_id", "limit=x": "invalid_input", "from=x": "invalid_input",
	} {
		s.Do("GET", "/logs/smartlink-clicks?"+query, nil).Want(400, code)
	}
	s.Do("GET", fmt.Sprint("/logs/smartlink-clicks?link=", foreign), nil).Want(404, "not_found")
}
