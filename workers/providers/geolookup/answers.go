package geolookup

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"switchyard/models"
)

// flag says whether an address is a kind of proxy.
type flag struct {
	kind string
	is   bool
}

// proxyKind returns the kind of the first flag that is set, or "none".
func proxyKind(flags ...flag) string {
	for _, f := range flags {
		if f.is {
			return f.kind
		}
	}
	return "none"
}

// asNumber is the number of an autonomous system. It decodes 15169, "15169" and "AS15169".
type asNumber uint32

// UnmarshalJSON reads any other value as 0.
func (n *asNumber) UnmarshalJSON(raw []byte) error {
	*n = readASNumber(strings.Trim(string(raw), `"`))
	return nil
}

// readASNumber reads a text such as AS15169 or 15169. Any other text is 0.
func readASNumber(text string) asNumber {
	number, err := strconv.ParseUint(strings.TrimPrefix(strings.ToUpper(text), "AS"), 10, 32)
	if err != nil {
		return 0
	}
	return asNumber(number)
}

type maxMindAnswer struct {
	Country struct {
		ISO string `json:"iso_code"`
	} `json:"country"`
	Subdivisions []maxMindNames `json:"subdivisions"`
	City         maxMindNames   `json:"city"`
	Traits       struct {
		ISP            string   `json:"isp"`
		ASN            asNumber `json:"autonomous_system_number"`
		Organization   string   `json:"autonomous_system_organization"`
		ConnectionType string   `json:"connection_type"`
		maxMindFlags
	} `json:"traits"`
	Anonymizer maxMindFlags `json:"anonymizer"`
}

type maxMindNames struct {
	Names struct {
		En string `json:"en"`
	} `json:"names"`
}

type maxMindFlags struct {
	Anonymous   bool `json:"is_anonymous"`
	VPN         bool `json:"is_anonymous_vpn"`
	Hosting     bool `json:"is_hosting_provider"`
	Public      bool `json:"is_public_proxy"`
	Residential bool `json:"is_residential_proxy"`
	Tor         bool `json:"is_tor_exit_node"`
}

// readMaxMind reads an answer of GeoIP2 Insights. Older answers have the flags for anonymizers in traits.
func readMaxMind(a maxMindAnswer) models.Place {
	traits, anonymizer := a.Traits, a.Anonymizer
	p := models.Place{
		Country: a.Country.ISO, City: a.City.Names.En, ISP: cmp.Or(traits.ISP, traits.Organization), ASN: uint32(traits.ASN),
		ConnectionType: traits.ConnectionType,
		ProxyKind: proxyKind(
			flag{"tor", anonymizer.Tor || traits.Tor}, flag{"vpn", anonymizer.VPN || traits.VPN},
			flag{"proxy", anonymizer.Public || traits.Public || anonymizer.Residential || traits.Residential},
			flag{"datacenter", anonymizer.Hosting || traits.Hosting}, flag{"proxy", anonymizer.Anonymous || traits.Anonymous}),
	}
	if len(a.Subdivisions) > 0 {
		p.Region = a.Subdivisions[0].Names.En
	}
	if p.ConnectionType == "Cellular" {
		p.MobileOperator = p.ISP
	}
	return p
}

type ipinfoAnswer struct {
	Geo struct {
		Country string `json:"country_code"`
		Region  string `json:"region"`
		City    string `json:"city"`
	} `json:"geo"`
	AS struct {
		ASN  asNumber `json:"asn"`
		Name string   `json:"name"`
	} `json:"as"`
	Mobile struct {
		Name string `json:"name"`
	} `json:"mobile"`
	IsMobile    bool `json:"is_mobile"`
	IsSatellite bool `json:"is_satellite"`
	IsAnonymous bool `json:"is_anonymous"`
	IsHosting   bool `json:"is_hosting"`
	Anonymous   struct {
		Proxy bool `json:"is_proxy"`
		Relay bool `json:"is_relay"`
		Tor   bool `json:"is_tor"`
		VPN   bool `json:"is_vpn"`
	} `json:"anonymous"`
}

// readIPinfo reads an answer of the plans Core and Plus.
func readIPinfo(a ipinfoAnswer) models.Place {
	p := models.Place{
		Country: a.Geo.Country, Region: a.Geo.Region, City: a.Geo.City, ISP: a.AS.Name, ASN: uint32(a.AS.ASN),
		MobileOperator: a.Mobile.Name,
		ProxyKind: proxyKind(
			flag{"tor", a.Anonymous.Tor}, flag{"relay", a.Anonymous.Relay}, flag{"vpn", a.Anonymous.VPN},
			flag{"proxy", a.Anonymous.Proxy}, flag{"datacenter", a.IsHosting}, flag{"proxy", a.IsAnonymous}),
	}
	switch {
	case a.IsMobile:
		p.ConnectionType, p.MobileOperator = "cellular", cmp.Or(p.MobileOperator, p.ISP)
	case a.IsSatellite:
		p.ConnectionType = "satellite"
	}
	return p
}

// networkAnswer has the network of an address, in the form of ipdata and of IPinfo's former plans.
type networkAnswer struct {
	ASN struct {
		ASN  asNumber `json:"asn"`
		Name string   `json:"name"`
	} `json:"asn"`
	Carrier struct {
		Name string `json:"name"`
	} `json:"carrier"`
}

