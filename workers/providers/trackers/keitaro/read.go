package keitaro

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
)

// Read reads a tracker through its Admin API. It requests each list once, and the streams of each campaign that is not deleted.
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
	api = &trackers.API{
		Client: client, Base: base + "/admin_api/v1", Header: http.Header{"Api-Key": {access.Key}}, Explain: explain,
	}
	api.Hide(access.Key)
	return api, host, nil
}

func explain(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "Keitaro does not accept the API key"
	case http.StatusPaymentRequired:
		return "this edition of Keitaro has no Admin API: upload a dump of its database"
	case http.StatusNotFound:
		return "there is no Admin API of Keitaro at this address"
	}
	return ""
}

func read(ctx context.Context, api *trackers.API, host string, progress trackers.Progress) (trackerimport.Result, error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	in := install{Host: host}
	var bots struct {
		Value text `json:"value"`
	}
	lists := []struct {
		what, path string
		into       any
	}{
		{"networks", "/affiliate_networks", &in.Networks},
		{"sources", "/traffic_sources", &in.Sources},
		{"domains", "/domains", &in.Domains},
		{"offers", "/offers", &in.Offers},
		{"landing pages", "/landing_pages", &in.Landings},
		{"campaigns", "/campaigns", &in.Campaign},
		{"bot list", "/botlist", &bots},
	}
	for i, l := range lists {
		progress(l.what, i, len(lists))
		if err := api.Get(ctx, l.path, nil, l.into); err != nil {
			return trackerimport.Result{}, err
		}
	}
	in.BotList = string(bots.Value)
	for _, kind := range []string{"campaigns", "offers", "landings", "domains"} {
		var groups list[group]
		err := api.Get(ctx, "/groups", url.Values{"type": {kind}}, &groups)
		if kind == "domains" && isStatus(err, http.StatusBadRequest, http.StatusNotFound, http.StatusNotAcceptable) {
			break // older builds have no groups of domains
		}
		if err != nil {
			return trackerimport.Result{}, err
		}
		in.Groups = append(in.Groups, groups...)
	}
	for i := range in.Campaign {
		c := &in.Campaign[i]
		progress("campaigns", i, len(in.Campaign))
		if c.State.is("deleted") || c.ID == "" {
			continue
		}
		var streams list[stream]
		if err := api.Get(ctx, "/campaigns/"+url.PathEscape(string(c.ID))+"/streams", nil, &streams); isStatus(err, http.StatusNotFound) {
			c.State = "deleted" // after the list was read
		} else if err != nil {
			return trackerimport.Result{}, err
		}
		c.streams = streams
	}
	progress("campaigns", len(in.Campaign), len(in.Campaign))
	return in.result(), nil
}

func isStatus(err error, statuses ...int) bool {
	f, ok := errors.AsType[*trackers.FailureError](err)
	return ok && slices.Contains(statuses, f.Status)
}
