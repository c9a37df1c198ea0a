package dnstest

import (
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/libdns/libdns"
)

var (
	porkbun  = Fake{credentials: canaries("api_key", "secret_api_key"), MinTTL: 600, serve: servePorkbun}
	bunny    = Fake{credentials: canaries("access_key"), serve: serveBunny}
	desec    = Fake{credentials: canaries("token"), MinTTL: 3600, Quotes: true, serve: serveDesec}
	godaddy  = Fake{credentials: canaries("api_key", "api_secret"), MinTTL: 600, serve: serveGoDaddy}
	gandi    = Fake{credentials: canaries("api_token"), Quotes: true, serve: serveGandi}
	netlify  = Fake{credentials: canaries("api_token"), serve: serveNetlify}
	powerDNS = Fake{credentials: withSecrets(map[string]string{"url": "https://pdns.example.com"}, "api_key"), Quotes: true, serve: servePowerDNS}
)

func servePorkbun(zs *Zones, c *call) {
	refuse := func(text string) { c.json(400, object{"status": "ERROR", "message": text}) }
	var b struct{ APIKey, SecretAPIKey, Start, Name, Type, Content, TTL string }
	switch {
	case c.r.Method != "POST" || !c.body(&b):
		refuse("All HTTP request must use POST.")
	case b.APIKey != c.credentials["api_key"] || b.SecretAPIKey != c.credentials["secret_api_key"]:
		refuse("Invalid API key. (002)")
	case c.path == "/domain/listAll":
		from, _ := strconv.Atoi(b.Start)
		part := zs.order[min(from, len(zs.order)):]
		c.json(200, object{"status": "SUCCESS", "domains": each(part[:min(len(part), 1000)], func(z string) object {
			return object{"domain": z, "status": "ACTIVE", "notLocal": 0}
		})})
	case strings.HasPrefix(c.path, "/dns/retrieve/"):
		zone := strings.TrimPrefix(c.path, "/dns/retrieve/")
		c.json(200, object{"status": "SUCCESS", "cloudflare": "enabled", "records": each(zs.zones[zone], func(r libdns.RR) object {
			return object{
				"id": "1", "name": full(r.Name, zone), "type": r.Type, "content": withoutDot(r), "ttl": strconv.Itoa(ttl(r)), "prio": nil, "notes": "",
			}
		})})
	case strings.HasPrefix(c.path, "/dns/create/"):
		zone := strings.TrimPrefix(c.path, "/dns/create/")
		ttlSeconds, err := strconv.Atoi(b.TTL)
		switch {
		case err != nil || ttlSeconds < 600 || !zs.hasZone(zone):
			refuse("Invalid domain.")
		case !zs.add(zone, record(b.Name, zone, b.Type, b.Content, ttlSeconds)):
			refuse("Create error: We were unable to create the DNS record.")
		default:
			c.json(200, object{"status": "SUCCESS", "id": "106926659"})
		}
	default:
		refuse("Invalid command.")
	}
}

var bunnyTypes = []string{"A", "AAAA", "CNAME", "TXT", "MX"}

