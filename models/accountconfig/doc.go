// Package accountconfig describes the configuration of an account as one document. A document is YAML or JSON. It refers to
// records by keys instead of ids, so it can be kept in a repository, changed, and applied to an account:
//
//	version: 1
//	networks:
//	  acme: {name: Acme, click_param: sub1}
//	offers:
//	  nutra-de: {name: Nutra DE, network: acme, url: "https://offer.example/?s={clickid}", payout: "12.5", currency: EUR}
//	campaigns:
//	  push-de:
//	    name: Push DE
//	    domain: go.example.com
//	    alias: push-de-1
//	    paths:
//	      - {name: Everybody, action: offer, destinations: [{offer: nutra-de}]}
//
// Most members of a record are also members of its body in the API. A document has no ids: instead of network_id, it has the
// member "network" with the key of the network. In most kinds of records, the member is_active says whether the record is
// active or paused. The paths of a campaign are in the member paths, which the API calls streams. Each path is known by its name,
// and each destination names an offer or a lander by its key. A member that is left out has its default. A document contains no
// secrets, and not the times at which records were created or changed.
package accountconfig
