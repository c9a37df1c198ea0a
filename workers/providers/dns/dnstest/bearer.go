package dnstest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libdns/libdns"
)

var (
	hetzner      = Fake{credentials: canaries("api_token"), Quotes: true, serve: serveHetzner}
	digitalOcean = Fake{credentials: canaries("api_token"), serve: serveDigitalOcean}
	linode       = Fake{credentials: canaries("api_token"), serve: serveLinode}
	vultr        = Fake{credentials: canaries("api_key"), Quotes: true, serve: serveVultr}
	dnsimple     = Fake{credentials: canaries("api_token"), serve: serveDNSimple}
)

// record returns a record in libdns' form. The name may be full or relative, and the data may lack the dot at its end.
func record(name, zone, kind, data string, ttl int) libdns.RR {
	return libdns.RR{Name: short(name, zone), Type: kind, Data: dotted(kind, data), TTL: time.Duration(ttl) * time.Second}
}

func ttl(r libdns.RR) int { return int(r.TTL.Seconds()) }

// blank converts a name for providers that write the apex as an empty text.
func blank(name string) string {
	if name == "@" {
		return ""
	}
	return name
}

func (zs *Zones) has(zone, name string) (out []libdns.RR) {
	for _, r := range zs.zones[zone] {
		if r.Name == name {
			out = append(out, r)
		}
	}
	return out
}

// set replaces the records of a name and type with the given data.
func (zs *Zones) set(zone, name, kind string, seconds int, data []string) {
	zs.zones[zone] = slices.DeleteFunc(zs.zones[zone], func(r libdns.RR) bool { return r.Name == name && r.Type == kind })
	for _, d := range data {
		zs.zones[zone] = append(zs.zones[zone], record(name, zone, kind, d, seconds))
	}
}

func each[T any](list []T, show func(T) object) []object {
	out := make([]object, len(list))
	for i, item := range list {
		out[i] = show(item)
	}
	return out
}

func (c *call) bearer(token string) bool { return c.r.Header.Get("Authorization") == "Bearer "+token }

// numbered returns the zone whose number, counted from 1, is the id. It returns "" if there is no such zone.
func (zs *Zones) numbered(id string) string {
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(zs.order) {
		return ""
	}
	return zs.order[n-1]
}

func (zs *Zones) number(zone string) int { return slices.Index(zs.order, zone) + 1 }

// sets groups the records of a list by name and type.
func sets(list []libdns.RR) (out [][]libdns.RR) {
	for _, r := range list {
		i := slices.IndexFunc(out, func(s []libdns.RR) bool { return s[0].Name == r.Name && s[0].Type == r.Type })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], r)
	}
	return out
}

func datas(set []libdns.RR) []string {
	out := make([]string, len(set))
	for i, r := range set {
		out[i] = r.Data
	}
	return out
}

func hetznerError(c *call, status int, code, text string) {
	c.json(status, object{"error": object{"code": code, "message": text, "details": nil}})
}

func serveHetzner(zs *Zones, c *call) {
	if !c.bearer(c.credentials["api_token"]) {
		hetznerError(c, 401, "unauthorized", "unable to authenticate")
		return
	}
	meta := func(n, pages int) object {
		p := object{"page": n, "per_page": 50, "previous_page": nil, "next_page": nil, "last_page": pages}
		if n < pages {
			p["next_page"] = n + 1
		}
		return object{"pagination": p}
	}
	n, size := c.number("page", 1), min(c.number("per_page", 25), 50)
	if _, ok := c.matches("GET", "/zones"); ok {
		part, pages := page(zs.order, n, size)
		c.json(200, object{"meta": meta(n, pages), "zones": each(part, func(z string) object {
			return object{"id": zs.number(z), "name": z, "mode": "primary", "ttl": 3600, "status": "ok"}
		})})
		return
	}
	if part, ok := c.matches("GET", "/zones/*/rrsets"); ok {
		zone := zs.named(part[0])
		all := zs.zones[zone]
		if name := c.r.URL.Query().Get("name"); name != "" {
			all = zs.has(zone, name)
		}
		list, pages := page(sets(all), n, size)
		c.json(200, object{"meta": meta(n, pages), "rrsets": each(list, func(s []libdns.RR) object {
			return object{
				"id": s[0].Name + "/" + s[0].Type, "name": s[0].Name, "type": s[0].Type, "ttl": ttl(s[0]), "zone": 1,
				"records": each(s, func(r libdns.RR) object { return object{"value": r.Data, "comment": ""} }),
			}
		})})
		return
	}
	if _, ok := c.matches("GET", "/actions/*"); ok {
		c.json(200, object{"action": object{"id": 7, "status": "success", "progress": 100, "error": nil}})
		return
	}
	part, ok := c.matches("POST", "/zones/*/rrsets/*/*/actions/add_records")
	var b struct {
		TTL     int
		Records []struct{ Value string }
	}
	if !ok || !c.body(&b) || len(b.Records) != 1 {
		hetznerError(c, 404, "not_found", "not found")
		return
	}
	zone := zs.named(part[0])
	if !zs.add(zone, record(part[1], zone, part[2], b.Records[0].Value, b.TTL)) {
		hetznerError(c, 422, "unprocessable_entity", "CNAME RRSet must not have more than one record")
		return
	}
	c.json(201, object{"action": object{"id": 7, "status": "running", "progress": 0, "error": nil}})
}

