package dnstest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/libdns/libdns"
)

var (
	googleCloud = Fake{credentials: sync.OnceValue(googleAccount), Quotes: true, serve: serveGoogleCloud}
	azure       = Fake{credentials: withSecrets(map[string]string{
		"subscription_id": "sub-1", "tenant_id": "tenant-1", "client_id": "app-1",
	}, "client_secret"), serve: serveAzure}
)

// googleKey returns the key of the service account.
var googleKey = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const googleEmail = "canary@project-1.iam.gserviceaccount.com"

func googleAccount() map[string]string {
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(googleKey()))})
	account := must(json.Marshal(object{ //nolint:gosec // a key that was just made
		"type": "service_account", "project_id": "project-1", "private_key_id": "k1", "private_key": string(key),
		"client_email": googleEmail, "token_uri": "https://attacker.example/token",
	}))
	return map[string]string{"service_account": string(account)}
}

// googleToken reports whether an assertion has valid claims and is signed by the service account.
func googleToken(assertion string) bool {
	part := strings.Split(assertion, ".")
	if len(part) != 3 {
		return false
	}
	claims, err := base64.RawURLEncoding.DecodeString(part[1])
	signature, err2 := base64.RawURLEncoding.DecodeString(part[2])
	var c struct {
		Iss, Scope, Aud string
		Iat, Exp        int64
	}
	if err != nil || err2 != nil || json.Unmarshal(claims, &c) != nil || c.Iss != googleEmail || c.Exp-c.Iat > 3600 ||
		c.Aud != "https://oauth2.googleapis.com/token" || !strings.Contains(c.Scope, "clouddns") {
		return false
	}
	sum := sha256.Sum256([]byte(part[0] + "." + part[1]))
	return rsa.VerifyPKCS1v15(&googleKey().PublicKey, crypto.SHA256, sum[:], signature) == nil
}

func serveGoogleCloud(zs *Zones, c *call) {
	refuse := func(status int, reason, text string) {
		c.json(status, object{"error": object{
			"code": status, "message": text, "errors": []object{{"message": text, "domain": "global", "reason": reason}},
		}})
	}
	token := canaries("token")()["token"]
	if c.path == "/token" {
		_ = c.r.ParseForm()
		if c.r.Form.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || !googleToken(c.r.Form.Get("assertion")) {
			c.json(400, object{"error": "invalid_grant", "error_description": "Invalid grant: account not found"})
			return
		}
		c.json(200, object{"access_token": token, "expires_in": 3599, "token_type": "Bearer"})
		return
	}
	if !c.bearer(token) {
		refuse(401, "authError", "Request had invalid authentication credentials.")
		return
	}
	const zones = "/dns/v1/projects/project-1/managedZones"
	if _, ok := c.matches("GET", zones); ok {
		n, _ := strconv.Atoi("0" + c.r.URL.Query().Get("pageToken")) // 0 without a token
		part, pages := page(zs.order, max(n, 1), min(c.number("maxResults", 100), 100))
		answer := object{"managedZones": each(part, func(z string) object {
			return object{"name": fmt.Sprintf("z-%d", zs.number(z)), "dnsName": z + ".", "visibility": "public"}
		})}
		if max(n, 1) < pages {
			answer["nextPageToken"] = strconv.Itoa(max(n, 1) + 1)
		}
		c.json(200, answer)
		return
	}
	zoneOf := func(id string) string { return zs.numbered(strings.TrimPrefix(id, "z-")) }
	show := func(zone string) func(s []libdns.RR) object {
		return func(s []libdns.RR) object {
			return object{"name": full(s[0].Name, zone) + ".", "type": s[0].Type, "ttl": ttl(s[0]), "rrdatas": datas(s)}
		}
	}
	if part, ok := c.matches("GET", zones+"/*/rrsets"); ok {
		zone := zoneOf(part[0])
		all := zs.zones[zone]
		if name := c.r.URL.Query().Get("name"); name != "" {
			all = zs.has(zone, short(name, zone))
		}
		c.json(200, object{"rrsets": each(sets(all), show(zone))})
		return
	}
	var b struct {
		Name, Type string
		TTL        int
		RRDatas    []string
	}
	if part, ok := c.matches("POST", zones+"/*/rrsets"); ok && c.body(&b) && len(b.RRDatas) > 0 {
		zone := zoneOf(part[0])
		switch {
		case !strings.HasSuffix(b.Name, "."), b.Type == "CNAME" && !strings.HasSuffix(b.RRDatas[0], "."):
			refuse(400, "invalid", "Invalid value for 'entity.rrset.name'")
		case !zs.add(zone, record(b.Name, zone, b.Type, b.RRDatas[0], b.TTL)):
			refuse(409, "alreadyExists", fmt.Sprintf("The resource 'entity.rrset' named '%s (%s)' already exists", b.Name, b.Type))
		default:
			c.json(200, object{"name": b.Name, "type": b.Type, "ttl": b.TTL, "rrdatas": b.RRDatas})
		}
		return
	}
	if part, ok := c.matches("PATCH", zones+"/*/rrsets/*/*"); ok && c.body(&b) {
		zone := zoneOf(part[0])
		zs.set(zone, short(part[1], zone), part[2], b.TTL, b.RRDatas)
		c.json(200, object{"name": b.Name, "type": b.Type, "ttl": b.TTL, "rrdatas": b.RRDatas})
		return
	}
	refuse(404, "notFound", "The 'parameters.managedZone' resource was not found")
}

