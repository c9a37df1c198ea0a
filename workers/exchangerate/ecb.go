package exchangerate

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"time"

	"switchyard/models"
	"switchyard/workers/egress"
)

const ecbURL = "https://www.ecb.europa.eu"

// MaxBody is the maximum size of an answer of the bank, in bytes. All rates since 1999 are about 8 MB.
const MaxBody = 32 << 20

// documents lists the bank's documents, the smallest first.
var documents = []struct {
	path  string
	reach time.Duration // it has all rates at least this far back; zero: to the first rates
}{
	{"/stats/eurofxref/eurofxref-daily.xml", 24 * time.Hour},
	{"/stats/eurofxref/eurofxref-hist-90d.xml", 80 * 24 * time.Hour},
	{"/stats/eurofxref/eurofxref-hist.xml", 0},
}

type ecb struct {
	egress *egress.Client
	url    string
}

// since reads the smallest document that has all rates after the day in the parameter last. It may also have earlier rates.
func (e ecb) since(ctx context.Context, last, now time.Time) ([]models.Rate, error) {
	for _, d := range documents {
		if d.reach == 0 || last.After(now.Add(-d.reach-24*time.Hour)) {
			return e.read(ctx, d.path)
		}
	}
	return nil, errors.New("rates: no document")
}

func (e ecb) read(ctx context.Context, path string) ([]models.Rate, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url+path, nil)
	if err != nil {
		return nil, fmt.Errorf("rates: %w", err)
	}
	a, err := e.egress.Do(req)
	if err != nil {
		return nil, fmt.Errorf("rates: %s: %w", path, err)
	}
	if a.Status != http.StatusOK {
		return nil, fmt.Errorf("rates: %s: the answer was HTTP %d", path, a.Status)
	}
	list, err := parseECB(a.Body)
	if err != nil {
		return nil, fmt.Errorf("rates: %s: %w", path, err)
	}
	return list, nil
}

// parseECB reads a document: a cube of days, each a cube of currencies. It leaves out a rate that cannot be read or that comes
// again, and rates beyond models.MaxRates. A document without any rate is an error, so that a web page in its place is noticed.
func parseECB(body []byte) ([]models.Rate, error) {
	var doc struct {
		Days []struct {
			Day   string `xml:"time,attr"`
			Rates []struct {
				Currency string `xml:"currency,attr"`
				Rate     string `xml:"rate,attr"`
			} `xml:"Cube"`
		} `xml:"Cube>Cube"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		return nil, fmt.Errorf("the answer is not XML: %w", err)
	}
	type key struct {
		day      time.Time
		currency string
	}
	var list []models.Rate
	seen := map[key]bool{}
	for _, d := range doc.Days {
		for _, r := range d.Rates {
			rate, err := models.NewRate(d.Day, r.Currency, r.Rate, models.RatesOfECB)
			if k := (key{rate.Day, rate.Currency}); err == nil && !seen[k] && len(list) < models.MaxRates {
				seen[k], list = true, append(list, rate)
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the answer has no rates")
	}
	return list, nil
}
