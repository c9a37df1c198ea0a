package main

import (
	"net/http"
	"strings"
	"time"

	"switchyard/ops/lab/bench"
	"switchyard/workers/providers/ads/adstest"
	"switchyard/workers/providers/networks/networkstest"
)

// platforms are the fakes that the adapters of the service are held against.
type platforms struct {
	networks networkstest.World
	spend    adstest.World
	uploads  adstest.Uploads
}

// ServeHTTP implements bench.Platforms. Meta takes conversions; other ad platforms tell spend.
func (p *platforms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch _, network := networkstest.Fakes[name]; {
	case network:
		p.networks.Handler().ServeHTTP(w, r)
	case adstest.UploadTokens[name] != nil:
		p.uploads.ServeHTTP(w, r)
	default:
		p.spend.Handler().ServeHTTP(w, r)
	}
}

// Credentials implements bench.Platforms.
func (p *platforms) Credentials(provider string) map[string]string {
	if fake, ok := networkstest.Fakes[provider]; ok {
		return fake.Credentials()
	}
	if uploads, ok := adstest.UploadTokens[provider]; ok {
		return uploads
	}
	return adstest.Fakes[provider].Credentials()
}

// Have implements bench.Platforms.
func (p *platforms) Have(orders []bench.Order, spend []bench.Spend) {
	list := make([]networkstest.Order, len(orders))
	for i, o := range orders {
		list[i] = networkstest.Order{ID: o.ID, Click: o.Click, Status: "approved", Payout: "1.25", Currency: "USD", At: o.At}
	}
	p.networks.Set(list...)
	rows := make([]adstest.Row, len(spend))
	for i, s := range spend {
		rows[i] = adstest.Row{Day: s.Day.Format(time.DateOnly), Campaign: s.Campaign, Name: "Brand " + s.Campaign, Spend: "0.75", Clicks: 3, Impressions: 90}
	}
	p.spend.Set(rows...)
}

// Uploaded implements bench.Platforms.
func (p *platforms) Uploaded() int { return len(p.uploads.Taken("meta")) }
