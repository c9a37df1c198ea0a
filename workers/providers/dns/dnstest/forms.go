package dnstest

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// form describes a method of a provider: its query and its body, as the sources in source.md show them. In path, a star stands for
// any part between slashes. A name in body may be a path, such as records.value. A star at the end of such a name stands for any
// text, and a # for a number. The names in need must be in the body.
type form struct {
	method, path      string
	query, body, need string
	kind              string // content type of the body; empty: application/json
}

const (
	formKind = "application/x-www-form-urlencoded"
	xmlKind  = "application/xml"
)

// forms has the methods of each provider. source.md names where they come from.
var forms = map[string][]form{
	"cloudflare": {
		{method: "GET", path: "/zones", query: "name status account.id account.name page per_page order direction match"},
		{method: "GET", path: "/zones/*/dns_records", query: "name type content page per_page order direction match name.exact"},
		{
			method: "POST", path: "/zones/*/dns_records", need: "type name content ttl",
			body: "id type name content priority proxiable proxied ttl locked zone_id zone_name created_on modified_on data data.* meta meta.* settings settings.* comment tags",
		},
	},
	"hetzner": {
		{method: "GET", path: "/zones", query: "name mode label_selector sort page per_page"},
		{method: "GET", path: "/zones/*/rrsets", query: "name type label_selector sort page per_page"},
		{method: "GET", path: "/actions/*"},
		{method: "POST", path: "/zones/*/rrsets/*/*/actions/add_records", body: "ttl records records.value records.comment", need: "records.value"},
	},
	"digitalocean": {
		{method: "GET", path: "/domains", query: "page per_page"},
		{method: "GET", path: "/domains/*/records", query: "name type page per_page"},
		{method: "POST", path: "/domains/*/records", body: "type name data priority port ttl weight flags tag", need: "type name data"},
	},
	"linode": {
		{method: "GET", path: "/domains", query: "page page_size"},
		{method: "GET", path: "/domains/*/records", query: "page page_size"},
		{method: "POST", path: "/domains/*/records", body: "type name target ttl_sec priority port weight protocol service tag", need: "type"},
	},
	"vultr": {
		{method: "GET", path: "/domains", query: "per_page cursor"},
		{method: "GET", path: "/domains/*/records", query: "per_page cursor"},
		{method: "POST", path: "/domains/*/records", body: "type name data ttl priority", need: "type name data"},
	},
	"dnsimple": {
		{method: "GET", path: "/whoami"},
		{method: "GET", path: "/*/zones", query: "name_like sort page per_page"},
		{method: "GET", path: "/*/zones/*/records", query: "name name_like type sort page per_page"},
		{method: "POST", path: "/*/zones/*/records", body: "zone_id type name content ttl priority regions", need: "type name content"},
	},
	"porkbun": {
		{method: "POST", path: "/domain/listAll", body: "apikey secretapikey start includeLabels", need: "apikey secretapikey"},
		{method: "POST", path: "/dns/retrieve/*", body: "apikey secretapikey", need: "apikey secretapikey"},
		{method: "POST", path: "/dns/create/*", body: "apikey secretapikey name type content ttl prio notes", need: "apikey secretapikey type content"},
	},
	"bunny": {
		{method: "GET", path: "/dnszone", query: "page perPage search"},
		{method: "GET", path: "/dnszone/*"},
		{
			method: "PUT", path: "/dnszone/*/records", need: "Type Value Name",
			body: "Type Ttl Value Name Weight Priority Flags Tag Port PullZoneId ScriptId Accelerated MonitorType GeolocationLatitude GeolocationLongitude LatencyZone SmartRoutingType Disabled EnviromentalVariables Comment",
		},
	},
	"desec": {
		{method: "GET", path: "/domains/", query: "cursor owns_qname"},
		{method: "GET", path: "/domains/*/rrsets/", query: "cursor subname type"},
		{method: "POST", path: "/domains/*/rrsets/", body: "subname type ttl records", need: "subname type ttl records"},
		{method: "PATCH", path: "/domains/*/rrsets/*/*/", body: "subname type ttl records"},
	},
	"godaddy": {
		{method: "GET", path: "/domains", query: "statuses statusGroups limit marker includes modifiedDate"},
		{method: "GET", path: "/domains/*/records", query: "offset limit"},
		{method: "PATCH", path: "/domains/*/records", body: "type name data ttl port priority protocol service weight", need: "type name data"},
	},
	"gandi": {
		{method: "GET", path: "/domains", query: "page per_page sort_by"},
		{method: "GET", path: "/domains/*/records/*", query: "page per_page"},
		{method: "POST", path: "/domains/*/records/*/*", body: "rrset_values rrset_ttl", need: "rrset_values"},
		{method: "PUT", path: "/domains/*/records/*/*", body: "rrset_values rrset_ttl", need: "rrset_values"},
	},
	"netlify": {
		{method: "GET", path: "/dns_zones", query: "account_slug page per_page"},
		{method: "GET", path: "/dns_zones/*/dns_records"},
		{method: "POST", path: "/dns_zones/*/dns_records", body: "type hostname value ttl priority weight port flag tag", need: "type hostname value"},
	},
	"powerdns": {
		{method: "GET", path: "/api/v1/servers/*/zones", query: "zone dnssec"},
		{method: "GET", path: "/api/v1/servers/*/zones/*", query: "rrsets rrset_name rrset_type include_disabled"},
		{
			method: "PATCH", path: "/api/v1/servers/*/zones/*", need: "rrsets.name rrsets.type rrsets.changetype rrsets.ttl rrsets.records.content",
			body: "rrsets rrsets.name rrsets.type rrsets.ttl rrsets.changetype rrsets.records rrsets.records.content rrsets.records.disabled rrsets.comments",
		},
	},
	"ovh": {
		{method: "GET", path: "/domain/zone", query: "iamTags"},
		{method: "GET", path: "/domain/zone/*/record", query: "fieldType subDomain"},
		{method: "GET", path: "/domain/zone/*/record/*"},
		{method: "POST", path: "/domain/zone/*/record", body: "fieldType subDomain target ttl", need: "fieldType target"},
		{method: "POST", path: "/domain/zone/*/refresh"},
	},
	"route53": {
		{method: "GET", path: "/hostedzone", query: "marker maxitems delegationsetid hostedzonetype"},
		{method: "GET", path: "/hostedzone/*/rrset", query: "name type identifier maxitems"},
		{method: "POST", path: "/hostedzone/*/rrset", kind: xmlKind},
	},
	"googleclouddns": {
		{method: "POST", path: "/token", kind: formKind, body: "grant_type assertion", need: "grant_type assertion"},
		{method: "GET", path: "/dns/v1/projects/*/managedZones", query: "maxResults pageToken dnsName"},
		{method: "GET", path: "/dns/v1/projects/*/managedZones/*/rrsets", query: "name type maxResults pageToken filter"},
		{method: "POST", path: "/dns/v1/projects/*/managedZones/*/rrsets", query: "clientOperationId", body: "kind name type ttl rrdatas signatureRrdatas routingPolicy", need: "name type rrdatas"},
		{method: "PATCH", path: "/dns/v1/projects/*/managedZones/*/rrsets/*/*", query: "clientOperationId", body: "kind name type ttl rrdatas signatureRrdatas routingPolicy"},
	},
	"azure": {
		{method: "POST", path: "/*/oauth2/v2.0/token", kind: formKind, body: "grant_type client_id client_secret scope", need: "grant_type client_id client_secret scope"},
		{method: "GET", path: "/subscriptions/*/providers/Microsoft.Network/dnszones", query: "api-version $top $skipToken"},
		{method: "GET", path: "/subscriptions/*/resourceGroups/*/providers/Microsoft.Network/dnszones/*/recordsets", query: "api-version $top $recordsetnamesuffix $skipToken"},
		{
			method: "PUT", path: "/subscriptions/*/resourceGroups/*/providers/Microsoft.Network/dnszones/*/*/*", query: "api-version", need: "properties.TTL",
			body: "etag properties properties.metadata properties.TTL properties.targetResource properties.ARecords properties.ARecords.ipv4Address properties.AAAARecords properties.AAAARecords.ipv6Address properties.CNAMERecord properties.CNAMERecord.cname properties.TXTRecords properties.TXTRecords.value",
		},
	},
	"namecheap": {
		{
			method: "POST", path: "/xml.response", kind: formKind, need: "ApiUser ApiKey UserName ClientIp Command",
			body: "ApiUser ApiKey UserName ClientIp Command ListType SearchTerm Page PageSize SortBy SLD TLD EmailType HostName# RecordType# Address# MXPref# TTL# Flag Tag",
		},
	},
}

