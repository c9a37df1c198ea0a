package models_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"switchyard/models"
)

func TestReadRates(t *testing.T) {
	t.Parallel()
	list, err := models.ReadRates(strings.NewReader("\ufeffday,currency,rate\n# by hand\n2026-01-02, usd ,1.0842\n2026-01-02,JPY,163.4\n"))
	if err != nil || len(list) != 2 || list[0].Currency != "USD" || list[0].Rate.String() != "1.0842" ||
		list[1].Day.Format("2006-01-02") != "2026-01-02" || list[1].Source != models.RatesOfFile {
		t.Errorf("the table is read as %+v, %v, want a rate of USD and one of JPY", list, err)
	}
	for text, want := range map[string]string{
		"":                              "is empty",
		"day,currency,rate\n":           "is empty",
		"2026-01-02,USD\n":              "wrong number of fields",
		"2.1.2026,USD,1\n":              "line 1: \"2.1.2026\" is no day",
		"2026-01-02,DOLLAR,1\n":         "is no currency",
		"2026-01-02,ÄÖ,1\n":             "is no currency",
		"2026-01-02,XXX,1\n":            "is no currency",
		"2026-01-02,EUR,1\n":            "the euro has none",
		"2026-01-02,USD,x\n":            "is no rate",
		"2026-01-02,USD,0\n":            "is no rate",
		"2026-01-02,USD,-1\n":           "is no rate",
		"2026-01-02,USD,1e13\n":         "is no rate",
		"2026-01-02,USD,1e999999999\n":  "is no rate",
		"2026-01-02,USD,1e-999999999\n": "is no rate",
		"2026-01-02,USD,1" + strings.Repeat("0", 50) + "\n":                    "is no rate",
		"2026-01-02,USD,1\n2026-01-03,USD,1\n2026-01-02,usd,1\n":               "line 3: line 1 has the rate",
		"2026-01-02,USD,1\nday,currency,rate\n":                                "line 2",
		"2026-01-02,USD,1\n2026-01-03," + strings.Repeat("U", 1000) + ",1.1\n": "is no currency",
	} {
		if list, err := models.ReadRates(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the table %.40q gives %v and the error %v, want %q in it", text, list, err, want)
		}
	}
}

func TestCrossRate(t *testing.T) {
	t.Parallel()
	rate := decimal.RequireFromString
	for _, c := range []struct{ from, to, want string }{
		{"1", "1.0842", "1.0842"},
		{"1.0842", "1", "0.9223390518354547"},
		{"163.4", "1.0842", "0.0066352509179927"},
		{"1.1", "1.1", "1"},
	} {
		if got := models.CrossRate(rate(c.from), rate(c.to)); !got.Equal(rate(c.want)) {
			t.Errorf("with %s and %s units per euro, the rate from the first currency to the second is %s, want %s", c.from, c.to, got, c.want)
		}
	}
}