// named returns the zone with an id or a name.
func (zs *Zones) named(id string) string {
	if zs.hasZone(id) {
		return id
	}
	return zs.numbered(id)
}

func serveDigitalOcean(zs *Zones, c *call) {
	if !c.bearer(c.credentials["api_token"]) {
		c.json(401, object{"id": "Unauthorized", "message": "Unable to authenticate you"})
		return
	}
	links := func(n, pages int) object {
		if n >= pages {
			return object{}
		}
		next := fmt.Sprintf("https://api.digitalocean.com/v2%s?page=%d", c.path, n+1)
		return object{"pages": object{"next": next, "last": next}}
	}
	show := func(r libdns.RR) object {
		return object{"id": 1, "type": r.Type, "name": r.Name, "data": withoutDot(r), "ttl": ttl(r), "priority": nil}
	}
	n, size := c.number("page", 1), min(c.number("per_page", 20), 200)
	if _, ok := c.matches("GET", "/domains"); ok {
		part, pages := page(zs.order, n, size)
		c.json(200, object{"links": links(n, pages), "meta": object{"total": len(zs.order)}, "domains": each(part, func(z string) object {
			return object{"name": z, "ttl": 1800, "zone_file": nil}
		})})
		return
	}
	if part, ok := c.matches("GET", "/domains/*/records"); ok {
		all := zs.zones[part[0]]
		if name := c.r.URL.Query().Get("name"); name != "" {
			all = zs.has(part[0], short(name, part[0]))
		}
		list, pages := page(all, n, size)
		c.json(200, object{"links": links(n, pages), "meta": object{"total": len(all)}, "domain_records": each(list, show)})
		return
	}
	part, ok := c.matches("POST", "/domains/*/records")
	var b struct {
		Type, Name, Data string
		TTL              int
	}
	switch {
	case !ok || !c.body(&b):
		c.json(404, object{"id": "not_found", "message": "The resource you requested could not be found."})
	case b.Type == "CNAME" && !strings.HasSuffix(b.Data, "."):
		c.json(422, object{"id": "unprocessable_entity", "message": "Data needs to end with a dot (.)"})
	case !zs.add(part[0], record(b.Name, part[0], b.Type, b.Data, b.TTL)):
		c.json(422, object{"id": "unprocessable_entity", "message": "CNAME records cannot share a name with other records"})
	default:
		c.json(201, object{"domain_record": show(record(b.Name, part[0], b.Type, b.Data, b.TTL))})
	}
}

func serveLinode(zs *Zones, c *call) {
	refuse := func(status int, text string) { c.json(status, object{"errors": []object{{"reason": text}}}) }
	if !c.bearer(c.credentials["api_token"]) {
		refuse(401, "Invalid Token")
		return
	}
	n, size := c.number("page", 1), min(c.number("page_size", 100), 500)
	list := func(data []object, pages, total int) {
		c.json(200, object{"data": data, "page": n, "pages": pages, "results": total})
	}
	if _, ok := c.matches("GET", "/domains"); ok {
		part, pages := page(zs.order, n, min(size, 100))
		list(each(part, func(z string) object { return object{"id": zs.number(z), "domain": z, "type": "master"} }), pages, len(zs.order))
		return
	}
	if part, ok := c.matches("GET", "/domains/*/records"); ok {
		zone := zs.numbered(part[0])
		part, pages := page(zs.zones[zone], n, size)
		list(each(part, func(r libdns.RR) object {
			return object{"id": 1, "type": r.Type, "name": blank(r.Name), "target": withoutDot(r), "ttl_sec": ttl(r)}
		}), pages, len(zs.zones[zone]))
		return
	}
	part, ok := c.matches("POST", "/domains/*/records")
	var b struct {
		Type, Name, Target string
		TTL                int `json:"ttl_sec"`
	}
	if !ok || !c.body(&b) {
		refuse(404, "Not found")
		return
	}
	zone := zs.numbered(part[0])
	if !zs.add(zone, record(b.Name, zone, b.Type, b.Target, b.TTL)) {
		c.json(400, object{"errors": []object{{"field": "name", "reason": "hostname conflicts with existing CNAME record"}}})
		return
	}
	c.json(200, object{"id": 1, "type": b.Type, "name": b.Name, "target": b.Target, "ttl_sec": b.TTL})
}

