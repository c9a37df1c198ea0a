package safebrowsing

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
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
		query := url.Values{"uri": {shorten(u)}, "threatTypes": {"MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE"}}
		body, err := w.call(ctx, "/v1/uris:search", query, jsonStatus)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			return nil, fmt.Errorf("safebrowsing: answer: %w", err)
		}
		if len(answer.Threat.ThreatTypes) > 0 {
			out[u] = answer.Threat.ThreatTypes
		}
	}
	return out, nil
}

// lookup5 calls Safe Browsing version 5: GET /v5/urls:search, with up to 50 URLs per call. See
// developers.google.com/safe-browsing/reference/rest/v5/urls/search. Answers and errors are protocol buffers in binary form.
type lookup5 struct{ caller }

func (*lookup5) Name() string   { return SafeBrowsing }
func (*lookup5) BatchSize() int { return 50 }

// maxQuery is the maximum number of bytes of the escaped URLs of one call. They are in the address, which has at most
// netguard.MaxURL bytes.
const maxQuery = 1800

// shorten returns a URL without its query, or only its host, if the URL is too long for a call. It returns "" if even the host is
// too long. The lists of threats also contain whole hosts and paths.
func shorten(u string) string {
	if len(url.QueryEscape(u)) <= maxQuery {
		return u
	}
	short, _, _ := strings.Cut(u, "?")
	if len(url.QueryEscape(short)) <= maxQuery {
		return short
	}
	parsed, err := url.Parse(short)
	if err != nil || len(url.QueryEscape(parsed.Host)) > maxQuery {
		return ""
	}
	return parsed.Scheme + "://" + parsed.Host + "/"
}

func (s *lookup5) Lookup(ctx context.Context, urls []string) (map[string][]string, error) {
	out := map[string][]string{}
	for len(urls) > 0 {
		var sent []string // the first of the urls, as many as fit into one call
		size := 0
		for _, u := range urls {
			u = shorten(u)
			if size += len("&urls=") + len(url.QueryEscape(u)); len(sent) > 0 && size > maxQuery {
				break
			}
			sent = append(sent, u)
		}
		if err := s.search(ctx, urls[:len(sent)], sent, out); err != nil {
			return nil, err
		}
		urls = urls[len(sent):]
	}
	return out, nil
}

// search looks up the URLs of one call, and adds the threats of the listed ones to out. sent has the URLs as they are sent.
func (s *lookup5) search(ctx context.Context, urls, sent []string, out map[string][]string) error {
	body, err := s.call(ctx, "/v5/urls:search", url.Values{"urls": sent}, binaryStatus)
	if err != nil {
		return err
	}
	threats, err := readThreats(body)
	if err != nil {
		return fmt.Errorf("safebrowsing: answer: %w", err)
	}
	for _, threat := range threats {
		found := false
		for i, asked := range urls {
			if sent[i] != threat.url && !isExpression(threat.url, sent[i]) {
				continue
			}
			found = true
			for _, kind := range threat.kinds {
				if !slices.Contains(out[asked], kind) {
					out[asked] = append(out[asked], kind)
				}
			}
		}
		if !found {
			return fmt.Errorf("safebrowsing: the list names %.100q, which was not asked for", threat.url)
		}
	}
	return nil
}

// isExpression reports whether a listed address covers the requested address: its host is the same or a parent, and its path is the
// same or a folder above. If the listed address has a query, both path and query must be the same.
func isExpression(listed, asked string) bool {
	if !strings.Contains(listed, "://") {
		listed = "http://" + listed
	}
	l, err := url.Parse(listed)
	if err != nil {
		return false
	}
	a, err := url.Parse(asked)
	if err != nil {
		return false
	}
	host, parent := strings.ToLower(a.Hostname()), strings.ToLower(l.Hostname())
	if host != parent && !strings.HasSuffix(host, "."+parent) {
		return false
	}
	path, prefix := a.EscapedPath(), l.EscapedPath()
	if l.RawQuery != "" {
		return path == prefix && a.RawQuery == l.RawQuery
	}
	return path == prefix || prefix == "" || strings.HasSuffix(prefix, "/") && strings.HasPrefix(path+"/", prefix)
}
