package money

import (
	_ "embed"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/shopspring/decimal"
	"golang.org/x/text/currency"
	"golang.org/x/text/message"
	cldr "golang.org/x/text/number"
)

// Each line has the currency that applies, the text, and the amount with its currency or the reason why the text is not an
// amount.
//
//go:embed testdata/forms.txt
var formList string

var reasons = map[string]error{
	"empty": ErrEmpty, "long": ErrTooLong, "digits": ErrNoNumber, "malformed": ErrMalformed, "words": ErrWords,
	"ambiguous": ErrAmbiguous, "currencies": ErrCurrencies, "large": ErrTooLarge,
}

func TestMinor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ code, amount, want string }{
		{"EUR", "12.5", "1250"}, {"EUR", "0.006", "1"}, {"JPY", "1250", "1250"}, {"KWD", "1.5", "1500"}, {"ZZZ", "1", ""}, {Unknown, "1", ""},
	} {
		if got, ok := Minor(decimal.RequireFromString(c.amount), c.code); ok != (c.want != "") || ok && got.String() != c.want {
			t.Errorf("%s %s: %s, %t; want %q", c.amount, c.code, got, ok, c.want)
		}
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	forms, currencies := 0, map[string]bool{}
	for line := range strings.Lines(formList) {
		if line = strings.TrimRight(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			t.Fatalf("the line %q has %d cells, want 3", line, len(cells))
		}
		given, text, want := cells[0], cells[1], cells[2]
		forms++
		currencies[given] = true
		got, err := Read(text, given)
		if reason, refused := reasons[want]; refused {
			if !errors.Is(err, reason) {
				t.Errorf("%q in %q: %v %s, %v; want: %v", text, given, got.Value, got.Currency, err, reason)
			}
			continue
		}
		value, code, _ := strings.Cut(want, " ")
		currencies[code] = true
		if err != nil || !got.Value.Equal(decimal.RequireFromString(value)) || got.Currency != code {
			t.Errorf("%q in %q: %v %q, %v; want %s", text, given, got.Value, got.Currency, err, want)
		}
		if (got.Doubt != nil) != (got.Currency == Unknown) {
			t.Errorf("%q in %q has the currency %q and the doubt %v, want a doubt only for Unknown", text, given, got.Currency, got.Doubt)
		}
	}
	if delete(currencies, ""); forms < 300 || len(currencies) < 40 {
		t.Errorf("the table has only %d forms in %d currencies, want at least 300 in 40", forms, len(currencies))
	}
}

// TestLocales writes amounts in the form of each locale in CLDR and reads them back.
func TestLocales(t *testing.T) {
	t.Parallel()
	amounts := []string{"0.5", "5", "12.5", "-12.5", "999.99", "1234", "1234.5", "-12345.67", "250000", "1234567.89", "987654321"}
	read, ambiguous := 0, 0
	check := func(text, given string, want decimal.Decimal, code string) {
		got, err := Read(text, given)
		switch {
		case errors.Is(err, ErrAmbiguous):
			ambiguous++
		case err != nil:
			t.Errorf("%q in %q: %v", text, given, err)
		case !got.Value.Equal(want):
			t.Errorf("%q in %q is read as %s, want %s", text, given, got.Value, want)
		case got.Currency != code && got.Currency != Unknown && (given != code || got.Currency != ""):
			t.Errorf("%q, where the currency %q applies, is read in the currency %q, want %q", text, given, got.Currency, code)
		default:
			read++
		}
	}
	codes := []string{"USD", "EUR", "JPY", "INR", "KWD", "BRL", "CHF", "VND"}
	homes := homeLocales()
	for _, tag := range locales() {
		p := message.NewPrinter(tag)
		localCurrency, _ := currency.FromTag(tag)
		for _, text := range amounts {
			value := decimal.RequireFromString(text)
			f, _ := value.Float64()
			for _, code := range append(codes, localCurrency.String()) {
				u := currency.MustParseISO(code)
				if u == currency.XXX {
					continue
				}
				if slices.Contains(homes[code], tag) {
					check(p.Sprint(cldr.Decimal(f, cldr.MaxFractionDigits(6))), code, value, code)
				}
				for _, form := range []currency.Formatter{currency.ISO, currency.Symbol, currency.NarrowSymbol} {
					scale, _ := currency.Standard.Rounding(u)
					shown := p.Sprint(form(u.Amount(f)))
					check(shown, code, value.Round(int32(scale)), code)
					number := p.Sprint(cldr.Decimal(f, cldr.Scale(scale)))
					if sign := p.Sprint(form(u)); len(sign) > 1 { // a letter after a number may be a multiplier
						check(number+"\u00a0"+sign, code, value.RoundBank(int32(scale)), code)
					}
				}
			}
		}
	}
	if read < 20*ambiguous {
		t.Errorf("%d amounts are read and %d are ambiguous, want at most one ambiguous for 20 read", read, ambiguous)
	}
}

