package smoke

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/shopspring/decimal"
)

// conversion is a conversion of a click, as its network has reported it so far.
type conversion struct {
	click      *click
	id, goal   string
	status     string
	payout     decimal.Decimal
	offer      string
	source     string // postback or pixel
	recordings []recording
}

// recording is one change that every subscribed endpoint must receive.
type recording struct {
	event, status string
	payout        decimal.Decimal
}

// step is one postback. An empty amount is not sent.
type step struct {
	round            int // a round begins after the previous round has been recorded
	status           string
	amount, id, goal string
	pixel            bool
}

// scripts lists sequences of postbacks for a click. Clicks use them in turn.
var scripts = [][]step{
	{{round: 1, status: "approved", amount: "7.25", id: "a"}},
	{{round: 1, status: "pending", amount: "6", id: "b"}},
	{{round: 1, status: "pending", amount: "5.5", id: "c"}, {round: 2, status: "approved", amount: "5.5", id: "c"}},
	{{round: 1, status: "pending", amount: "8"}, {round: 2, status: "rejected", amount: "8"}},
	{
		{round: 1, status: "approved", amount: "20", id: "e"},
		{round: 2, status: "chargeback", amount: "20", id: "e"},
		{round: 3, status: "approved", amount: "20", id: "e"}, // a chargeback is final
	},
	{{round: 1, status: "approved", amount: "3.3", id: "f"}, {round: 2, status: "approved", amount: "3.3", id: "f"}},
	{{round: 1, status: "approved", amount: "10", id: "g"}, {round: 2, status: "approved", amount: "12.34", id: "g"}},
	{{round: 1, status: "approved", amount: "4", id: "h1"}, {round: 1, status: "pending", amount: "40", id: "h2"}},
	{{round: 1, status: "pending", amount: "1", goal: "signup"}, {round: 1, status: "approved", amount: "9.99", goal: "sale"}},
	{{round: 1, status: "rejected", amount: "2", id: "j"}, {round: 2, status: "approved", amount: "2.5", id: "j"}},
	{{round: 1, status: "whatever", amount: "11", id: "k"}}, // unknown word: pending until it is reviewed
	{{round: 1, amount: "0.000001", id: "l"}},               // without a status word: approved
	{
		{round: 1, status: "approved", amount: "6.5", id: "m"},
		{round: 2, status: "rejected", amount: "6.5", id: "m"},
		{round: 3, status: "approved", amount: "6.5", id: "m"},
		{round: 4, status: "chargeback", amount: "6.5", id: "m"},
	},
	{{round: 1, status: "approved", amount: "2.22", id: "n", pixel: true}},
	{{round: 1, status: "approved", amount: "", id: "o"}, {round: 4, status: "chargeback", amount: "", id: "o"}},
}

const rounds = 4

// moves lists, for each status, the statuses to which the documentation allows a change.
var moves = map[string][]string{
	"pending": {"approved", "rejected"}, "approved": {"rejected", "chargeback"}, "rejected": {"approved"},
}

// script returns the postbacks of a click, or nil. Every fourth click gets postbacks, except clicks of bots, clicks without an
// offer and clicks that are not recorded.
func (t *traffic) script(c *click) []step {
	if c.bot() || c.offer == "" || c.campaign.uncounted || c.number%4 != 0 {
		return nil
	}
	s := scripts[c.number/4%len(scripts)]
	if spec := offerNamed(c.offer); (s[0].pixel && spec.network == "alpha") || (s[0].amount == "" && spec.percent) {
		return scripts[0] // no pixel has the secret that the network alpha requires, and a payout in percent needs an amount
	}
	return s
}

func (t *traffic) report(ctx context.Context, c *click, round int) error {
	for _, s := range t.script(c) {
		if s.round != round {
			continue
		}
		if err := t.postback(ctx, c, s); err != nil {
			return err
		}
		t.applyStep(c, s)
	}
	return nil
}

func (t *traffic) applyStep(c *click, s step) {
	status := s.status
	switch s.status {
	case "":
		status = "approved"
	case "whatever":
		status = "pending"
	}
	id := ""
	if s.id != "" {
		id = s.id + "-" + strconv.Itoa(c.number)
	}
	payout := offerNamed(c.offer).worth(s.amount)
	for _, v := range c.conversions {
		if v.id != id || v.goal != s.goal {
			continue
		}
		same := v.status == status
		if !same && !contains(moves[v.status], status) {
			return
		}
		if same && v.payout.Equal(payout) {
			return
		}
		v.status, v.payout = status, payout
		v.recordings = append(v.recordings, recording{"conversion.updated", status, payout})
		return
	}
	source := "postback"
	if s.pixel {
		source = "pixel"
	}
	c.conversions = append(c.conversions, &conversion{
		click: c, id: id, goal: s.goal, status: status, payout: payout, offer: c.offer, source: source,
		recordings: []recording{{"conversion.created", status, payout}},
	})
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func offerNamed(name string) offerSpec {
	for _, o := range offers {
		if o.name == name {
			return o
		}
	}
	panic("smoke: no offer " + name)
}

// worth returns the exact payout of a conversion of the offer. `given` is the amount in the postback, or empty.
func (o offerSpec) worth(given string) decimal.Decimal {
	own := amount(o.payout)
	if !o.fromParam || given == "" {
		return own
	}
	if o.percent {
		return amount(given).Mul(own).Div(amount("100"))
	}
	return amount(given)
}

// answerDecimals is the number of decimals of an amount in an answer or an event.
const answerDecimals = 6

// postback reports a step in one of the ways, and with one of the sets of names, that networks use.
func (t *traffic) postback(ctx context.Context, c *click, s step) error {
	values, path := url.Values{}, "/postback"
	words := fieldWords[c.number/4%len(fieldWords)]
	status := s.status
	if offerNamed(c.offer).network == "alpha" {
		path, words = "/postback/"+t.networks["alpha"], alphaWords
		values.Set("secret", alphaSecret)
		if own := alphaStatus[status]; own != "" {
			status = own
		}
	}
	id := s.id
	if id != "" {
		id += "-" + strconv.Itoa(c.number)
	}
	for i, value := range []string{c.id, s.amount, status, id, s.goal} {
		if value != "" {
			values.Set(words[i], value)
		}
	}
	if s.pixel {
		values.Del(words[0])
		resp, err := t.request(ctx, http.MethodGet, "/pixel.gif?"+values.Encode(), c.visitor, c.cookies)
		if err == nil && (resp.status != http.StatusOK || resp.header.Get("Content-Type") != "image/gif") {
			t.problem("the pixel answered %d %q", resp.status, resp.header.Get("Content-Type"))
		}
		return err
	}
	return t.sendPostback(ctx, path, values, c.number/4)
}

// fieldWords lists common parameter names of networks for click id, payout, status, conversion id and goal.
var fieldWords = [][5]string{
	{"clickid", "payout", "status", "conversion_id", "goal"},
	{"cid", "sum", "st", "txid", "event"},
	{"subid", "amount", "cnv_status", "transaction_id", "et"},
	{"click_id", "revenue", "status", "tid", "type"},
}

var (
	alphaWords  = [5]string{"aff_ref", "income", "phase", "order", "step"}
	alphaStatus = map[string]string{
		"approved": "settled", "pending": "open", "rejected": "void", "chargeback": "clawback",
	}
)
