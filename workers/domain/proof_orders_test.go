package domain_test

import (
	"fmt"
	"math/bits"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/miekg/dns"
	"golang.org/x/sync/errgroup"

	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
)

// steps are the steps that each of two accounts takes with the same host, in this order.
const steps = "add point verify delete add verify"

// party is an account in the model of this test. The model contains only the rule of verification.
type party struct {
	id     uuid.UUID
	token  string
	txt    bool // the account proves the host by TXT, not by a CNAME
	todo   []string
	domain uuid.UUID // zero while the account has not added the host

	has, verified, had bool // the account has the host now, the host is verified, the account once had it as a verified host
}

// names is the model's state of DNS: one alias, and the texts.
type names struct {
	alias string
	texts []string
}

// verifies reports whether a check verifies the domain of the account p.
func (n names) verifies(p, other *party) bool {
	switch {
	case !p.has:
		return false
	case p.verified:
		return true // a verified domain stays verified for three days, whatever DNS says
	case other.verified:
		return false
	case strings.Contains(strings.Join(n.texts, " "), p.token):
		return true
	}
	return n.alias == p.token+"."+tracker && !other.has && !other.had
}

// TestEveryOrder: two accounts add, point, verify and delete the same host and add it again. The test interleaves their steps in
// every possible way, with every way of proving the host. The service verifies a domain exactly when the model does. The short
// form runs every seventh order.
func TestEveryOrder(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	key := egresstest.Key{Name: "orders.", Algorithm: "hmac-sha256", Secret: "Y2FuYXJ5LXRzaWcta2V5LW9mLTMyLWJ5dGVzLSEhIQ=="}
	server, _ := egresstest.NamedWithKey(t, map[string]string{
		"example.org": "track A 192.0.2.200\n*.track A 192.0.2.200", "orders.com": "",
	}, key)
	v := newVerifyEnvBy(t, egress.NewNames(server))
	dbtest.Exec(v, v.db, `UPDATE accounts SET plan = 'scale'`)
	stepNames := strings.Fields(steps)
	length := 2 * len(stepNames)
	orders, every := 0, longtest.Size(7, 1) // with 7, every way of proving still occurs
	var all errgroup.Group
	all.SetLimit(8)
	for order := range uint(1) << length {
		if bits.OnesCount(order) != len(stepNames) {
			continue
		}
		for proofs := range 4 {
			if orders++; orders%every != 0 {
				continue
			}
			all.Go(func() error {
				o := &sequenceEnv{verifyEnv: v, server: server, key: key, host: fmt.Sprintf("h%d-%d.orders.com", order, proofs)}
				first := &party{id: v.account, token: mine, txt: proofs&1 > 0, todo: stepNames}
				second := &party{id: v.other, token: theirs, txt: proofs&2 > 0, todo: stepNames}
				for i := range length {
					p, other := first, second
					if order>>i&1 > 0 {
						p, other = second, first
					}
					if err := o.step(p, other); err != nil {
						return fmt.Errorf("order %0*b, proofs %02b: %w", length, order, proofs, err)
					}
				}
				return nil
			})
		}
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%d orders with proofs, one of every %d was run", orders, every)
}

type sequenceEnv struct {
	*verifyEnv
	server netip.AddrPort
	key    egresstest.Key
	host   string
	dns    names
	did    []string
}

// step carries out the next step of an account, in the service and in the model.
func (o *sequenceEnv) step(p, other *party) error {
	what := p.todo[0]
	p.todo = p.todo[1:]
	o.did = append(o.did, what+" "+p.token[:1])
	switch what {
	case "add":
		added, _, err := o.store.Domains().Add(o.Context(), p.id, []string{o.host}, models.DomainSettings{DomainFields: models.DomainFields{Crawlers: "disallow"}})
		if err != nil {
			return err
		}
		p.domain, p.has = added[0].ID, true
	case "point":
		if p.txt {
			o.dns.texts = append(o.dns.texts, p.token)
		} else {
			o.dns.alias = p.token + "." + tracker
		}
		return o.point()
	case "delete":
		p.had, p.has, p.verified = p.had || p.verified, false, false
		_, err := o.store.Domains().Delete(o.Context(), p.id, p.domain)
		return err
	case "verify":
		got, err := run(o.env, jobs.VerifyDomain, p.id, jobs.VerifyDomainArgs{ID: p.domain})
		if err != nil {
			return err
		}
		p.verified = o.dns.verifies(p, other)
		if got.Verified != p.verified {
			return fmt.Errorf("verified is %t after %s, with %+v: %s", got.Verified, strings.Join(o.did, ", "), o.dns, got.Detail)
		}
	}
	return nil
}

// point writes the records of the host into BIND.
func (o *sequenceEnv) point() error {
	m := new(dns.Msg).SetUpdate("orders.com.")
	write := func(name, kind string, datas ...string) error {
		for _, data := range datas {
			rr, err := dns.NewRR(name + ". 60 " + kind + " " + data)
			if err != nil {
				return err
			}
			m.Insert([]dns.RR{rr})
		}
		return nil
	}
	m.RemoveName([]dns.RR{&dns.ANY{Hdr: dns.RR_Header{Name: o.host + "."}}, &dns.ANY{Hdr: dns.RR_Header{Name: models.DomainTXT(o.host) + "."}}})
	if err := write(models.DomainTXT(o.host), "TXT", o.dns.texts...); err != nil {
		return err
	}
	kind, data := "A", "192.0.2.200"
	if o.dns.alias != "" {
		kind, data = "CNAME", o.dns.alias+"."
	}
	if err := write(o.host, kind, data); err != nil {
		return err
	}
	m.SetTsig(o.key.Name, dns.Fqdn(o.key.Algorithm), 300, time.Now().Unix())
	c := dns.Client{Net: "tcp", TsigSecret: map[string]string{o.key.Name: o.key.Secret}}
	answer, _, err := c.ExchangeContext(o.Context(), m, o.server.String())
	if err == nil && answer.Rcode != dns.RcodeSuccess {
		err = fmt.Errorf("BIND answered %s", dns.RcodeToString[answer.Rcode])
	}
	return err
}