// TestPlain checks that the fast path never reads a text differently from the general path.
func TestPlain(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"0", "5", "12.5", "0.125", "3.1415", "1234.567", "12.500", "012.500", ".5", "5.", ".", "", "1.2.3", "123456789", "1234567890", "0.000001",
		"0.1234567", "1234.5678",
	} {
		fast, ok := plain(text)
		p, err := split(text)
		var slow decimal.Decimal
		if err == nil {
			slow, err = p.number.value([]string{"USD"})
		}
		if ok && (err != nil || !fast.Equal(slow)) {
			t.Errorf("the fast path reads %q as %s, and the general path as %s, %v", text, fast, slow, err)
		}
	}
}

func TestDigitsOfAllScripts(t *testing.T) {
	t.Parallel()
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if unicode.IsDigit(r) && int(digit(r)) != digitByName(r) {
			t.Fatalf("the digit %U is read as %d, want %d", r, digit(r), digitByName(r))
		}
	}
	for text, want := range map[string]string{"٠١٢٣٤٥٦٧٨٩": "123456789", "۹۸۷": "987", "१२": "12", "𝟗𝟘𝟣": "901", "７８": "78", "༡༢": "12"} {
		if got, err := Read(text, ""); err != nil || got.Value.String() != want {
			t.Errorf("%s is read as %v, %v, want %s", text, got.Value, err, want)
		}
	}
}

func TestCurrency(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, given, want string
		reason            error
	}{
		{"", "USD", "", nil},
		{" ", "", "", nil},
		{"EUR", "", "EUR", nil},
		{"eur", "USD", "EUR", nil},
		{" Eur ", "", "EUR", nil},
		{"978", "", "EUR", nil},
		{"840", "EUR", "USD", nil},
		{"036", "", "AUD", nil},
		{"€", "USD", "EUR", nil},
		{"EURO", "", "EUR", nil},
		{"euros", "", "EUR", nil},
		{"Euro", "", "EUR", nil},
		{"$", "", "USD", nil},
		{"$", "CAD", "CAD", nil},
		{"$", "EUR", "USD", nil},
		{"US$", "CAD", "USD", nil},
		{"dollars", "", "USD", nil},
		{"U.S. dollars", "", "USD", nil},
		{"£", "", "GBP", nil},
		{"£", "EGP", "EGP", nil},
		{"kr", "SEK", "SEK", nil},
		{"kr.", "DKK", "DKK", nil},
		{"kr", "", Unknown, ErrSeveral},
		{"kr", "USD", Unknown, ErrSeveral},
		{"¥", "JPY", "JPY", nil},
		{"¥", "CNY", "CNY", nil},
		{"¥", "", Unknown, ErrSeveral},
		{"Rs.", "INR", "INR", nil},
		{"Rs.", "PKR", "PKR", nil},
		{"Rs.", "USD", Unknown, ErrSeveral},
		{"руб.", "", "RUB", nil},
		{"руб.", "BYN", "BYN", nil},
		{"р.", "RUB", "RUB", nil},
		{"₽", "", "RUB", nil},
		{"R$", "", "BRL", nil},
		{"zł", "", "PLN", nil},
		{"Kč", "", "CZK", nil},
		{"Ft", "", "HUF", nil},
		{"₹", "", "INR", nil},
		{"د.إ.\u200f", "", "AED", nil},
		{"XXX", "", "XXX", ErrNoCurrency},
		{"ABC", "", "ABC", ErrNoCurrency},
		{"BTC", "BTC", "BTC", nil},
		{"USDT", "", Unknown, ErrNoCurrency},
		{"dollarz", "USD", Unknown, ErrNoCurrency},
		{"12", "", Unknown, ErrNoCurrency},
		{"999", "", Unknown, ErrNoCurrency},
		{"1.24", "", Unknown, ErrNoCurrency},
		{"USD$", "", "USD", nil},
		{"EUR USD", "", Unknown, ErrNoCurrency},
		{strings.Repeat("x", 65), "", Unknown, ErrNoCurrency},
		{"RUR", "", "RUB", nil},
		{"rur", "USD", "RUB", nil},
		{"₱", "", "PHP", nil},
		{"₱", "CUP", "CUP", nil},
		{"GBp", "", "GBX", ErrNoCurrency},
		{"GBX", "GBP", "GBX", ErrNoCurrency},
		{"Gbp", "", "GBP", nil},
		{"R", "ZAR", "ZAR", nil},
		{"R", "USD", Unknown, ErrNoCurrency},
		{"DEM", "", "DEM", nil},
		{"BGN", "", "BGN", nil},
		{"XOF", "", "XOF", nil},
		{"FCFA", "XAF", "XAF", nil},
		{"FCFA", "", Unknown, ErrSeveral},
		{"\xff", "", Unknown, ErrNoCurrency},
	} {
		if got, err := Currency(c.text, c.given); got != c.want || !errors.Is(err, c.reason) {
			t.Errorf("%q in %q is %q, %v; want %q, %v", c.text, c.given, got, err, c.want, c.reason)
		}
	}
}