func serveVultr(zs *Zones, c *call) {
	refuse := func(status int, text string) { c.json(status, object{"error": text, "status": status}) }
	if !c.bearer(c.credentials["api_key"]) {
		refuse(401, "Invalid API token.")
		return
	}
	n, err := strconv.Atoi("0" + c.r.URL.Query().Get("cursor")) // 0 without a cursor
	n, size := max(n, 1), min(c.number("per_page", 100), 100)
	meta := func(pages, total int) object {
		next := ""
		if err == nil && n < pages {
			next = strconv.Itoa(n + 1)
		}
		return object{"total": total, "links": object{"next": next, "prev": ""}}
	}
	if _, ok := c.matches("GET", "/domains"); ok {
		part, pages := page(zs.order, n, size)
		c.json(200, object{"meta": meta(pages, len(zs.order)), "domains": each(part, func(z string) object {
			return object{"domain": z, "date_created": "2026-01-01T00:00:00+00:00", "dns_sec": "disabled"}
		})})
		return
	}
	show := func(r libdns.RR) object {
		return object{"id": "cb676a46", "type": r.Type, "name": blank(r.Name), "data": withoutDot(r), "priority": 0, "ttl": ttl(r)}
	}
	if part, ok := c.matches("GET", "/domains/*/records"); ok {
		all := zs.zones[part[0]]
		part, pages := page(all, n, size)
		c.json(200, object{"meta": meta(pages, len(all)), "records": each(part, show)})
		return
	}
	part, ok := c.matches("POST", "/domains/*/records")
	var b struct {
		Type, Name, Data string
		TTL              int
	}
	if !ok || !c.body(&b) {
		refuse(404, "Invalid resource.")
		return
	}
	if !zs.add(part[0], record(b.Name, part[0], b.Type, b.Data, b.TTL)) {
		refuse(400, "A record with that name already exists.")
		return
	}
	c.json(201, object{"record": show(record(b.Name, part[0], b.Type, b.Data, b.TTL))})
}

func serveDNSimple(zs *Zones, c *call) {
	if !c.bearer(c.credentials["api_token"]) {
		c.json(401, object{"message": "Authentication failed"})
		return
	}
	if _, ok := c.matches("GET", "/whoami"); ok {
		c.json(200, object{"data": object{"user": nil, "account": object{"id": 1385, "email": "a@acme.example"}}})
		return
	}
	n, size := c.number("page", 1), min(c.number("per_page", 30), 100)
	list := func(data []object, pages, total int) {
		c.json(200, object{"data": data, "pagination": object{
			"current_page": n, "per_page": size, "total_entries": total, "total_pages": pages,
		}})
	}
	if _, ok := c.matches("GET", "/1385/zones"); ok {
		part, pages := page(zs.order, n, size)
		list(each(part, func(z string) object { return object{"id": zs.number(z), "name": z} }), pages, len(zs.order))
		return
	}
	show := func(r libdns.RR) object {
		return object{"id": 1, "type": r.Type, "name": blank(r.Name), "content": withoutDot(r), "ttl": ttl(r), "system_record": false}
	}
	if part, ok := c.matches("GET", "/1385/zones/*/records"); ok {
		all := zs.zones[part[0]]
		if name, given := c.r.URL.Query()["name"]; given {
			all = zs.has(part[0], short(name[0], part[0]))
		}
		part, pages := page(all, n, size)
		list(each(part, show), pages, len(all))
		return
	}
	part, ok := c.matches("POST", "/1385/zones/*/records")
	var b struct {
		Type, Name, Content string
		TTL                 int
	}
	if !ok || !c.body(&b) {
		c.json(http.StatusNotFound, object{"message": "Zone not found"})
		return
	}
	if !zs.add(part[0], record(b.Name, part[0], b.Type, b.Content, b.TTL)) {
		c.json(400, object{"message": "Validation failed", "errors": object{"base": []string{"Zone record already exists"}}})
		return
	}
	c.json(201, object{"data": show(record(b.Name, part[0], b.Type, b.Content, b.TTL))})
}