func serveBunny(zs *Zones, c *call) {
	if c.r.Header.Get("AccessKey") != c.credentials["access_key"] {
		c.json(401, object{"Message": "Authorization has been denied for this request."})
		return
	}
	show := func(r libdns.RR) object {
		return object{"Id": 1, "Type": slices.Index(bunnyTypes, r.Type), "Ttl": ttl(r), "Value": withoutDot(r), "Name": blank(r.Name)}
	}
	if _, ok := c.matches("GET", "/dnszone"); ok {
		n := c.number("page", 1)
		part, pages := page(zs.order, n, min(c.number("perPage", 100), 100))
		c.json(200, object{"CurrentPage": n, "TotalItems": len(zs.order), "HasMoreItems": n < pages, "Items": each(part, func(z string) object {
			return object{"Id": zs.number(z), "Domain": z, "Records": []object{}}
		})})
		return
	}
	if part, ok := c.matches("GET", "/dnszone/*"); ok {
		zone := zs.numbered(part[0])
		odd := object{"Id": 9, "Type": 99, "Ttl": 60, "Value": "", "Name": "of-tomorrow"}
		c.json(200, object{"Id": zs.number(zone), "Domain": zone, "Records": append(each(zs.zones[zone], show), odd)})
		return
	}
	part, ok := c.matches("PUT", "/dnszone/*/records")
	var b struct {
		Type, TTL   int
		Value, Name string
	}
	if !ok || !c.body(&b) || b.Type >= len(bunnyTypes) {
		c.json(404, object{"ErrorKey": "dnszone.zone.not_found", "Field": "DnsZone", "Message": "The requested DNS zone was not found\r\n"})
		return
	}
	zone := zs.numbered(part[0])
	r := record(b.Name, zone, bunnyTypes[b.Type], b.Value, b.TTL)
	if !zs.add(zone, r) {
		c.json(400, object{"ErrorKey": "validation_error", "Field": "Name", "Message": "A record with this name conflicts with another one\r\n"})
		return
	}
	c.json(201, show(r))
}

// cursorPage answers with a page of a list, and with the next cursor in a header, as deSEC does.
func (c *call) cursorPage(all []object) {
	n, err := strconv.Atoi("0" + c.r.URL.Query().Get("cursor")) // 0 without a cursor
	if _, given := c.r.URL.Query()["cursor"]; !given && len(all) > 500 {
		c.json(400, object{"detail": "Pagination required. You can query up to 500 items at a time (624 total)."})
		return
	}
	part, pages := page(all, max(n, 1), 100)
	if err == nil && max(n, 1) < pages {
		c.Header().Set("Link", `<https://desec.io/api/v1`+c.path+`?cursor=>; rel="first", <https://desec.io/api/v1`+c.path+
			`?cursor=`+strconv.Itoa(max(n, 1)+1)+`>; rel="next"`)
	}
	c.json(200, part)
}

func serveDesec(zs *Zones, c *call) {
	if c.r.Header.Get("Authorization") != "Token "+c.credentials["token"] {
		c.json(401, object{"detail": "Invalid token."})
		return
	}
	if _, ok := c.matches("GET", "/domains/"); ok {
		c.cursorPage(each(zs.order, func(z string) object { return object{"name": z, "minimum_ttl": 3600} }))
		return
	}
	show := func(zone string) func(s []libdns.RR) object {
		return func(s []libdns.RR) object {
			return object{
				"domain": zone, "subname": blank(s[0].Name), "name": full(s[0].Name, zone) + ".", "type": s[0].Type, "ttl": ttl(s[0]),
				"records": datas(s),
			}
		}
	}
	if part, ok := c.matches("GET", "/domains/*/rrsets/"); ok {
		all := zs.zones[part[0]]
		if name, given := c.r.URL.Query()["subname"]; given {
			all = zs.has(part[0], short(name[0], part[0]))
		}
		c.cursorPage(each(sets(all), show(part[0])))
		return
	}
	var b struct {
		Subname, Type string
		TTL           int
		Records       []string
	}
	if part, ok := c.matches("POST", "/domains/*/rrsets/"); ok && c.body(&b) && len(b.Records) == 1 {
		r := record(b.Subname, part[0], b.Type, b.Records[0], b.TTL)
		switch {
		case b.TTL < 3600:
			c.json(400, object{"ttl": []string{"Ensure this value is greater than or equal to 3600."}})
		case b.Type == "CNAME" && !strings.HasSuffix(b.Records[0], "."):
			c.json(400, object{"records": []string{"Hostnames must be fully qualified (i.e., end in a dot)"}})
		case slices.ContainsFunc(zs.has(part[0], r.Name), func(h libdns.RR) bool { return h.Type == r.Type }) || !zs.add(part[0], r):
			c.json(400, object{"non_field_errors": []string{"Another RRset with the same subdomain and type exists for this domain."}})
		default:
			c.json(201, object{"subname": b.Subname, "type": b.Type, "ttl": b.TTL, "records": b.Records})
		}
		return
	}
	if part, ok := c.matches("PATCH", "/domains/*/rrsets/*/*/"); ok && c.body(&b) {
		zs.set(part[0], part[1], part[2], 3600, b.Records)
		c.json(200, object{"subname": part[1], "type": part[2], "ttl": 3600, "records": b.Records})
		return
	}
	c.json(404, object{"detail": "Not found."})
}

