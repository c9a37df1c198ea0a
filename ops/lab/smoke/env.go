package smoke

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"switchyard/ops/client"
	"switchyard/ops/lab/fleet"
	"switchyard/ops/visitors"
)

// env holds the ids of the records that were set up on the account, by the names of scenario.go.
type env struct {
	api       *client.API
	pages     *pages
	networks  map[string]string
	sources   map[string]string
	offers    map[string]string
	landers   map[string]string
	campaigns map[string]*campaign
	hooks     map[string]string // endpoint path -> id
}

type campaign struct {
	campaignSpec
	id, link string
	paths    map[string]string // name -> id
}

// build creates all records of scenario.go through the API, except the webhooks.
func build(ctx context.Context, api *client.API, p *pages) (*env, error) {
	w := &env{
		api: api, pages: p, networks: map[string]string{}, sources: map[string]string{}, offers: map[string]string{},
		landers: map[string]string{}, campaigns: map[string]*campaign{}, hooks: map[string]string{},
	}
	for name, spec := range networkSpecs {
		if err := w.create(ctx, w.networks, "/networks", name, spec); err != nil {
			return nil, err
		}
	}
	for name, spec := range sourceSpecs {
		if err := w.create(ctx, w.sources, "/traffic-sources", name, spec); err != nil {
			return nil, err
		}
	}
	for name, slots := range landers {
		if err := w.create(ctx, w.landers, "/landers", name, object{"url": p.lander(name), "click_slots": slots}); err != nil {
			return nil, err
		}
	}
	for _, o := range offers {
		if err := w.create(ctx, w.offers, "/offers", o.name, w.offerBody(o)); err != nil {
			return nil, err
		}
	}
	for _, c := range campaigns {
		if err := w.createCampaign(ctx, c); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *env) create(ctx context.Context, ids map[string]string, path, name string, spec object) error {
	body := object{"name": name}
	for k, v := range spec {
		body[k] = v
	}
	var saved struct{ ID, Name string }
	if err := w.api.Create(ctx, path, body, &saved); err != nil {
		return err
	}
	if len(saved.ID) != 36 || saved.Name != name {
		return fmt.Errorf("POST %s: id %q, name %q", path, saved.ID, saved.Name)
	}
	ids[name] = saved.ID
	return nil
}

func (w *env) offerBody(o offerSpec) object {
	body := object{
		"url": w.pages.offer(o.name), "payout": json.Number(o.payout), "payout_from_param": o.fromParam,
		"currency": "USD",
	}
	if o.percent {
		body["payout_type"] = "percent"
	}
	if o.network != "" {
		body["network_id"] = w.networks[o.network]
	}
	return body
}

// createCampaign creates a campaign with its flow, and reads the ids of its paths.
func (w *env) createCampaign(ctx context.Context, spec campaignSpec) error {
	body := object{"name": spec.name, "alias": spec.name + "-campaign", "source_id": w.sources[spec.source]}
	for k, v := range spec.fields {
		body[k] = v
	}
	if spec.fallback {
		body["fallback_url"] = w.pages.url + "/fallback/" + spec.name + tokens
	}
	var streams []object
	for _, p := range spec.paths {
		streams = append(streams, w.stream(spec, p))
	}
	body["streams"] = streams
	var saved struct{ ID, Alias, URL string }
	if err := w.api.Create(ctx, "/campaigns", body, &saved); err != nil {
		return err
	}
	c := &campaign{campaignSpec: spec, id: saved.ID, link: saved.URL, paths: map[string]string{}}
	if u, err := url.Parse(saved.URL); err != nil || u.Path != "/"+saved.Alias {
		return fmt.Errorf("POST /campaigns: url %q does not end in its alias %q", saved.URL, saved.Alias)
	}
	var got struct {
		Campaign struct{ ID, Name string }
		Streams  []struct{ ID, Name string }
	}
	if err := w.api.Get(ctx, "/campaigns/"+c.id, &got); err != nil {
		return err
	}
	for _, s := range got.Streams {
		c.paths[s.Name] = s.ID
	}
	if got.Campaign.Name != spec.name || len(c.paths) != len(spec.paths) {
		return fmt.Errorf("GET /campaigns/%s: name %q, %d paths", c.id, got.Campaign.Name, len(c.paths))
	}
	w.campaigns[spec.name] = c
	return nil
}

// stream returns a path in the form that the API accepts.
func (w *env) stream(c campaignSpec, p pathSpec) object {
	s := object{"name": p.name, "action": p.action}
	set := func(name string, value any, given bool) {
		if given {
			s[name] = value
		}
	}
	set("stream_type", p.kind, p.kind != "")
	set("transition", p.transition, p.transition != "")
	set("filters", p.filters, p.filters != nil)
	set("logic", "or", p.either)
	set("weight", p.weight, p.weight != 0)
	set("collect_clicks", false, c.uncounted)
	set("campaign_id", w.campaignID(c.target), p.action == "campaign")
	set("response", object{"status": http.StatusNoContent}, p.action == "nothing")
	var to []object
	if p.lander != "" {
		to = append(to, object{"id": w.landers[p.lander], "weight": 100})
	}
	for i, name := range p.offers {
		d := object{"id": w.offers[name], "weight": 100}
		if p.lander != "" {
			d["slot"] = i + 1
		}
		to = append(to, d)
	}
	if p.direct != "" {
		to = append(to, object{"url": w.pages.url + "/direct/" + p.direct + tokens})
	}
	set("destinations", to, to != nil)
	return s
}

func (w *env) campaignID(name string) string {
	if c := w.campaigns[name]; c != nil {
		return c.id
	}
	return ""
}

// name returns the name that scenario.go gives to the record with this id. For an unknown id it returns the id.
func (w *env) name(id string) string {
	for _, ids := range []map[string]string{w.networks, w.sources, w.offers, w.landers} {
		for name, known := range ids {
			if known == id {
				return name
			}
		}
	}
	for _, c := range w.campaigns {
		if c.id == id {
			return c.name
		}
		for name, known := range c.paths {
			if known == id {
				return c.name + "/" + name
			}
		}
	}
	return id
}

// waitLive waits until every tracking link answers, and returns how long that took. A change should be live within a second; a
// busy machine may need 15.
func (t *traffic) waitLive(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	for _, c := range t.campaigns {
		if err := t.waitLink(ctx, c.link); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

func (t *traffic) waitLink(ctx context.Context, link string) error {
	err := client.Poll(ctx, 20*time.Millisecond, func() (bool, error) {
		resp, err := t.request(ctx, http.MethodHead, link, visitor{Agent: visitors.Agent{UserAgent: "probe"}}, "")
		return err == nil && resp.status != http.StatusNotFound, err
	})
	if err != nil {
		return fmt.Errorf("the link %s is not live: %w", link, err)
	}
	return nil
}

// poll calls `done` until it returns true or an error. `late` is true if the time limit ended first.
func poll(ctx context.Context, limit, interval time.Duration, done func() (bool, error)) (late bool, err error) {
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = client.Poll(wait, interval, done)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}

func (w *env) subscribe(ctx context.Context, r *fleet.Receiver) error {
	for path, events := range endpoints {
		var saved struct {
			ID, Secret string
			Active     bool
		}
		body := object{"url": r.URL(path), "events": events, "name": strings.TrimPrefix(path, "/")}
		if err := w.api.Create(ctx, "/webhooks", body, &saved); err != nil {
			return err
		}
		if saved.Secret == "" || !saved.Active {
			return fmt.Errorf("POST /webhooks: secret of %d characters, active %t", len(saved.Secret), saved.Active)
		}
		r.SetSecret(path, saved.Secret)
		w.hooks[path] = saved.ID
	}
	return nil
}