// flaw returns how a call differs from the provider's forms, or "". It does not check methods that are missing in forms.
func (c *call) flaw(provider string) string {
	for _, f := range forms[provider] {
		if _, ok := c.matches(f.method, f.path); !ok {
			continue
		}
		for name := range c.r.URL.Query() {
			if !listed(f.query, name) {
				return "unknown parameter " + name
			}
		}
		return c.flawOfBody(f)
	}
	return ""
}

func (c *call) flawOfBody(f form) string {
	body := c.raw()
	kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	want := f.kind
	if want == "" {
		want = "application/json"
	}
	if f.body == "" && f.kind == "" {
		if len(body) > 0 && string(body) != "{}" {
			return "a body, although the method takes none"
		}
		return ""
	}
	if kind != want {
		return "the content type " + kind
	}
	names := map[string]bool{}
	switch want {
	case xmlKind:
		return ""
	case formKind:
		_ = c.r.ParseForm()
		for name := range c.r.PostForm {
			names[name] = true
		}
		c.r.Body = io.NopCloser(bytes.NewReader(body))
	default:
		var v any
		if json.Unmarshal(body, &v) != nil {
			return "a body that is not JSON"
		}
		collect(v, "", names)
	}
	for name := range names {
		if !listed(f.body, name) {
			return "unknown field " + name
		}
	}
	for name := range strings.FieldsSeq(f.need) {
		if !names[name] {
			return "no field " + name
		}
	}
	return ""
}

// collect adds the paths of all members of a JSON value. An item of a list has the path of the list.
func collect(v any, path string, into map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			collect(item, path, into)
		}
	case map[string]any:
		for name, item := range v {
			if path != "" {
				name = path + "." + name
			}
			into[name] = true
			collect(item, name, into)
		}
	}
}

var numberAtEnd = regexp.MustCompile(`[0-9]+$`)

// listed reports whether a list of names in a form contains the name.
func listed(list, name string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(l string) bool {
		prefix, wildcard := strings.CutSuffix(l, "*")
		return l == name || wildcard && strings.HasPrefix(name, prefix) || strings.HasSuffix(l, "#") && l == numberAtEnd.ReplaceAllString(name, "#")
	})
}

// refuse answers a call that differs from the provider's forms.
func (c *call) refuse(flaw string) {
	c.json(http.StatusBadRequest, object{"errors": []object{{"message": "the request has " + flaw}}})
}