func serveGoDaddy(zs *Zones, c *call) {
	refuse := func(status int, code, text string) { c.json(status, object{"code": code, "message": text}) }
	if c.r.Header.Get("Authorization") != "sso-key "+c.credentials["api_key"]+":"+c.credentials["api_secret"] {
		refuse(401, "UNABLE_TO_AUTHENTICATE", "Unauthorized : Could not authenticate API key/secret")
		return
	}
	if _, ok := c.matches("GET", "/domains"); ok {
		all := slices.Sorted(slices.Values(zs.order))
		from := 0
		if marker := c.r.URL.Query().Get("marker"); marker != "" {
			from = slices.Index(all, marker) + 1
		}
		part := all[from:min(len(all), from+min(c.number("limit", 100), 500))]
		c.json(200, each(part, func(z string) object { return object{"domain": z, "domainId": zs.number(z), "status": "ACTIVE"} }))
		return
	}
	if part, ok := c.matches("GET", "/domains/*/records"); ok {
		n := c.number("offset", 1)
		records, pages := page(zs.zones[part[0]], n, min(c.number("limit", 100), 500))
		if n > max(pages, 1) {
			refuse(422, "INVALID_QUERY", "the offset is behind the last page")
			return
		}
		c.json(200, each(records, func(r libdns.RR) object {
			return object{"type": r.Type, "name": r.Name, "data": withoutDot(r), "ttl": ttl(r)}
		}))
		return
	}
	part, ok := c.matches("PATCH", "/domains/*/records")
	var b []struct {
		Type, Name, Data string
		TTL              int
	}
	switch {
	case !ok || !c.body(&b) || len(b) != 1 || b[0].TTL < 600:
		refuse(422, "INVALID_BODY", "Request body doesn't fulfill schema, see details in `fields`")
	case !zs.add(part[0], record(b[0].Name, part[0], b[0].Type, b[0].Data, b[0].TTL)):
		refuse(422, "DUPLICATE_RECORD", "Another record with the same attributes already exists")
	default:
		c.WriteHeader(200)
	}
}

func serveGandi(zs *Zones, c *call) {
	refuse := func(status int, text string) {
		c.json(status, object{"object": "HTTPError", "cause": "Error", "code": status, "message": text})
	}
	if !c.bearer(c.credentials["api_token"]) {
		refuse(401, "The server could not verify that you authorized to access the document you requested.")
		return
	}
	if _, ok := c.matches("GET", "/domains"); ok {
		part, _ := page(zs.order, c.number("page", 1), min(c.number("per_page", 100), 100))
		c.json(200, each(part, func(z string) object { return object{"fqdn": z, "domain_href": "https://api.gandi.net/x"} }))
		return
	}
	if part, ok := c.matches("GET", "/domains/*/records/*"); ok {
		found := zs.has(part[0], part[1])
		if len(found) == 0 {
			refuse(404, "Can't find the DNS record "+part[1])
			return
		}
		c.json(200, each(sets(found), func(s []libdns.RR) object {
			return object{"rrset_name": s[0].Name, "rrset_type": s[0].Type, "rrset_ttl": ttl(s[0]), "rrset_values": datas(s)}
		}))
		return
	}
	var b struct {
		Values []string `json:"rrset_values"`
		TTL    int      `json:"rrset_ttl"`
	}
	if part, ok := c.matches("POST", "/domains/*/records/*/*"); ok && c.body(&b) && len(b.Values) == 1 && b.TTL >= 300 {
		if !zs.add(part[0], record(part[1], part[0], part[2], b.Values[0], b.TTL)) {
			refuse(409, "A DNS Record already exists with same value")
			return
		}
		c.json(201, object{"message": "DNS Record Created"})
		return
	}
	if part, ok := c.matches("PUT", "/domains/*/records/*/*"); ok && c.body(&b) {
		zs.set(part[0], part[1], part[2], b.TTL, b.Values)
		c.json(201, object{"message": "DNS Record Created"})
		return
	}
	refuse(404, "The resource could not be found.")
}

