package template

// Origin is the page from which the values of a template were read, and the day.
type Origin struct {
	Page   string `json:"page" trim:"true" maxLength:"2000" doc:"address of the page on which the values were read; empty: not known"`
	ReadOn string `json:"read_on" trim:"true" maxLength:"10" doc:"day on which the page was read, YYYY-MM-DD; empty: not known"`
}

const november26 = "2026-11-26"

func read(page string) Origin { return Origin{Page: page, ReadOn: november26} }

// The repositories of lists from which several templates were read. Each address names the commit that was read.
const (
	orbitra = "https://github.com/fenjo26/Orbitra.link/blob/d03673b5969d1d7c9c241cdaab2938fb967655e2/"
	binom   = "https://github.com/pavelraiden/binom-api-encyclopedia/blob/67b25457cbae95c6c779dafc943c3e459b11241f/"
	prosper = "https://github.com/tracking202/prosper202/blob/ceec1eeac7881a9e119c1eb043d327428543ed69/"
)

var (
	keitaroSources  = read(orbitra + "data/keitaro_traffic_sources.json")
	keitaroNetworks = read(orbitra + "data/keitaro_affiliate_networks.json")
	orbitraBuiltIn  = read(orbitra + "api.php")
	binomSources    = read(binom + "docs/examples/responses/traffic_source_templates.json")
	prosperSubIDs   = read(prosper + "documentation/tools--resources/999-common-network-subid-parameters.md")
	clickRefs       = read("https://gist.github.com/lbdremy/4770970")
	sendcoop        = read("https://github.com/arya-arav/sendcoop/blob/d392da1fe6188ae2c6806304a6535b0f6ec95b20/packages/db/src/postback-templates.test.ts")
)
