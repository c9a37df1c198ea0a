package accountconfig_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/accountconfig"
)

// keys accepts every text as the key of a record, except texts that begin with "no-". The id of a record is a hash of its kind and
// key.
type keys map[uuid.UUID]string

func (k keys) ID(kind accountconfig.Kind, key string) (uuid.UUID, bool) {
	id := uuid.NewSHA1(uuid.Nil, []byte(string(kind)+"/"+key))
	k[id] = key
	return id, !strings.HasPrefix(key, "no-")
}

func (k keys) Key(kind accountconfig.Kind, id uuid.UUID) (string, bool) {
	key, ok := k[id]
	return key, ok && id == uuid.NewSHA1(uuid.Nil, []byte(string(kind)+"/"+key))
}

const document = `version: 1
networks:
  acme:
    name: Acme
    click_param: sub1
    currency: EUR
offers:
  nutra-de:
    name: Nutra DE
    network: acme
    payout: 12.50
    url: https://offer.example/?s={clickid}
campaigns:
  push-de:
    name: Push DE
    alias: push-de-1
    currency: EUR
    domain: go.example.com
    paths:
      - name: Germans
        action: offer
        destinations:
          - offer: nutra-de
          - lander: pre
            weight: 0
        filters:
          - attribute: country
            operator: equals
            value: [DE]
        rules:
          - name: Rule 1
            rule: mobile
      - name: Others
        action: campaign
        campaign: rest
        stream_type: default
`

func TestRecordsComeBack(t *testing.T) {
	t.Parallel()
	doc, err := accountconfig.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	codec := accountconfig.CampaignCodec(models.Account{Currency: "USD"})
	ids := keys{}
	c, err := codec.Decode("push-de", doc[accountconfig.Campaigns]["push-de"], ids)
	if err != nil {
		t.Fatal(err)
	}
	if c.Paths[0].Destinations[1].Weight != 0 || c.Paths[0].Rules[0].RuleID == "" || c.Paths[1].CampaignID == "" {
		t.Errorf("the paths lack the weight 0, the rule or the campaign of the document: %+v", c.Paths)
	}
	doc[accountconfig.Campaigns]["push-de"], err = codec.Encode(c, ids)
	if err != nil {
		t.Fatal(err)
	}
	n, err := accountconfig.NetworkCodec.Decode("acme", doc[accountconfig.Networks]["acme"], ids)
	if err == nil {
		doc[accountconfig.Networks]["acme"], err = accountconfig.NetworkCodec.Encode(n, ids)
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := accountconfig.OfferCodec.Decode("nutra-de", doc[accountconfig.Offers]["nutra-de"], ids)
	if err == nil {
		doc[accountconfig.Offers]["nutra-de"], err = accountconfig.OfferCodec.Encode(o, ids)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := doc.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != strings.Replace(document, "12.50", "12.5", 1) {
		t.Errorf("after decoding and encoding, the document differs:\n%s", text)
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "the document is neither YAML nor JSON: EOF",
		"version: 2":                        "version must be 1",
		"version: 1\nofers: {}":             "line 2: ofers: no kind of record has this name",
		"version: 1\noffers: [x]":           "line 2: offers: must be an object with a record for each key",
		"version: 1\noffers: {a: 1}":        "line 2: offers.a: must be an object",
		"version: 1\nrules: {a: &x {}}":     "",
		"version: 1\nrules: {a: *x}":        "unknown anchor",
		"version: 1\nrules: {a: {}, a: {}}": `line 2: "a" appears twice`,
		"version: 1\nrules: {a: {b: 0x1F}}": `"0x1F" is not a number that can be read exactly`,
		"version: 1\n---\nversion: 1":       "the text has more than one document",
		"version: 1\nrules:\n  <<: {}":      "<< is not supported",
	} {
		_, err := accountconfig.Parse([]byte(text))
		if want == "" != (err == nil) || err != nil && (!strings.Contains(err.Error(), want) || strings.HasPrefix(err.Error(), ": ")) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestDecodeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{
		`{"name": "A", "url": "https://a.example", "network_id": "x"}`: "offers.a.network_id: a document has no ids: set network to the key of the network",
		`{"name": "A", "url": "https://a.example", "network": "no-1"}`: `offers.a.network: there is no network with the key "no-1"`,
		`{"name": "A", "url": "https://a.example", "network": 7}`:      "offers.a.network: must be the key of a network",
		`{"name": "A", "url": "https://a.example", "payuot": 1}`:       "offers.a: payuot is unknown; did you mean payout?",
		`{"name": "A"}`: "offers.a: url is required",
	} {
		var m accountconfig.Members
		if err := json.Unmarshal([]byte(members), &m); err != nil {
			t.Fatal(err)
		}
		if _, err := accountconfig.OfferCodec.Decode("a", m, keys{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", members, err, want)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	for _, tt := range [][2]string{
		{"Nutra DE", "nutra-de"},
		{"Nutra DE", "nutra-de-2"},
		{"  --Nutra__DE!! ", "nutra-de-3"},
		{"Нутра", "offer"},
		{"日本", "offer-2"},
		{strings.Repeat("x", 300), strings.Repeat("x", 100)},
		{strings.Repeat("x", 300), strings.Repeat("x", 98) + "-2"},
	} {
		key := accountconfig.NewKey(accountconfig.Offers, tt[0], func(k string) bool { return taken[k] })
		if key != tt[1] || !accountconfig.ValidKey(key) {
			t.Errorf("%q gives %q, want %q", tt[0], key, tt[1])
		}
		taken[key] = true
	}
}
