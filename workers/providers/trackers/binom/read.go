// Package binom reads a Binom tracker, version 2, through its API. It asks for the lists that Binom's menus show, and then for
// each source, landing page, offer, rotation and campaign.
package binom

import (
	"context"
	"net/http"
	"net/url"

	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/moved"
)

// Read reads a tracker.
func Read(ctx context.Context, client *http.Client, access trackers.Access, progress trackers.Progress) (trackerimport.Result, error) {
	api, host, err := newAPI(client, access)
	if err != nil {
		return trackerimport.Result{}, err
	}
	return read(ctx, api, host, progress)
}

func newAPI(client *http.Client, access trackers.Access) (api *trackers.API, host string, err error) {
	base, host, err := trackers.Base(access.URL)
	if err != nil {
		return nil, "", err
	}
	api = &trackers.API{Client: client, Base: base + "/public/api/v1", Header: http.Header{"Api-Key": {access.Key}}, Explain: explain}
	api.Hide(access.Key)
	return api, host, nil
}

func explain(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "Binom does not accept the API key"
	case http.StatusNotFound:
		return "there is no API of Binom 2 at this address"
	}
	return ""
}

type install struct {
	groups, domains, networks                      moved.Value
	sources, landings, offers, rotations, campaign []moved.Value
}

func read(ctx context.Context, api *trackers.API, host string, progress trackers.Progress) (trackerimport.Result, error) {
	in := install{}
	for _, l := range []struct {
		path string
		into *moved.Value
	}{{"/groups", &in.groups}, {"/domains", &in.domains}, {"/affiliate_network/list/filtered", &in.networks}} {
		if err := api.Get(ctx, l.path, nil, l.into); err != nil {
			return trackerimport.Result{}, err
		}
	}
	for _, l := range []struct {
		what, path string
		into       *[]moved.Value
	}{
		{"sources", "/traffic_source", &in.sources},
		{"landing pages", "/landing", &in.landings},
		{"offers", "/offer", &in.offers},
		{"rotations", "/rotation", &in.rotations},
		{"campaigns", "/campaign", &in.campaign},
	} {
		var list moved.Value
		if err := api.Get(ctx, l.path+"/list/filtered", nil, &list); err != nil {
			return trackerimport.Result{}, err
		}
		each := func(ctx context.Context, id string, into any) error {
			return api.Get(ctx, l.path+"/"+url.PathEscape(id), nil, into)
		}
		records, err := moved.Each(ctx, list.List(), l.what, progress, each)
		if err != nil {
			return trackerimport.Result{}, err
		}
		*l.into = records
	}
	return in.result(host), nil
}