// azureSet returns a function that converts a set of records to Azure's form.
func azureSet(zone string) func(s []libdns.RR) object {
	return func(s []libdns.RR) object {
		p := object{"TTL": ttl(s[0]), "fqdn": full(s[0].Name, zone) + ".", "targetResource": object{}}
		list := func(member string) []object {
			return each(s, func(r libdns.RR) object { return object{member: r.Data} })
		}
		switch s[0].Type {
		case "A":
			p["ARecords"] = list("ipv4Address")
		case "AAAA":
			p["AAAARecords"] = list("ipv6Address")
		case "CNAME":
			p["CNAMERecord"] = object{"cname": withoutDot(s[0])}
		default:
			p["TXTRecords"] = each(s, func(r libdns.RR) object { return object{"value": []string{r.Data}} })
		}
		return object{"name": s[0].Name, "type": "Microsoft.Network/dnszones/" + s[0].Type, "etag": "e", "properties": p}
	}
}

func serveAzure(zs *Zones, c *call) {
	refuse := func(status int, code, text string) {
		c.json(status, object{"error": object{"code": code, "message": text}})
	}
	token := canaries("token")()["token"]
	if c.path == "/tenant-1/oauth2/v2.0/token" {
		_ = c.r.ParseForm()
		if c.r.Form.Get("client_secret") != c.credentials["client_secret"] || c.r.Form.Get("client_id") != c.credentials["client_id"] ||
			c.r.Form.Get("scope") != "https://management.azure.com/.default" {
			c.json(401, object{"error": "invalid_client", "error_description": "AADSTS7000215: Invalid client secret provided."})
			return
		}
		c.json(200, object{"token_type": "Bearer", "expires_in": 3599, "access_token": token})
		return
	}
	q := c.r.URL.Query()
	switch {
	case !c.bearer(token):
		refuse(401, "AuthenticationFailed", "Authentication failed.")
		return
	case q.Get("api-version") != "2018-05-01":
		refuse(400, "MissingApiVersionParameter", "The api-version query parameter (?api-version=) is required for all requests.")
		return
	}
	answer := func(all []object, size int) {
		n, _ := strconv.Atoi("0" + q.Get("$skipToken")) // 0 without a token
		part, pages := page(all, max(n, 1), size)
		out := object{"value": part}
		if max(n, 1) < pages {
			q.Set("$skipToken", strconv.Itoa(max(n, 1)+1))
			out["nextLink"] = "https://management.azure.com" + c.path + "?" + q.Encode()
		}
		c.json(200, out)
	}
	serveAzureZones(zs, c, answer, refuse)
}

// serveAzureZones answers a call with a valid token and the right version of the API.
func serveAzureZones(zs *Zones, c *call, answer func([]object, int), refuse func(int, string, string)) {
	q := c.r.URL.Query()
	const group = "/subscriptions/sub-1/resourceGroups/rg/providers/Microsoft.Network/dnszones"
	if _, ok := c.matches("GET", "/subscriptions/sub-1/providers/Microsoft.Network/dnszones"); ok {
		answer(each(zs.order, func(z string) object {
			return object{"id": group + "/" + z, "name": z, "location": "global", "properties": object{"zoneType": "Public"}}
		}), 100)
		return
	}
	if part, ok := c.matches("GET", group+"/*/recordsets"); ok {
		var found []libdns.RR
		for _, r := range zs.zones[part[0]] {
			if strings.HasSuffix(r.Name, q.Get("$recordsetnamesuffix")) {
				found = append(found, r)
			}
		}
		answer(each(sets(found), azureSet(part[0])), min(c.number("$top", 100), 500))
		return
	}
	part, ok := c.matches("PUT", group+"/*/*/*")
	var b struct {
		Properties struct {
			TTL   int
			A     []struct{ IPv4Address string } `json:"ARecords"`
			AAAA  []struct{ IPv6Address string } `json:"AAAARecords"`
			CNAME *struct{ CNAME string }        `json:"CNAMERecord"`
			TXT   []struct{ Value []string }     `json:"TXTRecords"`
		}
	}
	if !ok || !c.body(&b) || !zs.hasZone(part[0]) {
		refuse(404, "ResourceNotFound", "The Resource was not found.")
		return
	}
	var data []string
	for _, a := range b.Properties.A {
		data = append(data, a.IPv4Address)
	}
	for _, a := range b.Properties.AAAA {
		data = append(data, a.IPv6Address)
	}
	for _, t := range b.Properties.TXT {
		data = append(data, strings.Join(t.Value, ""))
	}
	if b.Properties.CNAME != nil {
		data = append(data, b.Properties.CNAME.CNAME)
	}
	r := record(part[2], part[0], part[1], data[0], b.Properties.TTL)
	switch {
	case c.r.Header.Get("If-None-Match") != "*":
		zs.set(part[0], r.Name, r.Type, b.Properties.TTL, data)
	case !zs.add(part[0], r):
		refuse(412, "PreconditionFailed", "The Record set "+part[2]+" exists already and hence cannot be created again.")
		return
	}
	c.json(201, azureSet(part[0])(zs.has(part[0], part[2])))
}
