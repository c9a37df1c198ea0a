package dns

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest"
)

// route53 is Amazon's API. libdns' package for it accepts no HTTP client, and uses the credentials of the worker's machine if it
// gets no other credentials.
type route53 struct{ rest.API }

func openRoute53(a rest.API, c map[string]string) account {
	a.Sign = func(r *http.Request, body []byte) {
		signAWS(r, body, c["access_key_id"], c["secret_access_key"], a.Now().UTC().Format(awsTime))
	}
	a.Failed = func(body []byte) string {
		var answer struct {
			XMLName xml.Name
			Code    string   `xml:"Error>Code"`
			Text    string   `xml:"Error>Message"`
			Lines   []string `xml:"Messages>Message"`
		}
		if xml.Unmarshal(body, &answer) != nil || !strings.HasPrefix(answer.XMLName.Local, "Error") && answer.XMLName.Local != "InvalidChangeBatch" {
			return ""
		}
		return strings.TrimSpace(answer.Code + " " + answer.Text + strings.Join(answer.Lines, "; "))
	}
	a.Busy = func(f *rest.FailureError) bool {
		return strings.HasPrefix(f.Text, "Throttling") || strings.HasPrefix(f.Text, "PriorRequestNotComplete")
	}
	return &route53{a}
}

// awsTime is the form of a time in a signature.
const awsTime = "20060102T150405Z"

// signAWS signs a request with AWS Signature Version 4, for Route 53 and its only region.
func signAWS(r *http.Request, body []byte, id, secret, at string) {
	hash := func(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }
	mac := func(key []byte, text string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	r.Header.Set("X-Amz-Date", at)
	// Encode sorts the parameters and writes a space as "+".
	query := strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20")
	canonical := strings.Join([]string{
		r.Method, r.URL.EscapedPath(), query, "host:" + r.URL.Host, "x-amz-date:" + at, "", "host;x-amz-date", hash(body),
	}, "\n")
	scope := at[:8] + "/us-east-1/route53/aws4_request"
	text := strings.Join([]string{"AWS4-HMAC-SHA256", at, scope, hash([]byte(canonical))}, "\n")
	key := []byte("AWS4" + secret)
	for _, part := range strings.Split(scope, "/") {
		key = mac(key, part)
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+id+"/"+scope+", SignedHeaders=host;x-amz-date, Signature="+
		hex.EncodeToString(mac(key, text)))
}

func (p *route53) read(ctx context.Context, path string, query url.Values, into any) error {
	answer, err := p.Send(ctx, rest.Request{Method: http.MethodGet, Path: path, Query: query})
	if err != nil {
		return err
	}
	if xml.Unmarshal(answer.Body, into) != nil {
		return rest.ErrForm
	}
	return nil
}

func (p *route53) Zones(ctx context.Context) ([]zone, error) {
	query := url.Values{"maxitems": {"100"}}
	return pages(func(int) ([]zone, bool, error) {
		var answer struct {
			Zones []struct {
				ID      string `xml:"Id"`
				Name    string
				Private bool `xml:"Config>PrivateZone"`
			} `xml:"HostedZones>HostedZone"`
			IsTruncated bool
			NextMarker  string
		}
		err := p.read(ctx, "/hostedzone", query, &answer)
		var out []zone
		for _, z := range answer.Zones {
			if !z.Private {
				out = append(out, zone{z.Name, strings.TrimPrefix(z.ID, "/hostedzone/")})
			}
		}
		query.Set("marker", answer.NextMarker)
		return out, answer.IsTruncated, err
	})
}

// awsSet is a set of records. It may have an alias in place of records.
type awsSet struct {
	Name    string
	Type    string
	ID      string   `xml:"SetIdentifier,omitempty"`
	TTL     int      `xml:",omitempty"`
	Records []string `xml:"ResourceRecords>ResourceRecord>Value"`
	Alias   string   `xml:"AliasTarget>DNSName,omitempty"`
}

func (p *route53) sets(ctx context.Context, z zone, name string) ([]awsSet, error) {
	full := absolute(name, z.name) + "."
	var answer struct {
		Sets []awsSet `xml:"ResourceRecordSets>ResourceRecordSet"`
	}
	err := p.read(ctx, "/hostedzone/"+url.PathEscape(z.id)+"/rrset", url.Values{"name": {full}, "maxitems": {"100"}}, &answer)
	// The answer also has the sets of the names that follow.
	return slices.DeleteFunc(answer.Sets, func(set awsSet) bool { return !strings.EqualFold(set.Name, full) }), err
}

func (p *route53) Records(ctx context.Context, z zone, name string) ([]libdns.RR, error) {
	sets, err := p.sets(ctx, z, name)
	var out []libdns.RR
	for _, set := range sets {
		out = append(out, recordsOf(name, set.Type, set.Records...)...)
		if set.Alias != "" {
			out = append(out, libdns.RR{Name: name, Type: set.Type, Data: set.Alias})
		}
	}
	return out, err
}

func (p *route53) Append(ctx context.Context, z zone, r libdns.RR, set []string) error {
	var change struct {
		XMLName xml.Name `xml:"https://route53.amazonaws.com/doc/2013-04-01/ ChangeResourceRecordSetsRequest"`
		Action  string   `xml:"ChangeBatch>Changes>Change>Action"`
		Set     awsSet   `xml:"ChangeBatch>Changes>Change>ResourceRecordSet"`
	}
	change.Action = "CREATE"
	if len(set) > 1 {
		change.Action = "UPSERT"
	}
	change.Set = awsSet{Name: absolute(r.Name, z.name) + ".", Type: r.Type, TTL: ttlAtLeast(r, 0), Records: set}
	body, err := xml.Marshal(change)
	if err != nil {
		return err
	}
	_, err = p.Send(ctx, rest.Request{
		Method: http.MethodPost, Path: "/hostedzone/" + url.PathEscape(z.id) + "/rrset", Body: body, Kind: "application/xml",
	})
	return err
}
