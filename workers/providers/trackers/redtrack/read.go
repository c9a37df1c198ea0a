// Package redtrack reads an account through RedTrack's API. The URL of each request contains the API key, so errors must not
// contain the URL.
package redtrack

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/moved"
)

const (
	address = "https://api.redtrack.io"
	perPage = 100
	// maxPages ends the reading of a list whose pages do not end.
	maxPages = 10_000
)

// Read reads an account.
func Read(ctx context.Context, client *http.Client, access trackers.Access, progress trackers.Progress) (trackerimport.Result, error) {
	api, host, err := newAPI(client, access)
	if err != nil {
		return trackerimport.Result{}, err
	}
	return read(ctx, api, host, progress)
}

func newAPI(client *http.Client, access trackers.Access) (api *trackers.API, host string, err error) {
	to := access.URL
	if to == "" {
		to = address
	}
	base, host, err := trackers.Base(to)
	if err != nil {
		return nil, "", err
	}
	api = &trackers.API{Client: client, Base: base, Query: url.Values{"api_key": {access.Key}}, Explain: explain}
	api.Hide(access.Key, url.QueryEscape(access.Key))
	return api, host, nil
}

func explain(status int) string {
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return "RedTrack does not accept the API key"
	}
	return ""
}

type account struct {
	domains, networks, sources, landings, offers, campaign []moved.Value
}

func read(ctx context.Context, api *trackers.API, host string, progress trackers.Progress) (trackerimport.Result, error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	in := account{}
	for _, l := range []struct {
		what, path string
		into       *[]moved.Value
	}{
		{"domains", "/domains", &in.domains},
		{"networks", "/networks", &in.networks},
		{"sources", "/sources", &in.sources},
		{"landing pages", "/landings", &in.landings},
		{"offers", "/offers", &in.offers},
		{"campaigns", "/campaigns", &in.campaign},
	} {
		list, err := pages(ctx, api, l.path, func(done int) { progress(l.what, done, 0) })
		if err != nil {
			return trackerimport.Result{}, err
		}
		*l.into = list
	}
	each := func(ctx context.Context, id string, into any) error {
		return api.Get(ctx, "/campaigns/"+url.PathEscape(id), nil, into)
	}
	var err error
	if in.campaign, err = moved.Each(ctx, in.campaign, "campaigns", progress, each); err != nil {
		return trackerimport.Result{}, err
	}
	return in.result(host), nil
}

// pages reads a list until a page is not full, or has only records of earlier pages.
func pages(ctx context.Context, api *trackers.API, path string, told func(done int)) (out []moved.Value, err error) {
	seen := map[string]bool{}
	for page := 1; page <= maxPages; page++ {
		var answer moved.Value
		query := url.Values{"page": {strconv.Itoa(page)}, "per": {strconv.Itoa(perPage)}}
		if err := api.Get(ctx, path, query, &answer); err != nil {
			return nil, err
		}
		if !answer.IsList() {
			answer = answer.At("items")
		}
		before := len(out)
		for _, v := range answer.List() {
			if id := v.At("id").Text(); !seen[id] {
				seen[id] = true
				out = append(out, v)
			}
		}
		told(len(out))
		if len(answer.List()) < perPage || len(out) == before {
			break
		}
	}
	return out, nil
}
