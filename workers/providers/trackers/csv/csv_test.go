package csv_test

import (
	"flag"
	"strings"
	"testing"

	"switchyard/models/accountconfig"
	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers/csv"
	"switchyard/workers/providers/trackers/csv/csvtest"
	"switchyard/workers/providers/trackers/moved/movedtest"
)

var update = flag.Bool("update", false, "write the expected documents and notes")

func readAll(t *testing.T, tables csv.Tables) trackerimport.Result {
	t.Helper()
	result, err := csv.Read(tables)
	if err != nil {
		t.Fatal(err)
	}
	return movedtest.Named(t, result)
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "everything", "lost", "again"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			movedtest.Compare(t, *update, "csvtest/testdata/"+name, readAll(t, csvtest.Fixture(name)))
		})
	}
}

// TestAgainHasTheKeysOfTheFirstRun: a second import finds the records of the first import under the same keys.
func TestAgainHasTheKeysOfTheFirstRun(t *testing.T) {
	t.Parallel()
	movedtest.SameKeys(t, readAll(t, csvtest.Fixture("plain")), readAll(t, csvtest.Fixture("again")), "offers/csv.old.example.2")
}

// TestLinksHaveTheFormOfTheirAddress: the form, the domain and the id of a link are read from its address.
func TestLinksHaveTheFormOfTheirAddress(t *testing.T) {
	t.Parallel()
	var got []string
	for _, l := range append(readAll(t, csvtest.Fixture("plain")).Links, readAll(t, csvtest.Fixture("everything")).Links...) {
		got = append(got, l.Domain+" "+l.Form+" "+l.ID)
	}
	for _, want := range []string{
		"go.buyer.example query hJ6kdw2", "go.buyer.example php hJ6kdw2", " path push-de-1", "go.buyer.example go 0a1b",
		"go.buyer.example cf 0a1b2c", "other.example path old-alias",
	} {
		if !strings.Contains("\n"+strings.Join(got, "\n")+"\n", "\n"+want+"\n") {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

func TestTablesThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "the table of offers: it has no line with the names of its columns",
		"name,url,payuot\n":               `the table of offers: no column is called "payuot"; the columns are name, url, id, network, payout, currency, country, daily_cap, group, tags, notes, status`,
		"name\n":                          "the table of offers: the column url is missing",
		"name,url,name\n":                 "the table of offers: the column name appears twice",
		"name,url\na,https://a.b\nonly\n": "the table of offers: line 3 cannot be read: wrong number of fields",
		"name,url\n\xff,x\n":              "the table of offers: it is not UTF-8: save it as CSV UTF-8",
		"name,url\n\"open,x\n":            "the table of offers: line 2 cannot be read: extraneous or missing \" in quoted-field",
	} {
		if _, err := csv.Read(csv.Tables{Offers: strings.NewReader(text)}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestBig(t *testing.T) {
	t.Parallel()
	const campaigns, offers = 5000, 20_000
	result, err := csv.Read(csvtest.Big(campaigns, offers))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(result.Document[accountconfig.Campaigns]); n != campaigns || len(result.Links) != campaigns || len(result.Notes) != 1 {
		t.Errorf("%d campaigns, %d links, notes %.3v", n, len(result.Links), result.Notes)
	}
	if n := len(result.Document[accountconfig.Offers]); n != offers {
		t.Errorf("%d offers", n)
	}
}

// FuzzRead: for any content of the tables, the result is a document whose records can be read, or an error.
func FuzzRead(f *testing.F) {
	f.Add("name,url,payout\na,https://a.b,1\n", "name,offers\nc,a:5|b\n", "link,campaign\nhttps://x.y/z,c\n")
	f.Fuzz(func(t *testing.T, offers, campaigns, links string) {
		result, err := csv.Read(csv.Tables{
			Offers: strings.NewReader(offers), Campaigns: strings.NewReader(campaigns), Links: strings.NewReader(links),
		})
		if err == nil {
			movedtest.Decodes(t, result)
		}
	})
}
