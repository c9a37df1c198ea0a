package models

import (
	"slices"
	"strings"
)

// The ways in which an account proves that it owns a host. DNS must name the account, because a host that leads to this install
// could belong to any account. The rules:
//
//   - A host is verified when this install answers at the host and DNS shows a proof of the account. The proof is the TXT
//     record of DomainTXT with the account's token, or a CNAME to a name that begins with the token. If another account has
//     added the host, or had it verified in the last year, only the TXT record counts.
//   - A verified domain keeps its host while the proof stays in DNS. Without the proof, the domain stops serving after
//     UnverifyAfter, as if it led elsewhere. No other account gets the host because of that: each account needs its own proof.
//   - A domain that was verified before these rules existed keeps its host while the host leads here. This ends when the
//     domain shows a proof, is deleted or stops serving. It also ends when another account proves the host with a TXT record:
//     that account then gets the host at once.
//   - A proof that an operator has confirmed stays valid.
const (
	ProofTXT      = "txt"
	ProofCNAME    = "cname"
	ProofNone     = "none"
	ProofOperator = "operator" // an operator confirmed that the host is the account's
	ProofBefore   = "before"   // the domain was added before accounts proved their hosts
)

// DomainTXT returns the name of the TXT record that proves a host.
func DomainTXT(host string) string { return "_switchyard." + host }

// DomainTracker describes where customers point their domains.
type DomainTracker struct {
	Host string // empty: customers cannot point domains here
	// OwnTargets says that every name below Host leads here, so that each account has its own CNAME target. Without it, only TXT
	// records are proofs.
	OwnTargets bool
}

// Target returns the name to which an account's CNAME for a domain must point.
func (t DomainTracker) Target(token string) string {
	if t.OwnTargets {
		return token + "." + t.Host
	}
	return t.Host
}

// ProofOf returns the proof that a host's aliases and TXT records give for the account with the token. A name below a former tracking
// host counts too. The token alone identifies the account.
func ProofOf(token string, aliases, texts []string) string {
	switch {
	case slices.Contains(texts, token):
		return ProofTXT
	case slices.ContainsFunc(aliases, func(name string) bool { return strings.HasPrefix(name, token+".") }):
		return ProofCNAME
	}
	return ProofNone
}

// Records returns the DNS records that an account must set for a domain. An apex cannot have a CNAME. Its record has the type
// ALIAS, which stands for whatever the DNS provider offers instead.
func (t DomainTracker) Records(d Domain) []DNSRecord {
	list := []DNSRecord{}
	switch {
	case t.Host == "":
	case IsApex(d.Host):
		list = append(list, DNSRecord{Type: "ALIAS", Name: d.Host, Value: t.Host})
	default:
		list = append(list, DNSRecord{Type: "CNAME", Name: d.Host, Value: t.Target(d.Token)})
	}
	return append(list, d.ProofRecord())
}

// ProofRecord returns the TXT record that proves that a domain belongs to its account.
func (d Domain) ProofRecord() DNSRecord {
	return DNSRecord{Type: "TXT", Name: DomainTXT(d.Host), Value: d.Token}
}

// bound reports whether the host of a domain belongs to the account. A verified domain with ProofBefore needs no answer from DNS.
// For any other domain, the result is nil if DNS gave no answer.
func (c DomainCheck) bound(d Domain) *bool {
	yes := d.IsVerified && d.Proof == ProofBefore
	if c.Proof == nil && !yes {
		return nil
	}
	yes = yes || *c.Proof != ProofNone
	return &yes
}

// Wrong reports whether the domain certainly leads elsewhere or has no proof.
func (c DomainCheck) Wrong(d Domain) bool {
	bound := c.bound(d)
	return bound != nil && !*bound || !c.AnsweredHere && c.Points != nil && !*c.Points
}

// Right reports whether the domain leads here and belongs to its account. For a verified domain, it is enough if DNS leads here.
// Any other domain must have answered from this install.
func (c DomainCheck) Right(d Domain) bool {
	bound := c.bound(d)
	return bound != nil && *bound && (c.AnsweredHere || d.IsVerified && c.Points != nil && *c.Points)
}

// Verifies reports whether the check verifies a domain. claimed says that another account has or had the host.
func (c DomainCheck) Verifies(claimed bool) bool {
	return c.AnsweredHere && c.Proof != nil && (*c.Proof == ProofTXT || *c.Proof == ProofCNAME && !claimed)
}
