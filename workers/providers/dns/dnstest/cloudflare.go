package dnstest

import (
	"net/http"
	"strings"
	"time"

	"github.com/libdns/libdns"
	"golang.org/x/net/idna"
)

var cloudflare = Fake{credentials: canaries("api_token"), Quotes: true, serve: serveCloudflare}

func serveCloudflare(zs *Zones, c *call) {
	if c.r.Header.Get("Authorization") != "Bearer "+c.credentials["api_token"] {
		cloudflareError(c, http.StatusUnauthorized, 10000, "Authentication error")
		return
	}
	q := c.r.URL.Query()
	if _, ok := c.matches("GET", "/zones"); ok {
		var zones []string
		for _, z := range zs.order {
			if name := q.Get("name"); name == "" || name == unicodeName(z) {
				zones = append(zones, z)
			}
		}
		cloudflareList(c, zones, func(z string) object { return object{"id": "id-" + z, "name": unicodeName(z), "status": "active"} })
		return
	}
	if part, ok := c.matches("GET", "/zones/*/dns_records"); ok {
		zone := strings.TrimPrefix(part[0], "id-")
		var found []libdns.RR
		for _, r := range zs.zones[zone] {
			if name := q.Get("name"); name == "" || name == full(r.Name, zone) {
				found = append(found, r)
			}
		}
		cloudflareList(c, found, func(r libdns.RR) object { return cloudflareRecord(r, zone) })
		return
	}
	if part, ok := c.matches("POST", "/zones/*/dns_records"); ok {
		zone := strings.TrimPrefix(part[0], "id-")
		var b struct {
			Type, Name, Content string
			TTL                 int
			Proxied             bool
			// libdns/cloudflare sends these too, without a value.
			Created  any `json:"created_on"`
			Modified any `json:"modified_on"`
			Data     any
		}
		if !c.body(&b) || !zs.hasZone(zone) || b.Proxied || !strings.HasSuffix("."+b.Name, "."+zone) {
			cloudflareError(c, http.StatusBadRequest, 9207, "Request body is invalid.")
			return
		}
		r := libdns.RR{
			Name: short(b.Name, zone), Type: b.Type, Data: dotted(b.Type, b.Content), TTL: time.Duration(b.TTL) * time.Second,
		}
		if !zs.add(zone, r) {
			cloudflareError(c, http.StatusBadRequest, 81053, "An A, AAAA, or CNAME record with that host already exists.")
			return
		}
		c.json(http.StatusOK, cloudflareAnswer(cloudflareRecord(r, zone)))
		return
	}
	cloudflareError(c, http.StatusNotFound, 7003, "Could not route to "+c.path)
}

// unicodeName returns a zone's name with letters beyond ASCII, as Cloudflare shows it.
func unicodeName(zone string) string {
	name, err := idna.ToUnicode(zone)
	if err != nil {
		return zone
	}
	return name
}

func cloudflareRecord(r libdns.RR, zone string) object {
	return object{
		"id": "r-" + r.Name, "type": r.Type, "name": full(r.Name, zone), "content": withoutDot(r), "ttl": int(r.TTL.Seconds()),
		"proxied": false, "zone_id": "id-" + zone,
	}
}

func cloudflareAnswer(result any) object {
	return object{"success": true, "errors": []any{}, "messages": []any{}, "result": result}
}

func cloudflareList[T any](c *call, all []T, show func(T) object) {
	n, size := c.number("page", 1), min(c.number("per_page", 20), 50)
	if strings.HasSuffix(c.path, "/dns_records") {
		size = c.number("per_page", 100)
	}
	part, pages := page(all, n, size)
	result := []object{}
	for _, item := range part {
		result = append(result, show(item))
	}
	answer := cloudflareAnswer(result)
	answer["result_info"] = object{
		"page": n, "per_page": size, "count": len(part), "total_count": len(all), "total_pages": pages,
	}
	c.json(http.StatusOK, answer)
}

func cloudflareError(c *call, status, code int, text string) {
	c.json(status, object{
		"success": false, "errors": []object{{"code": code, "message": text}}, "messages": []any{}, "result": nil,
	})
}
