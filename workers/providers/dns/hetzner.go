package dns

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// hetzner is Hetzner's Cloud API. libdns' package for it accepts no HTTP client, and takes a token from the environment if it is
// given none.
type hetzner struct{ rest.API }

func openHetzner(a rest.API, c map[string]string) account {
	a.Sign = rest.Bearer(c["api_token"])
	return &hetzner{a}
}

func (p *hetzner) Zones(ctx context.Context) ([]zone, error) {
	return pages(func(page int) ([]zone, bool, error) {
		var answer struct {
			Zones []listedZone
			hetznerMeta
		}
		err := p.Get(ctx, "/zones", pageQuery(page, hetznerPage), &answer)
		return zonesOf(answer.Zones), answer.more(), err
	})
}

type hetznerMeta struct {
	Meta struct {
		Pagination struct {
			Next *int `json:"next_page"`
		}
	}
}

func (m hetznerMeta) more() bool { return m.Meta.Pagination.Next != nil }

const hetznerPage = 50 // items on a page

func (p *hetzner) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	return pages(func(page int) ([]libdns.RR, bool, error) {
		var answer struct {
			RRSets []struct {
				Name, Type string
				Records    []struct{ Value string }
			}
			hetznerMeta
		}
		query := pageQuery(page, hetznerPage)
		query.Set("name", name)
		err := p.Get(ctx, "/zones/"+url.PathEscape(z.name)+"/rrsets", query, &answer)
		var out []libdns.RR
		for _, set := range answer.RRSets {
			for _, r := range set.Records {
				out = append(out, libdns.RR{Name: set.Name, Type: set.Type, Data: r.Value})
			}
		}
		return out, answer.more(), err
	})
}

// hetznerAction is an operation that continues after the answer.
type hetznerAction struct {
	Action struct {
		ID     int64
		Status string // running, success or error
		Error  *struct{ Message string }
	}
}

func (p *hetzner) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	var a hetznerAction
	err := p.Post(ctx, "/zones/"+url.PathEscape(z.name)+"/rrsets/"+url.PathEscape(r.Name)+"/"+r.Type+"/actions/add_records", map[string]any{
		"ttl": ttlAtLeast(r, 60), "records": []map[string]string{{"value": r.Data}},
	}, &a)
	for wait := 100 * time.Millisecond; err == nil && a.Action.Status == "running"; wait *= 2 {
		select {
		case <-ctx.Done():
			return errors.New("the provider did not finish in time")
		case <-time.After(wait):
		}
		err = p.Get(ctx, "/actions/"+strconv.FormatInt(a.Action.ID, 10), nil, &a)
	}
	if err == nil && a.Action.Error != nil {
		err = &rest.FailureError{Text: a.Action.Error.Message}
	}
	return err
}