type ipinfoFormerAnswer struct {
	Country string `json:"country"`
	Region  string `json:"region"`
	City    string `json:"city"`
	Org     string `json:"org"` // "AS15169 Google LLC"
	networkAnswer
	Privacy *struct {
		VPN     bool `json:"vpn"`
		Proxy   bool `json:"proxy"`
		Tor     bool `json:"tor"`
		Relay   bool `json:"relay"`
		Hosting bool `json:"hosting"`
	} `json:"privacy"`
}

// readIPinfoFormer reads an answer of the plans before Core and Plus: free, Basic, Standard and Business. Only some of these
// plans have asn, carrier and privacy.
func readIPinfoFormer(a ipinfoFormerAnswer) models.Place {
	number, name, _ := strings.Cut(a.Org, " ")
	p := models.Place{
		Country: a.Country, Region: a.Region, City: a.City, ISP: cmp.Or(a.ASN.Name, name), MobileOperator: a.Carrier.Name,
	}
	if p.ASN = uint32(a.ASN.ASN); p.ASN == 0 {
		p.ASN = uint32(readASNumber(number))
	}
	if v := a.Privacy; v != nil {
		p.ProxyKind = proxyKind(flag{"tor", v.Tor}, flag{"relay", v.Relay}, flag{"vpn", v.VPN}, flag{"proxy", v.Proxy},
			flag{"datacenter", v.Hosting})
	}
	return p
}

type ipinfoLiteAnswer struct {
	Country string   `json:"country_code"`
	ASN     asNumber `json:"asn"`
	Name    string   `json:"as_name"`
}

// readIPinfoLite reads an answer of the plan Lite, which has only the country and the network.
func readIPinfoLite(a ipinfoLiteAnswer) models.Place {
	return models.Place{Country: a.Country, ISP: a.Name, ASN: uint32(a.ASN)}
}

type ipdataAnswer struct {
	Country string `json:"country_code"`
	Region  string `json:"region"`
	City    string `json:"city"`
	networkAnswer
	Threat struct {
		Tor        bool `json:"is_tor"`
		VPN        bool `json:"is_vpn"`
		Relay      bool `json:"is_icloud_relay"`
		Proxy      bool `json:"is_proxy"`
		Datacenter bool `json:"is_datacenter"`
		Anonymous  bool `json:"is_anonymous"`
	} `json:"threat"`
}

func readIPData(a ipdataAnswer) models.Place {
	return models.Place{
		Country: a.Country, Region: a.Region, City: a.City, ISP: a.ASN.Name, ASN: uint32(a.ASN.ASN),
		MobileOperator: a.Carrier.Name,
		ProxyKind: proxyKind(
			flag{"tor", a.Threat.Tor}, flag{"relay", a.Threat.Relay}, flag{"vpn", a.Threat.VPN}, flag{"proxy", a.Threat.Proxy},
			flag{"datacenter", a.Threat.Datacenter}, flag{"proxy", a.Threat.Anonymous}),
	}
}

type ip2locationAnswer struct {
	Country ip2locationText `json:"country_code"`
	Region  ip2locationText `json:"region_name"`
	City    ip2locationText `json:"city_name"`
	ISP     ip2locationText `json:"isp"`
	ASN     asNumber        `json:"asn"`
	AS      ip2locationText `json:"as"`
	Speed   ip2locationText `json:"net_speed"`  // a key of speeds
	Usage   ip2locationText `json:"usage_type"` // ISP, MOB, ISP/MOB, DCH, COM and others
	Mobile  ip2locationText `json:"mobile_brand"`
	IsProxy bool            `json:"is_proxy"`
	Proxy   struct {
		VPN         bool `json:"is_vpn"`
		Tor         bool `json:"is_tor"`
		DataCenter  bool `json:"is_data_center"`
		Public      bool `json:"is_public_proxy"`
		Residential bool `json:"is_residential_proxy"`
	} `json:"proxy"`
}

// ip2locationText is a text of an answer. The provider writes "-" for what it does not know.
type ip2locationText string

func (t *ip2locationText) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	if *t = ip2locationText(text); text == "-" {
		*t = ""
	}
	return nil
}

var speeds = map[ip2locationText]string{"DIAL": "dialup", "DSL": "cable_dsl", "COMP": "corporate", "T1": "corporate", "SAT": "satellite"}

func readIP2Location(a ip2locationAnswer) models.Place {
	p := models.Place{
		Country: string(a.Country), Region: string(a.Region), City: string(a.City), ISP: string(cmp.Or(a.ISP, a.AS)), ASN: uint32(a.ASN),
		ConnectionType: speeds[a.Speed], MobileOperator: string(a.Mobile),
		ProxyKind: proxyKind(
			flag{"tor", a.Proxy.Tor}, flag{"vpn", a.Proxy.VPN}, flag{"proxy", a.Proxy.Public || a.Proxy.Residential},
			flag{"datacenter", a.Proxy.DataCenter || a.Usage == "DCH"}, flag{"proxy", a.IsProxy}),
	}
	if a.Usage == "MOB" {
		p.ConnectionType, p.MobileOperator = "cellular", cmp.Or(p.MobileOperator, p.ISP)
	}
	return p
}
