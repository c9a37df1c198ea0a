package models

import (
	"slices"
	"strings"
)

// How a host was proved to be an account's. That a host leads to this install says nothing about the account, so DNS has
// to name the account too. The rule:
//
//   - A host is verified once this install answers at it and DNS shows a proof of the account: the TXT record of DomainTXT
//     with the account's token, or a CNAME to a name that begins with the token. If another account has added the
//     host, or had it verified in the last year, only the TXT record counts.
//   - A verified domain keeps its host while the proof stays. Without it the domain stops serving after UnverifyAfter, as
//     if it led elsewhere. No other account gets the host by that: each needs a proof of its own.
//   - A domain that was verified before this rule keeps its host while it leads here. That ends when it shows a proof, when
//     it is deleted, when it stops serving, or when another account proves the host by TXT, which takes it at once.
//   - What an operator has said stays.
const (
	ProofTXT      = "txt"
	ProofCNAME    = "cname"
	ProofNone     = "none"
	ProofOperator = "operator" // an operator has said so
	ProofBefore   = "before"   // the domain was added before accounts proved their hosts
)

// DomainTXT is the name of the TXT record that proves a host.
func DomainTXT(host string) string { return "_switchyard." + host }

// DomainTracker is what the domains of customers are pointed at.
type DomainTracker struct {
	Host string // empty: customers can point no domain here
	// OwnTargets says that every name below Host leads here, so that each account has a CNAME target of its own there. Without
	// it accounts are told to set TXT records alone.
	OwnTargets bool
}

// Target is what an account points the CNAME of a domain at.
func (t DomainTracker) Target(token string) string {
	if t.OwnTargets {
		return token + "." + t.Host
	}
	return t.Host
}

// ProofOf reports how a host with these aliases and texts is shown to be the account's that has a token. An alias below a
// former tracking host counts too: the token alone names the account, and only the owner of the host can point it there.
func ProofOf(token string, aliases, texts []string) string {
	switch {
	case slices.Contains(texts, token):
		return ProofTXT
	case slices.ContainsFunc(aliases, func(name string) bool { return strings.HasPrefix(name, token+".") }):
		return ProofCNAME
	}
	return ProofNone
}

// Records are the DNS records that an account sets for a domain. An apex has no CNAME: its record has the type ALIAS, which
// stands for whatever its DNS provider offers there. The account may set the addresses of the tracker instead.
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

// ProofRecord is the TXT record that proves a domain to be its account's.
func (d Domain) ProofRecord() DNSRecord {
	return DNSRecord{Type: "TXT", Name: DomainTXT(d.Host), Value: d.Token}
}

// bound reports whether the host of a domain is its account's; nil: DNS could not say.
func (c DomainCheck) bound(d Domain) *bool {
	yes := d.IsVerified && d.Proof == ProofBefore
	if c.Proof == nil && !yes {
		return nil
	}
	yes = yes || *c.Proof != ProofNone
	return &yes
}

// Wrong reports whether the domain certainly leads elsewhere, or certainly is not proved to be its account's.
func (c DomainCheck) Wrong(d Domain) bool {
	bound := c.bound(d)
	return bound != nil && !*bound || !c.Proven && c.Points != nil && !*c.Points
}

// Right reports whether the domain leads here and is its account's. For a verified one it is enough that DNS says so.
func (c DomainCheck) Right(d Domain) bool {
	bound := c.bound(d)
	return bound != nil && *bound && (c.Proven || d.IsVerified && c.Points != nil && *c.Points)
}

// Verifies reports whether the check verifies a domain. claimed says that another account has its host, or had it.
func (c DomainCheck) Verifies(claimed bool) bool {
	return c.Proven && c.Proof != nil && (*c.Proof == ProofTXT || *c.Proof == ProofCNAME && !claimed)
}
