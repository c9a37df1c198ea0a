package measure

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// Limits of the formulas of an exported file: their number, and the length of each in bytes.
const (
	MaxExpressions      = 5
	maxExpressionLength = 100
)

// Expression calculates a value from the measures of a row. Expression returns false for a division by zero, and if a measure is
// missing.
type Expression func(value func(name string) (decimal.Decimal, bool)) (decimal.Decimal, bool)

// ParseExpressions parses formulas that are separated by commas, such as profit/conversions,cost*1000/clicks.
func ParseExpressions(text string) (texts []string, list []Expression, err error) {
	if text == "" {
		return nil, nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		p := expressionParser{left: strings.ReplaceAll(part, " ", "")}
		e, ok := p.sum()
		if !ok || p.left != "" || len(part) > maxExpressionLength {
			return nil, nil, fmt.Errorf("%.50q is no formula of figures, numbers, + - * / and parentheses", part)
		}
		texts, list = append(texts, strings.TrimSpace(part)), append(list, e)
	}
	if len(list) > MaxExpressions {
		return nil, nil, fmt.Errorf("there are at most %d formulas", MaxExpressions)
	}
	return texts, list, nil
}

type expressionParser struct{ left string }

func (p *expressionParser) sum() (Expression, bool)     { return p.chain("+-", p.product) }
func (p *expressionParser) product() (Expression, bool) { return p.chain("*/", p.one) }

func (p *expressionParser) chain(signs string, next func() (Expression, bool)) (Expression, bool) {
	e, ok := next()
	for ok && p.left != "" && strings.IndexByte(signs, p.left[0]) >= 0 {
		sign, a := p.left[0], e
		p.left = p.left[1:]
		var b Expression
		if b, ok = next(); ok {
			e = both(a, sign, b)
		}
	}
	return e, ok
}

func (p *expressionParser) one() (Expression, bool) {
	if rest, ok := strings.CutPrefix(p.left, "-"); ok {
		p.left = rest
		e, ok := p.one()
		return both(number(decimal.Zero), '-', e), ok
	}
	if rest, ok := strings.CutPrefix(p.left, "("); ok {
		p.left = rest
		e, ok := p.sum()
		rest, closed := strings.CutPrefix(p.left, ")")
		p.left = rest
		return e, ok && closed
	}
	word := p.left[:len(p.left)-len(strings.TrimLeft(p.left, "abcdefghijklmnopqrstuvwxyz_0123456789."))]
	p.left = p.left[len(word):]
	if Find(word) != nil {
		return func(value func(string) (decimal.Decimal, bool)) (decimal.Decimal, bool) { return value(word) }, true
	}
	if strings.Trim(word, "0123456789.") != "" {
		return nil, false
	}
	n, err := decimal.NewFromString(word)
	return number(n), err == nil
}

func number(n decimal.Decimal) Expression {
	return func(func(string) (decimal.Decimal, bool)) (decimal.Decimal, bool) { return n, true }
}

const quotientDigits = 12

func both(a Expression, sign byte, b Expression) Expression {
	return func(value func(string) (decimal.Decimal, bool)) (decimal.Decimal, bool) {
		x, okX := a(value)
		y, okY := b(value)
		if !okX || !okY || sign == '/' && y.IsZero() {
			return decimal.Zero, false
		}
		switch sign {
		case '+':
			return x.Add(y), true
		case '-':
			return x.Sub(y), true
		case '*':
			return x.Mul(y), true
		}
		return x.DivRound(y, quotientDigits), true
	}
}
