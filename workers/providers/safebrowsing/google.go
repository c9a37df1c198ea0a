package safebrowsing

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

const (
	webRiskURL      = "https://webrisk.googleapis.com"
	safeBrowsingURL = "https://safebrowsing.googleapis.com"
)

// webRisk calls Web Risk: GET /v1/uris:search, with one URL per call.
type webRisk struct{ caller }

func (*webRisk) Name() string   { return WebRisk }
func (*webRisk) BatchSize() int { return 1 }

func (w *webRisk) Lookup(ctx context.Context, urls []string) (map[string][]string, error) {
	out := map[string][]string{}
	for _, u := range urls {
		var answer struct {
			Threat struct {
				ThreatTypes []string `json:"threatTypes"`
			} `json:"threat"`
		}
		query := url.Values{"uri": {u}, "threatTypes": {"MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE"}}
		if err := w.call(ctx, http.MethodGet, "/v1/uris:search", query, nil, &answer); err != nil {
			return nil, err
		}
		if len(answer.Threat.ThreatTypes) > 0 {
			out[u] = answer.Threat.ThreatTypes
		}
	}
	return out, nil
}

// lookup4 calls Safe Browsing version 4: POST /v4/threatMatches:find, with up to 500 URLs per call.
type lookup4 struct{ caller }

func (*lookup4) Name() string   { return SafeBrowsing }
func (*lookup4) BatchSize() int { return 500 }

type entry struct {
	URL string `json:"url"`
}

func (s *lookup4) Lookup(ctx context.Context, urls []string) (map[string][]string, error) {
	entries := make([]entry, len(urls))
	for i, u := range urls {
		entries[i] = entry{u}
	}
	body, err := json.Marshal(map[string]any{
		"client": map[string]string{"clientId": "switchyard", "clientVersion": "1.0"},
		"threatInfo": map[string]any{
			"threatTypes":      []string{"MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE", "POTENTIALLY_HARMFUL_APPLICATION"},
			"platformTypes":    []string{"ANY_PLATFORM"},
			"threatEntryTypes": []string{"URL"},
			"threatEntries":    entries,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("safebrowsing: request: %w", err)
	}
	var answer struct {
		Matches []struct {
			ThreatType string `json:"threatType"`
			Threat     entry  `json:"threat"`
		} `json:"matches"`
	}
	if err := s.call(ctx, http.MethodPost, "/v4/threatMatches:find", url.Values{}, body, &answer); err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, m := range answer.Matches {
		out[m.Threat.URL] = append(out[m.Threat.URL], m.ThreatType)
	}
	return out, nil
}
