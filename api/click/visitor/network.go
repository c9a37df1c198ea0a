package visitor

// networkKind is the purpose for which a network is known.
type networkKind uint8

const (
	ordinary networkKind = iota
	hosting
	vpnProvider
	mobileCarrier
)

type network struct {
	kind     networkKind
	operator string // name of the mobile carrier
}

// networks are well-known autonomous systems that serve a single purpose. A carrier that has fixed and mobile lines under one AS
// number is not listed.
var networks = map[uint32]network{
	16509:  {kind: hosting}, // Amazon
	14618:  {kind: hosting}, // Amazon
	396982: {kind: hosting}, // Google Cloud
	8075:   {kind: hosting}, // Microsoft
	14061:  {kind: hosting}, // DigitalOcean
	16276:  {kind: hosting}, // OVH
	24940:  {kind: hosting}, // Hetzner
	213230: {kind: hosting}, // Hetzner Cloud
	63949:  {kind: hosting}, // Akamai Connected Cloud (Linode)
	20473:  {kind: hosting}, // Vultr
	31898:  {kind: hosting}, // Oracle Cloud
	45102:  {kind: hosting}, // Alibaba Cloud
	37963:  {kind: hosting}, // Alibaba Cloud, China
	132203: {kind: hosting}, // Tencent Cloud
	45090:  {kind: hosting}, // Tencent Cloud, China
	136907: {kind: hosting}, // Huawei Cloud
	36351:  {kind: hosting}, // IBM Cloud
	12876:  {kind: hosting}, // Scaleway
	51167:  {kind: hosting}, // Contabo
	8560:   {kind: hosting}, // IONOS
	60781:  {kind: hosting}, // LeaseWeb Netherlands
	28753:  {kind: hosting}, // LeaseWeb Germany
	30633:  {kind: hosting}, // LeaseWeb USA
	26496:  {kind: hosting}, // GoDaddy
	46606:  {kind: hosting}, // Unified Layer
	22612:  {kind: hosting}, // Namecheap
	47583:  {kind: hosting}, // Hostinger
	53667:  {kind: hosting}, // FranTech (BuyVM)
	36352:  {kind: hosting}, // ColoCrossing
	8100:   {kind: hosting}, // QuadraNet
	40021:  {kind: hosting}, // Contabo USA
	55286:  {kind: hosting}, // ServerMania
	49981:  {kind: hosting}, // WorldStream
	197540: {kind: hosting}, // netcup
	54825:  {kind: hosting}, // Equinix Metal
	19871:  {kind: hosting}, // Network Solutions
	32244:  {kind: hosting}, // Liquid Web
	29802:  {kind: hosting}, // HIVELOCITY
	62240:  {kind: hosting}, // Clouvider
	9009:   {kind: hosting}, // M247
	60068:  {kind: hosting}, // CDN77 (Datacamp)
	212238: {kind: hosting}, // Datacamp
	202425: {kind: hosting}, // IP Volume

	39351:  {kind: vpnProvider}, // 31173 Services (Mullvad)
	209103: {kind: vpnProvider}, // Proton
	136787: {kind: vpnProvider}, // PacketHub (NordVPN)
	147049: {kind: vpnProvider}, // PacketHub (NordVPN)
	207137: {kind: vpnProvider}, // PacketHub (NordVPN)

	21928:  {mobileCarrier, "T-Mobile US"},
	22394:  {mobileCarrier, "Verizon Wireless"},
	6167:   {mobileCarrier, "Verizon Wireless"},
	20057:  {mobileCarrier, "AT&T Mobility"},
	55836:  {mobileCarrier, "Jio"},
	45609:  {mobileCarrier, "Airtel"},
	38266:  {mobileCarrier, "Vi India"},
	12576:  {mobileCarrier, "EE"},
	206067: {mobileCarrier, "Three UK"},
	25135:  {mobileCarrier, "Vodafone UK"},
	51207:  {mobileCarrier, "Free Mobile"},
	23693:  {mobileCarrier, "Telkomsel"},
	29465:  {mobileCarrier, "MTN Nigeria"},
}
