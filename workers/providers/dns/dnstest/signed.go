package dnstest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // OVH's signatures use SHA-1
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/libdns/libdns"
)

var (
	ovh       = Fake{credentials: withSecrets(map[string]string{"application_key": "app-1"}, "application_secret", "consumer_key"), serve: serveOVH}
	namecheap = Fake{credentials: withSecrets(map[string]string{"api_user": "acme", "client_ip": "192.0.2.4"}, "api_key"), serve: serveNamecheap}
	route53   = Fake{credentials: withSecrets(map[string]string{"access_key_id": "AKIDEXAMPLE"}, "secret_access_key"), Quotes: true, serve: serveRoute53}
)

// raw reads the body and restores it, so that it can be read again.
func (c *call) raw() []byte {
	body, _ := io.ReadAll(c.r.Body)
	c.r.Body = io.NopCloser(bytes.NewReader(body))
	return body
}

func serveOVH(zs *Zones, c *call) {
	refuse := func(status int, code, text string) {
		c.json(status, object{"message": text, "errorCode": code, "httpCode": fmt.Sprintf("%d %s", status, http.StatusText(status))})
	}
	h := c.r.Header
	text := strings.Join([]string{
		c.credentials["application_secret"], c.credentials["consumer_key"], c.r.Method, "https://" + c.r.Host + c.r.RequestURI, string(c.raw()),
		h.Get("X-Ovh-Timestamp"),
	}, "+")
	sum := sha1.Sum([]byte(text)) //nolint:gosec // as above
	switch {
	case h.Get("X-Ovh-Consumer") != c.credentials["consumer_key"]:
		refuse(403, "INVALID_CREDENTIAL", "This credential does not exist")
		return
	case h.Get("X-Ovh-Application") != c.credentials["application_key"], h.Get("X-Ovh-Signature") != "$1$"+hex.EncodeToString(sum[:]):
		refuse(400, "INVALID_SIGNATURE", "Invalid signature")
		return
	}
	if _, ok := c.matches("GET", "/domain/zone"); ok {
		c.json(200, zs.order)
		return
	}
	if part, ok := c.matches("GET", "/domain/zone/*/record"); ok {
		q, ids := c.r.URL.Query(), []int{}
		for i, r := range zs.zones[part[0]] {
			if name, given := q["subDomain"]; !given || name[0] == blank(r.Name) {
				ids = append(ids, i+1)
			}
		}
		c.json(200, ids)
		return
	}
	if part, ok := c.matches("GET", "/domain/zone/*/record/*"); ok {
		if n, err := strconv.Atoi(part[1]); err == nil && n >= 1 && n <= len(zs.zones[part[0]]) {
			r := zs.zones[part[0]][n-1]
			c.json(200, object{"id": n, "zone": part[0], "subDomain": blank(r.Name), "fieldType": r.Type, "target": r.Data, "ttl": ttl(r)})
			return
		}
	}
	if part, ok := c.matches("POST", "/domain/zone/*/refresh"); ok && zs.hasZone(part[0]) {
		c.json(200, nil)
		return
	}
	part, ok := c.matches("POST", "/domain/zone/*/record")
	var b struct {
		FieldType, SubDomain, Target string
		TTL                          int
	}
	switch {
	case !ok || !c.body(&b) || !zs.hasZone(part[0]):
		refuse(404, "NOT_FOUND", "This service does not exist")
	case !zs.add(part[0], record(b.SubDomain, part[0], b.FieldType, b.Target, b.TTL)):
		refuse(409, "CONFLICT", "A conflicting DNS record already exists")
	default:
		c.json(200, object{
			"id": len(zs.zones[part[0]]), "zone": part[0], "subDomain": b.SubDomain, "fieldType": b.FieldType, "target": b.Target, "ttl": b.TTL,
		})
	}
}

func (c *call) xml(status int, text string) {
	c.Header().Set("Content-Type", "text/xml")
	c.WriteHeader(status)
	_, _ = io.WriteString(c, `<?xml version="1.0" encoding="utf-8"?>`+"\n"+text)
}