func TestHeading(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Amount spent (INR)": "Amount spent|INR", "Amount spent (€)": "Amount spent|EUR", "Cost [usd]": "Cost|USD", "Cost, $": "Cost|USD",
		"Spend EUR": "Spend|EUR", "payout_usd": "payout|USD", "Cost (kr)": "Cost|" + Unknown, "Cost (USDT)": "Cost|" + Unknown,
		"Clicks (all)": "Clicks (all)|", "Cost (net)": "Cost (net)|", "Cost (CPC)": "Cost (CPC)|", "Spend": "Spend|", "Amount, net": "Amount, net|",
		"clicks_all": "clicks_all|", "(USD)": "(USD)|", "": "|", "Day 840": "Day 840|", "Cost (840)": "Cost|USD", "Cost (": "Cost (|",
		"Amount spent (Euro)": "Amount spent|EUR", "Cost ()": "Cost ()|", "Total spend in USD": "Total spend in|USD",
		"Cost (Net, EUR)": "Cost|EUR", "Cost (EUR excl. VAT)": "Cost|EUR", "Cost (net) (eur)": "Cost|EUR", "Spend (€) per day": "Spend|EUR",
		"Amount (USD equivalent)": "Amount|USD", "Cost (USD/EUR)": "Cost|" + Unknown, "Revenue, руб.": "Revenue|RUB", "Payout, usd": "Payout|USD",
		"EUR payout": "payout|EUR", "€ spend": "spend|EUR", "usd_cost": "cost|USD", "payout eur": "payout|EUR", "Cost usd": "Cost|USD",
		"All clicks": "All clicks|", "Top campaign": "Top campaign|", "Net revenue": "Net revenue|", "Real cost": "Real cost|", "Cost per click": "Cost per click|",
		"USD": "USD|", "EUR ": "EUR|", "USD/": "USD/|", "click id": "click id|", "conversion id": "conversion id|", "VAT amount": "VAT amount|",
		"Cost (micros)": "Cost|" + Unknown, "Cost (K)": "Cost|" + Unknown, "Cost (in thousands, EUR)": "Cost|" + Unknown,
		"Cost [cents]": "Cost|" + Unknown, "Cost (000)": "Cost|" + Unknown, "Revenue (%)": "Revenue|" + Unknown,
		"Cost (excl. VAT)": "Cost (excl. VAT)|", "Cost (real)": "Cost|BRL", "Cost (real spend)": "Cost (real spend)|", "Cost (1)": "Cost (1)|",
		"Spend (account currency)": "Spend (account currency)|", "Cost (last 7 days)": "Cost (last 7 days)|",
	} {
		name, code := Heading(text, "")
		if got := name + "|" + code; got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

// TestUnknownCurrencies checks that 12.500 is ambiguous without a currency or with an unknown one, and that the number 000 names no
// currency.
func TestUnknownCurrencies(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", Unknown, "BTC", "ZZZ"} {
		if got, err := Read("12.500", code); !errors.Is(err, ErrAmbiguous) {
			t.Errorf("12.500 in %q is read as %v, %v, want ErrAmbiguous", code, got, err)
		}
	}
	if code, err := Currency("000", "USD"); code != Unknown || !errors.Is(err, ErrNoCurrency) {
		t.Errorf("the currency number 000 is read as %q, %v, want Unknown and ErrNoCurrency", code, err)
	}
}

