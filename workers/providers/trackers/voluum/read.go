// Package voluum reads an account through Voluum's API: a list of each kind, then each record.
package voluum

import (
	"context"
	"net/http"
	"net/url"

	"switchyard/models/trackerimport"
	"switchyard/workers/providers/trackers"
	"switchyard/workers/providers/trackers/moved"
)

const (
	address = "https://api.voluum.com"
	header  = "Cwauth-Token"
)

// Read reads an account. The access has the id and the secret of an access key.
func Read(ctx context.Context, client *http.Client, access trackers.Access, progress trackers.Progress) (trackerimport.Result, error) {
	api, host, err := newAPI(client, access)
	if err != nil {
		return trackerimport.Result{}, err
	}
	return read(ctx, api, host, access, progress)
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
	api = &trackers.API{Client: client, Base: base, Header: http.Header{}, Explain: explain}
	api.Hide(access.Key, access.ID)
	return api, host, nil
}

func explain(status int) string {
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return "Voluum does not accept the access key"
	}
	return ""
}

// signIn opens a session for the rest of the run.
func signIn(ctx context.Context, api *trackers.API, access trackers.Access) error {
	var answer moved.Value
	body := map[string]string{"accessId": access.ID, "accessKey": access.Key}
	if err := api.Do(ctx, http.MethodPost, "/auth/access/session", nil, body, &answer); err != nil {
		return err
	}
	token := answer.At("token").Text()
	if token == "" {
		return &trackers.FailureError{Text: "Voluum opened no session for the access key"}
	}
	api.Hide(token)
	api.Header.Set(header, token)
	return nil
}

type account struct {
	domains                                             moved.Value
	networks, sources, landers, offers, flows, campaign []moved.Value
}

func read(
	ctx context.Context, api *trackers.API, host string, access trackers.Access, progress trackers.Progress,
) (trackerimport.Result, error) {
	if err := signIn(ctx, api, access); err != nil {
		return trackerimport.Result{}, err
	}
	in := account{}
	if err := api.Get(ctx, "/tracker-domain", nil, &in.domains); err != nil {
		return trackerimport.Result{}, err
	}
	for _, l := range []struct {
		what, path, member string
		into               *[]moved.Value
	}{
		{"networks", "/affiliate-network", "affiliateNetworks", &in.networks},
		{"sources", "/traffic-source", "trafficSources", &in.sources},
		{"landing pages", "/lander", "landers", &in.landers},
		{"offers", "/offer", "offers", &in.offers},
		{"flows", "/flow", "flows", &in.flows},
		{"campaigns", "/campaign", "campaigns", &in.campaign},
	} {
		var list moved.Value
		if err := api.Get(ctx, l.path, nil, &list); err != nil {
			return trackerimport.Result{}, err
		}
		each := func(ctx context.Context, id string, into any) error {
			return api.Get(ctx, l.path+"/"+url.PathEscape(id), nil, into)
		}
		records, err := moved.Each(ctx, list.At(l.member).List(), l.what, progress, each)
		if err != nil {
			return trackerimport.Result{}, err
		}
		*l.into = records
	}
	return in.result(host), nil
}
