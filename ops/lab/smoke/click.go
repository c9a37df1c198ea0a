package smoke

import (
	"math/big"
	"time"

	"github.com/shopspring/decimal"
)

// click is one visit to a tracking link and what the sender knows that it must count as.
type click struct {
	visitor
	number   int
	id       string // as shown; empty where the answer tells none
	at       time.Time
	campaign *campaign // that the visitor ended up in
	entry    *campaign // whose link it was
	path     string    // name of the path; empty: none fitted
	lander   string
	offer    string // of the last step
	source   string
	subs     [2]string
	external string
	bid      decimal.Decimal
	unique   bool
	outs     []int // slots of the click-outs
	query    string
	cookies  string // that the tracking domain set

	conversions []*conversion
}

func (c *click) bot() bool { return c.Bot != "" }

// pathSpec is the path that was taken, nil for none.
func (c *click) pathSpec() *pathSpec {
	for i := range c.campaign.campaignSpec.paths {
		if p := &c.campaign.campaignSpec.paths[i]; p.name == c.path {
			return p
		}
	}
	return nil
}

// count is how many conversions have one of the statuses.
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

// revenue is what the conversions of a status paid.
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

// idTime is the time inside a click id: the id is a UUID of version 7 in base 62, and the first 48 of its 128 bits
// are milliseconds. It is zero for a text that is not one.
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

// makeID returns a click id with the current time that no click has.
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