// FuzzRead compares each amount with the digits of its text: the amount must have the same digits in the same order, wherever the
// decimals begin.
func FuzzRead(f *testing.F) {
	for line := range strings.Lines(formList) {
		if cells := strings.Split(strings.TrimRight(line, "\n"), "\t"); len(cells) == 3 {
			f.Add(cells[1], cells[0])
		}
	}
	f.Fuzz(func(t *testing.T, text, given string) {
		got, err := Read(text, given)
		if err != nil {
			if reason := ReadError(""); !errors.As(err, &reason) || !got.Value.IsZero() || got.Currency != "" {
				t.Fatalf("%q gives an amount together with an error, or an error without a reason: %v, %v", text, got, err)
			}
			return
		}
		if !sameDigits(text, got.Value) {
			t.Fatalf("%q is read as %s, which has other digits", text, got.Value)
		}
		if other, err := Read(text, ""); err == nil && got.Currency == "" && !other.Value.Equal(got.Value) {
			t.Fatalf("%q is read as %s in %q, and as %s without a currency", text, got.Value, given, other.Value)
		}
		reread, err := Read(got.Value.String()+"e0", given)
		if err != nil || !reread.Value.Equal(got.Value) {
			t.Fatalf("%q is read as %s, but the text of this amount is read as %v, %v", text, got.Value, reread.Value, err)
		}
		if got.Currency != "" && got.Currency != Unknown && got.Currency != given && !isCode(got.Currency) {
			t.Fatalf("%q is read in %q, which is not the code of a currency", text, got.Currency)
		}
	})
}

// sameDigits reports whether a value consists of the digits of a text.
func sameDigits(text string, value decimal.Decimal) bool {
	var mantissa []int
	cuts := []int{}
	power := new(big.Int)
	list := []rune(text)
	for i := 0; i < len(list); i++ {
		r := list[i]
		switch {
		case unicode.IsDigit(r):
			mantissa = append(mantissa, digitByName(r))
		case (r == 'e' || r == 'E') && len(mantissa) > 0:
			var exponent []rune
			for _, c := range list[i+1:] {
				switch {
				case unicode.IsDigit(c):
					exponent = append(exponent, rune('0'+digitByName(c)))
				case strings.ContainsRune("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", c) && len(exponent) == 0:
					exponent = append(exponent, '-')
				}
			}
			if len(exponent) > 0 && exponent[len(exponent)-1] != '-' {
				power.SetString(string(exponent), 10)
				i = len(list)
			}
		default:
			cuts = append(cuts, len(mantissa))
		}
	}
	cuts = append(cuts, len(mantissa))
	digitsValue := new(big.Rat)
	ten := big.NewRat(10, 1)
	for _, d := range mantissa {
		digitsValue.Mul(digitsValue, ten).Add(digitsValue, big.NewRat(int64(d), 1))
	}
	margin := big.NewRat(1, 2_000_000)
	for _, cut := range cuts {
		shift := int(power.Int64()) - (len(mantissa) - cut)
		v := new(big.Rat).Set(digitsValue)
		for ; shift > 0; shift-- {
			v.Mul(v, ten)
		}
		for ; shift < 0; shift++ {
			v.Quo(v, ten)
		}
		if v.Sub(v, value.Abs().Rat()).Abs(v).Cmp(margin) <= 0 {
			return true
		}
	}
	return false
}

// The digits of a script come in runs of ten in Unicode, so the digits before a digit give its value.
func digitByName(r rune) int {
	n := 0
	for r--; unicode.IsDigit(r); r-- {
		n++
	}
	return n % 10
}

func BenchmarkReadPlain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Read("0.0125", "USD")
	}
}

func BenchmarkReadFull(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Read("R$ 1.234,56", "BRL")
	}
}