func serveNetlify(zs *Zones, c *call) {
	if !c.bearer(c.credentials["api_token"]) {
		c.json(401, object{"code": 401, "message": "Access Denied"})
		return
	}
	show := func(zone string) func(r libdns.RR) object {
		return func(r libdns.RR) object {
			return object{"id": "5f", "hostname": full(r.Name, zone), "type": r.Type, "value": withoutDot(r), "ttl": ttl(r), "managed": false}
		}
	}
	if _, ok := c.matches("GET", "/dns_zones"); ok {
		part, _ := page(zs.order, c.number("page", 1), min(c.number("per_page", 100), 100))
		c.json(200, each(part, func(z string) object { return object{"id": "id-" + z, "name": z, "records": []object{}} }))
		return
	}
	if part, ok := c.matches("GET", "/dns_zones/*/dns_records"); ok {
		zone := strings.TrimPrefix(part[0], "id-")
		c.json(200, each(zs.zones[zone], show(zone)))
		return
	}
	part, ok := c.matches("POST", "/dns_zones/*/dns_records")
	var b struct {
		Type, Hostname, Value string
		TTL                   int
	}
	if !ok || !c.body(&b) {
		c.json(404, object{"code": 404, "message": "Not Found"})
		return
	}
	zone := strings.TrimPrefix(part[0], "id-")
	r := record(b.Hostname, zone, b.Type, b.Value, b.TTL)
	if !zs.add(zone, r) {
		c.json(422, object{"code": 422, "message": "Unprocessable Entity", "errors": object{"hostname": []string{"already exists"}}})
		return
	}
	c.json(201, show(zone)(r))
}

func servePowerDNS(zs *Zones, c *call) {
	if c.r.Header.Get("X-API-Key") != c.credentials["api_key"] {
		c.WriteHeader(401)
		_, _ = io.WriteString(c, "Unauthorized")
		return
	}
	const base = "/api/v1/servers/localhost/zones"
	if c.path == base && c.r.Method == "GET" {
		c.json(200, each(zs.order, func(z string) object { return object{"id": z + ".", "name": z + ".", "kind": "Native"} }))
		return
	}
	zone, err := url.PathUnescape(strings.TrimSuffix(strings.TrimPrefix(c.path, base+"/"), "."))
	if err != nil || !zs.hasZone(zone) {
		c.json(404, object{"error": "Could not find domain '" + zone + "'"})
		return
	}
	if c.r.Method == "GET" {
		all := zs.zones[zone]
		if name := c.r.URL.Query().Get("rrset_name"); name != "" {
			all = zs.has(zone, short(name, zone))
		}
		c.json(200, object{"name": zone + ".", "rrsets": each(sets(all), func(s []libdns.RR) object {
			return object{"name": full(s[0].Name, zone) + ".", "type": s[0].Type, "ttl": ttl(s[0]), "comments": []any{}, "records": each(s,
				func(r libdns.RR) object { return object{"content": r.Data, "disabled": false} })}
		})})
		return
	}
	var b struct {
		RRSets []struct {
			Name, Type, ChangeType string
			TTL                    int
			Records                []struct {
				Content  string
				Disabled bool
			}
		}
	}
	if c.r.Method != "PATCH" || !c.body(&b) || len(b.RRSets) != 1 || b.RRSets[0].ChangeType != "REPLACE" {
		c.json(422, object{"error": "Changetype 'EXTEND' is not a valid value"})
		return
	}
	set := b.RRSets[0]
	if !strings.HasSuffix(set.Name, ".") {
		c.json(422, object{"error": "DNS Name '" + set.Name + "' is not canonical"})
		return
	}
	data := make([]string, len(set.Records))
	for i, r := range set.Records {
		data[i] = r.Content
	}
	zs.set(zone, short(set.Name, zone), set.Type, set.TTL, data)
	c.WriteHeader(204)
}