func escapedXML(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// serveNamecheap serves zones with mail forwarding. A change of records must keep this setting.
func serveNamecheap(zs *Zones, c *call) {
	_ = c.r.ParseForm()
	form := c.r.Form
	answer := func(status, errors, body string) {
		c.xml(200, `<ApiResponse Status="`+status+`" xmlns="http://api.namecheap.com/xml.response"><Errors>`+errors+
			`</Errors><Warnings /><CommandResponse>`+body+`</CommandResponse></ApiResponse>`)
	}
	refuse := func(number, text string) { answer("ERROR", `<Error Number="`+number+`">`+text+`</Error>`, "") }
	if form.Get("ApiKey") != c.credentials["api_key"] || form.Get("ApiUser") != c.credentials["api_user"] || form.Get("ClientIp") != c.credentials["client_ip"] {
		refuse("1011102", "API Key is invalid or API access has not been enabled")
		return
	}
	zone := form.Get("SLD") + "." + form.Get("TLD")
	command := form.Get("Command")
	if strings.HasPrefix(command, "namecheap.domains.dns.") && !zs.hasZone(zone) {
		refuse("2019166", "Domain not found")
		return
	}
	var b strings.Builder
	switch command {
	case "namecheap.domains.getList":
		n, _ := strconv.Atoi(form.Get("Page"))
		size, _ := strconv.Atoi(form.Get("PageSize"))
		part, _ := page(zs.order, n, min(size, 100))
		for _, z := range part {
			fmt.Fprintf(&b, `<Domain ID="%d" Name=%q User="acme" IsExpired="false" IsOurDNS="true" />`, zs.number(z), z)
		}
		answer("OK", "", fmt.Sprintf(`<DomainGetListResult>%s</DomainGetListResult><Paging><TotalItems>%d</TotalItems><CurrentPage>%d</CurrentPage><PageSize>%d</PageSize></Paging>`,
			b.String(), len(zs.order), n, size))
	case "namecheap.domains.dns.getHosts":
		for _, r := range zs.zones[zone] {
			fmt.Fprintf(&b, `<host HostId="1" Name="%s" Type="%s" Address="%s" MXPref="10" TTL="%d" IsActive="true" />`,
				escapedXML(r.Name), r.Type, escapedXML(r.Data), ttl(r))
		}
		answer("OK", "", `<DomainDNSGetHostsResult Domain="`+zone+`" EmailType="FWD" IsUsingOurDNS="true">`+b.String()+`</DomainDNSGetHostsResult>`)
	case "namecheap.domains.dns.setHosts":
		var all []libdns.RR
		for i := 1; form.Get("HostName"+strconv.Itoa(i)) != ""; i++ {
			n := strconv.Itoa(i)
			ttlSeconds, _ := strconv.Atoi(form.Get("TTL" + n))
			all = append(all, record(form.Get("HostName"+n), zone, form.Get("RecordType"+n), form.Get("Address"+n), ttlSeconds))
		}
		if form.Get("EmailType") != "FWD" {
			refuse("2030280", "mail forwarding would be lost")
			return
		}
		before := zs.zones[zone]
		zs.zones[zone] = nil
		for _, r := range all {
			if !zs.add(zone, r) {
				zs.zones[zone] = before
				refuse("3050900", "Unknown error from Enom: duplicate host")
				return
			}
		}
		answer("OK", "", `<DomainDNSSetHostsResult Domain="`+zone+`" IsSuccess="true" />`)
	default:
		refuse("1010105", "Command is not supported")
	}
}

const zonesOfPage = 100

func serveRoute53(zs *Zones, c *call) {
	refuse := func(status int, code, text string) {
		c.xml(status, `<ErrorResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Error><Type>Sender</Type><Code>`+code+
			`</Code><Message>`+escapedXML(text)+`</Message></Error><RequestId>b25f48e8</RequestId></ErrorResponse>`)
	}
	if c.r.Header.Get("Authorization") != awsSignature(c) {
		refuse(403, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided.")
		return
	}
	q := c.r.URL.Query()
	if _, ok := c.matches("GET", "/hostedzone"); ok {
		from := max(slices.Index(zs.order, strings.TrimPrefix(q.Get("marker"), "Z-")), 0)
		part := zs.order[from:min(len(zs.order), from+zonesOfPage)]
		var b strings.Builder
		for _, z := range part {
			fmt.Fprintf(&b, `<HostedZone><Id>/hostedzone/Z-%s</Id><Name>%s.</Name><Config><PrivateZone>false</PrivateZone></Config></HostedZone>`, z, z)
		}
		next, more := "", from+zonesOfPage < len(zs.order)
		if more {
			next = "<NextMarker>Z-" + zs.order[from+zonesOfPage] + "</NextMarker>"
		}
		c.xml(200, fmt.Sprintf(`<ListHostedZonesResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><HostedZones>%s</HostedZones><IsTruncated>%t</IsTruncated>%s<MaxItems>100</MaxItems></ListHostedZonesResponse>`,
			b.String(), more, next))
		return
	}
	if part, ok := c.matches("GET", "/hostedzone/*/rrset"); ok {
		zone := strings.TrimPrefix(part[0], "Z-")
		var b strings.Builder
		for _, s := range sets(zs.zones[zone]) {
			if name := q.Get("name"); full(s[0].Name, zone)+"." < name && name != "" {
				continue
			}
			fmt.Fprintf(&b, `<ResourceRecordSet><Name>%s.</Name><Type>%s</Type><TTL>%d</TTL><ResourceRecords>`, full(s[0].Name, zone), s[0].Type, ttl(s[0]))
			for _, r := range s {
				b.WriteString(`<ResourceRecord><Value>` + escapedXML(r.Data) + `</Value></ResourceRecord>`)
			}
			b.WriteString(`</ResourceRecords></ResourceRecordSet>`)
		}
		c.xml(200, `<ListResourceRecordSetsResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ResourceRecordSets>`+b.String()+
			`</ResourceRecordSets><IsTruncated>false</IsTruncated><MaxItems>100</MaxItems></ListResourceRecordSetsResponse>`)
		return
	}
	part, ok := c.matches("POST", "/hostedzone/*/rrset")
	var b struct {
		XMLName xml.Name `xml:"https://route53.amazonaws.com/doc/2013-04-01/ ChangeResourceRecordSetsRequest"`
		Action  string   `xml:"ChangeBatch>Changes>Change>Action"`
		Name    string   `xml:"ChangeBatch>Changes>Change>ResourceRecordSet>Name"`
		Type    string   `xml:"ChangeBatch>Changes>Change>ResourceRecordSet>Type"`
		TTL     int      `xml:"ChangeBatch>Changes>Change>ResourceRecordSet>TTL"`
		Values  []string `xml:"ChangeBatch>Changes>Change>ResourceRecordSet>ResourceRecords>ResourceRecord>Value"`
	}
	if !ok || xml.Unmarshal(c.raw(), &b) != nil || len(b.Values) == 0 {
		refuse(404, "NoSuchHostedZone", "No hosted zone found")
		return
	}
	zone := strings.TrimPrefix(part[0], "Z-")
	r := record(b.Name, zone, b.Type, b.Values[0], b.TTL)
	switch {
	case b.Action == "UPSERT":
		zs.set(zone, r.Name, r.Type, b.TTL, b.Values)
	case !zs.add(zone, r):
		c.xml(400, `<InvalidChangeBatch xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Messages><Message>Tried to create resource record set but it already exists</Message></Messages></InvalidChangeBatch>`)
		return
	}
	c.xml(200, `<ChangeResourceRecordSetsResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status></ChangeInfo></ChangeResourceRecordSetsResponse>`)
}

// awsSignature returns the value that the header Authorization must have.
func awsSignature(c *call) string {
	timestamp := c.r.Header.Get("X-Amz-Date")
	if len(timestamp) < 8 {
		return "none"
	}
	body := sha256.Sum256(c.raw())
	var lines []string
	q := c.r.URL.Query()
	for name := range q {
		lines = append(lines, strings.ReplaceAll(name+"="+escaped(q.Get(name)), "+", "%20"))
	}
	slices.Sort(lines)
	canonical := sha256.Sum256([]byte(c.r.Method + "\n" + c.r.URL.EscapedPath() + "\n" + strings.Join(lines, "&") +
		"\nhost:" + c.r.Host + "\nx-amz-date:" + timestamp + "\n\nhost;x-amz-date\n" + hex.EncodeToString(body[:])))
	key := []byte("AWS4" + c.credentials["secret_access_key"])
	for _, part := range []string{
		timestamp[:8], "us-east-1", "route53", "aws4_request",
		"AWS4-HMAC-SHA256\n" + timestamp + "\n" + timestamp[:8] + "/us-east-1/route53/aws4_request\n" + hex.EncodeToString(canonical[:]),
	} {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(part))
		key = h.Sum(nil)
	}
	return "AWS4-HMAC-SHA256 Credential=" + c.credentials["access_key_id"] + "/" + timestamp[:8] +
		"/us-east-1/route53/aws4_request, SignedHeaders=host;x-amz-date, Signature=" + hex.EncodeToString(key)
}

// escaped returns a value of a query in the form that signatures use.
func escaped(s string) string {
	var b strings.Builder
	for _, ch := range []byte(s) {
		if ch == '-' || ch == '.' || ch == '_' || ch == '~' || ch >= '0' && ch <= '9' || ch >= 'A' && ch <= 'Z' || ch >= 'a' && ch <= 'z' {
			b.WriteByte(ch)
		} else {
			fmt.Fprintf(&b, "%%%02X", ch)
		}
	}
	return b.String()
}
