package smoke

import (
	"math/big"
	"time"

	"github.com/shopspring/decimal"
)

// click is one visit to a tracking link, with everything that the sender knows about how it must be counted.
type click struct {
	visitor
	number   int
	id       string // as text; empty if the answer does not contain it
	at       time.Time
	campaign *campaign // in which the visitor ended up
	entry    *campaign // whose link was visited
	path     string    // name of the path; empty if no path fitted
	lander   string
	offer    string // the last offer that the visitor reached
	source   string
	subs     [2]string
	external string
	bid      decimal.Decimal
	unique   bool
	outs     []int // the slot of each click-out, in order
	query    string
	cookies  string // the cookies that the tracking domain set

	conversions []*conversion
}

func (c *click) bot() bool { return c.Bot != "" }

func (c *click) pathSpec() *pathSpec {
	for i := range c.campaign.campaignSpec.paths {
		if p := &c.campaign.campaignSpec.paths[i]; p.name == c.path {
			return p
		}
	}
	return nil
}

func (c *click) count(statuses ...string) int {
	n := 0
	for _, v := range c.conversions {
		for _, s := range statuses {
			if v.status == s {
				n++
			}
		}
	}
	return n
}

func (c *click) revenue(status string) decimal.Decimal {
	sum := decimal.Zero
	for _, v := range c.conversions {
		if v.status == status {
			sum = sum.Add(v.payout)
		}
	}
	return sum
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// idTime returns the time inside a click id, a UUID of version 7 in base 62. It is zero for a text that is not a click id.
func idTime(id string) time.Time {
	if len(id) != 22 {
		return time.Time{}
	}
	number, base := new(big.Int), big.NewInt(62)
	for _, c := range id {
		value := int64(-1)
		for i, d := range digits {
			if d == c {
				value = int64(i)
			}
		}
		if value < 0 {
			return time.Time{}
		}
		number.Add(number.Mul(number, base), big.NewInt(value))
	}
	if number.BitLen() > 128 {
		return time.Time{}
	}
	return time.UnixMilli(number.Rsh(number, 80).Int64()).UTC()
}

// makeID returns a well-formed click id of the current time that belongs to no click.
func makeID(random uint64) string {
	number := big.NewInt(time.Now().UnixMilli())
	number.Lsh(number, 80)
	number.Or(number, new(big.Int).Lsh(big.NewInt(7), 76))
	number.Or(number, new(big.Int).Lsh(big.NewInt(2), 62))
	number.Or(number, new(big.Int).SetUint64(random>>2))
	text := make([]byte, 22)
	for i := len(text) - 1; i >= 0; i-- {
		rest := new(big.Int)
		number.DivMod(number, big.NewInt(62), rest)
		text[i] = digits[rest.Int64()]
	}
	return string(text)
}
