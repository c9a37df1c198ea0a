// Package csvtest has tables for the tests of package csv.
package csvtest

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"strings"

	"switchyard/workers/providers/trackers/csv"
)

//go:embed testdata
var fixtures embed.FS

// Fixture returns the tables of a fixture. The tables of the fixture "plain" are in testdata/plain/in.
func Fixture(name string) csv.Tables {
	open := func(file string) io.Reader {
		raw, err := fixtures.ReadFile("testdata/" + name + "/in/" + file)
		if err != nil {
			panic("csvtest: " + err.Error())
		}
		return bytes.NewReader(raw)
	}
	return csv.Tables{Name: "old.example", Offers: open("offers.csv"), Campaigns: open("campaigns.csv"), Links: open("links.csv")}
}

// Big returns tables with many campaigns and offers.
func Big(campaigns, offers int) csv.Tables {
	var o, c, l strings.Builder
	o.WriteString("id,name,url,network,payout,currency\n")
	for i := 1; i <= offers; i++ {
		fmt.Fprintf(&o, "%d,Offer %d,https://offer.example/%d?s={clickid},Big network,%d.5,USD\n", i, i, i, i%50)
	}
	c.WriteString("id,name,domain,source,cost_model,cost,currency,offers\n")
	l.WriteString("link,campaign\n")
	for i := 1; i <= campaigns; i++ {
		fmt.Fprintf(&c, "big%06d,Campaign %d,go.big.example,Big source,cpc,0.05,USD,%d:70|%d:30\n", i, i, i%offers+1, (i+1)%offers+1)
		fmt.Fprintf(&l, "https://go.big.example/click?key=k%d,big%06d\n", i, i)
	}
	return csv.Tables{Name: "big.example", Offers: strings.NewReader(o.String()), Campaigns: strings.NewReader(c.String()), Links: strings.NewReader(l.String())}
}
