package dns

import (
	"context"
	"encoding/xml"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// namecheap is Namecheap's API, which sets all records of a zone at once. libdns' package for it loses the mail settings when it
// does this. It also splits example.name at the wrong place.
type namecheap struct {
	rest.API
	c map[string]string
}

func openNamecheap(a rest.API, c map[string]string) account {
	a.Failed = func(body []byte) string {
		var answer struct {
			Status string `xml:"Status,attr"`
			Errors []struct {
				Number string `xml:"Number,attr"`
				Text   string `xml:",chardata"`
			} `xml:"Errors>Error"`
		}
		if err := xml.Unmarshal(body, &answer); err != nil || answer.Status == "OK" {
			return ""
		}
		texts := make([]string, len(answer.Errors))
		for i, e := range answer.Errors {
			texts[i] = strings.TrimSpace(e.Text) + " (" + e.Number + ")"
		}
		return strings.Join(texts, "; ") + " "
	}
	a.Denied = func(f *rest.FailureError) bool { // 1010102: API key missing, 1011102: invalid, 1011150: address not allowed
		return strings.Contains(f.Text, "(10101") || strings.Contains(f.Text, "(10111") || strings.Contains(f.Text, "(10110")
	}
	a.Busy = func(f *rest.FailureError) bool { return strings.Contains(f.Text, "(500000)") }
	return &namecheap{a, c}
}

func (p *namecheap) call(ctx context.Context, command string, form url.Values, into any) error {
	form.Set("ApiUser", p.c["api_user"])
	form.Set("UserName", p.c["api_user"])
	form.Set("ApiKey", p.c["api_key"])
	form.Set("ClientIp", p.c["client_ip"])
	form.Set("Command", command)
	answer, err := p.Send(ctx, rest.Request{Method: http.MethodPost, Path: "/xml.response", Body: form})
	if err != nil {
		return err
	}
	if xml.Unmarshal(answer.Body, into) != nil {
		return rest.ErrForm
	}
	return nil
}

const namecheapPage = 100 // zones on a page

func (p *namecheap) Zones(ctx context.Context) ([]zone, error) {
	return pages(func(page int) ([]zone, bool, error) {
		var answer struct {
			Domains []struct {
				Name string `xml:"Name,attr"`
			} `xml:"CommandResponse>DomainGetListResult>Domain"`
			Total int `xml:"CommandResponse>Paging>TotalItems"`
		}
		err := p.call(ctx, "namecheap.domains.getList", url.Values{"Page": {strconv.Itoa(page)}, "PageSize": {strconv.Itoa(namecheapPage)}}, &answer)
		var out []zone
		for _, d := range answer.Domains {
			out = append(out, zone{name: d.Name})
		}
		return out, page*namecheapPage < answer.Total, err
	})
}

type namecheapZone struct {
	Result struct {
		Ours      bool   `xml:"IsUsingOurDNS,attr"`
		EmailType string `xml:"EmailType,attr"`
		Hosts     []struct {
			Name    string `xml:"Name,attr"`
			Type    string `xml:"Type,attr"`
			Address string `xml:"Address,attr"`
			MXPref  string `xml:"MXPref,attr"`
			TTL     string `xml:"TTL,attr"`
		} `xml:",any"`
	} `xml:"CommandResponse>DomainDNSGetHostsResult"`
}

// namecheapForm returns the parameters of a command about a zone. The zone is split into its first label and the rest.
func namecheapForm(zone string) url.Values {
	first, rest, _ := strings.Cut(zone, ".")
	return url.Values{"SLD": {first}, "TLD": {rest}}
}

func (p *namecheap) zone(ctx context.Context, zone string) (all namecheapZone, err error) {
	err = p.call(ctx, "namecheap.domains.dns.getHosts", namecheapForm(zone), &all)
	if err == nil && !all.Result.Ours {
		err = errors.New("the zone is not on the provider's own DNS servers")
	}
	return all, err
}

func (p *namecheap) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	all, err := p.zone(ctx, z.name)
	var out []libdns.RR
	for _, h := range all.Result.Hosts {
		if bare(h.Name) == name {
			out = append(out, libdns.RR{Name: name, Type: h.Type, Data: h.Address})
		}
	}
	return out, err
}

// Append reads all records and sends them back with one more. A change made by others in between is lost.
func (p *namecheap) Append(ctx context.Context, z zone, r libdns.RR, _ []string) error {
	all, err := p.zone(ctx, z.name)
	if err != nil {
		return err
	}
	form := namecheapForm(z.name)
	form.Set("EmailType", all.Result.EmailType)
	var have []libdns.RR
	add := func(i int, name, kind, address, pref, ttl string) {
		n := strconv.Itoa(i + 1)
		form.Set("HostName"+n, name)
		form.Set("RecordType"+n, kind)
		form.Set("Address"+n, address)
		form.Set("TTL"+n, ttl)
		if pref != "" {
			form.Set("MXPref"+n, pref)
		}
	}
	for i, h := range all.Result.Hosts {
		add(i, h.Name, h.Type, h.Address, h.MXPref, h.TTL)
		if bare(h.Name) == bare(r.Name) {
			have = append(have, libdns.RR{Name: r.Name, Type: h.Type, Data: h.Address})
		}
	}
	if _, err := withRecord(have, r); err != nil {
		return err
	}
	add(len(all.Result.Hosts), r.Name, r.Type, r.Data, "", strconv.Itoa(ttlAtLeast(r, 60)))
	var answer struct {
		Result struct {
			Success bool `xml:"IsSuccess,attr"`
		} `xml:"CommandResponse>DomainDNSSetHostsResult"`
	}
	if err := p.call(ctx, "namecheap.domains.dns.setHosts", form, &answer); err != nil {
		return err
	}
	if !answer.Result.Success {
		return errors.New("the provider did not set the records")
	}
	return nil
}
